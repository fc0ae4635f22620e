import type { Queries, Value } from '../../src/db/database'

/** A step of how SQLite goes about a statement. */
export interface Step {
  /** In a query plan. */
  readonly detail: string
  /** In a program: see sqlite.org/opcode.html. */
  readonly opcode: string
  readonly p1: number
  readonly p2: number
  readonly p3: number
}

/** Each statement that `work` asks, with its parameters. */
export async function statementsOf(db: Queries, work: (db: Queries) => Promise<unknown>) {
  const statements: [string, readonly Value[]][] = []
  const noted =
    <Result>(ask: (sql: string, params: readonly Value[]) => Promise<Result>) =>
    (sql: string, params: readonly Value[] = []) => {
      statements.push([sql, params])
      return ask(sql, params)
    }
  await work({
    all: noted((sql, params) => db.all(sql, params)) as Queries['all'],
    get: noted((sql, params) => db.get(sql, params)) as Queries['get'],
    run: noted((sql, params) => db.run(sql, params)),
    transaction: (inner) => db.transaction(inner),
    afterCommit: (name, tell) => db.afterCommit(name, tell),
  })
  return statements
}

/** The steps of each statement that `work` asks. */
export async function explain(db: Queries, work: (db: Queries) => Promise<unknown>, how = 'EXPLAIN QUERY PLAN') {
  const statements = await statementsOf(db, work)
  return Promise.all(statements.map(([sql, params]) => db.all<Step>(`${how} ${sql}`, params)))
}

/** The query plan of each statement that `work` asks: a line for each step. */
export async function plansOf(db: Queries, work: (db: Queries) => Promise<unknown>): Promise<string[]> {
  return (await explain(db, work)).map((steps) => steps.map(({ detail }) => detail).join('\n'))
}
