import { Elysia, t } from 'elysia'
import type { Session } from '../../db/database'
import { ifMatch } from '../../http/conditional'
import type { Once } from '../../http/idempotency'
import { changed, created, send, sendResource } from '../../http/responses'
import { Id, NoContent, Problem } from '../../http/schema'
import {
  BatchFacts,
  BatchFactsOutcome,
  CreateFact,
  CreateFactQuery,
  DeleteFact,
  Fact,
  FactPage,
  UpdateFact,
} from '../fact-schema'
import { ListStudy } from '../filter/schema'
import type { FactBatches, Facts } from './service'

interface Deps {
  readonly facts: Facts
  readonly batches: FactBatches
  readonly once: Once
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
  /** The id that ties an answer to the log. */
  readonly requestId: (request: Request) => string
}

const COLLECTION = '/api/flashcards/facts'
const One = t.Object({ id: Id })

export function factsRoutes({ facts, batches, once, session, requestId }: Deps) {
  return new Elysia({ prefix: COLLECTION, tags: ['Flashcards'] })
    .get('', ({ request, query }) => facts.list(session(request), query), {
      query: ListStudy,
      response: { 200: FactPage, 404: Problem },
      detail: {
        operationId: 'listFacts',
        summary: 'List facts',
        description:
          'In the order of their ids; those of a filter, of which one card is as it says. The trash is listed alone.',
      },
    })
    .post(
      '',
      async ({ request, body, query, set }) =>
        send(
          set,
          await once(request, session(request), body, async (within) => {
            const { status, fact } = await facts.add(within, body, query.on_duplicate)
            return status === 201 ? created(COLLECTION, fact) : changed(fact)
          }),
        ),
      {
        body: CreateFact,
        query: CreateFactQuery,
        response: { 200: Fact, 201: Fact, 409: Problem },
        detail: {
          operationId: 'createFact',
          summary: 'Create a fact',
          description: 'Its cards are made with it. 200 where `on_duplicate` led to one that was there.',
        },
      },
    )
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
        body: BatchFacts,
        response: { 200: BatchFactsOutcome, 409: Problem },
        detail: {
          operationId: 'createFacts',
          summary: 'Create many facts',
          description:
            'Up to 500 in order, as one request. Each answers for itself, unless `atomic`: then all, or the problem of the first that failed, with `failed_index`.',
        },
      },
    )
    .get(
      '/:id',
      async ({ request, params, set }) => sendResource(request, set, await facts.get(session(request), params.id)),
      {
        params: One,
        response: { 200: Fact, 304: NoContent },
        detail: {
          operationId: 'getFact',
          summary: 'Get a fact',
          description: 'Also from the trash; `trashed_at` tells.',
        },
      },
    )
    .patch(
      '/:id',
      async ({ request, params, body, set }) =>
        send(set, changed(await facts.update(session(request), params.id, body, ifMatch(request)))),
      {
        params: One,
        body: UpdateFact,
        response: { 200: Fact, 409: Problem, 412: Problem },
        detail: {
          operationId: 'updateFact',
          summary: 'Change a fact',
          description:
            'Schedules stay. A side or number that it has no more takes its card to the trash, and brings it back when it returns.',
        },
      },
    )
    .delete(
      '/:id',
      async ({ request, params, query, set }) => {
        await facts[query.permanent === 'true' ? 'erase' : 'trash'](session(request), params.id, ifMatch(request))
        set.status = 204
      },
      {
        params: One,
        query: DeleteFact,
        response: { 204: NoContent, 412: Problem },
        detail: {
          operationId: 'deleteFact',
          summary: 'Delete a fact',
          description:
            'Moves it with its cards to the trash for 30 days; `permanent=true` erases them at once, with their reviews.',
        },
      },
    )
    .post(
      '/:id/restore',
      async ({ request, params, body, set }) =>
        send(
          set,
          await once(request, session(request), body, async (within) =>
            changed(await facts.restore(within, params.id, ifMatch(request))),
          ),
        ),
      {
        params: One,
        response: { 200: Fact, 409: Problem, 412: Problem },
        detail: {
          operationId: 'restoreFact',
          summary: 'Restore a fact',
          description: 'Brings it back from the trash, with its cards.',
        },
      },
    )
}
