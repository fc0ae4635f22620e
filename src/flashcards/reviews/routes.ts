import { Elysia, t } from 'elysia'
import type { RequestPlugin } from '../../http/api'
import { refuses } from '../../http/api-error'
import { ifMatch, type Outcome } from '../../http/responses'
import { Id, NoContent, nameSchemas, Problem } from '../../http/schema'
import { SnapshotBody } from '../cards/card-schema'
import type { AnswerBatches } from './batch'
import {
  AnswerCard,
  AnsweredReview,
  AskBatchOutcome,
  BatchAnswers,
  BatchAnswersOutcome,
  CardPreview,
  ListOfCard,
  ListReviews,
  RatingOutcome,
  Review,
  ReviewedCard,
  ReviewPage,
  UndoLastReview,
  UndoLastReviewBody,
} from './review-schema'
import { listReviewPage, type Reviews, type ReviewUndo, type StoredAnswer } from './reviews'

const COLLECTION = '/api/flashcards/reviews'
const One = t.Object({ id: Id })

const MODELS = {
  Review,
  ReviewPage,
  ReviewedCard,
  AnswerCard,
  UndoLastReview: UndoLastReviewBody,
  AnsweredReview,
  CardPreview,
  RatingOutcome,
  CardSnapshot: SnapshotBody,
  AnswerBatch: BatchAnswers,
  AnswerBatchReport: BatchAnswersOutcome,
}

nameSchemas(MODELS)

export function cardReviewsRoutes({ reviews, api }: { reviews: Reviews; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/flashcards/cards', tags: ['Study'] })
    .use(api)
    .get('/:id/preview', ({ session, params }) => reviews.preview(session, params.id), {
      params: One,
      response: { 200: CardPreview },
      detail: {
        operationId: 'previewCard',
        summary: 'Preview the ratings of a card',
        description: 'The result that each of the four ratings would have now. Nothing is written.',
      },
    })
    .get('/:id/reviews', ({ session, params, query }) => listReviewPage(session, { ...query, card_id: params.id }), {
      params: One,
      query: ListOfCard,
      response: { 200: ReviewPage },
      detail: {
        operationId: 'listCardReviews',
        ...refuses('invalid_cursor'),
        summary: 'List the reviews of a card',
        description: 'The latest answer first.',
      },
    })
    .post(
      '/:id/reviews',
      ({ once, params, body, request }) =>
        once(async (session) => answered(await reviews.answer(session, params.id, body, ifMatch(request)))),
      {
        idempotent: true,
        params: One,
        body: AnswerCard,
        response: { 200: AnsweredReview, 201: AnsweredReview, 412: Problem },
        detail: {
          operationId: 'reviewCard',
          ...refuses('card_suspended', 'out_of_order'),
          summary: 'Answer a card',
          description:
            'Schedules the card and adds to the log. An answer with a `reviewed_at` before answers that came first is late: it is put at its place in the log, whatever revision is expected, and what follows it, up to 200 reviews, is recomputed (`merged`). So devices that were offline come to the same card in whatever order they send. 200 with `Idempotency-Replayed: true` where `id` is the review that this very request made before.',
        },
      },
    )
}

interface RoutesDeps {
  readonly reviews: Reviews
  readonly batches: AnswerBatches
  readonly undo: ReviewUndo
  readonly api: RequestPlugin
}

export function reviewsRoutes({ reviews, batches, undo, api }: RoutesDeps) {
  return new Elysia({ prefix: COLLECTION, tags: ['Study'] })
    .use(api)
    .get('', ({ session, query }) => listReviewPage(session, query), {
      query: ListReviews,
      response: { 200: ReviewPage },
      detail: {
        operationId: 'listReviews',
        ...refuses('invalid_cursor', 'not_found'),
        summary: 'List reviews',
        description: 'The latest answer first, including undone ones.',
      },
    })
    .post(
      '/batch',
      async ({ session, request, query, body, reply }) =>
        reply.send(await batches.run(request, session, body, query, reply.requestId)),
      {
        query: AskBatchOutcome,
        body: BatchAnswers,
        response: { 200: BatchAnswersOutcome },
        detail: {
          operationId: 'reviewCards',
          summary: 'Answer many cards',
          description:
            'Up to 500 answers that were given offline, in the order of `reviewed_at`; late ones are merged, up to 5,000 later answers recomputed: an item beyond that has the error `unavailable` and is to be sent again. Each answers for itself; sending them again changes nothing. With `preview=true` each outcome has the results of the next ratings, so that learning cards can be shown again without another request.',
        },
      },
    )
    .post('/undo', ({ once, body }) => once(async (session) => plain(await undo.last(session, body?.review_id))), {
      idempotent: true,
      body: UndoLastReview,
      response: { 200: ReviewedCard },
      detail: {
        operationId: 'undoLastReview',
        ...refuses('not_found', 'not_latest_review'),
        summary: 'Undo the last review',
        description:
          'Undoes the last review of the workspace, by order of arrival, that is not undone. Send the `review_id` that you mean, so that a repeated request does not undo the one before.',
      },
    })
    .get('/:id', async ({ session, params, reply }) => reply.read(await reviews.get(session, params.id)), {
      params: One,
      response: { 200: Review, 304: NoContent },
      detail: {
        operationId: 'getReview',
        summary: 'Get a review',
        description:
          'What was answered never changes. `undone_at` does, and what the answer came to, when an earlier one arrives late or is undone.',
      },
    })
    .post(
      '/:id/undo',
      ({ once, params, request }) =>
        once(async (session) => plain(await undo.one(session, params.id, ifMatch(request)))),
      {
        idempotent: true,
        params: One,
        response: { 200: ReviewedCard, 412: Problem },
        detail: {
          operationId: 'undoReview',
          ...refuses('not_latest_review'),
          summary: 'Undo a review',
          description:
            'Brings the card back to what it was. Only its latest review by order of arrival can be undone; once more changes nothing.',
        },
      },
    )
}

function plain(body: ReviewedCard): Outcome<ReviewedCard> {
  return { status: 200, headers: {}, body }
}

function answered({ status, body }: StoredAnswer): Outcome<AnsweredReview> {
  const location = { Location: `${COLLECTION}/${body.review.id}` }
  return { status, headers: status === 201 ? location : { 'Idempotency-Replayed': 'true' }, body }
}
