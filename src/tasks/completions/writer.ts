import type { Reserve } from '../../db/change-feed'
import type { Context, Session } from '../../db/database'
import { ApiError, invalid } from '../../http/api-error'
import { revise } from '../../http/resource'
import { readInstant, readZoneOrDefault } from '../../http/values'
import { forEachTask, refuseTooMany, type TaskWriter } from '../change-tasks'
import {
  type Edge,
  getTasksByKeys,
  listDescendants,
  listEdgesOfTask,
  restartEdges,
  setEdgesSince,
  updateComputedAround,
} from '../relation-store'
import { getTask, type TaskRow } from '../store'
import { getDueDate, readOccurrence, toStatusColumns } from '../task-date'
import { getDueOccurrence } from '../task-recurrence'
import { advanceTask, type CompletionEvent, movePart } from './advance'
import {
  type CompletionState,
  diffMembers,
  listEditedMembers,
  MEMBER_COLUMNS,
  type PartState,
  recordCompletion,
  toPartState,
} from './completion'
import type { CompleteTask, SkipTask } from './schema'
import {
  type CompletionRow,
  completionTable,
  getLatestCompletion,
  listHandledAfterDue,
  type ShownCompletion,
} from './store'

interface CompletionWriterDeps extends Pick<Context, 'now' | 'ids'> {
  readonly writer: TaskWriter
  readonly reserve: Reserve
}

export interface RecordedCompletion {
  readonly task: TaskRow
  /** Null if the task was done before and no completion says so. */
  readonly completion: ShownCompletion | null
}

export type CompletionWriter = ReturnType<typeof createCompletionWriter>

