import { Elysia } from 'elysia'
import type { Session } from '../../db/database'
import type { Once } from '../../http/idempotency'
import { send } from '../../http/responses'
import { NoContent, Problem } from '../../http/schema'
import type { Asked } from '../../imports/in-steps'
import { ImportReport, IN_STEPS } from '../../imports/schema'
import { namedHandlers, restoreHandler } from '../groups/handlers'
import { DeleteGroup, OneGroup } from '../groups/schema'
import { CreateLabel, Label, LabelPage, ListLabels, UpdateLabel } from './schema'
import type { LabelChange, Labels } from './service'

interface Deps {
  readonly labels: Labels
  readonly change: Asked<LabelChange, Label | undefined>
  readonly once: Once
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

const COLLECTION = '/api/tasks/labels'

export function labelsRoutes({ labels, change, once, session }: Deps) {
  const handlers = namedHandlers({ collection: COLLECTION, service: labels, once, session })
  return new Elysia({ prefix: COLLECTION, tags: ['Tasks'] })
    .get('', ({ request, query }) => labels.list(session(request), query), {
      query: ListLabels,
      response: { 200: LabelPage },
      detail: {
        operationId: 'listLabels',
        summary: 'List labels',
        description: 'By name, also those on no task. The trash is listed alone.',
      },
    })
    .post('', handlers.create, {
      body: CreateLabel,
      response: { 201: Label, 409: Problem },
      detail: {
        operationId: 'createLabel',
        summary: 'Create a label',
        description: 'A task that names a label makes it as well.',
      },
    })
    .get('/:id', handlers.get, {
      params: OneGroup,
      response: { 200: Label, 304: NoContent },
      detail: {
        operationId: 'getLabel',
        summary: 'Get a label',
        description: 'Also from the trash; `deleted_at` tells.',
      },
    })
    .patch(
      '/:id',
      async ({ request, params, body, set }) =>
        send(set, await change<Label>(request, session(request), { id: params.id, what: 'update', patch: body }, body)),
      {
        params: OneGroup,
        body: UpdateLabel,
        response: { 200: Label, 202: ImportReport, 409: Problem, 412: Problem },
        detail: {
          operationId: 'updateLabel',
          summary: 'Change a label',
          description: `A new name is written into all tasks that carry it. Labels are not merged: a name in use is refused. ${IN_STEPS}`,
        },
      },
    )
    .delete(
      '/:id',
      async ({ request, params, query, set }) => {
        const what = query.permanent === 'true' ? 'erase' : 'trash'
        return send(set, await change(request, session(request), { id: params.id, what, patch: {} }))
      },
      {
        params: OneGroup,
        query: DeleteGroup,
        response: { 202: ImportReport, 204: NoContent, 409: Problem, 412: Problem },
        detail: {
          operationId: 'deleteLabel',
          summary: 'Delete a label',
          description: `Takes it off its tasks and moves it to the trash for 30 days; \`permanent=true\` erases it at once. ${IN_STEPS}`,
        },
      },
    )
    .post('/:id/restore', restoreHandler({ service: labels, once, session }), {
      params: OneGroup,
      response: { 200: Label, 409: Problem, 412: Problem },
      detail: {
        operationId: 'restoreLabel',
        summary: 'Restore a label',
        description: 'Brings it back from the trash, on no task.',
      },
    })
}
