import type { Queries, WorkspaceId } from '../db/database'
import { elementsIn, valuesIn } from '../db/dialect'
import { TASK_COLUMNS, type TaskRow } from './store'

/** Relations of tasks: subtasks of a parent, and what waits for what. */

// CROSS JOIN: from the few that are found already to their relatives. Left to itself, SQLite looks through the workspace.

/** A task above or below another; `depth` counts from it. */
export interface Relative {
  readonly id: string
  readonly key: number
  readonly depth: number
}

/** The tasks above one: its parent first. Ends after `limit` levels, should there be a cycle. */
export function listAncestors(db: Queries, workspace: WorkspaceId, id: string, limit: number): Promise<Relative[]> {
  return db.all<Relative>(
    `WITH RECURSIVE above (id, depth) AS (
       SELECT parent_id, 1 FROM tasks WHERE workspace = $1 AND id = $2 AND parent_id IS NOT NULL
       UNION ALL
       SELECT tasks.parent_id, depth + 1 FROM above CROSS JOIN tasks ON tasks.workspace = $1 AND tasks.id = above.id
       WHERE tasks.parent_id IS NOT NULL AND depth < $3
     )
     SELECT above.id, tasks.key, depth FROM above CROSS JOIN tasks ON tasks.workspace = $1 AND tasks.id = above.id
     ORDER BY depth`,
    [workspace, id, limit],
  )
}

/** The parts of a task and theirs, living or in the trash, those nearer to it first. */
export function listDescendants(db: Queries, workspace: WorkspaceId, id: string): Promise<Relative[]> {
  return db.all<Relative>(
    `WITH RECURSIVE below (id, key, depth) AS (
       SELECT id, key, 1 FROM tasks WHERE workspace = $1 AND parent_id = $2
       UNION ALL
       SELECT tasks.id, tasks.key, depth + 1 FROM below CROSS JOIN tasks ON tasks.workspace = $1 AND tasks.parent_id = below.id
     )
     SELECT id, key, depth FROM below ORDER BY depth, key`,
    [workspace, id],
  )
}

/** How many parts a task has, those of its parts too, living or in the trash: up to `limit`. */
export async function countDescendants(db: Queries, workspace: WorkspaceId, id: string, limit: number): Promise<number> {
  const sql = `WITH RECURSIVE below (id) AS (
      SELECT id FROM tasks WHERE workspace = $1 AND parent_id = $2
      UNION ALL
      SELECT tasks.id FROM below CROSS JOIN tasks ON tasks.workspace = $1 AND tasks.parent_id = below.id LIMIT $3
    ) SELECT count(*) AS n FROM below`
  return (await db.get<{ n: number }>(sql, [workspace, id, limit]))?.n ?? 0
}

/**
 * Some parts below a task that have no parts themselves; none if it has none.
 * @param living whether what is in the trash counts as none
 */
export async function listLeafParts(
  db: Queries,
  workspace: WorkspaceId,
  id: string,
  { living, limit }: { readonly living: boolean; readonly limit: number },
): Promise<string[]> {
  const lives = (task: string) => (living ? `AND ${task}.deleted_at IS NULL` : '')
  const sql = `SELECT id, EXISTS (SELECT 1 FROM tasks AS part
      WHERE part.workspace = $1 AND part.parent_id = tasks.id ${lives('part')}) AS whole
    FROM tasks WHERE workspace = $1 AND parent_id = $2 ${lives('tasks')} ORDER BY whole LIMIT $3`
  for (let above = id; ; ) {
    const parts = await db.all<{ id: string; whole: number }>(sql, [workspace, above, limit])
    const lowest = parts.filter(({ whole }) => whole === 0)
    const [first] = parts
    if (lowest.length > 0 || !first) return lowest.map((part) => part.id)
    above = first.id
  }
}