/** Creates the writer of completions: completes, skips, reopens and undoes. Every session must be a transaction. */
export function createCompletionWriter({ now, ids, writer, reserve }: CompletionWriterDeps) {
  const save = (session: Session, old: TaskRow, change: Partial<TaskRow>) =>
    writer.replace(session, old, revise(old, change, now()))

  /** Applies a step and records it. `task` is the stored task with the other changes of the same request. */
  async function recordStep(
    session: Session,
    stored: TaskRow,
    task: TaskRow,
    step: CompletionEvent,
    withParts: boolean,
  ): Promise<RecordedCompletion> {
    const { after: next, next_due, missed } = advanceTask(task, step, await listHandledAfterDue(session, task))
    const { before, after } = diffMembers(task, next)
    await save(session, stored, { ...task, ...next })
    const edges = next_due === null ? NO_EDGES : await restartWaiting(session, task)
    const [due, nextDue] = [getDueDate(task), getDueDate({ ...task, ...next })]
    const parts =
      next_due !== null && due && nextDue
        ? await updateParts(session, task, (part) => ({
            ...(part.status === 'done' && toStatusColumns('open', step.at)),
            ...(part.status !== 'cancelled' && movePart(part, due, nextDue, step.time_zone)),
          }))
        : withParts
          ? await updateParts(session, task, (part) => (part.closed === 0 ? toStatusColumns('done', step.at) : {}))
          : NO_PARTS
    const { id: task_id, key, title, project_id } = task
    const completion = {
      ...{ id: ids(), task: key, task_id, kind: step.kind, occurrence: getDueOccurrence(task), title, project_id },
      ...{ completed_at: step.at, next_due, missed: JSON.stringify(missed) },
    }
    await recordCompletion(session, reserve, completion, {
      before: { members: before, parts: parts.before, edges: edges.before },
      after: { members: after, parts: parts.after, edges: edges.after },
    })
    return { task: (await getTask(session, task.id)) ?? task, completion }
  }

  /** Returns the completion that made a task done; null if its parent's completion did, or it was created done. */
  async function getDoneCompletion(session: Session, task: TaskRow): Promise<CompletionRow | null> {
    const latest = await getLatestCompletion(session, task.key)
    return latest && isDoneBy(task, latest) ? latest : null
  }

  /** Resets the edges to the tasks that an advancing task waits for. Returns the changed edges, before and after. */
  async function restartWaiting(session: Session, { key }: TaskRow) {
    const waited = async () => (await listEdgesOfTask(session, key)).filter(({ dependent }) => dependent === key)
    const before = await waited()
    if (before.length === 0) return NO_EDGES
    await restartEdges(session, key)
    const after = (await waited()).filter((edge) => before.find(isSameEdge(edge))?.since !== edge.since)
    return { before: before.filter((edge) => after.some(isSameEdge(edge))), after }
  }

  /** Changes the parts of a task: those for which `change` returns columns. */
  async function updateParts(session: Session, task: TaskRow, change: (part: TaskRow) => Partial<TaskRow>) {
    const before: PartState[] = []
    const after: PartState[] = []
    if (task.subtasks_total === 0) return { before, after }
    const changed = (await listPartsOutsideTrash(session, task)).flatMap((part) => {
      const columns = change(part)
      return Object.keys(columns).length === 0 ? [] : [{ part, columns }]
    })
    refuseTooMany(changed.length)
    await forEachTask(changed, async ({ part, columns }) => {
      before.push(toPartState(part, columns))
      after.push(toPartState({ ...part, ...columns }, columns))
      await save(session, part, columns)
    })
    return { before, after }
  }

  /** Restores what a completion changed. Throws changed_since unless forced. */
  async function undo(session: Session, task: TaskRow, completion: CompletionRow, force: boolean): Promise<TaskRow> {
    const before: CompletionState = JSON.parse(completion.before)
    return restoreState(session, task, completion, before.members, force ? 'overwritten' : 'refused')
  }

  /** @param edits what becomes of members and parts edited since; `kept` leaves edited parts as they are */
  async function restoreState(
    session: Session,
    task: TaskRow,
    completion: CompletionRow,
    members: Partial<TaskRow>,
    edits: 'refused' | 'overwritten' | 'kept',
  ): Promise<TaskRow> {
    const before: CompletionState = JSON.parse(completion.before)
    const after: CompletionState = JSON.parse(completion.after)
    const keys = after.parts.map(({ key }) => key)
    const parts = new Map((await getTasksByKeys(session, keys)).map((part) => [part.key, part]))
    const edited = listEditedMembers(task, after.members)
    const editedParts = new Set(after.parts.filter((part) => isEdited(parts.get(part.key), part)).map(({ key }) => key))
    if (editedParts.size > 0) edited.push('subtasks')
    if (edited.length > 0 && edits === 'refused')
      throw new ApiError('changed_since', `Edited since it was completed: ${edited.join(', ')}.`, { members: edited })

    await setEdgesSince(session, await listUnchangedEdges(session, task, before.edges, after.edges))
    await completionTable.erase(session, completion.id)
    // Frees bytes first: neither a full workspace nor a full disk may refuse the few bytes by which the task may grow.
    await reserve(session, -completion.size_bytes)
    const freeing = { ...session, frees: true }
    await save(freeing, task, members)
    await forEachTask(before.parts, async ({ key, ...state }) => {
      const part = parts.get(key)
      if (part && !(edits === 'kept' && editedParts.has(key))) await save(freeing, part, state)
    })
    await updateComputedAround(session, task.key)
    return (await getTask(session, task.id)) ?? task
  }

  return {
    undo,

    /**
     * Completes a task; a done one stays as it is. Throws conflict for a cancelled task, occurrence_passed,
     * invalid_request.
     * @param edited the task with the other changes of the same request
     */
    async complete(session: Session, task: TaskRow, input: CompleteTask, edited = task): Promise<RecordedCompletion> {
      const step: CompletionEvent = {
        kind: 'done',
        at: readStepInstant(input.completed_at, now()),
        time_zone: await readZoneOrDefault(session, input.time_zone),
      }
      requireOccurrence(task, input.occurrence)
      if (task.status === 'done') return { task, completion: await getDoneCompletion(session, task) }
      if (task.status === 'cancelled') throw new ApiError('conflict', 'The task is cancelled. Reopen it first.')
      return recordStep(session, task, edited, step, input.subtasks === 'complete')
    },

    /** Moves to the next occurrence without completing this one. Throws conflict for a task that does not repeat. */
    async skip(session: Session, task: TaskRow, input: SkipTask): Promise<RecordedCompletion> {
      const time_zone = await readZoneOrDefault(session, input.time_zone)
      const step: CompletionEvent = { kind: 'skip', at: now(), time_zone }
      requireOccurrence(task, input.occurrence)
      if (task.rrule === null) throw new ApiError('conflict', 'The task does not repeat: there is no next occurrence.')
      if (task.closed === 1) throw new ApiError('conflict', `The task is ${task.status}. Reopen it first.`)
      return recordStep(session, task, task, step, false)
    },

    /**
     * Undoes the completion that made a task done, or opens a cancelled task. An open task stays as it is, and so do
     * parts that were changed since.
     * @param edited the task with the other changes of the same request
     * @param status the new status; by default the one before the completion
     */
    async reopen(session: Session, task: TaskRow, edited = task, status?: 'open' | 'in_progress'): Promise<TaskRow> {
      if (task.closed === 0) return task
      const latest = task.status === 'done' ? await getDoneCompletion(session, task) : null
      const statusColumns = status && toStatusColumns(status, now())
      if (latest === null)
        return save(session, task, { ...edited, ...(statusColumns ?? toStatusColumns('open', now())) })
      const before: CompletionState = JSON.parse(latest.before)
      return restoreState(session, task, latest, { ...edited, ...before.members, ...statusColumns }, 'kept')
    },
  }
}

