import { Elysia, t } from 'elysia'
import type { Session } from '../../db/database'
import { ifMatch } from '../../http/conditional'
import type { Once } from '../../http/idempotency'
import { changed, send, sendResource } from '../../http/responses'
import { Id, NoContent, Problem } from '../../http/schema'
import { Card, CardPage, UpdateCard } from '../card-schema'
import { ListStudy } from '../filter/schema'
import type { CardActions } from './actions'
import { checkCard } from './check'
import { CardsAction, CardsActionReport, CheckAnswer, CheckedAnswer } from './schema'
import type { Cards } from './service'

interface Deps {
  readonly cards: Cards
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

const One = t.Object({ id: Id })

export function cardsRoutes({ cards, session }: Deps) {
  return new Elysia({ prefix: '/api/flashcards/cards', tags: ['Flashcards'] })
    .get('', ({ request, query }) => cards.list(session(request), query), {
      query: ListStudy,
      response: { 200: CardPage, 404: Problem },
      detail: {
        operationId: 'listCards',
        summary: 'List cards',
        description: 'In the order of their ids, those of a filter. The trash is listed alone.',
      },
    })
    .get(
      '/:id',
      async ({ request, params, set }) => sendResource(request, set, await cards.get(session(request), params.id)),
      {
        params: One,
        response: { 200: Card, 304: NoContent },
        detail: {
          operationId: 'getCard',
          summary: 'Get a card',
          description: 'Also from the trash; `trashed_at` tells. Its ETag changes with the study day and the settings.',
        },
      },
    )
    .patch(
      '/:id',
      async ({ request, params, body, set }) =>
        send(set, changed(await cards.update(session(request), params.id, body, ifMatch(request)))),
      {
        params: One,
        body: UpdateCard,
        response: { 200: Card, 409: Problem, 412: Problem },
        detail: {
          operationId: 'updateCard',
          summary: 'Change a card',
          description: 'Suspends, buries, flags or orders it. Its texts and its deck are those of its fact.',
        },
      },
    )
}

interface ActionsDeps {
  readonly actions: CardActions
  readonly once: Once
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

export function cardActionsRoutes({ actions, once, session }: ActionsDeps) {
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

interface CheckDeps {
  readonly once: Once
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

export function checkRoutes({ once, session }: CheckDeps) {
  return new Elysia({ prefix: '/api/flashcards/cards', tags: ['Flashcards'] }).post(
    '/:id/check',
    async ({ request, params, body, set }) =>
      send(
        set,
        await once(request, session(request), body, async (within) => {
          const checked = await checkCard(within, params.id, body.answer)
          return { status: 200, headers: {}, body: checked }
        }),
      ),
    {
      params: t.Object({ id: Id }),
      body: CheckAnswer,
      response: { 200: CheckedAnswer, 404: Problem, 409: Problem },
      detail: {
        operationId: 'checkAnswer',
        summary: 'Check a typed answer',
        description: 'Compares it with the answer of the card, and suggests a rating. Nothing is written.',
      },
    },
  )
}
