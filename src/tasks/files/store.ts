import { Bindings, type Reader, type Session } from '../../db/database'
import { byteLength, integersIn, valuesIn } from '../../db/dialect'
import type { ItemPlace } from '../../lib/ical/members'
import { buildTaskFilterConditions, type TaskFilter } from '../filter/store'
import { TASK_COLUMNS, type TaskRow } from '../store'

/** The state of imports from calendar files, and queries for imports and exports. */

export interface ImportedState {
  /** Lines of the file that tasks have no member for. */
  readonly rest: string
  /** PRIORITY, 0..9, as it was read. */
  readonly priority_read: number | null
  /**
   * Digests of the item and of the stored task. `file_hash` is empty until the task has the parent and the blockers of
   * the file, so that the next import repeats one that ended early.
   */
  readonly file_hash: string
  readonly task_hash: string
}

/** Returns the state of a task's last import; null if it was never imported. */
export function getImportedItem({ db, workspace }: Session, key: number): Promise<ImportedState | null> {
  return db.get<ImportedState>(
    'SELECT rest, priority_read, file_hash, task_hash FROM task_calendar_rests WHERE workspace = $1 AND task = $2',
    [workspace.id, key],
  )
}

export async function putImportedItem({ db, workspace }: Session, key: number, imported: ImportedState): Promise<void> {
  const values = [workspace.id, key, imported.rest, imported.priority_read, imported.file_hash, imported.task_hash]
  const update = `UPDATE task_calendar_rests SET rest = $3, priority_read = $4, file_hash = $5, task_hash = $6
    WHERE workspace = $1 AND task = $2`
  if ((await db.run(update, values)) > 0) return
  await db.run(
    `INSERT INTO task_calendar_rests (workspace, task, rest, priority_read, file_hash, task_hash)
     SELECT workspace, key, $3, $4, $5, $6 FROM tasks WHERE +workspace = $1 AND key = $2`,
    values,
  )
}

/** Returns those of the tasks that do not have the parent and the blockers of their file yet; see ImportedState. */
export async function findUnrelated({ db, workspace }: Session, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.all<{ id: string }>(
    `SELECT id FROM tasks JOIN task_calendar_rests ON task = tasks.key
     WHERE tasks.workspace = $1 AND id IN ${valuesIn('$2')} AND file_hash = ''`,
    [workspace.id, JSON.stringify(ids)],
  )
  return new Set(rows.map(({ id }) => id))
}

/** Returns the digests of items at their last import (see ImportedState), by the UIDs of their tasks. */
export async function getItemHashes(
  { db, workspace }: Session,
  system: string,
  uids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db.all<{ uid: string; file_hash: string }>(
    `SELECT source_id AS uid, file_hash FROM tasks JOIN task_calendar_rests ON task = tasks.key
     WHERE tasks.workspace = $1 AND source_system = $3 AND source_id IN ${valuesIn('$2')}`,
    [workspace.id, JSON.stringify(uids), system],
  )
  return new Map(rows.map(({ uid, file_hash }) => [uid, file_hash]))
}

/**
 * Returns task ids by UID: of the task imported with the UID, or else of the task whose id it is.
 * @param system the kind of file that has the UIDs: the `system` of sources
 */
export async function getIdsByUids(
  { db, workspace }: Session,
  system: string,
  uids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db.all<{ uid: string; id: string }>(
    `SELECT id AS uid, id FROM tasks WHERE workspace = $1 AND id IN ${valuesIn('$2')}
     UNION ALL
     SELECT source_id AS uid, id FROM tasks
     WHERE workspace = $1 AND source_system = $3 AND source_id IN ${valuesIn('$2')}`,
    [workspace.id, JSON.stringify(uids), system],
  )
  return new Map(rows.map(({ uid, id }) => [uid, id]))
}

export async function getUidsByIds({ db, workspace }: Reader, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.all<{ uid: string; id: string }>(
    `SELECT id, CASE WHEN source_system = 'ical' THEN source_id ELSE id END AS uid FROM tasks
     WHERE workspace = $1 AND id IN ${valuesIn('$2')}`,
    [workspace.id, JSON.stringify(ids)],
  )
  return new Map(rows.map(({ id, uid }) => [id, uid]))
}

/** A task with the state of its last import, or nulls. */
export type StoredTask = TaskRow & { readonly [Name in keyof ImportedState]: ImportedState[Name] | null }

const STORED_COLUMNS = `${TASK_COLUMNS}, rest, priority_read, file_hash, task_hash`
const STORED = 'FROM tasks LEFT JOIN task_calendar_rests ON task_calendar_rests.task = tasks.key'

