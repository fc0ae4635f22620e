import { summarize } from '../chat/local/summary'
import { createCatalogue } from '../tools/catalogue'
import type { ToolServices } from '../tools/services'
import type { Tool } from '../tools/tool'
import type { flashcardsFeature } from './flashcards'
import type { notesFeature } from './notes'
import type { tasksFeature } from './tasks'

interface Features {
  readonly notes: Pick<ReturnType<typeof notesFeature>, 'services'>
  readonly tasks: Pick<ReturnType<typeof tasksFeature>, 'services'>
  readonly flashcards: Pick<ReturnType<typeof flashcardsFeature>, 'services'>
}

/** The tools of the server, and what they work with. */
export interface Toolbox {
  readonly services: ToolServices
  /** The tools of chat: few, since small language models read the whole list with each request. */
  readonly chat: readonly Tool[]
  /** Those of chat and those of agents (MCP). */
  readonly every: readonly Tool[]
}

/** Makes the tools over the features. */
export function createToolbox(features: Features): Toolbox {
  const services = createToolServices(features)
  const chat = createCatalogue({ services, summarize })
  return { services, chat, every: chat }
}

/**
 * Makes the services through which tools use the other features: those that their routes call, without any that erase.
 */
export function createToolServices(features: Features): ToolServices {
  return {
    notes: notesServices(features.notes),
    tasks: tasksServices(features.tasks),
    flashcards: flashcardsServices(features.flashcards),
  }
}

function notesServices({ services: { notes, edits, revisions, search } }: Features['notes']): ToolServices['notes'] {
  return {
    get: notes.get,
    create: notes.create,
    update: (...args) => notes.update(...args),
    trash: notes.trash,
    restore: notes.restore,
    getRevision: revisions.get,
    restoreRevision: revisions.restore,
    edit: edits.apply,
    list: (...args) => notes.list(...args),
    search,
  }
}

function tasksServices({
  services: { tasks, lists, quickAdds, completions, projects },
}: Features['tasks']): ToolServices['tasks'] {
  return {
    get: tasks.get,
    create: tasks.create,
    update: tasks.update,
    trash: tasks.trash,
    restore: tasks.restore,
    listProjects: projects.list,
    complete: completions.complete,
    reopen: completions.reopen,
    undoCompletion: completions.undo,
    quickAdd: quickAdds.add,
    list: lists.list,
  }
}

function flashcardsServices(features: Features['flashcards']): ToolServices['flashcards'] {
  const { facts, decks, deckTrash, queues, drafting } = features.services
  return {
    getFact: facts.get,
    addFact: facts.add,
    trashFact: facts.trash,
    restoreFact: facts.restore,
    listFacts: facts.list,
    getDeck: decks.get,
    createDeck: decks.create,
    trashDeck: (session, id, precondition) => deckTrash.changeInline(session, { id, what: 'trash' }, precondition),
    restoreDeck: (session, id, precondition) => deckTrash.changeInline(session, { id, what: 'restore' }, precondition),
    listDecks: decks.list,
    queue: queues.get,
    draft: drafting.draft,
  }
}
