import { setImmediate } from 'node:timers/promises'
import type { Session } from '../../db/database'
import { atRevision, type OpOutcome, type OpResult, runBatch } from '../../http/batch'
import type { Tagged } from '../../http/conditional'
import type { CompletionActions } from '../completions/actions'
import type { WithDates } from '../date-words'
import type { CreateTask, Task, UpdateTask } from '../schema'
import type { Tasks } from '../service'
import type { BatchTasks, TaskBatchOp } from './schema'

interface Deps {
  readonly tasks: Tasks
  readonly completions: CompletionActions
}

export type TaskBatches = ReturnType<typeof createTaskBatches>

/** An operation and what its words name. */
type ReadOp = TaskBatchOp & { readonly read?: () => WithDates<CreateTask & UpdateTask> }

interface ReadBatch extends Omit<BatchTasks, 'ops'> {
  readonly ops: readonly ReadOp[]
}

/** Operations whose words, at most 12 texts each, are read before others get their turn. */
const OPS_PER_TURN = 5

/** Creates the service that runs several changes of tasks in one request. */
export function createTaskBatches({ tasks, completions }: Deps) {
  async function readOp(session: Session, op: TaskBatchOp): Promise<ReadOp> {
    if (op.op === 'update') return { ...op, read: await tasks.readWords(session, op.data as CreateTask) }
    if (op.op !== 'create') return op
    return { ...op, read: await tasks.readWords(session, op.id === undefined ? op.data : { ...op.data, id: op.id }) }
  }

  async function run(session: Session, op: ReadOp): Promise<OpResult<Task>> {
    const { read } = op
    if (op.op === 'create') return toDone(201, await tasks.create(session, op.data, read))
    const { id } = op
    const revision = atRevision(op.if_revision)
    switch (op.op) {
      case 'update':
        return toDone(200, await tasks.update(session, id, op.data, revision, read))
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
    run: (session: Session, batch: ReadBatch): Promise<OpOutcome<Task>[]> => runBatch(session, batch, run),
  }
}

function toDone(status: number, { resource }: Tagged<Task>): OpResult<Task> {
  return { status, id: resource.id, body: resource }
}
