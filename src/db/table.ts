import type { Queries, Value, WorkspaceId } from './database'
import { integersIn } from './dialect'

type Reading = Pick<Queries, 'all'>

/** What the rows of resources begin with. Instants are milliseconds since 1970. */
export interface StoredRow {
  readonly key: number
  readonly id: string
  readonly revision: number
  readonly created_at: number
  readonly updated_at: number
}

interface Shape<Row> {
  readonly name: string
  /** The columns that are written once, with the row; `id` among them. */
  readonly fixed: readonly (keyof Row & string)[]
  readonly written: readonly (keyof Row & string)[]
  /** The members of a row that are not written with it, but read: `key`, and what follows from other rows, as SQL. */
  readonly read: Readonly<Record<string, string>>
}

/** Columns are called as the members of a row. @param Draft a row without what is only read of it */
export function createTable<Row, Draft = Omit<Row, 'key'>>({ name, fixed, written, read }: Shape<Row>) {
  const inserted = [...fixed, ...written]
  const answer = Object.entries(read).map(([member, sql]) =>
    sql === member ? `${name}.${sql}` : `${sql} AS ${member}`,
  )
  const columns = [...inserted.map((column) => `${name}.${column}`), ...answer].join(', ')
  const insert = `INSERT INTO ${name} (workspace, ${inserted.join(', ')})
    VALUES ($1, ${inserted.map((_, i) => `$${i + 2}`).join(', ')})
    ON CONFLICT (workspace, id) DO NOTHING RETURNING ${answer.join(', ')}`
  const update = (
    some: readonly string[],
  ) => `UPDATE ${name} SET ${some.map((column, i) => `${column} = $${i + 3}`).join(', ')}
    WHERE workspace = $1 AND id = $2 RETURNING ${answer.join(', ')}`
  const updateAll = update(written)
  const select = `SELECT ${columns} FROM ${name} WHERE workspace = $1 AND id = $2`
  const selectByKeys = `SELECT ${columns} FROM ${name} WHERE +workspace = $1 AND key IN ${integersIn('$2')}`
  const selectAfter = `SELECT ${columns} FROM ${name} WHERE workspace = $1 AND id > $2 ORDER BY id LIMIT $3`

  return {
    columns,
    inserted,
    written,

    /** Stores a new row; null if its id is taken in this workspace. */
    async insert(db: Queries, workspace: WorkspaceId, draft: Draft & object): Promise<Row | null> {
      const made = await db.get<object>(insert, valuesOf([workspace], draft, inserted))
      return made && ({ ...draft, ...made } as Row)
    },

    /** With `old` only what differs: each index that holds a column of an UPDATE is written, also if it stays. */
    async update(
      db: Queries,
      workspace: WorkspaceId,
      row: Row & { readonly id: string },
      old?: Row & object,
    ): Promise<Row> {
      const some = old ? written.filter((column) => row[column] !== old[column]) : written
      const values = valuesOf([workspace, row.id], row, some)
      const made = await db.get<object>(old ? update(some) : updateAll, values)
      if (!made) throw new Error(`${name} has no row to update`)
      return { ...row, ...made }
    },

    get: (db: Queries, workspace: WorkspaceId, id: string): Promise<Row | null> => db.get<Row>(select, [workspace, id]),

    /** The rows with these keys, living or in the trash, in no order. */
    getByKeys: (db: Reading, workspace: WorkspaceId, keys: readonly number[]): Promise<Row[]> =>
      db.all<Row>(selectByKeys, [workspace, JSON.stringify(keys)]),

    /** The next rows of the workspace by id, living or in the trash. */
    listAfter: (db: Reading, workspace: WorkspaceId, after: string, limit: number): Promise<Row[]> =>
      db.all<Row>(selectAfter, [workspace, after, limit]),

    async erase(db: Queries, workspace: WorkspaceId, id: string): Promise<void> {
      await db.run(`DELETE FROM ${name} WHERE workspace = $1 AND id = $2`, [workspace, id])
    },
  }
}

/** Adds the members of a row to the parameters of a statement. A loop, since every write of the server comes here. */
export function valuesOf(params: Value[], row: object, columns: readonly string[]): Value[] {
  const members = row as Readonly<Record<string, Value>>
  for (const column of columns) params.push(members[column] as Value)
  return params
}
