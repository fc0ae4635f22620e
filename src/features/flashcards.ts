import { Elysia } from 'elysia'
import type { ArchivedType, FilesForPeople } from '../archive/archived-type'
import { createSignedAddresses } from '../blobs/signed'
import type { Context, Database, Queries, Session, Workspace, WorkspaceId } from '../db/database'
import { type Trash, trashQueries } from '../db/trash'
import { archivedCards, archivedReviews } from '../flashcards/archive/cards'
import { archivedDecks, archivedSettings } from '../flashcards/archive/decks'
import { archivedFacts, archivedMedia, archivedNoteTypes } from '../flashcards/archive/facts'
import { createCardActions } from '../flashcards/card-actions'
import { cardsRoutes, createCards } from '../flashcards/cards'
import { getTrashedCard } from '../flashcards/cards/card-store'
import { createStudyContext, type StudyContext, type StudyDeps } from '../flashcards/context'
import { createDeckTrash, createDeckTrashChange } from '../flashcards/deck-trash'
import { createDecks, decksRoutes } from '../flashcards/decks'
import { loadDeck } from '../flashcards/decks/deck'
import { wipeFlashcards } from '../flashcards/decks/deck-store'
import { createDrafting, draftsRoutes } from '../flashcards/drafting/drafting'
import {
  createStudyExports,
  exportFlashcardsRoutes,
  STUDY_EXPORT_PATH,
  type StudyExports,
} from '../flashcards/export/export'
import type { FactBulkWriter } from '../flashcards/fact-bulk'
import { createFacts, factsRoutes } from '../flashcards/facts'
import type { FindFacts } from '../flashcards/filter/query'
import { createDeckPaths } from '../flashcards/import/decks'
import { createFactImport } from '../flashcards/import/facts'
import {
  createNoteTypeImport,
  createStudyImport,
  IMPORT_PATH,
  importFlashcardsRoutes,
} from '../flashcards/import/import'
import { createLogMerge } from '../flashcards/import/log-merge'
import { createMediaImport } from '../flashcards/import/media'
import { createNewFacts } from '../flashcards/import/new-facts'
import { createMedia, MEDIA_PATH, mediaRoutes, SIGNED_MEDIA_PATH } from '../flashcards/media/media'
import { getNoteType, noteTypesRoutes } from '../flashcards/note-types'
import { createOptimizer, optimizeRoutes } from '../flashcards/optimizing/optimizing'
import { createQueues, queueRoutes } from '../flashcards/queue/queue'
import { createCardHtml } from '../flashcards/rendering/service'
import {
  type ChangeSettings,
  createChangeSchedule,
  createReplayChange,
  createRescheduleUndo,
  createRescheduleUndoChange,
  rescheduleRoutes,
} from '../flashcards/rescheduling'
import { createAnswerBatches } from '../flashcards/reviews/batch'
import { createReviews, createReviewUndo } from '../flashcards/reviews/reviews'
import { cardReviewsRoutes, reviewsRoutes } from '../flashcards/reviews/routes'
import { createStudySettings, studySettingsRoutes } from '../flashcards/settings'
import { createStudyStatistics, studyStatsRoutes } from '../flashcards/stats/stats'
import type { RequestPlugin } from '../http/api'
import { ApiError } from '../http/api-error'
import { createFindOutcome, type RunOnce } from '../http/responses'
import type { Imports } from '../imports/service'
import { toWorkKind } from '../imports/stepped-change'

/** Lists the archived types of flashcards, in an order in which a type comes after those that it refers to. */
export function listStudyTypes(study: StudyContext): ArchivedType[] {
  return [
    archivedSettings(study),
    archivedDecks(study),
    archivedMedia(study),
    archivedNoteTypes(study),
    archivedFacts(study),
    archivedCards(study),
    archivedReviews(study),
  ]
}

