import type { RecordChange } from '../db/change-feed'
import type { Context, Session } from '../db/database'
import { keysOf } from '../db/table'
import { createRefuseTakenSource, createResourceWriter, revise } from '../http/resource'
import { forEachTask, refuseTooMany, type TaskWriter } from './change-tasks'
import { dropDependents, getTasksByKeys, listEdgesOfTask, setBlockers, updateComputed } from './relation-store'
import {
  addToLabelCounts,
  addToProjectCounts,
  findTaskBySource,
  getAttachedBytes,
  getLabelKeys,
  getTask,
  getTasks,
  setTaskLabels,
  setTaskNotes,
  type TaskDraft,
  type TaskRow,
  taskTable,
} from './store'
import { withSize } from './task'

/** The labels of a task: distinct, in the given order, as the workspace spells them. `keys` are those of their rows. */
export interface UsedLabels {
  readonly keys: number[]
  readonly names: string[]
}

/** Finds the labels with these names, and creates the missing ones; see `createUseLabels`. */
export type UseLabels = (session: Session, names: readonly string[]) => Promise<UsedLabels>

interface TaskWriterDeps extends Pick<Context, 'now'> {
  readonly record: RecordChange
  readonly useLabels: UseLabels
}

/** The columns on which the counts of projects and labels depend; null if there is no row. */
type Counted = Pick<TaskRow, 'project_id' | 'parent_id' | 'closed' | 'deleted_at'> | null

export function createTaskWriter({ now, record, useLabels }: TaskWriterDeps): TaskWriter {
  async function withLabels<Draft extends TaskDraft>(session: Session, draft: Draft) {
    const { keys, names } = await useLabels(session, JSON.parse(draft.labels))
    return { keys, draft: withSize({ ...draft, labels: JSON.stringify(names) }) }
  }

  const refuseTaken = createRefuseTakenSource('task', findTaskBySource)
  const rows = createResourceWriter<TaskRow, TaskDraft>({
    ...{ now, record, store: taskTable, refuseTaken },
    type: 'task',
    noun: 'task',
  })

  const writer: TaskWriter = {
    async insert(session, input) {
      const { keys, draft } = await withLabels(session, input)
      const task = await rows.insert(session, draft)
      await updateCounts(session, null, task, { before: [], after: keys })
      return refreshComputed(session, task, await updateRelations(session, null, task, keys))
    },

    async replace(session, old, next) {
      const before = await getLabelsBefore(session, old, next)
      const { keys, draft } =
        next.labels === old.labels ? { keys: before, draft: withSize(next) } : await withLabels(session, next)
      const task = await rows.replace(session, old, draft)
      await updateCounts(session, old, task, { before, after: keys })
      return refreshComputed(session, task, await updateRelations(session, old, task, keys))
    },

    async erase(session, task) {
      await releaseDependents(session, task)
      await updateCounts(session, task, null, { before: await getLabelKeys(session, task.key), after: [] })
      const related = await listRelatedTasks(session, task, null)
      const attached = await getAttachedBytes(session, task.key)
      await rows.erase(session, task, attached)
      await updateComputed(session, [...related])
    },

    async changeAll(session, ids, change) {
      const at = now()
      await forEachTask(ids, async (id) => {
        const old = await getTask(session, id)
        if (old) await writer.replace(session, old, revise(old, await change(old), at))
      })
    },
  }

  /** Removes a task from the tasks that wait for it, before it is erased. Throws too_many_affected. */
  async function releaseDependents(session: Session, task: TaskRow): Promise<void> {
    const edges = await listEdgesOfTask(session, task.key)
    const waiting = edges.filter(({ blocker }) => blocker === task.key).map(({ dependent }) => dependent)
    refuseTooMany(waiting.length)
    // First, and in one statement: otherwise writing each task would recount all that its blockers hold up.
    await dropDependents(session, task.key)
    const ids = (await getTasksByKeys(session, waiting)).map(({ id }) => id)
    await writer.changeAll(session, ids, ({ blocked_by }) => ({
      blocked_by: JSON.stringify(JSON.parse(blocked_by).filter((id: string) => id !== task.id)),
    }))
  }

  return writer
}

/** Returns the keys of the labels that a task had, or none if their counts cannot change. */
async function getLabelsBefore(session: Session, old: TaskRow, next: TaskRow): Promise<number[]> {
  if (old.labels === '[]' || (old.labels === next.labels && old.deleted_at === next.deleted_at)) return []
  return getLabelKeys(session, old.key)
}

async function updateCounts(
  session: Session,
  old: Counted,
  next: Counted,
  labels: { readonly before: readonly number[]; readonly after: readonly number[] },
): Promise<void> {
  const [oldTask, newTask] = [nullIfTrashed(old), nullIfTrashed(next)]
  const hasSameCounts =
    oldTask && newTask && oldTask.project_id === newTask.project_id && oldTask.closed === newTask.closed
  if (oldTask?.project_id && !hasSameCounts)
    await addToProjectCounts(session, oldTask.project_id, oldTask.closed - 1, -oldTask.closed)
  if (newTask?.project_id && !hasSameCounts)
    await addToProjectCounts(session, newTask.project_id, 1 - newTask.closed, newTask.closed)
  const before = new Set(oldTask ? labels.before : [])
  const after = new Set(newTask ? labels.after : [])
  const [removed, added] = [before.difference(after), after.difference(before)]
  if (removed.size > 0) await addToLabelCounts(session, [...removed], -1)
  if (added.size > 0) await addToLabelCounts(session, [...added], 1)
}

function nullIfTrashed<Row extends Counted>(row: Row): Row | null {
  return row?.deleted_at === null ? row : null
}

/** Updates labels, edges and notes from the row. Returns the keys of tasks whose computed columns may have changed. */
async function updateRelations(
  session: Session,
  old: TaskRow | null,
  task: TaskRow,
  labels: number[],
): Promise<Set<number>> {
  if (task.labels !== (old?.labels ?? '[]')) await setTaskLabels(session, task.key, labels)
  if (task.note_ids !== (old?.note_ids ?? '[]')) await setTaskNotes(session, task.key, JSON.parse(task.note_ids))
  const related = await listRelatedTasks(session, old, task)
  if (task.blocked_by === (old?.blocked_by ?? '[]')) return related
  const blockers = await getTasks(session, JSON.parse(task.blocked_by))
  await setBlockers(session, task.key, keysOf(blockers))
  for (const { key } of blockers) related.add(key)
  return related.add(task.key)
}

/** Lists the keys of tasks whose computed columns a change may affect: its parents, and both ends of its edges. */
async function listRelatedTasks(session: Session, old: TaskRow | null, next: TaskRow | null): Promise<Set<number>> {
  const related = new Set<number>()
  const counts = (row: TaskRow | null) => row?.deleted_at === null && `${row.closed} ${row.parent_id}`
  const [oldState, newState] = [counts(old), counts(next)]
  const edged = old !== null && (oldState !== newState || old.blocked_by !== next?.blocked_by)
  for (const { dependent, blocker } of edged ? await listEdgesOfTask(session, old.key) : [])
    related.add(dependent).add(blocker)
  const parents = oldState === newState ? [] : [old?.parent_id, next?.parent_id].filter((id) => typeof id === 'string')
  for (const { key } of parents.length > 0 ? await getTasks(session, parents) : []) related.add(key)
  return related
}

async function refreshComputed(session: Session, task: TaskRow, related: ReadonlySet<number>): Promise<TaskRow> {
  if (related.size === 0) return task
  await updateComputed(session, [...related])
  return related.has(task.key) ? ((await getTask(session, task.id)) ?? task) : task
}
