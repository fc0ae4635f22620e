import { Elysia, t } from 'elysia'
import type { Session } from '../../db/database'
import { ifMatch } from '../../http/conditional'
import { changed, send, sendResource } from '../../http/responses'
import { Id, NoContent, Problem } from '../../http/schema'
import { ListStudy } from '../filter/schema'
import { Card, CardPage, UpdateCard } from './schema'
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
