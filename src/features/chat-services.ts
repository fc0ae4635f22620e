import type { ChatServices } from '../chat/tools/services'
import type { flashcardsFeature } from './flashcards'
import type { notesFeature } from './notes'
import type { tasksFeature } from './tasks'

interface Features {
  readonly notes: Pick<ReturnType<typeof notesFeature>, 'services'>
  readonly tasks: Pick<ReturnType<typeof tasksFeature>, 'services'>
  readonly flashcards: Pick<ReturnType<typeof flashcardsFeature>, 'services'>
}

/**
 * Makes the services through which chat uses the other features: those that their routes call, without any that erase.
 */
export function createChatServices(features: Features): ChatServices {
  return {
    notes: notesServices(features.notes),
    tasks: tasksServices(features.tasks),
    flashcards: flashcardsServices(features.flashcards),
  }
}

function notesServices({ services: { notes, edits, revisions, search } }: Features['notes']): ChatServices['notes'] {
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
}: Features['tasks']): ChatServices['tasks'] {
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

function flashcardsServices(features: Features['flashcards']): ChatServices['flashcards'] {
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