/** Whole rows of the tasks with these keys, in the order of the keys' list. */
export async function getTasksByKeys(db: Queries, workspace: WorkspaceId, keys: readonly number[]): Promise<TaskRow[]> {
  const rows = await db.all<TaskRow>(
    `SELECT ${TASK_COLUMNS} FROM tasks WHERE +workspace = $1 AND key IN ${valuesIn('$2')}`,
    [workspace, JSON.stringify(keys)],
  )
  const byKey = new Map(rows.map((row) => [row.key, row]))
  return keys.flatMap((key) => byKey.get(key) ?? [])
}

/** How many tasks carry the mark of what they went into the trash with: up to `limit`. */
export async function countTrashedWith(db: Queries, workspace: WorkspaceId, mark: string, limit: number) {
  const sql = 'SELECT count(*) AS n FROM (SELECT 1 FROM tasks WHERE workspace = $1 AND trashed_with = $2 LIMIT $3)'
  return (await db.get<{ n: number }>(sql, [workspace, mark, limit]))?.n ?? 0
}

/**
 * Some of what carries the mark of what it went into the trash with: that which is a part of nothing in the trash, so that
 * wholes come back before their parts.
 */
export async function listTrashedWith(
  db: Queries,
  workspace: WorkspaceId,
  mark: string,
  limit: number,
): Promise<string[]> {
  const sql = `SELECT id FROM tasks WHERE workspace = $1 AND trashed_with = $2 AND (
      SELECT whole.deleted_at FROM tasks AS whole WHERE whole.workspace = $1 AND whole.id = tasks.parent_id) IS NULL
    LIMIT $3`
  return (await db.all<{ id: string }>(sql, [workspace, mark, limit])).map(({ id }) => id)
}

export async function countParts(db: Queries, workspace: WorkspaceId, id: string): Promise<number> {
  const sql = 'SELECT count(*) AS n FROM tasks WHERE workspace = $1 AND parent_id = $2 AND deleted_at IS NULL'
  return (await db.get<{ n: number }>(sql, [workspace, id]))?.n ?? 0
}

/** The newest completion of a blocker, or 0: what an edge begins with. */
const NEWEST_COMPLETION = 'coalesce((SELECT max(key) FROM task_completions WHERE task = blocker), 0)'

/** Holds while an edge holds its dependent up: the blocker is still to be done, and was not done since. */
const IS_UNSATISFIED = `NOT EXISTS (SELECT 1 FROM task_completions WHERE task = blocker AND kind = 'done' AND task_completions.key > since)`

/** Makes the blockers of a task these, by their keys. Edges that stay are as satisfied as they were. */
export async function setBlockers(
  db: Queries,
  workspace: WorkspaceId,
  dependent: number,
  blockers: readonly number[],
): Promise<void> {
  const list = JSON.stringify(blockers)
  await db.run(`DELETE FROM task_edges WHERE +workspace = $1 AND dependent = $2 AND blocker NOT IN ${valuesIn('$3')}`, [
    workspace,
    dependent,
    list,
  ])
  await db.run(
    `INSERT INTO task_edges (workspace, dependent, blocker, since)
     SELECT $1, $2, blocker, ${NEWEST_COMPLETION} FROM (SELECT value AS blocker FROM ${elementsIn('$3')}) WHERE true
     ON CONFLICT DO NOTHING`,
    [workspace, dependent, list],
  )
}

/** Nothing waits for a task any more. */
export async function dropDependents(db: Queries, workspace: WorkspaceId, blocker: number): Promise<void> {
  await db.run('DELETE FROM task_edges WHERE +workspace = $1 AND blocker = $2', [workspace, blocker])
}

export interface Edge {
  readonly dependent: number
  readonly blocker: number
  /** The completion of the blocker after which another one satisfies it, by its key. */
  readonly since: number
}

/** The edges on either side of a task. */
export function listEdgesOfTask(db: Queries, workspace: WorkspaceId, key: number): Promise<Edge[]> {
  return db.all<Edge>(
    `SELECT dependent, blocker, since FROM task_edges WHERE +workspace = $1 AND dependent = $2
     UNION ALL
     SELECT dependent, blocker, since FROM task_edges WHERE +workspace = $1 AND blocker = $2`,
    [workspace, key],
  )
}

