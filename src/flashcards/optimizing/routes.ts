import { Elysia } from 'elysia'
import { refuses } from '../../http/api-error'
import type { RequestPlugin } from '../../http/request'
import { nameSchemas, Problem } from '../../http/schema'
import { ImportReport, IN_STEPS } from '../../imports/schema'
import { Optimize, Optimized } from './schema'
import type { Optimizer } from './service'

interface Deps {
  readonly optimizer: Optimizer
  readonly api: RequestPlugin
}

nameSchemas({ OptimizeWeights: Optimize, OptimizedWeights: Optimized })

export function optimizeRoutes({ optimizer, api }: Deps) {
  return new Elysia({ prefix: '/api/flashcards', tags: ['Scheduling'] })
    .use(api)
    .post(
      '/optimize',
      async ({ session, request, body, reply }) => reply.send(await optimizer.optimize(request, session, body)),
      {
        body: Optimize,
        response: { 200: Optimized, 202: ImportReport, 409: Problem },
        detail: {
          operationId: 'optimizeWeights',
          ...refuses('busy', 'not_enough_reviews', 'optimizer_missing'),
          summary: 'Train the weights of the schedule',
          description:
            'On the log, for a deck or for all that goes by `deck_defaults`; it takes seconds. Cards of decks with weights of their own are left out. Nothing is changed unless `apply` asks for it and training predicts answers better that it did not learn from. Then memory is replayed. ' +
            IN_STEPS,
        },
      },
    )
}
