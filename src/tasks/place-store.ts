import { Bindings, type Reader, type Session, type Value } from '../db/database'
import type { TaskRow } from './store'

/** The places of tasks: projects and sections outside the trash, and the order among siblings. */

export async function isArchived({ db, workspace }: Reader, id: string): Promise<boolean> {
  const sql = 'SELECT 1 FROM task_projects WHERE workspace = $1 AND id = $2 AND archived_at IS NOT NULL'
  return (await db.get(sql, [workspace.id, id])) !== null
}

/** Whether a project with this id is outside the trash. */
export async function hasProject({ db, workspace }: Session, id: string): Promise<boolean> {
  const sql = 'SELECT 1 FROM task_projects WHERE workspace = $1 AND id = $2 AND deleted_at IS NULL'
  return (await db.get(sql, [workspace.id, id])) !== null
}

/** Returns the project of a section; null if the section is unknown or in the trash. */
export async function getProjectOfSection({ db, workspace }: Session, id: string): Promise<string | null> {
  const sql = 'SELECT project_id FROM task_sections WHERE workspace = $1 AND id = $2 AND deleted_at IS NULL'
  return (await db.get<{ project_id: string }>(sql, [workspace.id, id]))?.project_id ?? null
}

/**
 * Creates the statements on positions among the rows of a table, or among those with the same value in the column `scope`.
 * Rows in the trash count, so no two rows have the same position.
 */
export function createPositionStore<Row extends { readonly id: string }>(table: string, scope: string | null) {
  const inScope = (row: object, bind: Bindings) =>
    scope === null ? '' : `AND ${scope} = ${bind.add(Reflect.get(row, scope) as Value)}`

  return {
    inScope,

    /**
     * Returns the nearest position before or after another, without that of the row itself; null at the end.
     * @param from a position; null finds the last one (`before`) or the first one (`after`)
     */
    async findNextPosition(
      { db, workspace }: Reader,
      row: Row,
      side: 'before' | 'after',
      from: string | null,
    ): Promise<string | null> {
      const bind = new Bindings(workspace.id)
      const [than, order] = side === 'before' ? ['<', 'DESC'] : ['>', 'ASC']
      const others = `${inScope(row, bind)} AND id <> ${bind.add(row.id)}`
      const beyond = from === null ? '' : `AND position ${than} ${bind.add(from)}`
      const sql = `SELECT position FROM ${table} WHERE workspace = $1 ${others} ${beyond} ORDER BY position ${order} LIMIT 1`
      return (await db.get<{ position: string }>(sql, bind.values))?.position ?? null
    },

    /** Returns the id of another row that has the position of this one; null if none has. */
    async findIdAtPosition(
      { db, workspace }: Reader,
      row: Row & { readonly position: string },
    ): Promise<string | null> {
      const bind = new Bindings(workspace.id)
      const there = `${inScope(row, bind)} AND position = ${bind.add(row.position)} AND id <> ${bind.add(row.id)}`
      const sql = `SELECT id FROM ${table} WHERE workspace = $1 ${there}`
      return (await db.get<{ id: string }>(sql, bind.values))?.id ?? null
    },
  }
}

export const taskPositions = createPositionStore<Pick<TaskRow, 'id' | 'place'>>('tasks', 'place')

/** Lists the ids of the tasks in a place, in order: the first `limit` of them, or all without a limit. */
export async function listIdsInPlace(
  { db, workspace }: Session,
  place: string,
  limit = Number.MAX_SAFE_INTEGER,
): Promise<string[]> {
  const sql = 'SELECT id FROM tasks WHERE workspace = $1 AND place = $2 ORDER BY position, id LIMIT $3'
  return (await db.all<{ id: string }>(sql, [workspace.id, place, limit])).map(({ id }) => id)
}

/** A task of a project, with its sort key `closed`, `key`. */
export interface ProjectTask {
  readonly id: string
  readonly key: number
  readonly closed: number
}

