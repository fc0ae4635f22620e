import { Elysia, t } from 'elysia'
import { ifMatch } from '../../http/conditional'
import type { RequestPlugin } from '../../http/request'
import { Id, NoContent, nameSchemas, Problem } from '../../http/schema'
import { Card, CardPage, RenderForm, UpdateCard } from '../card-schema'
import { ListCards } from '../filter/schema'
import type { CardActions } from './actions'
import { checkCard } from './check'
import { CardsAction, CardsActionReport, CheckAnswer, CheckedAnswer } from './schema'
import type { Cards } from './service'

interface Deps {
  readonly cards: Cards
  readonly actions: CardActions
  readonly api: RequestPlugin
}

const One = t.Object({ id: Id })
const OneQuery = t.Object({ render: t.Optional(RenderForm) }, { additionalProperties: false })

nameSchemas({ Card, CardPage, UpdateCard, CardsAction, CardsActionReport, CheckAnswer, CheckedAnswer })

export function cardsRoutes({ cards, actions, api }: Deps) {
  return new Elysia({ prefix: '/api/flashcards/cards', tags: ['Facts and cards'] })
    .use(api)
    .get('', ({ session, query }) => cards.list(session, query), {
      query: ListCards,
      response: { 200: CardPage, 404: Problem },
      detail: {
        operationId: 'listCards',
        summary: 'List cards',
        description: 'Lists the cards that match the filters, by id or as `sort` says. The trash is listed separately.',
      },
    })
    .get(
      '/:id',
      async ({ session, params, query, reply }) => reply.read(await cards.get(session, params.id, query.render)),
      {
        params: One,
        query: OneQuery,
        response: { 200: Card, 304: NoContent },
        detail: {
          operationId: 'getCard',
          summary: 'Get a card',
          description:
            'Also from the trash: then `deleted_at` is set. Its ETag changes with the study day and the settings. With `render=html` it has its sides as HTML, too: filled templates of its note type or Markdown, with clozes, maths as MathML, masks, pictures and sounds.',
        },
      },
    )
    .patch(
      '/:id',
      async ({ session, request, params, body, reply }) =>
        reply.changed(await cards.update(session, params.id, body, ifMatch(request))),
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
    .post(
      '/actions',
      ({ once, body }) =>
        once(async (session) => ({ status: 200, headers: {}, body: await actions.run(session, body) })),
      {
        idempotent: true,
        body: CardsAction,
        response: { 200: CardsActionReport, 404: Problem, 409: Problem },
        detail: {
          operationId: 'updateCards',
          summary: 'Act on many cards',
          description:
            'Changes up to 500 cards by id, or up to 10,000 that match a filter: all of them or none. A change to a fact also changes its other cards.',
        },
      },
    )
    .post(
      '/:id/check',
      ({ once, params, body }) =>
        once(async (session) => ({ status: 200, headers: {}, body: await checkCard(session, params.id, body.answer) })),
      {
        idempotent: true,
        params: One,
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
