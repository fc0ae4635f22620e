import { Elysia } from 'elysia'
import type { RecordChange, RecordChanges } from '../db/change-feed'
import type { Context } from '../db/context'
import type { Database, Session } from '../db/database'
import { inTrash, type Trash } from '../db/erasing'
import { getTrashedCard } from '../flashcards/card-store'
import { createCardActions } from '../flashcards/cards/actions'
import { cardsRoutes } from '../flashcards/cards/routes'
import { createCards } from '../flashcards/cards/service'
import { wipeFlashcards } from '../flashcards/deck-store'
import { loadDeck } from '../flashcards/deck-tree'
import { decksRoutes } from '../flashcards/decks/routes'
import { createDecks } from '../flashcards/decks/service'
import { createDeckTrash, createDeckTrashChange } from '../flashcards/decks/trash'
import { draftsRoutes } from '../flashcards/drafting/routes'
import { createDrafting } from '../flashcards/drafting/service'
import { exportFlashcardsRoutes } from '../flashcards/export/routes'
import type { FactBulkWriter } from '../flashcards/fact-bulk-writer'
import { factsRoutes } from '../flashcards/facts/routes'
import { createFactBatches, createFacts } from '../flashcards/facts/service'
import { IMPORT_PATH, importFlashcardsRoutes } from '../flashcards/import/routes'
import { MEDIA_PATH, mediaRoutes } from '../flashcards/media/routes'
import { createMedia } from '../flashcards/media/service'
import { optimizeRoutes } from '../flashcards/optimizing/routes'
import { createOptimizer, type UseWeights } from '../flashcards/optimizing/service'
import { queueRoutes } from '../flashcards/queue/routes'
import { createQueues } from '../flashcards/queue/service'
import { createReplayAfter, createReplayChange } from '../flashcards/replay'
import { cardReviewsRoutes, reviewsRoutes } from '../flashcards/reviews/routes'
import { createAnswerBatches, createReviews } from '../flashcards/reviews/service'
import { createReviewUndo } from '../flashcards/reviews/undo'
import { factSource } from '../flashcards/search-source.sqlite'
import { studySettingsRoutes } from '../flashcards/settings/routes'
import { createStudySettings } from '../flashcards/settings/service'
import { studyStatsRoutes } from '../flashcards/stats/routes'
import { createStudyStatistics } from '../flashcards/stats/service'
import { createStudyWriters } from '../flashcards/writers'
import { createRecall, type Once } from '../http/idempotency'
import type { RequestPlugin } from '../http/request'
import type { WorkspaceUsage } from '../http/schema'
import { inSteps } from '../imports/in-steps'
import type { Imports } from '../imports/service'
import { type ArchivePasses, flashcardFiles, flashcardsPackage, studyArchive } from './flashcard-files'

export interface FlashcardsFeatureDeps extends Pick<Context, 'now' | 'ids'> {
  readonly workspaces: {
    readonly record: RecordChange
    readonly recordAll: RecordChanges
    readonly usage: (session: Session) => Promise<WorkspaceUsage>
  }
  readonly db: Pick<Database, 'snapshot'>
  readonly once: Once
  readonly imports: Pick<Imports, 'register' | 'receive' | 'registerWork' | 'work'>
  readonly api: RequestPlugin
  /** Which of these ids are no notes of the workspace. */
  readonly missingNotes: (session: Session, ids: readonly string[]) => Promise<string[]>
  readonly archivePasses: ArchivePasses
  /** The text of a note that is not in the trash; null if there is none. */
  readonly noteText: (session: Session, id: string) => Promise<string | null>
}

/** Flashcards and all that belongs to them. */
export function flashcardsFeature(deps: FlashcardsFeatureDeps) {
  const { now, ids, once, missingNotes, api } = deps
  const writers = createStudyWriters({ now, ids, ...deps.workspaces })
  const settings = createStudySettings({ now, ...writers })
  const decks = createDecks({ now, ids, ...writers })
  const facts = createFacts({ now, ids, ...writers, missingNotes })
  const batches = createFactBatches({ facts })
  const cards = createCards({ now, ...writers })
  const reviews = createReviews({ now, ids, ...writers })
  const undo = createReviewUndo({ now, ...writers })
  const answers = createAnswerBatches({ reviews })
  const actions = createCardActions({ now, ids, ...writers })
  const queues = createQueues({ now })
  const { work, registerWork } = deps.imports
  const weights = createReplayChange(writers.memories)
  registerWork(inSteps(weights))
  const replayAfter = createReplayAfter(weights, { work })
  const trashDeck = createDeckTrashChange(writers)
  registerWork(inSteps(trashDeck))
  const deckTrash = createDeckTrash(trashDeck, { ...writers, work })
  const useWeights: UseWeights = (within, { deckId, weights }, options) =>
    deckId === null
      ? settings.update(within, { deck_defaults: { weights } }, null, options)
      : decks.update(within, deckId, { settings: { weights } }, null, options)
  const optimizer = createOptimizer({ now, once, recall: createRecall({ now }), useWeights, replayAfter })
  const media = createMedia(writers)
  const drafting = createDrafting({ noteText: deps.noteText })
  const files = flashcardFiles(deps, writers)

  const routes = new Elysia({ name: 'flashcards' })
    .use(decksRoutes({ decks, deckTrash, replayAfter, api }))
    .use(factsRoutes({ facts, batches, api }))
    .use(cardsRoutes({ cards, actions, api }))
    .use(cardReviewsRoutes({ reviews, api }))
    .use(reviewsRoutes({ reviews, batches: answers, undo, api }))
    .use(queueRoutes({ queues, api }))
    .use(studySettingsRoutes({ settings, replayAfter, api }))
    .use(studyStatsRoutes({ statistics: createStudyStatistics({ now }), api }))
    .use(optimizeRoutes({ optimizer, api }))
    .use(mediaRoutes({ media, api }))
    .use(draftsRoutes({ drafting, api }))
    .use(importFlashcardsRoutes({ ...files, api }))
    .use(exportFlashcardsRoutes({ ...files, api }))
  const trash: Trash[] = [
    { type: 'fact', ...inTrash('study_facts'), erase: (mine, id) => facts.erase(mine, id) },
    {
      type: 'deck',
      ...inTrash('study_decks'),
      erase: async (mine, id) => writers.contents.erase(mine, await loadDeck(mine, id)),
      eraseAhead: async (mine, id, limit) =>
        (await writers.contents.eraseBatch(mine, await loadDeck(mine, id), limit)) > 0,
    },
    { type: 'card', ...inTrash('study_cards', LOST), erase: eraseCardOf(writers.factsWriter) },
  ]
  return {
    routes,
    filePaths: [MEDIA_PATH, IMPORT_PATH],
    forgetNote: facts.forgetNote,
    services: { facts, decks, queues, drafting },
    archivedTypes: studyArchive(deps, writers),
    readable: flashcardsPackage(files.exports),
    source: factSource,
    trash,
    wipe: wipeFlashcards,
    close: optimizer.close,
  }
}

/** A card that went to the trash with its fact comes back with it, and goes with it. */
const LOST = 'EXISTS (SELECT 1 FROM study_facts WHERE study_facts.key = fact AND study_facts.deleted_at IS NULL)'

/** Erases a card that its fact has lost, unless it is back by now. */
function eraseCardOf(writer: FactBulkWriter): Trash['erase'] {
  return async (session, id) => {
    const card = await getTrashedCard(session.db, session.workspace.id, id)
    if (card) await writer.eraseCards(session, [card])
  }
}
