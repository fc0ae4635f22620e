import { Elysia } from 'elysia'
import type { Session } from '../../db/database'
import type { Once } from '../../http/idempotency'
import { send } from '../../http/responses'
import { Problem } from '../../http/schema'
import { CardsAction, CardsActionReport } from './schema'
import type { CardActions } from './service'

interface Deps {
  readonly actions: CardActions
  readonly once: Once
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

export function cardActionsRoutes({ actions, once, session }: Deps) {
  return new Elysia({ prefix: '/api/flashcards/cards', tags: ['Flashcards'] }).post(
    '/actions',
    async ({ request, body, set }) =>
      send(
        set,
        await once(request, session(request), body, async (within) => ({
          status: 200,
          headers: {},
          body: await actions.run(within, body),
        })),
      ),
    {
      body: CardsAction,
      response: { 200: CardsActionReport, 404: Problem, 409: Problem },
      detail: {
        operationId: 'updateCards',
        summary: 'Act on many cards',
        description:
          'On up to 500 ids, or on what a filter matches, at most 10,000 cards: on all of them or none. What is done to a fact is done to its other cards, too.',
      },
    },
  )
}
