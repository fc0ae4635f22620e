import type { Queries, WorkspaceId } from '../../db/database'
import type { Reading } from '../../db/portable'
import { TASK, type TaskRow } from '../store'

/** A task and what it is a part of. */
export interface Standing {
  readonly id: string
  readonly parent_id: string | null
}

/** All tasks, those in the trash as well, in the order of their ids. */
export function listStanding(db: Reading, workspace: WorkspaceId): Promise<Standing[]> {
  return db.all<Standing>('SELECT id, parent_id FROM tasks WHERE workspace = $1 ORDER BY id', [workspace])
}

/** A task with what its last import from a calendar file left, if there was one. */
export interface StoredTask extends TaskRow {
  readonly rest: string | null
  readonly priority_read: number | null
  readonly file_hash: string | null
  readonly task_hash: string | null
}

/** Those of the tasks that there are, in no order. */
export function listStored(db: Reading, workspace: WorkspaceId, ids: readonly string[]): Promise<StoredTask[]> {
  return db.all<StoredTask>(
    `SELECT ${TASK}, rest, priority_read, file_hash, task_hash
     FROM tasks LEFT JOIN task_calendar_rests ON task_calendar_rests.task = tasks.key
     WHERE tasks.workspace = $1 AND tasks.id IN (SELECT value FROM json_each($2))`,
    [workspace, JSON.stringify(ids)],
  )
}

/** The completion after which another one satisfies an edge, by its id: the newest that is no newer than `since`. */
const SINCE = `(SELECT id FROM task_completions WHERE task = blocker AND key <= since ORDER BY key DESC LIMIT 1)`

/** An edge in ids. */
export interface ToldEdge {
  readonly dependent: number
  /** The id of the blocker. */
  readonly task_id: string
  readonly since: string | null
}

/** What these tasks wait for, by their keys. */
export function listEdges(db: Reading, workspace: WorkspaceId, dependents: readonly number[]): Promise<ToldEdge[]> {
  return db.all<ToldEdge>(
    `SELECT dependent, other.id AS task_id, ${SINCE} AS since
     FROM task_edges JOIN tasks AS other ON other.key = blocker
     WHERE +task_edges.workspace = $1 AND dependent IN (SELECT value FROM json_each($2))`,
    [workspace, JSON.stringify(dependents)],
  )
}

/** Edges as completions keep them, in ids; those whose blocker is gone are left out. */
export function namedEdges(
  db: Reading,
  workspace: WorkspaceId,
  edges: readonly { readonly blocker: number; readonly since: number }[],
): Promise<{ blocker: number; key: number; task_id: string; since: string | null }[]> {
  return db.all(
    `WITH edge AS (SELECT value ->> 'blocker' AS blocker, value ->> 'since' AS since FROM json_each($2))
     SELECT blocker, since AS key, tasks.id AS task_id, ${SINCE} AS since
     FROM edge JOIN tasks ON tasks.key = blocker WHERE +tasks.workspace = $1`,
    [workspace, JSON.stringify(edges)],
  )
}

/** The ids of the tasks with these keys. */
export async function idsOfKeys(
  db: Reading,
  workspace: WorkspaceId,
  keys: readonly number[],
): Promise<Map<number, string>> {
  const sql = 'SELECT key, id FROM tasks WHERE +workspace = $1 AND key IN (SELECT value FROM json_each($2))'
  const rows = await db.all<{ key: number; id: string }>(sql, [workspace, JSON.stringify(keys)])
  return new Map(rows.map(({ key, id }) => [key, id]))
}

/** The keys of the tasks with these ids. */
export async function keysOfIds(
  db: Reading,
  workspace: WorkspaceId,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const sql = 'SELECT id, key FROM tasks WHERE workspace = $1 AND id IN (SELECT value FROM json_each($2))'
  const rows = await db.all<{ id: string; key: number }>(sql, [workspace, JSON.stringify(ids)])
  return new Map(rows.map(({ id, key }) => [id, key]))
}

/** Completions by their ids: their keys, and those of their tasks. */
export async function completionsOfIds(
  db: Reading,
  workspace: WorkspaceId,
  ids: readonly string[],
): Promise<Map<string, { readonly key: number; readonly task: number }>> {
  const sql =
    'SELECT id, key, task FROM task_completions WHERE workspace = $1 AND id IN (SELECT value FROM json_each($2))'
  const rows = await db.all<{ id: string; key: number; task: number }>(sql, [workspace, JSON.stringify(ids)])
  return new Map(rows.map(({ id, key, task }) => [id, { key, task }]))
}

