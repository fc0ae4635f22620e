import { Elysia, t } from 'elysia'
import { ifMatch } from '../../http/conditional'
import type { RequestPlugin } from '../../http/request'
import { changed, created } from '../../http/responses'
import { Id, NoContent, nameSchemas, Problem } from '../../http/schema'
import { Source, SourceInput } from '../../http/source-schema'
import { CreatedFact } from '../card-schema'
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
  readonly api: RequestPlugin
}

const COLLECTION = '/api/flashcards/facts'
const One = t.Object({ id: Id })

nameSchemas({
  CreatedFact,
  Fact,
  FactPage,
  Source,
  SourceInput,
  CreateFact,
  UpdateFact,
  FactBatch: BatchFacts,
  FactBatchReport: BatchFactsOutcome,
})

export function factsRoutes({ facts, batches, api }: Deps) {
  return new Elysia({ prefix: COLLECTION, tags: ['Facts and cards'] })
    .use(api)
    .get('', ({ session, query }) => facts.list(session, query), {
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
      ({ once, body, query }) =>
        once(async (session) => {
          const { status, fact } = await facts.create(session, body, query.on_duplicate)
          return status === 201 ? created(COLLECTION, fact) : changed(fact)
        }),
      {
        idempotent: true,
        body: CreateFact,
        query: CreateFactQuery,
        response: { 200: CreatedFact, 201: CreatedFact, 409: Problem },
        detail: {
          operationId: 'createFact',
          summary: 'Create a fact',
          description: 'Also creates its cards, and returns them. 200 if `on_duplicate` led to an existing fact.',
        },
      },
    )
    .post(
      '/batch',
      ({ once, body, reply }) =>
        once(async (session) => {
          const items = await batches.run(session, body, reply.requestId)
          return { status: 200, headers: {}, body: { items } }
        }),
      {
        idempotent: true,
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
    .get('/:id', async ({ session, params, reply }) => reply.read(await facts.get(session, params.id)), {
      params: One,
      response: { 200: Fact, 304: NoContent },
      detail: {
        operationId: 'getFact',
        summary: 'Get a fact',
        description: 'Also from the trash: then `deleted_at` is set.',
      },
    })
    .patch(
      '/:id',
      async ({ session, request, params, body, reply }) =>
        reply.changed(await facts.update(session, params.id, body, ifMatch(request))),
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
      async ({ session, request, params, query, reply }) => {
        await facts[query.permanent === 'true' ? 'erase' : 'trash'](session, params.id, ifMatch(request))
        reply.deleted()
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
      ({ once, params, request }) =>
        once(async (session) => changed(await facts.restore(session, params.id, ifMatch(request)))),
      {
        idempotent: true,
        params: One,
        response: { 200: Fact, 409: Problem, 412: Problem },
        detail: {
          operationId: 'restoreFact',
          summary: 'Restore a fact',
          description: 'Restores the fact and its cards from the trash.',
        },
      },
    )
}
