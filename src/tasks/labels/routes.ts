import { Elysia } from 'elysia'
import { refuses } from '../../http/api-error'
import { ifMatch } from '../../http/conditional'
import type { RequestPlugin } from '../../http/request'
import { changed, created } from '../../http/responses'
import { NoContent, nameSchemas, Problem } from '../../http/schema'
import { ImportReport, IN_STEPS } from '../../imports/schema'
import type { ChangeRunner } from '../../imports/stepped-change'
import { DeleteGroup, OneGroup } from '../groups/schema'
import { CreateLabel, Label, LabelPage, ListLabels, UpdateLabel } from './schema'
import type { Labels, UpdateOrDeleteLabel } from './service'

interface Deps {
  readonly labels: Labels
  readonly updateOrDelete: ChangeRunner<UpdateOrDeleteLabel, Label | undefined>
  readonly api: RequestPlugin
}

const COLLECTION = '/api/tasks/labels'

nameSchemas({ Label, LabelPage, CreateLabel, UpdateLabel })

export function labelsRoutes({ labels, updateOrDelete, api }: Deps) {
  return new Elysia({ prefix: COLLECTION, tags: ['Labels and filters'] })
    .use(api)
    .get('', ({ session, query }) => labels.list(session, query), {
      query: ListLabels,
      response: { 200: LabelPage },
      detail: {
        operationId: 'listLabels',
        ...refuses('invalid_cursor'),
        summary: 'List labels',
        description: 'By name, including labels without tasks. `trashed=true` lists only the trash.',
      },
    })
    .post('', ({ body, once }) => once(async (session) => created(COLLECTION, await labels.create(session, body))), {
      idempotent: true,
      body: CreateLabel,
      response: { 201: Label, 409: Problem },
      detail: {
        operationId: 'createLabel',
        summary: 'Create a label',
        description: 'A label is also created by the first task that names it.',
      },
    })
    .get('/:id', async ({ session, params, reply }) => reply.read(await labels.get(session, params.id)), {
      params: OneGroup,
      response: { 200: Label, 304: NoContent },
      detail: {
        operationId: 'getLabel',
        summary: 'Get a label',
        description: 'Also finds labels in the trash: those have `deleted_at`.',
      },
    })
    .patch(
      '/:id',
      async ({ request, session, params, body, reply }) =>
        reply.send(await updateOrDelete<Label>(request, session, { id: params.id, what: 'update', patch: body }, body)),
      {
        params: OneGroup,
        body: UpdateLabel,
        response: { 200: Label, 202: ImportReport, 409: Problem, 412: Problem },
        detail: {
          operationId: 'updateLabel',
          ...refuses('conflict'),
          summary: 'Change a label',
          description: `A new name is written into all tasks with the label. Labels are not merged: a name in use is refused. ${IN_STEPS}`,
        },
      },
    )
    .delete(
      '/:id',
      async ({ request, session, params, query, reply }) => {
        const what = query.permanent === 'true' ? 'erase' : 'trash'
        return reply.send(await updateOrDelete(request, session, { id: params.id, what, patch: {} }))
      },
      {
        params: OneGroup,
        query: DeleteGroup,
        response: { 202: ImportReport, 204: NoContent, 412: Problem },
        detail: {
          operationId: 'deleteLabel',
          summary: 'Delete a label',
          description: `Removes the label from its tasks and moves it to the trash for 30 days; \`permanent=true\` erases it immediately. ${IN_STEPS}`,
        },
      },
    )
    .post(
      '/:id/restore',
      ({ request, params, once }) =>
        once(async (session) => changed(await labels.restore(session, params.id, ifMatch(request)))),
      {
        idempotent: true,
        params: OneGroup,
        response: { 200: Label, 409: Problem, 412: Problem },
        detail: {
          operationId: 'restoreLabel',
          summary: 'Restore a label',
          description: 'Brings the label back from the trash, without tasks.',
        },
      },
    )
}