/** Keys of completions in the order in which they were made, from the one after `after`. */
export async function completionKeys(
  db: Reading,
  workspace: WorkspaceId,
  after: number,
  limit: number,
): Promise<number[]> {
  const sql = 'SELECT key FROM task_completions WHERE workspace = $1 AND key > $2 ORDER BY key LIMIT $3'
  return (await db.all<{ key: number }>(sql, [workspace, after, limit])).map(({ key }) => key)
}

/** The id of another task, living or in the trash, that has this position in a place. */
export async function idAtPosition(
  db: Queries,
  workspace: WorkspaceId,
  { place, position, id }: Pick<TaskRow, 'place' | 'position' | 'id'>,
): Promise<string | null> {
  const sql = 'SELECT id FROM tasks WHERE workspace = $1 AND place = $2 AND position = $3 AND id <> $4'
  return (await db.get<{ id: string }>(sql, [workspace, place, position, id]))?.id ?? null
}

/** What must not be, once all is in. Each answers ids. */
const UNSETTLED = {
  /** Parts that are not where their whole is. */
  elsewhere: `SELECT part.id FROM tasks AS part JOIN tasks AS whole ON whole.workspace = $1 AND whole.id = part.parent_id
    WHERE part.workspace = $1 AND (part.project_id, part.section_id) IS NOT (whole.project_id, whole.section_id)`,

  /** Living sections of projects in the trash. */
  sections: `SELECT section.id FROM task_sections AS section
    JOIN task_projects AS project ON project.workspace = $1 AND project.id = project_id
    WHERE section.workspace = $1 AND section.deleted_at IS NULL AND project.deleted_at IS NOT NULL`,

  /** Living tasks in a project or a section in the trash, or below a task that is there. */
  homeless: `SELECT task.id FROM tasks AS task
    LEFT JOIN tasks AS whole ON whole.workspace = $1 AND whole.id = task.parent_id
    LEFT JOIN task_projects AS project ON project.workspace = $1 AND project.id = task.project_id
    LEFT JOIN task_sections AS section ON section.workspace = $1 AND section.id = task.section_id
    WHERE task.workspace = $1 AND task.deleted_at IS NULL AND (whole.deleted_at IS NOT NULL
      OR (task.parent_id IS NULL AND (project.deleted_at IS NOT NULL OR section.deleted_at IS NOT NULL)))`,

  /** Tasks in the trash that are said to have gone there along with what they are in no more, or what is not there. */
  astray: `SELECT part.id FROM tasks AS part
    LEFT JOIN tasks AS whole ON whole.workspace = $1 AND whole.id = part.parent_id AND whole.deleted_at IS NOT NULL
    WHERE part.workspace = $1 AND part.trashed_with IS NOT NULL
      AND whole.id IS NOT part.trashed_with AND whole.trashed_with IS NOT part.trashed_with
      AND NOT (part.parent_id IS NULL AND part.trashed_with IS 'p:' || part.project_id)`,
} as const

export type Unsettled = keyof typeof UNSETTLED

/** Ids of tasks or sections, those behind one, among which some may be unsettled so. */
export async function idsBehind(
  db: Queries,
  workspace: WorkspaceId,
  what: Unsettled,
  after: string,
  limit: number,
): Promise<string[]> {
  const table = what === 'sections' ? 'task_sections' : 'tasks'
  const sql = `SELECT id FROM ${table} WHERE workspace = $1 AND id > $2 ORDER BY id LIMIT $3`
  return (await db.all<{ id: string }>(sql, [workspace, after, limit])).map(({ id }) => id)
}

/** Those of these tasks or sections that are unsettled so: the first `limit` of them, in no order. */
export async function listUnsettled(
  db: Queries,
  workspace: WorkspaceId,
  what: Unsettled,
  among: readonly string[],
  limit: number,
): Promise<string[]> {
  const sql = `${UNSETTLED[what]} AND ${ONE[what]}.id IN (SELECT value FROM json_each($2)) LIMIT $3`
  return (await db.all<{ id: string }>(sql, [workspace, JSON.stringify(among), limit])).map(({ id }) => id)
}

const ONE = { elsewhere: 'part', sections: 'section', homeless: 'task', astray: 'part' } as const