/** A task with the names of its project and its section, as files have it. */
export interface ExportRow extends StoredTask {
  readonly project_name: string | null
  readonly section_name: string | null
}

const EXPORTED = `SELECT ${STORED_COLUMNS},
    (SELECT name FROM task_projects AS p WHERE p.workspace = tasks.workspace AND p.id = project_id) AS project_name,
    (SELECT name FROM task_sections AS s WHERE s.workspace = tasks.workspace AND s.id = section_id) AS section_name
  ${STORED}`

/** Returns the names of the project and the section of a task; null in the inbox. */
export async function getPlaceNames({ db, workspace }: Session, key: number): Promise<ItemPlace | null> {
  const place = await db.get<ItemPlace>(
    `SELECT p.name AS project, s.name AS section FROM tasks
     LEFT JOIN task_projects AS p ON p.workspace = tasks.workspace AND p.id = tasks.project_id
     LEFT JOIN task_sections AS s ON s.workspace = tasks.workspace AND s.id = tasks.section_id
     WHERE tasks.workspace = $1 AND tasks.key = $2`,
    [workspace.id, key],
  )
  return place?.project == null ? null : place
}

/** Lists tasks that match a filter and are not in the trash, in the order of their ids, after the id `after`. */
export function listStoredByFilter(
  { db, workspace }: Reader,
  filter: TaskFilter,
  after: string,
  limit: number,
): Promise<ExportRow[]> {
  const bind = new Bindings(workspace.id, after, limit)
  return db.all<ExportRow>(
    `${EXPORTED} WHERE tasks.workspace = $1 AND tasks.id > $2 AND tasks.deleted_at IS NULL ${buildTaskFilterConditions(filter, bind)}
     ORDER BY tasks.id LIMIT $3`,
    bind.values,
  )
}

export async function listExportedByKeys({ db, workspace }: Reader, keys: readonly number[]): Promise<ExportRow[]> {
  const sql = `${EXPORTED} WHERE +tasks.workspace = $1 AND tasks.key IN ${integersIn('$2')}`
  const rows = await db.all<ExportRow>(sql, [workspace.id, JSON.stringify(keys)])
  const byKey = new Map(rows.map((row) => [row.key, row]))
  return keys.flatMap((key) => byKey.get(key) ?? [])
}

/** Returns those of the tasks that exist, in the trash or not, in no order. */
export function listStored({ db, workspace }: Reader, ids: readonly string[]): Promise<StoredTask[]> {
  const sql = `SELECT ${STORED_COLUMNS} ${STORED} WHERE tasks.workspace = $1 AND tasks.id IN ${valuesIn('$2')}`
  return db.all<StoredTask>(sql, [workspace.id, JSON.stringify(ids)])
}

export type ParentLink = Pick<TaskRow, 'id' | 'parent_id'>

/** Lists all tasks, in the trash or not, in the order of their ids. */
export function listParentLinks({ db, workspace }: Reader): Promise<ParentLink[]> {
  return db.all<ParentLink>('SELECT id, parent_id FROM tasks WHERE workspace = $1 ORDER BY id', [workspace.id])
}

interface CalendarTaskRow {
  readonly key: number
  readonly size_bytes: number
}

interface ShownTasks {
  /** The day, and its first instant, from which on closed tasks are shown: by their date, else by when they were closed. */
  readonly since: { readonly date: string; readonly at: number }
  readonly isUndated: boolean
  readonly limit: number
}

/** Lists tasks, those with the latest date first and those without one last. `size_bytes` includes the lines of a file. */
export function listCalendarTasks(
  { db, workspace }: Session,
  filter: TaskFilter,
  { since, isUndated, limit }: ShownTasks,
): Promise<CalendarTaskRow[]> {
  const bind = new Bindings(workspace.id, since.date, limit)
  const date = 'coalesce(due_date, start_date)'
  const closed = `(${date} >= $2 OR (${date} IS NULL AND coalesce(completed_at, cancelled_at) >= ${bind.add(since.at)}))`
  return db.all<CalendarTaskRow>(
    `SELECT tasks.key, tasks.size_bytes + coalesce(${byteLength('rest')}, 0) AS size_bytes
     FROM tasks LEFT JOIN task_calendar_rests ON task_calendar_rests.task = tasks.key
     WHERE tasks.workspace = $1 AND tasks.deleted_at IS NULL ${isUndated ? '' : `AND ${date} IS NOT NULL`}
       AND (tasks.closed = 0 OR ${closed}) ${buildTaskFilterConditions(filter, bind)}
     ORDER BY ${date} DESC NULLS LAST, tasks.id LIMIT $3`,
    bind.values,
  )
}
