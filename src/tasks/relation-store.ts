import type { Reader, Session } from '../db/database'
import { elementsIn, integersIn, valuesIn } from '../db/dialect'
import { type TaskRow, taskTable } from './store'

/** Relations of tasks: parts of a parent, and edges between a task and the tasks it waits for. */

// CROSS JOIN makes SQLite start from the few rows found so far. Without it, SQLite scans the whole workspace.

/** A task above or below another; `depth` counts from it. */
export interface Relative {
  readonly id: string
  readonly key: number
  readonly depth: number
}

/** Lists the tasks above a task, its parent first. Stops after `limit` levels, in case of a cycle. */
export function listAncestors({ db, workspace }: Session, id: string, limit: number): Promise<Relative[]> {
  return db.all<Relative>(
    `WITH RECURSIVE above (id, depth) AS (
       SELECT parent_id, 1 FROM tasks WHERE workspace = $1 AND id = $2 AND parent_id IS NOT NULL
       UNION ALL
       SELECT tasks.parent_id, depth + 1 FROM above CROSS JOIN tasks ON tasks.workspace = $1 AND tasks.id = above.id
       WHERE tasks.parent_id IS NOT NULL AND depth < $3
     )
     SELECT above.id, tasks.key, depth FROM above CROSS JOIN tasks ON tasks.workspace = $1 AND tasks.id = above.id
     ORDER BY depth`,
    [workspace.id, id, limit],
  )
}

/** Lists the parts of a task and their parts, in the trash or not, the nearest first. */
export function listDescendants({ db, workspace }: Session, id: string): Promise<Relative[]> {
  return db.all<Relative>(
    `WITH RECURSIVE below (id, key, depth) AS (
       SELECT id, key, 1 FROM tasks WHERE workspace = $1 AND parent_id = $2
       UNION ALL
       SELECT tasks.id, tasks.key, depth + 1 FROM below CROSS JOIN tasks ON tasks.workspace = $1 AND tasks.parent_id = below.id
     )
     SELECT id, key, depth FROM below ORDER BY depth, key`,
    [workspace.id, id],
  )
}

/** Counts the parts of a task and their parts, in the trash or not, up to `limit`. */
export async function countDescendants({ db, workspace }: Session, id: string, limit: number): Promise<number> {
  const sql = `WITH RECURSIVE below (id) AS (
      SELECT id FROM tasks WHERE workspace = $1 AND parent_id = $2
      UNION ALL
      SELECT tasks.id FROM below CROSS JOIN tasks ON tasks.workspace = $1 AND tasks.parent_id = below.id
    ) SELECT count(*) AS n FROM (SELECT 1 FROM below LIMIT $3) AS counted`
  return (await db.get<{ n: number }>(sql, [workspace.id, id, limit]))?.n ?? 0
}

/** Some parts below a task that have no parts themselves. @param ignoreTrash whether to ignore parts in the trash */
export async function listLeafParts(
  { db, workspace }: Session,
  id: string,
  { ignoreTrash, limit }: { readonly ignoreTrash: boolean; readonly limit: number },
): Promise<string[]> {
  const outsideTrash = (task: string) => (ignoreTrash ? `AND ${task}.deleted_at IS NULL` : '')
  const sql = `SELECT id, EXISTS (SELECT 1 FROM tasks AS part
      WHERE part.workspace = $1 AND part.parent_id = tasks.id ${outsideTrash('part')}) AS whole
    FROM tasks WHERE workspace = $1 AND parent_id = $2 ${outsideTrash('tasks')} ORDER BY whole LIMIT $3`
  for (let above = id; ; ) {
    const parts = await db.all<{ id: string; whole: number }>(sql, [workspace.id, above, limit])
    const lowest = parts.filter(({ whole }) => whole === 0)
    const [first] = parts
    if (lowest.length > 0 || !first) return lowest.map((part) => part.id)
    above = first.id
  }
}

/** Returns the tasks with these keys, in the order of `keys`. */
export async function getTasksByKeys(session: Session, keys: readonly number[]): Promise<TaskRow[]> {
  const byKey = new Map((await taskTable.getByKeys(session, keys)).map((row) => [row.key, row]))
  return keys.flatMap((key) => byKey.get(key) ?? [])
}

/** A part outside the trash, without its texts. */
export type PartKey = Pick<TaskRow, 'key' | 'size_bytes'> & { readonly parent_id: string }

/** Lists the direct parts of tasks outside the trash, by position. */
export function listPartKeys({ db, workspace }: Session, parents: readonly string[]): Promise<PartKey[]> {
  return db.all<PartKey>(
    `SELECT key, parent_id, size_bytes FROM tasks
     WHERE workspace = $1 AND parent_id IN ${valuesIn('$2')} AND deleted_at IS NULL ORDER BY position, id`,
    [workspace.id, JSON.stringify(parents)],
  )
}

