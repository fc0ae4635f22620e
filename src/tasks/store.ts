import type { Bindings, Reader, Session } from '../db/database'
import { byteLength, elementsIn, integersIn, valuesIn } from '../db/dialect'
import { createTable, type DraftOf, derived, fixed, int, type RowOf, STORED, text } from '../db/table'
import { titleKey } from '../lib/text'
import { findKeysIn } from '../search/feed-store'
import type { Leaf, TextLeaf } from '../search/query'
import { buildKeyCondition, buildPeriodCondition, type SearchSource, type Texts, toFoundItems } from '../search/source'
import type { Status } from './schema'

/**
 * The table of tasks: instants are milliseconds, flags 0 or 1. The schema explains each column. Those that are computed
 * from other tasks are only written by `updateComputed`.
 */
export const taskTable = createTable('tasks', {
  ...STORED,
  created_at: fixed(int()),
  computed_revision: derived<number>(),
  deleted_at: int<number | null>(),
  trashed_with: text<string | null>(),
  title: text(),
  title_sort: text(),
  notes: text(),
  status: text<Status>(),
  closed: int(),
  priority: int(),
  urgency: int(),
  due_date: text<string | null>(),
  due_time: text<string | null>(),
  due_tz: text<string | null>(),
  due_at: int<number | null>(),
  start_date: text<string | null>(),
  start_time: text<string | null>(),
  start_tz: text<string | null>(),
  start_at: int<number | null>(),
  due_key: text(),
  start_key: text(),
  duration_minutes: int<number | null>(),
  rrule: text<string | null>(),
  recurrence_mode: text<'schedule' | 'completion' | null>(),
  recurrence_skip: text<'backward' | 'omit' | null>(),
  anchor: text<string | null>(),
  /** JSON: civil dates. */
  exdates: text(),
  /** JSON: names of occurrences. */
  rdates: text(),
  /** JSON: moved occurrences. */
  moved: text(),
  /** JSON: reminders as the API shows them. */
  reminders: text(),
  /** JSON: names, as the workspace spells them. */
  labels: text(),
  /** JSON: ids. */
  note_ids: text(),
  /** JSON: ids. */
  blocked_by: text(),
  parent_id: text<string | null>(),
  project_id: text<string | null>(),
  section_id: text<string | null>(),
  place: text(),
  position: text(),
  /** Where the task goes back if its deleted project is restored; null once it has been moved. */
  former_project_id: text<string | null>(),
  former_section_id: text<string | null>(),
  completed_at: int<number | null>(),
  cancelled_at: int<number | null>(),
  source_system: text<string | null>(),
  source_id: text<string | null>(),
  source_url: text<string | null>(),
  size_bytes: int(),
  /** Counts: unsatisfied blockers, tasks it holds up, parts outside the trash, and those of them that are closed. */
  blockers: derived<number>(),
  held_up: derived<number>(),
  subtasks_total: derived<number>(),
  subtasks_done: derived<number>(),
})

export type TaskRow = RowOf<typeof taskTable>
export type TaskDraft = DraftOf<typeof taskTable>

/** The columns of a task that goes nowhere when a project is restored. */
export const NO_FORMER_PLACE = { former_project_id: null, former_section_id: null }

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
export async function findTaskBySource({ db, workspace }: Reader, system: string, id: string): Promise<string | null> {
  const sql = 'SELECT id FROM tasks WHERE workspace = $1 AND source_system = $2 AND source_id = $3'
  return (await db.get<{ id: string }>(sql, [workspace.id, system, id]))?.id ?? null
}

export async function getIdsByKeys({ db, workspace }: Reader, keys: readonly number[]): Promise<Map<number, string>> {
  const sql = `SELECT key, id FROM tasks WHERE +workspace = $1 AND key IN ${integersIn('$2')}`
  const rows = await db.all<{ key: number; id: string }>(sql, [workspace.id, JSON.stringify(keys)])
  return new Map(rows.map(({ key, id }) => [key, id]))
}

export async function getKeysByIds({ db, workspace }: Reader, ids: readonly string[]): Promise<Map<string, number>> {
  const sql = `SELECT id, key FROM tasks WHERE workspace = $1 AND id IN ${valuesIn('$2')}`
  const rows = await db.all<{ id: string; key: number }>(sql, [workspace.id, JSON.stringify(ids)])
  return new Map(rows.map(({ id, key }) => [id, key]))
}

/** The tasks for the search: a task's labels are its tags, its notes are its body. */
export const taskSource: SearchSource<'task'> = {
  findKeys: findKeysIn('tasks'),
  async readTexts(reader, keys) {
    return new Map((await listTexts(reader, keys)).map((task) => [task.key, toTexts(task)]))
  },

  selectKeys(leaf, bind) {
    const condition = buildCondition(leaf, bind)
    return condition && `SELECT key FROM tasks WHERE workspace = $1 AND deleted_at IS NULL AND ${condition}`
  },

  async readItems(reader, keys) {
    const rows = await listTexts(reader, keys)
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

function listTexts({ db, workspace }: Reader, keys: readonly number[]): Promise<Row[]> {
  return db.all(
    `SELECT key, id, revision, updated_at, title, notes, labels, status, due_date, due_time, due_tz FROM tasks
     WHERE +workspace = $1 AND key IN ${integersIn('$2')} AND +deleted_at IS NULL`,
    [workspace.id, JSON.stringify(keys)],
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
