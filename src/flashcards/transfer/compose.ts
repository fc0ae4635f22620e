import type { ArchivedType } from '../../db/archive'
import type { RecordChanges } from '../../db/change-feed'
import type { Database, Session } from '../../db/database'
import type { WorkspaceUsage } from '../../http/schema'
import type { Pass } from '../../imports/kind'
import type { Imports } from '../../imports/service'
import { studyArchive } from '../archive'
import type { StudyWriters } from '../writers'
import { createStudyExports } from './export/service'
import { createLogImport } from './import/cards'
import { createDeckPaths } from './import/decks'
import { createFactImport } from './import/facts'
import { createStudyImport } from './import/kind'
import { createMediaImport } from './import/media'
import { createNewFacts } from './import/new-facts'

/** How the archive of a workspace merges resources, handed across by app.ts. */
export type ArchivePasses = (resources: readonly ArchivedType[]) => readonly Pass<unknown, unknown>[]

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A new UUIDv7. */
  readonly ids: () => string
  readonly workspaces: {
    readonly recordAll: RecordChanges
    readonly usage: (session: Session) => Promise<WorkspaceUsage>
  }
  readonly db: Pick<Database, 'snapshot'>
  readonly imports: Pick<Imports, 'register' | 'receive'>
  readonly archivePasses: ArchivePasses
  /** Which of these ids are no notes of the workspace. */
  readonly missingNotes: (session: Session, ids: readonly string[]) => Promise<string[]>
}

/** Flashcards as files: what is imported and exported. */
export function flashcardFiles(deps: Deps, writers: StudyWriters) {
  const { now, ids, missingNotes } = deps
  const importLog = createLogImport({ ids, recordAll: deps.workspaces.recordAll })
  const kind = createStudyImport({
    now,
    openDecks: createDeckPaths({ now, ids, ...writers }),
    importMedia: createMediaImport(writers),
    openNewFacts: createNewFacts({ now, ids, ...writers, importLog }),
    importFact: createFactImport({ now, ids, ...writers, importLog, missingNotes }),
    merging: deps.archivePasses(studyArchive(deps, writers, true)),
  })
  const exports = createStudyExports({ now, snapshot: () => deps.db.snapshot() })
  deps.imports.register(kind)
  return { imports: deps.imports, exports }
}
