import type { SearchEverything } from '../search/service'
import { createAgentTools, createCatalogue } from '../tools/catalogue'
import type { ToolServices } from '../tools/services'
import type { Tool } from '../tools/tool'
import { readFeedCursor, type Workspaces, writeFeedCursor } from '../workspace/service'
import type { flashcardsFeature } from './flashcards'
import type { notesFeature } from './notes'
import type { tasksFeature } from './tasks'

interface Features {
  readonly search: SearchEverything
  readonly listChanges: Workspaces['listChanges']
  readonly notes: Pick<ReturnType<typeof notesFeature>, 'services'>
  readonly tasks: Pick<ReturnType<typeof tasksFeature>, 'services'>
  readonly flashcards: Pick<ReturnType<typeof flashcardsFeature>, 'services'>
}

export interface Toolbox {
  readonly services: ToolServices
  /** The tools of chat: few, since small language models read the whole list with each request. */
  readonly chat: readonly Tool[]
  /** Those of chat and those of agents (MCP). */
  readonly every: readonly Tool[]
}

export function createToolbox(features: Features): Toolbox {
  const services = createToolServices(features)
  const chat = createCatalogue({
    services,
    summarize: async (body, sentences) => (await import('../chat/local/summary')).summarize(body, sentences),
  })
  return { services, chat, every: [...chat, ...createAgentTools(services)] }
}

/**
 * Makes the services through which tools use the other features: those that their routes call, without any that erase.
 */
export function createToolServices(features: Features): ToolServices {
  return {
    search: features.search,
    notes: notesServices(features.notes),
    tasks: tasksServices(features.tasks),
    flashcards: flashcardsServices(features.flashcards),
    changes: changesServices(features),
  }
}

function changesServices({ listChanges }: Features): ToolServices['changes'] {
  return {
    async list(session, since, limit) {
      const first = since === null ? await listChanges(session, { seq: 0, forgottenAtStart: 0 }, 1) : null
      // Who asks for the latest changes never had what was deleted before them.
      const start = first && {
        seq: Math.max(0, first.latest_seq - limit),
        forgottenAtStart: first.forgottenAtStart,
      }
      const { items, nextSeq, latest_seq, forgottenAtStart } = await listChanges(
        session,
        start ?? readFeedCursor(since ?? '0'),
        limit,
      )
      return {
        items: items.map(({ seq, ...change }) => ({ ...change, cursor: writeFeedCursor({ seq, forgottenAtStart }) })),
        hasMore: nextSeq !== null,
        cursor: String(latest_seq),
      }
    },
  }
}

function notesServices({
  services: { notes, names, edits, revisions, search },
}: Features['notes']): ToolServices['notes'] {
  const { get, create, update, trash, restore, list } = notes
  return {
    ...{ get, create, update, trash, restore, list, search, names },
    getRevision: revisions.get,
    restoreRevision: revisions.restore,
    edit: edits.apply,
  }
}

function tasksServices({
  services: { tasks, lists, quickAdds, completions, projects, agendas },
}: Features['tasks']): ToolServices['tasks'] {
  const { get, create, update, trash, restore } = tasks
  const { complete, reopen, undo: undoCompletion } = completions
  return {
    ...{ get, create, update, trash, restore, complete, reopen, undoCompletion },
    listProjects: projects.list,
    async readQuick(session, input) {
      const reading = await quickAdds.read(session, input)
      return (tx) => quickAdds.add(tx, input, reading)
    },
    getAgenda: agendas.getAgenda,
    list: lists.list,
  }
}

function flashcardsServices(features: Features['flashcards']): ToolServices['flashcards'] {
  const { facts, decks, deckTrash, queues, drafting, cards, reviews, reviewUndo } = features.services
  return {
    getFact: facts.get,
    addFact: facts.add,
    trashFact: facts.trash,
    restoreFact: facts.restore,
    getDeck: decks.get,
    createDeck: decks.create,
    trashDeck: (session, id, precondition) => deckTrash.changeInline(session, { id, what: 'trash' }, precondition),
    restoreDeck: (session, id, precondition) => deckTrash.changeInline(session, { id, what: 'restore' }, precondition),
    listDecks: decks.list,
    getCard: cards.get,
    answer: async (session, card, input) => (await reviews.answer(session, card, input)).body,
    getReview: reviews.get,
    undoReview: reviewUndo.one,
    queue: queues.get,
    draft: drafting.draft,
  }
}
