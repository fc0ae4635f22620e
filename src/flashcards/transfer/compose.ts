import type { Database, Session } from '../../db/database'
import type { RecordChanges } from '../../db/journal'
import type { Imports } from '../../imports/service'
import type { StudySettingsService } from '../settings/service'
import type { StudyWriters } from '../writers'
import { createStudyExports } from './export/service'
import { createLogImport } from './import/cards'
import { createDeckPaths } from './import/decks'
import { createFactImport } from './import/facts'
import { createStudyImport } from './import/kind'
import { createMediaImport } from './import/media'
import { createNewFacts } from './import/new-facts'
import { createSettingsImport } from './import/settings'

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A new UUIDv7. */
  readonly ids: () => string
  readonly workspaces: { readonly recordAll: RecordChanges }
  readonly db: Pick<Database, 'snapshot'>
  readonly imports: Pick<Imports, 'register' | 'receive'>
  /** Which of these ids are no notes of the workspace. */
  readonly missingNotes: (session: Session, ids: readonly string[]) => Promise<string[]>
}

type Writers = StudyWriters & { readonly settings: StudySettingsService }

/** Flashcards as files: what is imported and exported. */
export function transferOf(deps: Deps, { settings, ...writers }: Writers) {
  const { now, ids, missingNotes } = deps
  const importLog = createLogImport({ ids, recordAll: deps.workspaces.recordAll })
  const kind = createStudyImport({
    now,
    importSettings: createSettingsImport(settings),
    openDecks: createDeckPaths({ now, ids, ...writers }),
    importMedia: createMediaImport(writers),
    openNewFacts: createNewFacts({ now, ids, ...writers, importLog }),
    importFact: createFactImport({ now, ids, ...writers, importLog, missingNotes }),
  })
  const exports = createStudyExports({ now, snapshot: () => deps.db.snapshot() })
  deps.imports.register(kind)
  return { imports: deps.imports, exports }
}