/** Restarts what a task waits for: only what is done from now on counts. */
export async function restartEdges(db: Queries, workspace: WorkspaceId, dependent: number): Promise<void> {
  await db.run(`UPDATE task_edges SET since = ${NEWEST_COMPLETION} WHERE +workspace = $1 AND dependent = $2`, [
    workspace,
    dependent,
  ])
}

/** Sets since when edges count; those that are gone stay gone. */
export async function setEdgesSince(db: Queries, workspace: WorkspaceId, edges: readonly Edge[]): Promise<void> {
  if (edges.length === 0) return
  await db.run(
    `UPDATE task_edges SET since = e.value ->> 'since' FROM ${elementsIn('$2')} AS e
     WHERE +workspace = $1 AND dependent = e.value ->> 'dependent' AND blocker = e.value ->> 'blocker'`,
    [workspace, JSON.stringify(edges)],
  )
}

const REACHED = `WITH RECURSIVE reached (key) AS (
  SELECT value FROM ${elementsIn('$2')}
  UNION
  SELECT blocker FROM reached JOIN task_edges ON dependent = reached.key AND workspace = $1
)`

/**
 * A way along what tasks wait for, from the first of `from` that leads to `to`: ids, each waiting for the next. Empty if
 * none does. Every task is visited once, so a chain of ten thousand is one walk.
 */
export async function findWaitingPath(
  db: Queries,
  workspace: WorkspaceId,
  from: readonly number[],
  to: number,
): Promise<string[]> {
  const bindings = [workspace, JSON.stringify(from)]
  const found = await db.get(`${REACHED} SELECT 1 FROM reached WHERE key = $3 LIMIT 1`, [...bindings, to])
  if (!found) return []
  const edges = await db.all<{ dependent: number; blocker: number }>(
    `${REACHED} SELECT dependent, blocker FROM reached JOIN task_edges ON dependent = reached.key`,
    bindings,
  )
  const keys = findShortestPath(edges, from, to)
  const ids = new Map((await getTasksByKeys(db, workspace, keys)).map(({ key, id }) => [key, id]))
  return keys.map((key) => ids.get(key) ?? '')
}

/** Tasks that a walk in one direction meets before one in the other is tried; each further one goes eight times as far. */
const FIRST_WALK_TASKS = 64

/**
 * Those of the tasks that wait for one, also by way of others. It walks from both ends by turns: where little waits for
 * the one, or the others wait for little, little is walked.
 */
export async function filterDependents(
  db: Queries,
  workspace: WorkspaceId,
  blocker: number,
  keys: readonly number[],
): Promise<number[]> {
  if (keys.length === 0) return []
  for (let limit = FIRST_WALK_TASKS; ; limit *= 8) {
    const waiting = await db.all<{ key: number }>(
      `WITH RECURSIVE waiting (key) AS (
         SELECT dependent FROM task_edges WHERE blocker = $2 AND workspace = $1
         UNION
         SELECT dependent FROM waiting CROSS JOIN task_edges ON blocker = waiting.key AND workspace = $1
       )
       SELECT key FROM waiting LIMIT $3`,
      [workspace, blocker, limit],
    )
    if (waiting.length < limit) {
      const found = new Set(waiting.map(({ key }) => key))
      return keys.filter((key) => found.has(key))
    }
    const sql = `${REACHED} SELECT key FROM reached LIMIT $3`
    const reached = await db.all<{ key: number }>(sql, [workspace, JSON.stringify(keys), limit])
    if (reached.length < limit && !reached.some(({ key }) => key === blocker)) return []
  }
}

function findShortestPath(
  edges: readonly { dependent: number; blocker: number }[],
  from: readonly number[],
  to: number,
): number[] {
  const blockers = Map.groupBy(edges, ({ dependent }) => dependent)
  const cameFrom = new Map<number, number | null>(from.map((key) => [key, null]))
  // A walk in breadth: what is found is added behind, so the first way to arrive is the shortest.
  for (const key of cameFrom.keys()) {
    if (key === to) break
    for (const { blocker } of blockers.get(key) ?? []) if (!cameFrom.has(blocker)) cameFrom.set(blocker, key)
  }
  const path: number[] = []
  for (let key: number | null = to; key !== null; key = cameFrom.get(key) ?? null) path.unshift(key)
  return path
}

