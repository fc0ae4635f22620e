import type { ArchivedType, FilesForPeople } from '../archive/archived-type'
import type { BlobStaging } from '../blobs/staging'
import type { RecordChanges } from '../db/change-feed'
import type { Context, Database, Session } from '../db/database'
import { archivedCards, archivedReviews } from '../flashcards/archive/cards'
import { archivedDecks, archivedSettings } from '../flashcards/archive/decks'
import { archivedFacts, archivedMedia, archivedNoteTypes } from '../flashcards/archive/facts'
import { createStudyExports, type StudyExports } from '../flashcards/export/export'
import { createDeckPaths } from '../flashcards/import/decks'
import { createFactImport } from '../flashcards/import/facts'
import { createNoteTypeImport, createStudyImport } from '../flashcards/import/import'
import { createLogMerge } from '../flashcards/import/log-merge'
import { createMediaImport } from '../flashcards/import/media'
import { createLogImport, createNewFacts } from '../flashcards/import/new-facts'
import { createReviewLog } from '../flashcards/reviews/review-log'
import type { StudyWriters } from '../flashcards/writers'
import { ApiError } from '../http/api-error'
import type { WorkspaceUsage } from '../http/schema'
import type { Imports } from '../imports/service'

interface ArchiveDeps {
  readonly blobs: BlobStaging
  readonly workspaces: { readonly usage: (session: Session) => Promise<WorkspaceUsage> }
  readonly missingNotes: (session: Session, ids: readonly string[]) => Promise<string[]>
}

/** Lists the archived types of flashcards, in an order in which a type comes after those that it refers to. */
export function listStudyTypes(
  { blobs, workspaces, missingNotes }: ArchiveDeps,
  writers: StudyWriters,
): ArchivedType[] {
  return [
    archivedSettings(writers),
    archivedDecks(writers),
    archivedMedia({ ...writers, blobs, usage: workspaces.usage }),
    archivedNoteTypes(writers),
    archivedFacts({ ...writers, missingNotes }),
    archivedCards(writers),
    archivedReviews(writers.reviewWriter),
  ]
}

/** Adds all decks as a package for Anki to the archive, unless it would be too large. */
export function createPackageFile({ packageOf }: StudyExports): FilesForPeople {
  return async function* (read, workspace) {
    const chunks = packageOf(read, workspace)
    try {
      const first = await readFirstChunk(chunks)
      if (first) yield { name: 'flashcards.apkg', content: prepend(first, chunks) }
    } finally {
      await chunks.return(undefined)
    }
  }
}

/** Reads the first chunk; null if the package would be too large, which is known before the first chunk. */
async function readFirstChunk(chunks: AsyncGenerator<Uint8Array>): Promise<Uint8Array | null> {
  try {
    return (await chunks.next()).value ?? null
  } catch (error) {
    if (error instanceof ApiError && error.code === 'too_large') return null
    throw error
  }
}

async function* prepend(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first
  yield* rest
}

interface Deps extends Pick<Context, 'now' | 'ids'> {
  readonly blobs: BlobStaging
  readonly workspaces: {
    readonly recordAll: RecordChanges
    readonly usage: (session: Session) => Promise<WorkspaceUsage>
  }
  readonly db: Pick<Database, 'snapshot'>
  readonly imports: Pick<Imports, 'register' | 'receive'>
  readonly missingNotes: (session: Session, ids: readonly string[]) => Promise<string[]>
}

export function createFlashcardFiles(deps: Deps, writers: StudyWriters) {
  const { now, ids, missingNotes } = deps
  const importLog = createLogImport({ ids, recordAll: deps.workspaces.recordAll })
  const mergeLog = createLogMerge({ ids, log: createReviewLog(writers) })
  const kind = createStudyImport({
    now,
    openDecks: createDeckPaths({ now, ids, ...writers }),
    importMedia: createMediaImport({ ...writers, blobs: deps.blobs }),
    importNoteType: createNoteTypeImport({ now, ids, ...writers }),
    openNewFacts: createNewFacts({ now, ids, ...writers, importLog }),
    importFact: createFactImport({ now, ids, ...writers, importLog, mergeLog, missingNotes }),
  })
  const exports = createStudyExports({ now, snapshot: () => deps.db.snapshot() })
  deps.imports.register(kind)
  return { imports: deps.imports, exports }
}
