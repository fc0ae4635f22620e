import { yieldTurn } from '../lib/steps'
import { Bindings, type Reader, type Value, type Writer } from './database'
import { elementsIn, integersIn } from './dialect'

type SqlType = 'bigint' | 'double precision' | 'text'
export type Way = 'fixed' | 'written' | 'derived'

/** A column of a table, called as the member of a row. */
export interface Column<Value, How extends Way> {
  readonly type: SqlType
  readonly way: How
  /** What is read for a derived one; absent: the column itself, which other statements write. */
  readonly sql?: string
  /** What a row has in it; for the compiler alone. */
  readonly value?: Value
}

type Columns = Readonly<Record<string, Column<unknown, Way>>>
type Members<Of extends Columns> = {
  readonly [Name in keyof Of]: Of[Name] extends Column<infer Value, Way> ? Value : never
}
type DerivedName<Of extends Columns> = {
  [Name in keyof Of]: Of[Name] extends Column<unknown, 'derived'> ? Name : never
}[keyof Of]

export function int<Value extends number | null = number>(): Column<NoInfer<Value>, 'written'> {
  return { type: 'bigint', way: 'written' }
}

export function real<Value extends number | null = number>(): Column<NoInfer<Value>, 'written'> {
  return { type: 'double precision', way: 'written' }
}

export function text<Value extends string | null = string>(): Column<NoInfer<Value>, 'written'> {
  return { type: 'text', way: 'written' }
}

/** A column that is written once, with the row. */
export function fixed<Value>({ type }: Column<Value, 'written'>): Column<Value, 'fixed'> {
  return { type, way: 'fixed' }
}

/** A member that is not written with the row, but read: a column of which others take care, or what the SQL says. */
export function derived<Value>(sql?: string): Column<NoInfer<Value>, 'derived'> {
  return { type: 'text', way: 'derived', ...(sql === undefined ? {} : { sql }) }
}

/** What the rows of resources begin with. Instants are milliseconds since 1970. */
export const STORED = {
  key: derived<number>(),
  id: fixed(text()),
  revision: int(),
  created_at: int(),
  updated_at: int(),
}

export type StoredRow = Members<typeof STORED>

/** A row of a table, and what is written of one. */
export type RowOf<Table extends { readonly declared: Columns }> = Members<Table['declared']>
export type DraftOf<Table extends { readonly declared: Columns }> = Omit<RowOf<Table>, DerivedName<Table['declared']>>

/**
 * Makes the statements on a table of these columns. @param Row is given where the compiler does not know the columns
 */
