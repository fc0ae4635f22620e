import { Elysia, t } from 'elysia'
import type { Session } from '../../db/database'
import { ifMatch } from '../../http/conditional'
import type { Once, Outcome } from '../../http/idempotency'
import { send, sendResource } from '../../http/responses'
import { Id, NoContent, Problem } from '../../http/schema'
import {
  AnswerCard,
  BatchAnswers,
  BatchAnswersOutcome,
  CardPreview,
  ListOfCard,
  ListReviews,
  Review,
  ReviewedCard,
  ReviewPage,
} from '../review-schema'
import type { AnswerBatches, Answered, Reviews } from './service'
import { listLog } from './service'
import type { ReviewUndo } from './undo'

interface Deps {
  readonly reviews: Reviews
  readonly batches: AnswerBatches
  readonly undo: ReviewUndo
  readonly once: Once
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
  /** The id that ties an answer to the log. */
  readonly requestId: (request: Request) => string
}

const COLLECTION = '/api/flashcards/reviews'
const One = t.Object({ id: Id })

/** The answers of one card. */
export function cardReviewsRoutes({ reviews, once, session }: Pick<Deps, 'reviews' | 'once' | 'session'>) {
  return new Elysia({ prefix: '/api/flashcards/cards', tags: ['Flashcards'] })
    .get('/:id/preview', ({ request, params }) => reviews.preview(session(request), params.id), {
      params: One,
      response: { 200: CardPreview, 404: Problem },
      detail: {
        operationId: 'previewCard',
        summary: 'Preview the ratings of a card',
        description: 'What each of the four would come to now. Nothing is written.',
      },
    })
    .get('/:id/reviews', ({ request, params, query }) => listLog(session(request), { ...query, card_id: params.id }), {
      params: One,
      query: ListOfCard,
      response: { 200: ReviewPage, 404: Problem },
      detail: {
        operationId: 'listCardReviews',
        summary: 'List the reviews of a card',
        description: 'The latest answer first.',
      },
    })
    .post(
      '/:id/reviews',
      async ({ request, params, body, set }) =>
        send(
          set,
          await once(request, session(request), body, async (within) =>
            answered(await reviews.answer(within, params.id, body, ifMatch(request))),
          ),
        ),
      {
        params: One,
        body: AnswerCard,
        response: { 200: ReviewedCard, 201: ReviewedCard, 404: Problem, 409: Problem, 412: Problem },
        detail: {
          operationId: 'reviewCard',
          summary: 'Answer a card',
          description:
            'Schedules the card and adds to the log. 200 with `Idempotency-Replayed: true` where `id` is the review that this very request made before.',
        },
      },
    )
}

/** The log. */
export function reviewsRoutes({ reviews, batches, undo, once, session, requestId }: Deps) {
  return new Elysia({ prefix: COLLECTION, tags: ['Flashcards'] })
    .get('', ({ request, query }) => listLog(session(request), query), {
      query: ListReviews,
      response: { 200: ReviewPage, 404: Problem },
      detail: {
        operationId: 'listReviews',
        summary: 'List reviews',
        description: 'The latest answer first; those undone are among them.',
      },
    })
    .post(
      '/batch',
      async ({ request, body, set }) =>
        send(
          set,
          await once(request, session(request), body, async (within) => {
            const items = await batches.run(within, body, requestId(request))
            return { status: 200, headers: {}, body: { items } }
          }),
        ),
      {
        body: BatchAnswers,
        response: { 200: BatchAnswersOutcome, 409: Problem },
        detail: {
          operationId: 'reviewCards',
          summary: 'Answer many cards',
          description:
            'Up to 500 answers that were given offline, in the order of `reviewed_at`. Each answers for itself; sending them again changes nothing.',
        },
      },
    )
    .post(
      '/undo',
      async ({ request, body, set }) =>
        send(set, await once(request, session(request), body, async (within) => plain(await undo.last(within)))),
      {
        response: { 200: ReviewedCard, 404: Problem, 409: Problem },
        detail: {
          operationId: 'undoLastReview',
          summary: 'Undo the last review',
          description: 'The last to arrive in the workspace that is not undone.',
        },
      },
    )
    .get(
      '/:id',
      async ({ request, params, set }) => sendResource(request, set, await reviews.get(session(request), params.id)),
      {
        params: One,
        response: { 200: Review, 304: NoContent },
        detail: {
          operationId: 'getReview',
          summary: 'Get a review',
          description: 'The log is append-only: only `undone_at` ever changes.',
        },
      },
    )
    .post(
      '/:id/undo',
      async ({ request, params, body, set }) =>
        send(
          set,
          await once(request, session(request), body, async (within) =>
            plain(await undo.one(within, params.id, ifMatch(request))),
          ),
        ),
      {
        params: One,
        response: { 200: ReviewedCard, 404: Problem, 409: Problem, 412: Problem },
        detail: {
          operationId: 'undoReview',
          summary: 'Undo a review',
          description:
            'Brings the card back to what it was. Only its latest review can be undone; once more changes nothing.',
        },
      },
    )
}

function plain(body: ReviewedCard): Outcome<ReviewedCard> {
  return { status: 200, headers: {}, body }
}

function answered({ status, body }: Answered): Outcome<ReviewedCard> {
  const location = { Location: `${COLLECTION}/${body.review.id}` }
  return { status, headers: status === 201 ? location : { 'Idempotency-Replayed': 'true' }, body }
}