/** Counts the tasks that went into the trash with a parent or a project (`mark`), up to `limit`. */
export async function countTrashedWith({ db, workspace }: Session, mark: string, limit: number) {
  const sql =
    'SELECT count(*) AS n FROM (SELECT 1 FROM tasks WHERE workspace = $1 AND trashed_with = $2 LIMIT $3) AS listed'
  return (await db.get<{ n: number }>(sql, [workspace.id, mark, limit]))?.n ?? 0
}

/** Tasks trashed with a parent or a project (`mark`) whose own parent is outside the trash: parents come back first. */
export async function listTrashedWith({ db, workspace }: Session, mark: string, limit: number): Promise<string[]> {
  const sql = `SELECT id FROM tasks WHERE workspace = $1 AND trashed_with = $2 AND (
      SELECT whole.deleted_at FROM tasks AS whole WHERE whole.workspace = $1 AND whole.id = tasks.parent_id) IS NULL
    LIMIT $3`
  return (await db.all<{ id: string }>(sql, [workspace.id, mark, limit])).map(({ id }) => id)
}

export async function countParts({ db, workspace }: Session, id: string): Promise<number> {
  const sql = 'SELECT count(*) AS n FROM tasks WHERE workspace = $1 AND parent_id = $2 AND deleted_at IS NULL'
  return (await db.get<{ n: number }>(sql, [workspace.id, id]))?.n ?? 0
}

/** The newest completion of a blocker, or 0: the first `since` of an edge. */
const NEWEST_COMPLETION = 'coalesce((SELECT max(key) FROM task_completions WHERE task = blocker), 0)'

/** The condition that an edge is unsatisfied: its blocker was not completed after `since`. */
const IS_UNSATISFIED = `NOT EXISTS (SELECT 1 FROM task_completions WHERE task = blocker AND kind = 'done' AND task_completions.key > since)`

/** Replaces the blockers of a task, given by their keys. Edges that stay keep their `since`. */
export async function setBlockers(
  { db, workspace }: Session,
  dependent: number,
  blockers: readonly number[],
): Promise<void> {
  const list = JSON.stringify(blockers)
  await db.run(
    `DELETE FROM task_edges WHERE +workspace = $1 AND dependent = $2 AND blocker NOT IN ${integersIn('$3')}`,
    [workspace.id, dependent, list],
  )
  await db.run(
    `INSERT INTO task_edges (workspace, dependent, blocker, since)
     SELECT $1, $2, blocker, ${NEWEST_COMPLETION} FROM (SELECT CAST(value AS bigint) AS blocker FROM ${elementsIn('$3')}) AS listed WHERE true
     ON CONFLICT DO NOTHING`,
    [workspace.id, dependent, list],
  )
}

export async function dropDependents({ db, workspace }: Session, blocker: number): Promise<void> {
  await db.run('DELETE FROM task_edges WHERE +workspace = $1 AND blocker = $2', [workspace.id, blocker])
}

/** An edge between two tasks, by their keys: `dependent` waits for `blocker`. */
export interface Edge {
  readonly dependent: number
  readonly blocker: number
  /** The key of a completion of the blocker: any later one satisfies the edge. */
  readonly since: number
}

export function listEdgesOfTask({ db, workspace }: Session, key: number): Promise<Edge[]> {
  return db.all<Edge>(
    `SELECT dependent, blocker, since FROM task_edges WHERE +workspace = $1 AND dependent = $2
     UNION ALL
     SELECT dependent, blocker, since FROM task_edges WHERE +workspace = $1 AND blocker = $2`,
    [workspace.id, key],
  )
}

/** Resets the edges of a waiting task: only completions from now on satisfy them. */
export async function restartEdges({ db, workspace }: Session, dependent: number): Promise<void> {
  await db.run(`UPDATE task_edges SET since = ${NEWEST_COMPLETION} WHERE +workspace = $1 AND dependent = $2`, [
    workspace.id,
    dependent,
  ])
}

/** Sets `since` of existing edges; does not create deleted ones again. */
export async function setEdgesSince({ db, workspace }: Session, edges: readonly Edge[]): Promise<void> {
  if (edges.length === 0) return
  await db.run(
    `UPDATE task_edges SET since = CAST(e.value ->> 'since' AS bigint) FROM ${elementsIn('$2')} AS e
     WHERE +workspace = $1 AND dependent = CAST(e.value ->> 'dependent' AS bigint)
       AND blocker = CAST(e.value ->> 'blocker' AS bigint)`,
    [workspace.id, JSON.stringify(edges)],
  )
}

const REACHED = `WITH RECURSIVE reached (key) AS (
  SELECT CAST(value AS bigint) FROM ${elementsIn('$2')} AS given
  UNION
  SELECT blocker FROM reached JOIN task_edges ON dependent = reached.key AND workspace = $1
)`