export function createTable<Of extends Columns, Row = Members<Of>, Draft = Omit<Row, DerivedName<Of> & keyof Row>>(
  name: string,
  declared: Of,
) {
  const members = Object.keys(declared)
  const named = (how: Way) => members.filter((member) => declared[member]?.way === how)
  const written = named('written')
  const inserted = [...named('fixed'), ...written]
  const list = (some: readonly string[]) =>
    some
      .map((member) => [member, declared[member]?.sql ?? member])
      .map(([member, sql]) => (sql === member ? `${name}.${sql}` : `${sql} AS ${member}`))
      .join(', ')
  const answer = list(named('derived'))
  const columns = list(members)
  /** Reads a member of an element of a JSON array, as the type of its column. */
  const readJson = (member: string, path: string | number) => {
    const value = typeof path === 'number' ? `value ->> ${path}` : `value ->> '${path}'`
    const type = declared[member]?.type ?? 'text'
    return type === 'text' ? value : `CAST(${value} AS ${type})`
  }
  const insert = `INSERT INTO ${name} (workspace, ${inserted.join(', ')})
    VALUES ($1, ${inserted.map((_, i) => `$${i + 2}`).join(', ')})
    ON CONFLICT (workspace, id) DO NOTHING RETURNING ${answer}`
  const insertAll = `INSERT INTO ${name} (workspace, ${inserted.join(', ')})
    SELECT $1, ${inserted.map((column) => readJson(column, column)).join(', ')}
    FROM ${elementsIn('$2')} ORDER BY key RETURNING id, key`
  const updateSome = (some: readonly string[]) =>
    `UPDATE ${name} SET ${some.map((column, i) => `${column} = $${i + 3}`).join(', ')}
    WHERE workspace = $1 AND id = $2 RETURNING ${answer}`
  const update = updateSome(written)
  const updateAll = `UPDATE ${name} SET ${written.map((column, i) => `${column} = ${readJson(column, i + 1)}`).join(', ')}
    FROM ${elementsIn('$2')} AS changed WHERE +workspace = $1 AND ${name}.key = CAST(value ->> 0 AS bigint)`
  const select = `SELECT ${columns} FROM ${name} WHERE workspace = $1 AND id = $2`
  const selectByKeys = `SELECT ${columns} FROM ${name} WHERE +workspace = $1 AND key IN ${integersIn('$2')}`
  const selectAfter = `SELECT ${columns} FROM ${name} WHERE workspace = $1 AND id > $2 ORDER BY id LIMIT $3`

  return {
    ...{ name, declared, columns, written },

    /** All columns of a row but some. */
    columnsBut: (...left: (keyof Of & string)[]): string => list(members.filter((member) => !left.includes(member))),

    /** Stores a new row; null if its id is taken in this workspace. */
    async insert({ db, workspace }: Writer, draft: Draft & object): Promise<Row | null> {
      const made = await db.get<object>(insert, valuesOf([workspace.id], draft, inserted))
      return made && ({ ...draft, ...made } as Row)
    },

    /** Stores new rows, whose ids must be free, in one statement. Returns their keys by id. */
    async insertAll({ db, workspace }: Writer, drafts: readonly Draft[]): Promise<Map<string, number>> {
      const rows = await db.all<{ id: string; key: number }>(insertAll, [workspace.id, JSON.stringify(drafts)])
      return new Map(rows.map(({ id, key }) => [id, key]))
    },

    /** With `old` only what differs: each index that holds a column of an UPDATE is written, also if it stays. */
    async update({ db, workspace }: Writer, row: Row & { readonly id: string }, old?: Row & object): Promise<Row> {
      const some = old ? written.filter((column) => Reflect.get(row, column) !== Reflect.get(old, column)) : written
      const values = valuesOf([workspace.id, row.id], row, some)
      const made = await db.get<object>(old ? updateSome(some) : update, values)
      if (!made) throw new Error(`${name} has no row to update`)
      return { ...row, ...made }
    },

    /** Writes the columns of these rows that can change, in one statement. */
    async updateAll({ db, workspace }: Writer, rows: readonly (Row & { readonly key: number })[]): Promise<void> {
      const values = rows.map((row) => valuesOf([row.key], row, written))
      await db.run(updateAll, [workspace.id, JSON.stringify(values)])
    },

    get: ({ db, workspace }: Reader, id: string): Promise<Row | null> => db.get<Row>(select, [workspace.id, id]),

    /** The rows with these keys, living or in the trash, in no order. */
    getByKeys: ({ db, workspace }: Reader, keys: readonly number[]): Promise<Row[]> =>
      db.all<Row>(selectByKeys, [workspace.id, JSON.stringify(keys)]),

    /** The next rows of the workspace by id, living or in the trash. */
    listAfter: ({ db, workspace }: Reader, after: string, limit: number): Promise<Row[]> =>
      db.all<Row>(selectAfter, [workspace.id, after, limit]),

    async erase({ db, workspace }: Writer, id: string): Promise<void> {
      await db.run(`DELETE FROM ${name} WHERE workspace = $1 AND id = $2`, [workspace.id, id])
    },
  }
}

export function keysOf(rows: readonly { readonly key: number }[]): number[] {
  return rows.map(({ key }) => key)
}

/** Adds the members of a row to the parameters of a statement. A loop, since every write of the server comes here. */
export function valuesOf(params: Value[], row: object, columns: readonly string[]): Value[] {
  const members = row as Readonly<Record<string, Value>>
  for (const column of columns) params.push(members[column] as Value)
  return params
}

/** A walk through a table, in the order of an index. */
export interface Walk {
  /** The table and conditions, all of which the index has; `$1` is the workspace. */
  readonly from: (bind: Bindings) => string
  /** What orders it, in SQL. */
  readonly columns: readonly string[]
  readonly descends?: boolean
  /** The keys before which it ends. A bound among the conditions would be used in place of those of a step. */
  readonly end?: Keys | null
}

type Keys = readonly Value[]

/** Builds the condition that rows come after the keys `from` on a walk, and up to the keys `until`. */
function buildStep(
  { columns, descends, end = null }: Walk,
  from: Keys | null,
  until: Keys | null,
  bind: Bindings,
): string {
  const compare = (operator: string, keys: Keys | null) =>
    keys ? ` AND (${columns.join(', ')}) ${operator} (${keys.map((key) => bind.add(key)).join(', ')})` : ''
  const [after, before] = descends ? ['<', '>'] : ['>', '<']
  const [first = ''] = columns
  // SQLite finds the beginning and the end of several columns in an index, but not of an expression among them.
  const bound = (operator: string, keys: Keys | null) =>
    keys && /\W/.test(first) ? ` AND ${first} ${operator}= ${bind.add(keys[0] ?? null)}` : ''
  return [
    bound(after, from),
    compare(after, from),
    bound(before, until ?? end),
    until ? compare(`${before}=`, until) : compare(before, end),
  ].join('')
}

