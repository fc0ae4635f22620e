import { setImmediate } from 'node:timers/promises'
import type { Session } from '../../db/database'
import { invalid } from '../../http/api-error'
import { atRevision, type OpOutcome, type OpResult, runBatch } from '../../http/batch'
import type { Tagged } from '../../http/conditional'
import { editNames } from '../../lib/text'
import type { CompletionActions } from '../completions/actions'
import type { WithDates } from '../date-words'
import { toDistinctNames } from '../groups/records'
import { type CreateTask, MAX_LABELS, type Task, type UpdateTask } from '../schema'
import type { Tasks } from '../service'
import { getTask } from '../store'
import type { BatchTasks, TaskBatchOp } from './schema'

export type TaskBatches = ReturnType<typeof createTaskBatches>

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
        if (index % OPS_PER_TURN === OPS_PER_TURN - 1) await setImmediate()
      }
      return { ...batch, ops }
    },

    /** Runs the ops in order; see runBatch. */
    run: (session: Session, batch: ReadBatch): Promise<OpOutcome<Task>[]> => runBatch(session, batch, run, revisionOf),
  }
}

async function revisionOf({ db, workspace }: Session, id: string): Promise<number | null> {
  return (await getTask(db, workspace.id, id))?.revision ?? null
}

function toDone(status: number, { resource }: Tagged<Task>): OpResult<Task> {
  return { status, id: resource.id, body: resource }
}