/** Lists the tasks of a project, in the trash or not, after the sort key `after`. */
export function listTasksOfProject(
  { db, workspace }: Session,
  id: string,
  after: Pick<ProjectTask, 'closed' | 'key'> | null,
  limit: number,
): Promise<ProjectTask[]> {
  const sql = `SELECT id, key, closed FROM tasks
    WHERE workspace = $1 AND project_id = $2 AND (closed, key) > ($3, $4) ORDER BY closed, key LIMIT $5`
  return db.all<ProjectTask>(sql, [workspace.id, id, after?.closed ?? 0, after?.key ?? 0, limit])
}

/** Lists the ids of tasks that the deletion of a project moved to the inbox, by their position there. */
export async function listFormerTasks({ db, workspace }: Session, project: string, limit: number): Promise<string[]> {
  const sql = `SELECT id FROM tasks WHERE workspace = $1 AND former_project_id = $2 ORDER BY position, id LIMIT $3`
  return (await db.all<{ id: string }>(sql, [workspace.id, project, limit])).map(({ id }) => id)
}

/** Makes up to `limit` of these tasks stay in the inbox for good. Returns how many. */
export function forgetFormerTasks({ db, workspace }: Session, project: string, limit: number): Promise<number> {
  return db.run(
    `UPDATE tasks SET former_project_id = NULL, former_section_id = NULL WHERE +workspace = $1 AND key IN
       (SELECT key FROM tasks WHERE workspace = $1 AND former_project_id = $2 LIMIT $3)`,
    [workspace.id, project, limit],
  )
}

/**
 * States that only an import leaves, until they are repaired. Each statement selects ids. CROSS JOIN makes SQLite start
 * from the trash, which is small.
 */
const INCONSISTENCIES = {
  /** Parts in another project or section than their parent. */
  partsOutsideParentPlace: `SELECT part.id FROM tasks AS part JOIN tasks AS whole ON whole.workspace = $1 AND whole.id = part.parent_id
    WHERE part.workspace = $1 AND (part.project_id, part.section_id) IS DISTINCT FROM (whole.project_id, whole.section_id)`,

  sectionsOfTrashedProjects: `SELECT section.id FROM task_projects AS project CROSS JOIN task_sections AS section
    ON section.workspace = $1 AND project_id = project.id
    WHERE project.workspace = $1 AND project.deleted_at IS NOT NULL AND section.deleted_at IS NULL`,

  /** Tasks outside the trash whose project, section or parent is in the trash. */
  tasksInTrashedPlaces: `SELECT task.id FROM tasks AS whole CROSS JOIN tasks AS task ON task.workspace = $1 AND task.parent_id = whole.id
    WHERE whole.workspace = $1 AND whole.deleted_at IS NOT NULL AND task.deleted_at IS NULL
    UNION
    SELECT task.id FROM task_projects AS project CROSS JOIN tasks AS task
    ON task.workspace = $1 AND task.project_id = project.id
    WHERE project.workspace = $1 AND project.deleted_at IS NOT NULL AND task.deleted_at IS NULL AND task.parent_id IS NULL
    UNION
    SELECT task.id FROM task_sections AS section CROSS JOIN tasks AS task
    ON task.workspace = $1 AND task.section_id = section.id
    WHERE section.workspace = $1 AND section.deleted_at IS NOT NULL AND task.deleted_at IS NULL AND task.parent_id IS NULL`,

  /** Tasks marked as trashed with a parent or a project that they no longer belong to, or that is not in the trash. */
  staleTrashMarks: `SELECT part.id FROM tasks AS part
    LEFT JOIN tasks AS whole ON whole.workspace = $1 AND whole.id = part.parent_id AND whole.deleted_at IS NOT NULL
    WHERE part.workspace = $1 AND part.trashed_with IS NOT NULL
      AND whole.id IS DISTINCT FROM part.trashed_with AND whole.trashed_with IS DISTINCT FROM part.trashed_with
      AND NOT (part.parent_id IS NULL AND part.trashed_with IS NOT DISTINCT FROM 'p:' || part.project_id)`,
} as const

export type Inconsistency = keyof typeof INCONSISTENCIES

/** Lists up to `limit` ids in one of these states, in no order. */
export async function listInconsistent(
  { db, workspace }: Session,
  what: Inconsistency,
  limit: number,
): Promise<string[]> {
  const rows = await db.all<{ id: string }>(`${INCONSISTENCIES[what]} LIMIT $2`, [workspace.id, limit])
  return rows.map(({ id }) => id)
}
