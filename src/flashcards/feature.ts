import { Elysia } from 'elysia'
import { oldTrash, type Trash } from '../db/clearing'
import type { Database, Session } from '../db/database'
import type { RecordChange, RecordChanges } from '../db/journal'
import { createRecall, type Once } from '../http/idempotency'
import type { ImportRuns } from '../http/imports'
import type { WorkspaceUsage } from '../http/schema'
import { cardActionsRoutes } from './actions/routes'
import { createCardActions } from './actions/service'
import { cardsRoutes } from './cards/routes'
import { createCards } from './cards/service'
import { createCardWriter } from './cards/writer'
import { checkRoutes } from './checking/routes'
import { trashedCard, wipeFlashcards } from './clearing-store'
import { decksRoutes } from './decks/routes'
import { createDecks } from './decks/service'
import { createDeckWriter } from './decks/writer'
import { draftsRoutes } from './drafting/routes'
import { createDrafting } from './drafting/service'
import { createFactBatches } from './facts/batch/service'
import { createFactsWriter, type FactsWriter } from './facts/many'
import { factsRoutes } from './facts/routes'
import { createFacts } from './facts/service'
import { createFactWriter } from './facts/writer'
import { createFactFinder } from './finding/finder'
import { MEDIA_PATH, mediaRoutes } from './media/routes'
import { createMedia } from './media/service'
import { createMediaWriter } from './media/writer'
import { optimizeRoutes } from './optimizing/routes'
import { createOptimizer, type UseWeights } from './optimizing/service'
import { queueRoutes } from './queue/routes'
import { createQueues } from './queue/service'
import { createAnswerBatches } from './reviews/batch/service'
import { createMemories } from './reviews/memory'
import { cardReviewsRoutes, reviewsRoutes } from './reviews/routes'
import { createReviews } from './reviews/service'
import { createUndo } from './reviews/undo'
import { createReviewWriter } from './reviews/writer'
import { studySettingsRoutes } from './settings/routes'
import { createStudySettings } from './settings/service'
import { studyStatsRoutes } from './stats/routes'
import { createStatistics } from './stats/service'
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
  readonly workspaces: {
    readonly record: RecordChange
    readonly recordAll: RecordChanges
    readonly usage: (session: Session) => Promise<WorkspaceUsage>
  }
  readonly db: Pick<Database, 'snapshot'>
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
  const { record, recordAll, usage } = workspaces
  const cardWriter = createCardWriter({ now, record, recordAll })
  const factWriter = createFactWriter({ now, ids, record, cardWriter })
  const factsWriter = createFactsWriter({ now, recordAll })
  const deckWriter = createDeckWriter({ now, record })
  const memories = createMemories({ now, cardWriter })
  const settings = createStudySettings({ now, record, memories })
  const decks = createDecks({ now, ids, deckWriter, factsWriter, memories })
  const facts = createFacts({ now, ids, factWriter, factsWriter, missingNotes })
  const batches = createFactBatches({ facts })
  const cards = createCards({ now, cardWriter })
  const reviewWriter = createReviewWriter({ now, record, usage })
  const reviews = createReviews({ now, ids, cardWriter, reviewWriter })
  const undo = createUndo({ now, cardWriter, reviewWriter })
  const answers = createAnswerBatches({ reviews })
  const actions = createCardActions({ now, ids, cardWriter, factWriter, reviewWriter })
  const queues = createQueues({ now })
  const useWeights: UseWeights = async (within, { deckId, weights, reschedule }) => {
    if (deckId === null) await settings.update(within, { deck_defaults: { weights } }, null, { reschedule })
    else await decks.update(within, deckId, { settings: { weights } }, null, { reschedule })
  }
  const optimizer = createOptimizer({ now, once, recall: createRecall({ now }), useWeights })
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
    .use(cardReviewsRoutes({ reviews, once, session }))
    .use(cardActionsRoutes({ actions, once, session }))
    .use(checkRoutes({ once, session }))
    .use(reviewsRoutes({ reviews, batches: answers, undo, once, session, requestId }))
    .use(queueRoutes({ queues, session }))
    .use(studySettingsRoutes({ settings, session }))
    .use(studyStatsRoutes({ statistics: createStatistics({ now }), session }))
    .use(optimizeRoutes({ optimizer, session }))
    .use(mediaRoutes({ media, session }))
    .use(draftsRoutes({ drafting, once, session }))
    .use(studyTransferRoutes({ imports, exports, session }))
  const trash: Trash[] = [
    { type: 'deck', old: oldTrash('study_decks', 'trashed_at'), erase: (mine, id) => decks.erase(mine, id, undefined) },
    { type: 'fact', old: oldTrash('study_facts', 'trashed_at'), erase: (mine, id) => facts.erase(mine, id) },
    { type: 'card', old: oldTrash('study_cards', 'trashed_at'), erase: eraseCardOf(factsWriter) },
  ]
  return {
    routes,
    filePaths: [MEDIA_PATH, IMPORT_PATH],
    forgetNote: facts.forgetNote,
    services: { facts, decks, queues, drafting },
    finder: createFactFinder(),
    trash,
    wipe: wipeFlashcards,
    close: optimizer.close,
  }
}

/** Erases a card that its fact has lost, unless it is back by now. */
function eraseCardOf(writer: FactsWriter): Trash['erase'] {
  return async (session, id) => {
    const card = await trashedCard(session.db, session.workspace.id, id)
    if (card) await writer.eraseCards(session, [card])
  }
}
