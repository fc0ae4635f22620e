import type { Bindings, Queries, Session, WorkspaceId } from '../db/database'
import { byteLength, elementsIn, integersIn, valuesIn } from '../db/dialect'
import { createTable, type StoredRow } from '../db/table'
import { titleKey } from '../lib/text'
import { findKeysIn } from '../search/feed-store'
import type { Leaf, TextLeaf } from '../search/query'
import { buildKeyCondition, buildPeriodCondition, type SearchSource, type Texts, toFoundItems } from '../search/source'
import type { Status } from './schema'

/** A row of `tasks`: instants are milliseconds, flags 0 or 1. The schema explains each column. */
export interface TaskRow extends StoredRow {
  readonly computed_revision: number
  readonly deleted_at: number | null
  readonly trashed_with: string | null
  readonly title: string
  readonly title_key: string
  readonly notes: string
  readonly status: Status
  readonly closed: number
  readonly priority: number
  readonly urgency: number
  readonly due_date: string | null
  readonly due_time: string | null
  readonly due_tz: string | null
  readonly due_at: number | null
  readonly start_date: string | null
  readonly start_time: string | null
  readonly start_tz: string | null
  readonly start_at: number | null
  readonly due_key: string
  readonly start_key: string
  readonly duration_minutes: number | null
  readonly rrule: string | null
  readonly recurrence_mode: 'schedule' | 'completion' | null
  readonly recurrence_skip: 'backward' | 'omit' | null
  readonly anchor: string | null
  /** JSON: civil dates. */
  readonly exdates: string
  /** JSON: names of occurrences. */
  readonly rdates: string
  /** JSON: moved occurrences. */
  readonly moved: string
  /** JSON: reminders as the API shows them. */
  readonly reminders: string
  /** JSON: names, as the workspace spells them. */
  readonly labels: string
  /** JSON: ids. */
  readonly note_ids: string
  /** JSON: ids. */
  readonly blocked_by: string
  readonly parent_id: string | null
  readonly project_id: string | null
  readonly section_id: string | null
  readonly place: string
  readonly position: string
  /** Where the task goes back if its deleted project is restored; null once it has been moved. */
  readonly former_project_id: string | null
  readonly former_section_id: string | null
  readonly completed_at: number | null
  readonly cancelled_at: number | null
  readonly source_system: string | null
  readonly source_id: string | null
  readonly source_url: string | null
  readonly size_bytes: number
  /** Counts: unsatisfied blockers, tasks it holds up, parts outside the trash, and those of them that are closed. */
  readonly blockers: number
  readonly held_up: number
  readonly subtasks_total: number
  readonly subtasks_done: number
}

/** The columns that are computed from other tasks; only `updateComputed` writes them. */
type Computed = 'key' | 'computed_revision' | 'blockers' | 'held_up' | 'subtasks_total' | 'subtasks_done'

export type TaskDraft = Omit<TaskRow, Computed>

/** The columns of a task that goes nowhere when a project is restored. */
export const NO_FORMER_PLACE = { former_project_id: null, former_section_id: null }

export const taskTable = createTable<TaskRow, TaskDraft>({
  name: 'tasks',
  fixed: ['id', 'created_at'],
  written: [
    'revision',
    'updated_at',
    'deleted_at',
    'trashed_with',
    'title',
    'title_key',
    'notes',
    'status',
    'closed',
    'priority',
    'urgency',
    'due_date',
    'due_time',
    'due_tz',
    'due_at',
    'start_date',
    'start_time',
    'start_tz',
    'start_at',
    'due_key',
    'start_key',
    'duration_minutes',
    'rrule',
    'recurrence_mode',
    'recurrence_skip',
    'anchor',
    'exdates',
    'rdates',
    'moved',
    'reminders',
    'labels',
    'note_ids',
    'blocked_by',
    'parent_id',
    'project_id',
    'section_id',
    'place',
    'position',
    'former_project_id',
    'former_section_id',
    'completed_at',
    'cancelled_at',
    'source_system',
    'source_id',
    'source_url',
    'size_bytes',
  ],
  read: {
    key: 'key',
    computed_revision: 'computed_revision',
    blockers: 'blockers',
    held_up: 'held_up',
    subtasks_total: 'subtasks_total',
    subtasks_done: 'subtasks_done',
  },
})