/** A shortest path: ids, each waiting for the next; empty if none. Visits a task once: ten thousand are one walk. */
export async function findWaitingPath(
  { db, workspace }: Session,
  from: readonly number[],
  to: number,
): Promise<string[]> {
  const bindings = [workspace.id, JSON.stringify(from)]
  const found = await db.get(`${REACHED} SELECT 1 FROM reached WHERE key = $3 LIMIT 1`, [...bindings, to])
  if (!found) return []
  const edges = await db.all<{ dependent: number; blocker: number }>(
    `${REACHED} SELECT dependent, blocker FROM reached JOIN task_edges ON dependent = reached.key`,
    bindings,
  )
  const keys = findShortestPath(edges, from, to)
  const ids = new Map((await getTasksByKeys({ db, workspace }, keys)).map(({ key, id }) => [key, id]))
  return keys.map((key) => ids.get(key) ?? '')
}

/** Tasks that the first walk visits before the other direction is tried; each further walk visits 8 times as many. */
const FIRST_WALK_TASKS = 64

/** Directly or through others. Walks from both ends in turn, so it is fast if one of them has few. */
export async function filterDependents(
  { db, workspace }: Session,
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
      [workspace.id, blocker, limit],
    )
    if (waiting.length < limit) {
      const found = new Set(waiting.map(({ key }) => key))
      return keys.filter((key) => found.has(key))
    }
    const sql = `${REACHED} SELECT key FROM reached LIMIT $3`
    const reached = await db.all<{ key: number }>(sql, [workspace.id, JSON.stringify(keys), limit])
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
  // Breadth first: new keys are added at the end, so the first path that arrives is a shortest one.
  for (const key of cameFrom.keys()) {
    if (key === to) break
    for (const { blocker } of blockers.get(key) ?? []) if (!cameFrom.has(blocker)) cameFrom.set(blocker, key)
  }
  const path: number[] = []
  for (let key: number | null = to; key !== null; key = cameFrom.get(key) ?? null) path.unshift(key)
  return path
}

/**
 * Recomputes the columns of tasks that depend on other tasks: counts of blockers, of tasks held up, and of parts.
 * Increments `computed_revision`, the second half of the ETag, where one changed.
 */
export async function updateComputed({ db, workspace }: Session, keys: readonly number[]): Promise<void> {
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
       FROM tasks AS task WHERE +task.workspace = $1 AND task.key IN ${integersIn('$2')}
     )
     UPDATE tasks SET (blockers, held_up, subtasks_total, subtasks_done, computed_revision) =
       (now.blockers, now.held_up, now.total, now.done, computed_revision + 1)
     FROM now WHERE tasks.key = now.key
       AND (tasks.blockers, tasks.held_up, subtasks_total, subtasks_done) IS DISTINCT FROM (now.blockers, now.held_up, now.total, now.done)`,
    [workspace.id, JSON.stringify(keys)],
  )
}

/** The id of the newest completion that is not newer than `since`: any later one satisfies the edge. */
const SINCE_ID = `(SELECT id FROM task_completions WHERE task = blocker AND key <= since ORDER BY key DESC LIMIT 1)`

/** An edge with ids in place of keys, except `dependent`. */
export interface EdgeInIds {
  readonly dependent: number
  readonly task_id: string
  readonly since: string | null
}

export function listEdgesInIds({ db, workspace }: Reader, dependents: readonly number[]): Promise<EdgeInIds[]> {
  return db.all<EdgeInIds>(
    `SELECT dependent, other.id AS task_id, ${SINCE_ID} AS since
     FROM task_edges JOIN tasks AS other ON other.key = blocker
     WHERE +task_edges.workspace = $1 AND dependent IN ${integersIn('$2')}`,
    [workspace.id, JSON.stringify(dependents)],
  )
}

/** Converts the edges in a completion to ids. Leaves out edges whose blocker no longer exists. */
export function toEdgesInIds(
  { db, workspace }: Reader,
  edges: readonly { readonly blocker: number; readonly since: number }[],
): Promise<{ blocker: number; key: number; task_id: string; since: string | null }[]> {
  return db.all(
    `WITH edge AS (SELECT CAST(value ->> 'blocker' AS bigint) AS blocker, CAST(value ->> 'since' AS bigint) AS since
       FROM ${elementsIn('$2')})
     SELECT blocker, since AS key, tasks.id AS task_id, ${SINCE_ID} AS since
     FROM edge JOIN tasks ON tasks.key = blocker WHERE +tasks.workspace = $1`,
    [workspace.id, JSON.stringify(edges)],
  )
}

/** Does the same for a task and all tasks on its edges, after a completion of it was added or deleted. */
export async function updateComputedAround(session: Session, key: number): Promise<void> {
  const edges = await listEdgesOfTask(session, key)
  await updateComputed(session, [key, ...edges.flatMap(({ blocker, dependent }) => [blocker, dependent])])
}