/** Adds all decks as a package for Anki to the archive, unless it would be too large. */
export function createPackageFile({ packageOf }: StudyExports): FilesForPeople {
  return async function* (reader) {
    const chunks = packageOf(reader)
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

interface Deps {
  readonly db: Pick<Database, 'snapshot'>
  readonly imports: Pick<Imports, 'register' | 'receive'>
}

export function createFlashcardFiles({ db, imports }: Deps, study: StudyContext) {
  const mergeLog = createLogMerge(study)
  const kind = createStudyImport({
    now: study.now,
    openDecks: createDeckPaths(study),
    importMedia: createMediaImport(study),
    importNoteType: createNoteTypeImport(study),
    openNewFacts: createNewFacts(study),
    importFact: createFactImport({ ...study, mergeLog }),
  })
  const exports = createStudyExports({ now: study.now, snapshot: () => db.snapshot() })
  imports.register(kind)
  return { imports, exports }
}

type Workspaces = Pick<StudyDeps, 'record' | 'recordAll' | 'usage'>

export interface FlashcardsFeatureDeps
  extends Pick<Context, 'log' | 'db'>,
    Pick<StudyDeps, 'now' | 'ids' | 'blobs' | 'missingNotes'> {
  readonly workspaces: Workspaces & { find(db: Queries, id: WorkspaceId): Promise<Workspace> }
  readonly runOnce: RunOnce
  readonly imports: Pick<Imports, 'register' | 'receive' | 'registerWork' | 'work'>
  readonly api: RequestPlugin
  /** Makes 32 hexadecimal digits of a text that only this server can make. */
  readonly signAddress: (text: string) => string
  readonly findFacts: FindFacts
  /** Returns the text of a note that is not in the trash, or null. */
  readonly noteText: (session: Session, id: string) => Promise<string | null>
}

export { SIGNED_MEDIA_PATH, STUDY_EXPORT_PATH }

export function flashcardsFeature(deps: FlashcardsFeatureDeps) {
  const { now, ids, runOnce, blobs, missingNotes, findFacts, api } = deps
  const study = createStudyContext({ now, ids, blobs, missingNotes, ...deps.workspaces })
  const settings = createStudySettings(study)
  const decks = createDecks(study)
  const facts = createFacts({ ...study, findFacts })
  const addresses = createSignedAddresses({
    ...{ now, db: deps.db, path: SIGNED_MEDIA_PATH, sign: deps.signAddress },
    findWorkspace: deps.workspaces.find,
  })
  const html = createCardHtml({ addresses, log: deps.log })
  const cards = createCards({ ...study, html, findFacts })
  const reviews = createReviews(study)
  const undo = createReviewUndo(study)
  const findOutcome = createFindOutcome({ now })
  const answers = createAnswerBatches({ reviews, runOnce, findOutcome })
  const actions = createCardActions({ ...study, findFacts })
  const queues = createQueues({ now, html })
  const { work, registerWork } = deps.imports
  const replay = createReplayChange(study.memories)
  registerWork(toWorkKind(replay))
  const changeSchedule = createChangeSchedule(replay, { ...study, work })
  const deckChange = createDeckTrashChange(study)
  registerWork(toWorkKind(deckChange))
  const deckTrash = createDeckTrash(deckChange, { ...study, work })
  const changeSettings: ChangeSettings = (tx, { deckId, settings: changed }, defer) =>
    deckId === null
      ? settings.update(tx, { deck_defaults: changed }, null, defer)
      : decks.update(tx, deckId, { settings: changed }, null, defer)
  const rescheduleUndo = createRescheduleUndoChange(study)
  registerWork(toWorkKind(rescheduleUndo))
  const undoReschedule = createRescheduleUndo(rescheduleUndo, { work, changeSettings })
  const optimizer = createOptimizer({ now, runOnce, findOutcome, changeSettings, changeSchedule })
  const media = createMedia(study)
  const drafting = createDrafting({ noteText: deps.noteText })
  const files = createFlashcardFiles(deps, study)

  const routes = new Elysia({ name: 'flashcards' })
    .use(decksRoutes({ decks, deckTrash, changeSchedule, api }))
    .use(factsRoutes({ facts, api }))
    .use(cardsRoutes({ cards, actions, api }))
    .use(cardReviewsRoutes({ reviews, api }))
    .use(reviewsRoutes({ reviews, batches: answers, undo, api }))
    .use(queueRoutes({ queues, api }))
    .use(studySettingsRoutes({ settings, changeSchedule, api }))
    .use(rescheduleRoutes({ undoReschedule, api }))
    .use(studyStatsRoutes({ statistics: createStudyStatistics({ now }), api }))
    .use(optimizeRoutes({ optimizer, api }))
    .use(mediaRoutes({ media, addresses, api }))
    .use(noteTypesRoutes({ api }))
    .use(draftsRoutes({ drafting, api }))
    .use(importFlashcardsRoutes({ ...files, api }))
    .use(exportFlashcardsRoutes({ ...files, api }))
  const trash: Trash[] = [
    { type: 'fact', ...trashQueries('study_facts'), erase: (session, id) => facts.erase(session, id) },
    {
      type: 'deck',
      ...trashQueries('study_decks'),
      erase: async (session, id) => study.contents.erase(session, await loadDeck(session, id)),
      eraseContents: async (session, id, limit) =>
        (await study.contents.eraseBatch(session, await loadDeck(session, id), limit)) > 0,
    },
    { type: 'card', ...trashQueries('study_cards', FACT_NOT_IN_TRASH), erase: createEraseCard(study.factsWriter) },
  ]
  const readers = {
    deck: decks.get,
    fact: facts.get,
    card: cards.get,
    review: reviews.get,
    note_type: getNoteType,
    media: media.getById,
    study_settings: settings.get,
  }
  return {
    routes,
    readers,
    filePaths: [MEDIA_PATH, IMPORT_PATH],
    forgetNote: facts.forgetNote,
    services: { facts, decks, deckTrash, queues, drafting, cards, reviews, reviewUndo: undo },
    archivedTypes: listStudyTypes(study),
    filesForPeople: createPackageFile(files.exports),
    trash,
    wipe: wipeFlashcards,
    findFileOwner: addresses.findOwner,
    close: async () => {
      await optimizer.close()
      await html.close()
    },
  }
}

/**
 * Whether the fact of a card in the trash is not there itself. A card that was trashed with its fact is restored or
 * erased with it.
 */
const FACT_NOT_IN_TRASH =
  'EXISTS (SELECT 1 FROM study_facts WHERE study_facts.key = fact AND study_facts.deleted_at IS NULL)'

/** Makes the function that erases a card, unless it has been restored since. */
function createEraseCard(writer: FactBulkWriter): Trash['erase'] {
  return async (session, id) => {
    const card = await getTrashedCard(session, id)
    if (card) await writer.eraseCards(session, [card])
  }
}
