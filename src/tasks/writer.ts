import type { RecordChange } from '../db/change-feed'
import type { Context } from '../db/context'
import type { Session } from '../db/database'
import { createRefuseTakenSource, createResourceWriter } from '../http/resource'
import { createChangeTasks, type TaskWriter } from './change-tasks'
import {
  addToLabelCounts,
  addToProjectCounts,
  getAttachedBytes,
  getLabelKeys,
  setTaskLabels,
  setTaskNotes,
} from './count-store'
import { putFilterText, toFilterText } from './filter/text-store'
import { refuseTooMany } from './groups/records'
import { dropDependents, getTasksByKeys, listEdgesOfTask, setBlockers, updateComputed } from './relation-store'
import { findTaskBySource, getTask, getTasks, type TaskDraft, type TaskRow, taskTable } from './store'
import { withSize } from './task'

/** Labels of a task: each once, in the order of the names, as the workspace spells them. `keys` are those of their rows. */
export interface UsedLabels {
  readonly keys: number[]
  readonly names: string[]
}

/** Finds the labels with these names, and makes the missing ones; see `createUseLabels`. */
export type UseLabels = (session: Session, names: readonly string[]) => Promise<UsedLabels>

export interface TaskWriterDeps extends Pick<Context, 'now'> {
  readonly record: RecordChange
  readonly useLabels: UseLabels
}

/** What others count of a task; null where there is none. */
type Counted = Pick<TaskRow, 'project_id' | 'parent_id' | 'closed' | 'deleted_at'> | null

export function createTaskWriter({ now, record, useLabels }: TaskWriterDeps): TaskWriter {
  /** The task with its labels as the workspace spells them, and their keys. */
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
      const text = toFilterText(task)
      if (text !== null) await putFilterText(session.db, session.workspace.id, task.key, text)
      await updateCounts(session, null, task, { before: [], after: keys })
      return refreshComputed(session, task, await updateRelations(session, null, task, keys))
    },

    async replace(session, old, next) {
      const before = await getLabelsBefore(session, old, next)
      const { keys, draft } =
        next.labels === old.labels ? { keys: before, draft: withSize(next) } : await withLabels(session, next)
      const task = await rows.replace(session, old, draft)
      if (task.title !== old.title || task.notes !== old.notes)
        await putFilterText(session.db, session.workspace.id, task.key, toFilterText(task))
      await updateCounts(session, old, task, { before, after: keys })
      return refreshComputed(session, task, await updateRelations(session, old, task, keys))
    },

    async erase(session, task) {
      const { db, workspace } = session
      await releaseDependents(session, task)
      await updateCounts(session, task, null, { before: await getLabelKeys(db, workspace.id, task.key), after: [] })
      const related = await listRelatedTasks(session, task, null)
      const attached = await getAttachedBytes(db, workspace.id, task.key)
      await rows.erase(session, task, attached)
      await updateComputed(db, workspace.id, [...related])
    },
  }

  /** What waits for a task that goes for good waits for it no more. */
  async function releaseDependents(session: Session, task: TaskRow): Promise<void> {
    const { db, workspace } = session
    const edges = await listEdgesOfTask(db, workspace.id, task.key)
    const waiting = edges.filter(({ blocker }) => blocker === task.key).map(({ dependent }) => dependent)
    refuseTooMany(waiting.length)
    // All at once and first: each task that is written recounts what its blockers hold up.
    await dropDependents(db, workspace.id, task.key)
    const ids = (await getTasksByKeys(db, workspace.id, waiting)).map(({ id }) => id)
    await createChangeTasks({ now, writer })(session, ids, ({ blocked_by }) => ({
      blocked_by: JSON.stringify(JSON.parse(blocked_by).filter((id: string) => id !== task.id)),
    }))
  }

  return writer
}

/** The keys of the labels that a task had: read only where they, or whether they count, may change. */
async function getLabelsBefore({ db, workspace }: Session, old: TaskRow, next: TaskRow): Promise<number[]> {
  if (old.labels === '[]' || (old.labels === next.labels && old.deleted_at === next.deleted_at)) return []
  return getLabelKeys(db, workspace.id, old.key)
}

/** Keeps what projects and labels count. */
async function updateCounts(
  { db, workspace }: Session,
  old: Counted,
  next: Counted,
  labels: { readonly before: readonly number[]; readonly after: readonly number[] },
): Promise<void> {
  const [was, is] = [nullIfTrashed(old), nullIfTrashed(next)]
  const stays = was && is && was.project_id === is.project_id && was.closed === is.closed
  if (was?.project_id && !stays) await addToProjectCounts(db, workspace.id, was.project_id, was.closed - 1, -was.closed)
  if (is?.project_id && !stays) await addToProjectCounts(db, workspace.id, is.project_id, 1 - is.closed, is.closed)
  const before = new Set(was ? labels.before : [])
  const after = new Set(is ? labels.after : [])
  const [gone, come] = [before.difference(after), after.difference(before)]
  if (gone.size > 0) await addToLabelCounts(db, workspace.id, [...gone], -1)
  if (come.size > 0) await addToLabelCounts(db, workspace.id, [...come], 1)
}

function nullIfTrashed<Row extends Counted>(row: Row): Row | null {
  return row?.deleted_at === null ? row : null
}

/** Keeps labels, edges and notes in step with the row. Answers whose computed members may have changed. */
async function updateRelations(
  session: Session,
  old: TaskRow | null,
  task: TaskRow,
  labels: number[],
): Promise<Set<number>> {
  const { db, workspace } = session
  if (task.labels !== (old?.labels ?? '[]')) await setTaskLabels(db, task.key, labels)
  if (task.note_ids !== (old?.note_ids ?? '[]'))
    await setTaskNotes(db, workspace.id, task.key, JSON.parse(task.note_ids))
  const related = await listRelatedTasks(session, old, task)
  if (task.blocked_by === (old?.blocked_by ?? '[]')) return related
  const blockers = await getTasks(db, workspace.id, JSON.parse(task.blocked_by))
  await setBlockers(
    db,
    workspace.id,
    task.key,
    blockers.map(({ key }) => key),
  )
  for (const { key } of blockers) related.add(key)
  return related.add(task.key)
}

/** The tasks whose computed members a change may touch: the wholes that it is a part of, and both ends of its edges. */
async function listRelatedTasks(
  { db, workspace }: Session,
  old: TaskRow | null,
  next: TaskRow | null,
): Promise<Set<number>> {
  const related = new Set<number>()
  const counts = (row: TaskRow | null) => row?.deleted_at === null && `${row.closed} ${row.parent_id}`
  const [was, is] = [counts(old), counts(next)]
  const edged = old !== null && (was !== is || old.blocked_by !== next?.blocked_by)
  for (const { dependent, blocker } of edged ? await listEdgesOfTask(db, workspace.id, old.key) : [])
    related.add(dependent).add(blocker)
  const parents = was === is ? [] : [old?.parent_id, next?.parent_id].filter((id) => typeof id === 'string')
  for (const { key } of parents.length > 0 ? await getTasks(db, workspace.id, parents) : []) related.add(key)
  return related
}

/** The task after its computed members, and those of related tasks, are updated. */
async function refreshComputed(
  { db, workspace }: Session,
  task: TaskRow,
  related: ReadonlySet<number>,
): Promise<TaskRow> {
  if (related.size === 0) return task
  await updateComputed(db, workspace.id, [...related])
  return related.has(task.key) ? ((await getTask(db, workspace.id, task.id)) ?? task) : task
}