/** The columns of a task, qualified for SQL with joins. */
export const TASK_COLUMNS = taskTable.columns

/** Returns the task, in the trash or not; null if there is none. */
export const getTask = taskTable.get

/** Returns those of the tasks that exist, in the trash or not, in no order. */
export function getTasks({ db, workspace }: Session, ids: readonly string[]): Promise<TaskRow[]> {
  const sql = `SELECT ${TASK_COLUMNS} FROM tasks WHERE workspace = $1 AND id IN ${valuesIn('$2')}`
  return db.all<TaskRow>(sql, [workspace.id, JSON.stringify(ids)])
}

/** Returns the id of the task with this source, in the trash or not; null if there is none. */
export async function findTaskBySource(
  db: Queries,
  workspace: WorkspaceId,
  system: string,
  id: string,
): Promise<string | null> {
  const sql = 'SELECT id FROM tasks WHERE workspace = $1 AND source_system = $2 AND source_id = $3'
  return (await db.get<{ id: string }>(sql, [workspace, system, id]))?.id ?? null
}

export async function getIdsByKeys(
  db: Pick<Queries, 'all'>,
  workspace: WorkspaceId,
  keys: readonly number[],
): Promise<Map<number, string>> {
  const sql = `SELECT key, id FROM tasks WHERE +workspace = $1 AND key IN ${integersIn('$2')}`
  const rows = await db.all<{ key: number; id: string }>(sql, [workspace, JSON.stringify(keys)])
  return new Map(rows.map(({ key, id }) => [key, id]))
}

export async function getKeysByIds(
  db: Pick<Queries, 'all'>,
  workspace: WorkspaceId,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const sql = `SELECT id, key FROM tasks WHERE workspace = $1 AND id IN ${valuesIn('$2')}`
  const rows = await db.all<{ id: string; key: number }>(sql, [workspace, JSON.stringify(ids)])
  return new Map(rows.map(({ id, key }) => [id, key]))
}

/** The tasks for the search: a task's labels are its tags, its notes are its body. */
export const taskSource: SearchSource<'task'> = {
  findKeys: findKeysIn('tasks'),
  async readTexts(db, workspace, keys) {
    return new Map((await listTexts(db, workspace, keys)).map((task) => [task.key, toTexts(task)]))
  },

  selectKeys(leaf, bind) {
    const condition = buildCondition(leaf, bind)
    return condition && `SELECT key FROM tasks WHERE workspace = $1 AND deleted_at IS NULL AND ${condition}`
  },

  async readItems({ db, workspace }, keys) {
    const rows = await listTexts(db, workspace.id, keys)
    return toFoundItems(rows, toTexts, ({ status, due_date: date, due_time: time, due_tz: time_zone }) => ({
      status,
      due: date === null ? null : { date, time, time_zone },
    }))
  },
}

type Row = Pick<
  TaskRow,
  | 'key'
  | 'id'
  | 'revision'
  | 'updated_at'
  | 'title'
  | 'notes'
  | 'labels'
  | 'status'
  | 'due_date'
  | 'due_time'
  | 'due_tz'
>

function listTexts(db: Queries, workspace: WorkspaceId, keys: readonly number[]): Promise<Row[]> {
  return db.all(
    `SELECT key, id, revision, updated_at, title, notes, labels, status, due_date, due_time, due_tz FROM tasks
     WHERE +workspace = $1 AND key IN ${integersIn('$2')} AND +deleted_at IS NULL`,
    [workspace, JSON.stringify(keys)],
  )
}