/**
 * Yields the steps of a walk, each of twice as many rows as the one before, with turns of the event loop in between: a
 * filter may match none of very many. A step is after the keys `from`, up to the keys `until`; the last one has no end.
 * @param first the keys after which it begins
 * @param most the rows of the largest step; the first has a quarter of them
 * @param findPlace the keys of the row that is so many rows after `from`; null if there are fewer
 */
export async function* walkInSteps<Place extends Keys>(
  first: Place | null,
  most: number,
  findPlace: (from: Place | null, rows: number) => Promise<Place | null>,
): AsyncGenerator<{ readonly from: Place | null; readonly until: Place | null }> {
  for (let [from, rows] = [first, most / 4]; ; await yieldTurn()) {
    const until = await findPlace(from, rows)
    yield { from, until }
    if (until === null) return
    from = until
    rows = Math.min(2 * rows, most)
  }
}

/** Rows of which one statement evaluates a filter: 10 ms at most. */
const MAX_STEP_ROWS = 2048

/**
 * Reads a list in steps; see walkInSteps.
 * @param first the keys after which it begins
 * @param add adds what matches of a step to what was found before; `within` builds what follows FROM
 */
export async function readInSteps<Row>(
  { db, workspace }: Reader,
  walk: Walk,
  first: Keys | null,
  add: (found: readonly Row[], within: Walk['from']) => Promise<readonly Row[]>,
  isDone: (found: readonly Row[]) => boolean,
): Promise<readonly Row[]> {
  const order = walk.columns.map((column) => `${column} ${walk.descends ? 'DESC' : 'ASC'}`).join(', ')
  const selected = walk.columns.map((column, i) => `${column} AS key${i}`).join(', ')
  async function findPlace(from: Keys | null, rows: number): Promise<Keys | null> {
    const bind = new Bindings(workspace.id)
    const sql = `SELECT ${selected} FROM ${walk.from(bind)}${buildStep(walk, from, null, bind)}
      ORDER BY ${order} LIMIT 1 OFFSET ${bind.add(rows - 1)}`
    const place = await db.get<Readonly<Record<string, Value>>>(sql, bind.values)
    return place && walk.columns.map((_, i) => place[`key${i}`] ?? null)
  }
  let found: readonly Row[] = []
  for await (const { from, until } of walkInSteps(first, MAX_STEP_ROWS, findPlace)) {
    found = await add(found, (bind) => walk.from(bind) + buildStep(walk, from, until, bind))
    if (isDone(found)) break
  }
  return found
}

export interface Listing {
  /** Whether to list only the trash, or only rows outside it. */
  readonly trashed: boolean
  /** A further condition in SQL, from `AND` on. */
  readonly where?: ((bind: Bindings) => string) | undefined
  /** The sort keys of the last row shown, or null for the first page. */
  readonly after: readonly Value[] | null
  readonly limit: number
}

/** What a list needs of a table; see createTable. */
export interface ListedTable {
  readonly name: string
  readonly columns: string
  readonly declared: Columns
}

/** Whether rows of the table can be in the trash. */
export function hasTrash({ declared }: Pick<ListedTable, 'declared'>): boolean {
  return declared.deleted_at?.way === 'written'
}

/** @param order the columns to sort by, which no two rows have alike */
export function createPages<Row extends object>(table: ListedTable, order: readonly (keyof Row & string)[]) {
  const by = order.join(', ')
  return {
    /** The kinds of the sort keys, for readCursor. */
    sortKinds: order.map((column) => (table.declared[column]?.type === 'text' ? 'string' : 'number')),

    getSortKeys: (row: Row) => order.map((column) => Reflect.get(row, column) as string | number | null),

    list({ db, workspace }: Reader, { trashed, where, after, limit }: Listing): Promise<Row[]> {
      const bind = new Bindings(workspace.id)
      const shown = hasTrash(table) ? `AND deleted_at IS ${trashed ? 'NOT NULL' : 'NULL'}` : ''
      const from = after ? `AND (${by}) > (${after.map((key) => bind.add(key)).join(', ')})` : ''
      return db.all<Row>(
        `SELECT ${table.columns} FROM ${table.name} WHERE workspace = $1 ${shown} ${where?.(bind) ?? ''} ${from}
         ORDER BY ${by} LIMIT ${bind.add(limit)}`,
        bind.values,
      )
    },
  }
}
