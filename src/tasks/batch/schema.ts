import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { MAX_OPS } from '../../http/batch'
import { Id, Problem, Revision, Unchanged } from '../../http/schema'
import { CompleteTask, SkipTask } from '../completions/schema'
import { taskExample } from '../examples'
import { CreateTask, LabelNames, MoveTask, Task, UpdateTask } from '../schema'

const closed = { additionalProperties: false }
const { id: _, ...creatable } = CreateTask.properties
const existing = { id: Id, if_revision: t.Optional(Revision) }

export const DeleteOp = t.Object({ op: t.Literal('delete'), ...existing }, closed)
export const RestoreOp = t.Object({ op: t.Literal('restore'), ...existing }, closed)

export const UpdateTaskInBatch = t.Object(
  { ...UpdateTask.properties, labels_add: t.Optional(LabelNames), labels_remove: t.Optional(LabelNames) },
  { ...closed, description: 'A merge patch. `labels_remove` and then `labels_add` change the existing labels.' },
)

const TaskBatchOp = t.Union(
  [
    t.Object({ op: t.Literal('create'), id: t.Optional(Id), data: t.Object(creatable, closed) }, closed),
    t.Object(
      {
        op: t.Literal('update'),
        ...existing,
        data: UpdateTaskInBatch,
      },
      closed,
    ),
    DeleteOp,
    RestoreOp,
    t.Object({ op: t.Literal('complete'), ...existing, data: t.Optional(CompleteTask) }, closed),
    t.Object({ op: t.Literal('skip'), ...existing, data: t.Optional(SkipTask) }, closed),
    t.Object({ op: t.Literal('reopen'), ...existing }, closed),
    t.Object({ op: t.Literal('move'), ...existing, data: MoveTask }, closed),
  ],
  {
    error:
      'must be { op, id, data, if_revision } with op create (no if_revision), update, delete, restore, complete, skip, reopen or move, and data as that endpoint takes it',
  },
)

export const BatchTasks = t.Object(
  {
    atomic: t.Optional(t.Boolean({ description: 'False: each op by itself. Default: all of them or none.' })),
    ops: t.Array(TaskBatchOp, { minItems: 1, maxItems: MAX_OPS }),
  },
  {
    ...closed,
    examples: [
      {
        atomic: false,
        ops: [
          { op: 'create', data: { title: 'Buy food', labels: ['errand'] } },
          { op: 'complete', id: taskExample.id, if_revision: 3, data: { occurrence: '2026-03-31' } },
        ],
      },
    ],
  },
)

export const TaskBatchResult = t.Object(
  {
    items: t.Array(
      t.Object({
        index: Type.Integer({ minimum: 0 }),
        status: Type.Integer({ description: 'The status that the op would have had as a separate request.' }),
        id: t.Union([Id, t.Null()], {
          description: 'Null for a task without an id that could not be created.',
        }),
        body: t.Union([Task, Problem, t.Null()], {
          description: 'The task; null after a delete; the problem of an op that failed.',
        }),
        unchanged: Unchanged,
      }),
    ),
  },
  { examples: [{ items: [{ index: 0, status: 200, id: taskExample.id, body: taskExample }] }] },
)

export type TaskBatchOp = Static<typeof TaskBatchOp>
export type BatchTasks = Static<typeof BatchTasks>