function toTexts({ title, notes, labels }: Row): Texts {
  return { title, tags: JSON.parse(labels), body: notes }
}

function buildCondition(leaf: Exclude<Leaf, TextLeaf>, bind: Bindings): string | null {
  if (leaf.kind === 'created' || leaf.kind === 'updated') return buildPeriodCondition(leaf, bind)
  if (leaf.kind !== 'tag') return null
  return `key IN (SELECT task FROM task_label_uses JOIN task_labels ON task_labels.key = label
    WHERE task_labels.workspace = $1 AND ${buildKeyCondition('name_key', titleKey(leaf.text.replace(/^#/, '')), leaf.match, null, bind)})`
}

/** The counts of tasks that projects and labels keep, and the tables that link tasks to labels and notes. */

/** Adds to the counts of a project. `open` and `done` may be negative. */
export async function addToProjectCounts(
  { db, workspace }: Session,
  id: string,
  open: number,
  done: number,
): Promise<void> {
  await db.run(
    `UPDATE task_projects SET open = open + $3, done = done + $4, computed_revision = computed_revision + 1
     WHERE workspace = $1 AND id = $2`,
    [workspace.id, id, open, done],
  )
}

/** Adds `by`, which may be negative, to the counts of labels, given by their keys. */
export async function addToLabelCounts(
  { db, workspace }: Session,
  labels: readonly number[],
  by: number,
): Promise<void> {
  await db.run(
    `UPDATE task_labels SET count = count + $3, computed_revision = computed_revision + 1
     WHERE +workspace = $1 AND key IN ${integersIn('$2')}`,
    [workspace.id, JSON.stringify(labels), by],
  )
}

export async function getLabelKeys({ db, workspace }: Session, task: number): Promise<number[]> {
  const rows = await db.all<{ label: number }>('SELECT label FROM task_label_uses WHERE workspace = $1 AND task = $2', [
    workspace.id,
    task,
  ])
  return rows.map(({ label }) => label)
}

export async function setTaskLabels(
  { db, workspace }: Session,
  task: number,
  labels: readonly number[],
): Promise<void> {
  await db.run('DELETE FROM task_label_uses WHERE workspace = $1 AND task = $2', [workspace.id, task])
  if (labels.length === 0) return
  await db.run(
    `INSERT INTO task_label_uses (workspace, label, task) SELECT $1, CAST(value AS bigint), $2 FROM ${elementsIn('$3')}`,
    [workspace.id, task, JSON.stringify(labels)],
  )
}

export async function setTaskNotes({ db, workspace }: Session, task: number, ids: readonly string[]): Promise<void> {
  await db.run('DELETE FROM task_note_uses WHERE task = $2 AND workspace = $1', [workspace.id, task])
  if (ids.length === 0) return
  await db.run(`INSERT INTO task_note_uses (workspace, note_id, task) SELECT $1, value, $2 FROM ${elementsIn('$3')}`, [
    workspace.id,
    task,
    JSON.stringify(ids),
  ])
}

export async function listTasksOfNote({ db, workspace }: Session, note: string): Promise<string[]> {
  const sql = `SELECT id FROM task_note_uses JOIN tasks ON key = task
    WHERE task_note_uses.workspace = $1 AND note_id = $2 ORDER BY key`
  return (await db.all<{ id: string }>(sql, [workspace.id, note])).map(({ id }) => id)
}

/** Returns the bytes of a task's completions and of the lines kept from a calendar file, which erasing it frees. */
export async function getAttachedBytes({ db, workspace }: Session, task: number): Promise<number> {
  const sql = `SELECT coalesce(sum(size_bytes), 0)
      + coalesce((SELECT ${byteLength('rest')} FROM task_calendar_rests WHERE workspace = $1 AND task = $2), 0) AS n
    FROM task_completions WHERE task = $2 AND +workspace = $1`
  return (await db.get<{ n: number }>(sql, [workspace.id, task]))?.n ?? 0
}
