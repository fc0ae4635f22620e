import { Elysia } from 'elysia'
import type { Session } from '../db/database'
import type { RecordChange, RecordChanges } from '../db/journal'
import type { Once } from '../http/idempotency'
import { cardsRoutes } from './cards/routes'
import { createCards } from './cards/service'
import { createCardWriter } from './cards/writer'
import { decksRoutes } from './decks/routes'
import { createDecks } from './decks/service'
import { createDeckWriter } from './decks/writer'
import { createFactBatches } from './facts/batch/service'
import { factsRoutes } from './facts/routes'
import { createFacts } from './facts/service'
import { createFactWriter } from './facts/writer'
import { studySettingsRoutes } from './settings/routes'
import { createStudySettings } from './settings/service'
import { studyStatsRoutes } from './stats/routes'
import { createStatistics } from './stats/service'

export interface FlashcardsFeatureDeps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A new UUIDv7. */
  readonly ids: () => string
  readonly workspaces: { readonly record: RecordChange; readonly recordAll: RecordChanges }
  readonly once: Once
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
  /** The id that ties an answer to the log. */
  readonly requestId: (request: Request) => string
  /** Which of these ids are no notes of the workspace. */
  readonly missingNotes: (session: Session, ids: readonly string[]) => Promise<string[]>
}

/** Flashcards and all that belongs to them. */
export function flashcardsFeature(deps: FlashcardsFeatureDeps) {
  const { now, ids, workspaces, once, session, requestId, missingNotes } = deps
  const { record, recordAll } = workspaces
  const cardWriter = createCardWriter({ now, record, recordAll })
  const factWriter = createFactWriter({ now, ids, record, cardWriter })
  const deckWriter = createDeckWriter({ now, record })
  const settings = createStudySettings({ now, record })
  const decks = createDecks({ now, ids, deckWriter, factWriter })
  const facts = createFacts({ now, ids, factWriter, missingNotes })
  const batches = createFactBatches({ facts })
  const cards = createCards({ now, cardWriter })

  const routes = new Elysia({ name: 'flashcards' })
    .use(decksRoutes({ decks, once, session }))
    .use(factsRoutes({ facts, batches, once, session, requestId }))
    .use(cardsRoutes({ cards, session }))
    .use(studySettingsRoutes({ settings, session }))
    .use(studyStatsRoutes({ statistics: createStatistics({ now }), session }))
  return { routes, forgetNote: facts.forgetNote }
}
