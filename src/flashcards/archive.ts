import type { ArchivedType, FilesForPeople } from '../db/archive'
import type { Session } from '../db/database'
import { ApiError } from '../http/api-error'
import type { WorkspaceUsage } from '../http/schema'
import { archivedCards, archivedReviews } from './archive/cards'
import { archivedDecks, archivedSettings } from './archive/decks'
import { archivedFacts, archivedMedia } from './archive/facts'
import type { StudyExports } from './transfer/export/service'
import type { StudyWriters } from './writers'

interface Deps {
  readonly workspaces: { readonly usage: (session: Session) => Promise<WorkspaceUsage> }
  /** Which of these ids are no notes of the workspace. */
  readonly missingNotes: (session: Session, ids: readonly string[]) => Promise<string[]>
}

/**
 * All of flashcards, in the order in which references come first.
 * @param withoutNotes whether they come alone: then a fact whose note is not here is taken without it
 */
export function studyArchive(
  { workspaces, missingNotes }: Deps,
  writers: StudyWriters,
  withoutNotes = false,
): ArchivedType[] {
  return [
    archivedSettings(writers),
    archivedDecks(writers),
    archivedMedia({ ...writers, usage: workspaces.usage }),
    archivedFacts({ ...writers, missingNotes, withoutNotes }),
    archivedCards(writers),
    archivedReviews(writers.reviewWriter),
  ]
}

/** All decks as a package for Anki; one that would be too large for a package is left out. */
export function flashcardsPackage({ packageOf }: StudyExports): FilesForPeople {
  return async function* (read, workspace) {
    const chunks = packageOf(read, workspace)
    try {
      const first = await startOf(chunks)
      if (first) yield { name: 'flashcards.apkg', content: behind(first, chunks) }
    } finally {
      await chunks.return(undefined)
    }
  }
}

/** The first bytes. Whether there is too much for a package is known by then. */
async function startOf(chunks: AsyncGenerator<Uint8Array>): Promise<Uint8Array | null> {
  try {
    return (await chunks.next()).value ?? null
  } catch (error) {
    if (error instanceof ApiError && error.code === 'too_large') return null
    throw error
  }
}

async function* behind(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first
  yield* rest
}
