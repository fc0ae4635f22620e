import type { Session } from '../../db/database'
import { atRevision, type OpOutcome, type OpResult, runBatch } from '../../http/batch'
import type { Tagged } from '../../http/conditional'
import type { CompletionActions } from '../completions/actions'
import type { Task } from '../schema'
import type { Tasks } from '../service'
import type { BatchTasks, TaskBatchOp } from './schema'

interface Deps {
  readonly tasks: Tasks
  readonly completions: CompletionActions
}

export type TaskBatches = ReturnType<typeof createTaskBatches>

/** Creates the service that runs several changes of tasks in one request. */
export function createTaskBatches({ tasks, completions }: Deps) {
  async function run(session: Session, op: TaskBatchOp): Promise<OpResult<Task>> {
    if (op.op === 'create')
      return toDone(201, await tasks.create(session, op.id === undefined ? op.data : { ...op.data, id: op.id }))
    const { id } = op
    const revision = atRevision(op.if_revision)
    switch (op.op) {
      case 'update':
        return toDone(200, await tasks.update(session, id, op.data, revision))
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
    /** Runs the ops in order; see runBatch. */
    run: (session: Session, batch: BatchTasks): Promise<OpOutcome<Task>[]> => runBatch(session, batch, run),
  }
}

function toDone(status: number, { resource }: Tagged<Task>): OpResult<Task> {
  return { status, id: resource.id, body: resource }
}
