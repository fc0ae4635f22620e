import { Elysia } from 'elysia'
import type { Database, Session } from '../db/database'
import type { RecordChange, RecordChanges } from '../db/journal'
import type { Once } from '../http/idempotency'
import type { ImportRuns } from '../http/imports'
import { cardsRoutes } from './cards/routes'
import { createCards } from './cards/service'
import { createCardWriter } from './cards/writer'
import { decksRoutes } from './decks/routes'
import { createDecks } from './decks/service'
import { createDeckWriter } from './decks/writer'
import { draftsRoutes } from './drafting/routes'
import { createDrafting } from './drafting/service'
import { createFactBatches } from './facts/batch/service'
import { createFactsWriter } from './facts/many'
import { factsRoutes } from './facts/routes'
import { createFacts } from './facts/service'
import { createFactWriter } from './facts/writer'
import { MEDIA_PATH, mediaRoutes } from './media/routes'
import { createMedia } from './media/service'
import { createMediaWriter } from './media/writer'
import { studySettingsRoutes } from './settings/routes'
import { createStudySettings } from './settings/service'
import { createStudyExports } from './transfer/export/service'
import { createLogImport } from './transfer/import/cards'
import { createDeckPaths } from './transfer/import/decks'
import { createFactImport } from './transfer/import/facts'
import { createMediaImport } from './transfer/import/media'
import { createNewFacts } from './transfer/import/new-facts'
import { createStudyImports } from './transfer/import/service'
import { createSettingsImport } from './transfer/import/settings'
import { IMPORT_PATH, studyTransferRoutes } from './transfer/routes'

export interface FlashcardsFeatureDeps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A new UUIDv7. */
  readonly ids: () => string
  readonly db: Pick<Database, 'snapshot'>
  readonly workspaces: { readonly record: RecordChange; readonly recordAll: RecordChanges }
  readonly once: Once
  readonly importRuns: ImportRuns
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
  /** The id that ties an answer to the log. */
  readonly requestId: (request: Request) => string
  /** Which of these ids are no notes of the workspace. */
  readonly missingNotes: (session: Session, ids: readonly string[]) => Promise<string[]>
  /** The text of a note that is not in the trash; null if there is none. */
  readonly noteText: (session: Session, id: string) => Promise<string | null>
}

/** Flashcards and all that belongs to them. */
export function flashcardsFeature(deps: FlashcardsFeatureDeps) {
  const { now, ids, workspaces, once, session, requestId, missingNotes } = deps
  const { record, recordAll } = workspaces
  const cardWriter = createCardWriter({ now, record })
  const factWriter = createFactWriter({ now, ids, record, cardWriter })
  const factsWriter = createFactsWriter({ now, recordAll })
  const deckWriter = createDeckWriter({ now, record })
  const settings = createStudySettings({ now, record })
  const decks = createDecks({ now, ids, deckWriter, factsWriter })
  const facts = createFacts({ now, ids, factWriter, factsWriter, missingNotes })
  const batches = createFactBatches({ facts })
  const cards = createCards({ now, cardWriter })
  const mediaWriter = createMediaWriter({ now, ids, record })
  const media = createMedia({ mediaWriter })
  const importLog = createLogImport({ ids, recordAll })
  const imports = createStudyImports({
    now,
    runs: deps.importRuns,
    importSettings: createSettingsImport(settings),
    openDecks: createDeckPaths({ now, ids, deckWriter }),
    importMedia: createMediaImport({ mediaWriter }),
    openNewFacts: createNewFacts({ now, ids, factsWriter, importLog }),
    importFact: createFactImport({ now, ids, factWriter, cardWriter, importLog, missingNotes }),
  })
  const exports = createStudyExports({ now, snapshot: () => deps.db.snapshot() })
  const drafting = createDrafting({ noteText: deps.noteText })

  const routes = new Elysia({ name: 'flashcards' })
    .use(decksRoutes({ decks, once, session }))
    .use(factsRoutes({ facts, batches, once, session, requestId }))
    .use(cardsRoutes({ cards, session }))
    .use(studySettingsRoutes({ settings, session }))
    .use(mediaRoutes({ media, session }))
    .use(draftsRoutes({ drafting, session }))
    .use(studyTransferRoutes({ imports, exports, session }))
  return { routes, filePaths: [MEDIA_PATH, IMPORT_PATH], forgetNote: facts.forgetNote }
}
