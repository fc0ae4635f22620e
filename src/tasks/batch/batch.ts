import { Type } from '@sinclair/typebox'
import { Elysia, type Static, t } from 'elysia'
import type { Session } from '../../db/database'
import type { RequestPlugin } from '../../http/api'
import { invalid, refuses } from '../../http/api-error'
import { atRevision, MAX_OPS, type OpOutcome, type OpResult, runBatch, toOutcomeBody } from '../../http/batch'
import type { Tagged } from '../../http/responses'
import { closed, Id, nameSchemas, Problem, Revision, Unchanged } from '../../http/schema'
import { yieldTurn } from '../../lib/steps'
import { editNames } from '../../lib/text'
import type { CompletionActions } from '../completions/completions'
import { CompleteTask, SkipTask } from '../completions/schema'
import type { WithDates } from '../date-words'
import { taskExample } from '../examples'
import { toDistinctNames } from '../names-and-positions'
import { CreateTask, LabelNames, MAX_LABELS, MoveTask, Task, UpdateTask } from '../schema'
import type { Tasks } from '../service'
import { getTask } from '../store'

const { id: _, ...creatable } = CreateTask.properties
const existing = { id: Id, if_revision: t.Optional(Revision) }

const DeleteOp = t.Object({ op: t.Literal('delete'), ...existing }, closed)
const RestoreOp = t.Object({ op: t.Literal('restore'), ...existing }, closed)

const UpdateTaskInBatch = t.Object(
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

const BatchTasks = t.Object(
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

const TaskBatchResult = t.Object(
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
type BatchTasks = Static<typeof BatchTasks>

type TaskBatches = ReturnType<typeof createTaskBatches>

type UpdateOp = Extract<TaskBatchOp, { op: 'update' }>

/** An operation and what its words name. */
type ReadOp = TaskBatchOp & { readonly read?: () => WithDates<CreateTask & UpdateTask> }

interface ReadBatch extends Omit<BatchTasks, 'ops'> {
  readonly ops: readonly ReadOp[]
}

/** Operations whose words, at most 12 texts each, are read before others get their turn. */
const OPS_PER_TURN = 5

export function createTaskBatches({ tasks, completions }: { tasks: Tasks; completions: CompletionActions }) {
  async function readOp(session: Session, op: TaskBatchOp): Promise<ReadOp> {
    if (op.op === 'update') {
      const { labels_add: _, labels_remove: __, ...patch } = op.data
      return { ...op, read: await tasks.readWords(session, patch as CreateTask) }
    }
    if (op.op !== 'create') return op
    return { ...op, read: await tasks.readWords(session, op.id === undefined ? op.data : { ...op.data, id: op.id }) }
  }

  async function update(session: Session, { id, data, if_revision }: UpdateOp, read: ReadOp['read']) {
    const { labels_add, labels_remove, ...patch } = data
    const withLabels =
      read && (labels_add || labels_remove)
        ? await changeLabels(session, id, read, labels_add ?? [], labels_remove ?? [])
        : read
    return tasks.update(session, id, patch, atRevision(if_revision), withLabels)
  }

  async function changeLabels(
    session: Session,
    id: string,
    read: NonNullable<ReadOp['read']>,
    add: readonly string[],
    remove: readonly string[],
  ) {
    const members = read()
    const before = members.labels ?? (await tasks.get(session, id)).resource.labels
    const added = [...toDistinctNames(add, '/labels_add').values()].map(({ name }) => name)
    const labels = editNames(before, added, remove)
    if (labels.length > MAX_LABELS) throw invalid('/labels_add', 'too_long', `a task has at most ${MAX_LABELS} labels`)
    return () => ({ ...members, labels })
  }

  async function run(session: Session, op: ReadOp): Promise<OpResult<Task>> {
    const { read } = op
    if (op.op === 'create') return toDone(201, await tasks.create(session, op.data, read))
    const { id } = op
    const revision = atRevision(op.if_revision)
    switch (op.op) {
      case 'update':
        return toDone(200, await update(session, op, read))
      case 'delete':
        await tasks.trash(session, id, revision)
        return { status: 204, id, body: null }
      case 'restore':
        return toDone(200, await tasks.restore(session, id, revision))
      case 'complete':
        return {
          status: 200,
          id,
          body: (await completions.complete(session, id, op.data ?? {}, revision)).resource.task,
        }
      case 'skip':
        return { status: 200, id, body: (await completions.skip(session, id, op.data ?? {}, revision)).resource.task }
      case 'reopen':
        return toDone(200, await completions.reopen(session, id, revision))
      case 'move':
        return toDone(200, await tasks.move(session, id, op.data, revision))
    }
  }

  return {
    /** Reads the words of all ops, before the transaction. */
    async readWords(session: Session, batch: BatchTasks): Promise<ReadBatch> {
      const ops: ReadOp[] = []
      for (const [index, op] of batch.ops.entries()) {
        ops.push(await readOp(session, op))
        if (index % OPS_PER_TURN === OPS_PER_TURN - 1) await yieldTurn()
      }
      return { ...batch, ops }
    },

    /** Runs the ops in order; see runBatch. */
    run: (session: Session, batch: ReadBatch): Promise<OpOutcome<Task>[]> => runBatch(session, batch, run, revisionOf),
  }
}

async function revisionOf(session: Session, id: string): Promise<number | null> {
  return (await getTask(session, id))?.revision ?? null
}

function toDone(status: number, { resource }: Tagged<Task>): OpResult<Task> {
  return { status, id: resource.id, body: resource }
}

nameSchemas({ DeleteOp, RestoreOp, UpdateTaskInBatch, BatchTasks, TaskBatchResult })

export function taskBatchRoutes({ batches, api }: { batches: TaskBatches; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/tasks', tags: ['Tasks'] }).use(api).post(
    '/batch',
    async ({ session: outside, body, once, reply: { requestId } }) => {
      const batch = await batches.readWords(outside, body)
      return once(async (session) => {
        const items = (await batches.run(session, batch)).map((outcome) => toOutcomeBody(outcome, requestId))
        return { status: 200, headers: {}, body: { items } }
      })
    },
    {
      idempotent: true,
      body: BatchTasks,
      response: { 200: TaskBatchResult, 404: Problem, 409: Problem },
      detail: {
        operationId: 'batchTasks',
        ...refuses(
          'dependency_cycle',
          'not_found',
          'occurrence_passed',
          'parent_cycle',
          'precondition_failed',
          'recurrence_never_occurs',
          'too_many_affected',
          'unsupported_recurrence',
        ),
        summary: 'Change many tasks',
        description:
          'Runs up to 100 ops in order. By default all of them succeed, or the response is the problem of the first that failed, with `failed_index`. With `atomic: false` each op has its own result.',
      },
    },
  )
}