/**
 * Recomputes what tasks show of others: blockers, those they hold up, their parts. Where something changed, the
 * second half of the ETag grows.
 */
export async function updateComputed(db: Queries, workspace: WorkspaceId, keys: readonly number[]): Promise<void> {
  await db.run(
    `WITH now AS MATERIALIZED (
       SELECT task.key,
         (SELECT count(*) FROM task_edges JOIN tasks AS other ON other.key = blocker
          WHERE dependent = task.key AND ${IS_UNSATISFIED} AND other.closed = 0 AND other.deleted_at IS NULL) AS blockers,
         (SELECT count(*) FROM task_edges JOIN tasks AS other ON other.key = dependent
          WHERE blocker = task.key AND ${IS_UNSATISFIED} AND task.closed = 0 AND task.deleted_at IS NULL
            AND other.closed = 0 AND other.deleted_at IS NULL) AS held_up,
         (SELECT count(*) FROM tasks AS part
          WHERE part.workspace = $1 AND part.parent_id = task.id AND part.deleted_at IS NULL) AS total,
         (SELECT count(*) FROM tasks AS part
          WHERE part.workspace = $1 AND part.parent_id = task.id AND part.deleted_at IS NULL AND part.closed = 1) AS done
       FROM tasks AS task WHERE +task.workspace = $1 AND task.key IN ${valuesIn('$2')}
     )
     UPDATE tasks SET (blockers, held_up, subtasks_total, subtasks_done, computed_revision) =
       (now.blockers, now.held_up, now.total, now.done, computed_revision + 1)
     FROM now WHERE tasks.key = now.key
       AND (tasks.blockers, tasks.held_up, subtasks_total, subtasks_done) IS NOT (now.blockers, now.held_up, now.total, now.done)`,
    [workspace, JSON.stringify(keys)],
  )
}

/** The completion after which another one satisfies an edge, by its id: the newest that is no newer than `since`. */
const SINCE_ID = `(SELECT id FROM task_completions WHERE task = blocker AND key <= since ORDER BY key DESC LIMIT 1)`

/** An edge in ids. */
export interface EdgeInIds {
  readonly dependent: number
  /** The id of the blocker. */
  readonly task_id: string
  readonly since: string | null
}

/** What these tasks wait for, by their keys. */
export function listEdgesInIds(
  db: Pick<Queries, 'all'>,
  workspace: WorkspaceId,
  dependents: readonly number[],
): Promise<EdgeInIds[]> {
  return db.all<EdgeInIds>(
    `SELECT dependent, other.id AS task_id, ${SINCE_ID} AS since
     FROM task_edges JOIN tasks AS other ON other.key = blocker
     WHERE +task_edges.workspace = $1 AND dependent IN ${valuesIn('$2')}`,
    [workspace, JSON.stringify(dependents)],
  )
}

/** Edges as completions keep them, in ids; those whose blocker is gone are left out. */
export function toEdgesInIds(
  db: Pick<Queries, 'all'>,
  workspace: WorkspaceId,
  edges: readonly { readonly blocker: number; readonly since: number }[],
): Promise<{ blocker: number; key: number; task_id: string; since: string | null }[]> {
  return db.all(
    `WITH edge AS (SELECT value ->> 'blocker' AS blocker, value ->> 'since' AS since FROM ${elementsIn('$2')})
     SELECT blocker, since AS key, tasks.id AS task_id, ${SINCE_ID} AS since
     FROM edge JOIN tasks ON tasks.key = blocker WHERE +tasks.workspace = $1`,
    [workspace, JSON.stringify(edges)],
  )
}

/** The same for a task and both ends of its edges, after a completion of it came or went. */
export async function updateComputedAround(db: Queries, workspace: WorkspaceId, key: number): Promise<void> {
  const edges = await listEdgesOfTask(db, workspace, key)
  await updateComputed(db, workspace, [key, ...edges.flatMap(({ blocker, dependent }) => [blocker, dependent])])
}
