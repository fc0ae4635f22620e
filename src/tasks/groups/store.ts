import { Bindings, type Reader, type Session, type Value } from '../../db/database'
import { type Column, createTable, fixed, int, STORED, type StoredRow, text, type Way } from '../../db/table'
import type { Key } from '../../http/cursor'
import { createPositionStore } from '../place-store'

/** The common columns of projects, sections, labels and saved filters. Instants are milliseconds. */
export interface GroupRow extends StoredRow {
  readonly deleted_at: number | null
  readonly name: string
  /** The name folded for comparisons; unique outside the trash. */
  readonly name_key: string
  readonly size_bytes: number
  /** Where users put it among the others of its scope, for those that have an order of their own. */
  readonly position?: string
  /** Grows when a computed member changes, for those that have one. */
  readonly computed_revision?: number
}

/** A row without its key and its computed columns. */
export type GroupDraft<Row> = Omit<Row, 'key' | Computed> & Omit<GroupRow, 'key'>
/** What a kind adds to the common columns. */
export type GroupColumns<Row> = Omit<Row, keyof GroupRow | Computed>
type Computed = 'computed_revision' | 'open' | 'done' | 'count'

type OwnName<Row> = {
  [Name in Exclude<keyof Row & string, keyof typeof COMMON>]: undefined extends Row[Name] ? never : Name
}[Exclude<keyof Row & string, keyof typeof COMMON>]

export interface GroupTable<Row> {
  readonly name: string
  /** Those beside the common ones. */
  readonly columns: { readonly [Name in OwnName<Row>]: Column<Row[Name], Way> }
  readonly order: readonly (keyof Row & string)[]
  /** The column that scopes names and positions; null: they are scoped by the workspace alone. */
  readonly scope: (keyof Row & string) | null
}

export interface GroupListing {
  /** Whether to list only the trash, or only rows outside it. */
  readonly trashed: boolean
  /** A further condition in SQL, from `AND` on. */
  readonly where?: ((bind: Bindings) => string) | undefined
  /** The sort keys of the last row shown, or null for the first page. */
  readonly after: readonly Key[] | null
  readonly limit: number
}

export type GroupStore<Row extends GroupRow> = ReturnType<typeof createGroupStore<Row>>

const COMMON = {
  ...STORED,
  created_at: fixed(int()),
  deleted_at: int<number | null>(),
  name: text(),
  name_key: text(),
  size_bytes: int(),
}

export function createGroupStore<Row extends GroupRow>({ name, columns, order, scope }: GroupTable<Row>) {
  const own: Readonly<Record<string, Column<unknown, Way>>> = columns
  const table = createTable<Readonly<Record<string, Column<unknown, Way>>>, Row, GroupDraft<Row>>(name, {
    ...COMMON,
    ...own,
  })
  const member = (row: object, column: string): Value => Reflect.get(row, column)
  const positions = createPositionStore<GroupDraft<Row>>(name, scope)

  return {
    ...table,
    ...positions,

    /** The kinds of the sort keys, for readCursor: all are text. */
    sortKinds: order.map(() => 'string' as const),

    getSortKeys: (row: Row): Key[] => order.map((column) => member(row, column) as Key),

    /** Returns the id of the row outside the trash that has this row's name in its scope; null if there is none. */
    async findIdByName({ db, workspace }: Reader, row: GroupDraft<Row>): Promise<string | null> {
      const bind = new Bindings(workspace.id)
      const named = `name_key = ${bind.add(member(row, 'name_key'))} ${positions.inScope(row, bind)}`
      const sql = `SELECT id FROM ${name} WHERE workspace = $1 AND ${named} AND deleted_at IS NULL`
      return (await db.get<{ id: string }>(sql, bind.values))?.id ?? null
    },

    list({ db, workspace }: Reader, { trashed, where, after, limit }: GroupListing): Promise<Row[]> {
      const bind = new Bindings(workspace.id)
      const by = order.join(', ')
      const from = after ? `AND (${by}) > (${after.map((key) => bind.add(key)).join(', ')})` : ''
      return db.all<Row>(
        `SELECT ${table.columns} FROM ${name} WHERE workspace = $1
           AND deleted_at IS ${trashed ? 'NOT NULL' : 'NULL'} ${where?.(bind) ?? ''} ${from}
         ORDER BY ${by} LIMIT ${bind.add(limit)}`,
        bind.values,
      )
    },

    hasSameScope: (a: GroupDraft<Row>, b: GroupDraft<Row>): boolean =>
      scope === null || member(a, scope) === member(b, scope),

    /** Lists the first rows in this row's scope by position, in the trash or not. */
    listSiblings({ db, workspace }: Reader, row: GroupDraft<Row>, limit: number): Promise<Row[]> {
      const bind = new Bindings(workspace.id)
      const scoped = positions.inScope(row, bind)
      return db.all<Row>(
        `SELECT ${table.columns} FROM ${name} WHERE workspace = $1 ${scoped} ORDER BY position, id LIMIT ${bind.add(limit)}`,
        bind.values,
      )
    },
  }
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
