import { Elysia } from 'elysia'
import type { Session } from '../../db/database'
import { Problem } from '../../http/schema'
import { AskQueue, Queue } from './schema'
import type { Queues } from './service'

interface Deps {
  readonly queues: Queues
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

export function queueRoutes({ queues, session }: Deps) {
  return new Elysia({ prefix: '/api/flashcards', tags: ['Flashcards'] }).get(
    '/queue',
    ({ request, query }) => queues.get(session(request), query),
    {
      query: AskQueue,
      response: { 200: Queue, 404: Problem },
      detail: {
        operationId: 'getStudyQueue',
        summary: 'Get what to study next',
        description:
          'Learning that is due, then reviews and new cards within the limits of the day; where there are none, learning that is due soon. It reserves nothing: ask again after each answer, or after some.',
      },
    },
  )
}