const NO_PARTS: { readonly before: readonly PartState[]; readonly after: readonly PartState[] } = {
  before: [],
  after: [],
}

const NO_EDGES: { readonly before: readonly Edge[]; readonly after: readonly Edge[] } = { before: [], after: [] }

const isSameEdge = (a: Edge) => (b: Edge) => a.blocker === b.blocker && a.dependent === b.dependent

function isDoneBy({ completed_at }: TaskRow, { after }: CompletionRow): boolean {
  const { members }: CompletionState = JSON.parse(after)
  return members.status === 'done' && members.completed_at === completed_at
}

async function listPartsOutsideTrash(session: Session, { id }: TaskRow): Promise<TaskRow[]> {
  const keys = (await listDescendants(session, id)).map(({ key }) => key)
  return (await getTasksByKeys(session, keys)).filter((part) => part.deleted_at === null)
}

/** Whether a part was edited since a completion. One that no longer exists cannot be restored: it does not count. */
function isEdited(part: TaskRow | undefined, after: PartState): boolean {
  const names = ['status', 'completed_at', ...Object.values(MEMBER_COLUMNS).flat()] as const
  return part !== undefined && names.some((name) => name in after && part[name] !== after[name])
}

/** Returns the edges to restore: those that have not been reset again since. */
async function listUnchangedEdges(
  session: Session,
  { key }: TaskRow,
  before: readonly Edge[],
  after: readonly Edge[],
): Promise<Edge[]> {
  if (after.length === 0) return []
  const present = await listEdgesOfTask(session, key)
  const isAsLeft = (edge: Edge) => present.find(isSameEdge(edge))?.since === edge.since
  return before.filter((edge) => after.filter(isSameEdge(edge)).every(isAsLeft))
}

/** The earliest completion: from then on the day is in 1900 or later in every zone, and can be an anchor. */
const EARLIEST_MS = Date.parse('1900-01-02T00:00:00.000Z')

function readStepInstant(text: string | undefined, now: number): number {
  const at = text === undefined ? now : readInstant(text, '/completed_at')
  if (at > now) throw invalid('/completed_at', 'in_future', 'completed_at must not be in the future')
  if (at < EARLIEST_MS) throw invalid('/completed_at', 'invalid_instant', 'completed_at must not be before 1900-01-02')
  return at
}

function requireOccurrence(task: TaskRow, text: string | undefined): void {
  if (text === undefined) return
  const occurrence = getDueOccurrence(task)
  const named = readOccurrence(text, '/occurrence')
  // A client that moved the due date may name it by either date.
  if (named !== occurrence && named !== getDueOccurrence({ ...task, moved: '[]' }))
    throw new ApiError('occurrence_passed', `The task is now due on ${occurrence ?? 'no date'}.`, {
      due_date: task.due_date,
    })
}
