import type { McpServices } from '../mcp/services'
import type { flashcardsFeature } from './flashcards'
import type { notesFeature } from './notes'
import type { tasksFeature } from './tasks'

interface Features {
  readonly notes: Pick<ReturnType<typeof notesFeature>, 'services'>
  readonly tasks: Pick<ReturnType<typeof tasksFeature>, 'services'>
  readonly flashcards: Pick<ReturnType<typeof flashcardsFeature>, 'services'>
}

export function createMcpServices({ notes, tasks, flashcards }: Features): McpServices {
  const { names, notes: all } = notes.services
  return {
    notes: { get: all.get, list: (...args) => all.list(...args), names },
    agenda: tasks.services.agendas.getAgenda,
    flashcards: { queue: flashcards.services.queues.get, listDecks: flashcards.services.decks.list },
  }
}
