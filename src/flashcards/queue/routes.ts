import { Elysia } from 'elysia'
import type { RequestPlugin } from '../../http/request'
import { nameSchemas, Problem } from '../../http/schema'
import { AskQueue, Queue } from './schema'
import type { Queues } from './service'

interface Deps {
  readonly queues: Queues
  readonly api: RequestPlugin
}

nameSchemas({ Queue })

export function queueRoutes({ queues, api }: Deps) {
  return new Elysia({ prefix: '/api/flashcards', tags: ['Study'] })
    .use(api)
    .get('/queue', ({ session, query }) => queues.get(session, query), {
      query: AskQueue,
      response: { 200: Queue, 404: Problem },
      detail: {
        operationId: 'getStudyQueue',
        summary: 'Get what to study next',
        description:
          'Learning that is due, then reviews and new cards within the limits of the day; where there are none, learning that is due soon. It reserves nothing: ask again after each answer, or after some. With `render=html` the answers of all items fit a page as they are.',
      },
    })
}
