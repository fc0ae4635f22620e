/** `bun --preload bench/statements.ts …` counts the statements that a server runs on SQLite in the file STATEMENTS_FILE. */
import { Database, type Statement } from 'bun:sqlite'

/** A number of 32 bits, which others may read at any time. */
const counts = new Uint32Array(Bun.mmap(process.env.STATEMENTS_FILE ?? '').buffer)
const RUNS = ['run', 'get', 'all', 'values', 'iterate', 'raw'] as const
const wrapped = new WeakSet<object>()

type Method = (...args: unknown[]) => unknown

function countCalls(target: object, name: string): void {
  const method: Method = Reflect.get(target, name)
  Reflect.set(target, name, function (this: unknown, ...args: unknown[]) {
    counts[0] = (counts[0] ?? 0) + 1
    return method.apply(this, args)
  })
}

/** A statement has its methods as members of its own, so each is wrapped when it is made. */
function wrapStatements(name: 'prepare' | 'query'): void {
  const make: Method = Reflect.get(Database.prototype as object, name)
  Reflect.set(Database.prototype, name, function (this: Database, ...args: unknown[]) {
    const statement = make.apply(this, args) as Statement
    if (!wrapped.has(statement)) for (const run of RUNS) if (run in statement) countCalls(statement, run)
    wrapped.add(statement)
    return statement
  })
}

wrapStatements('prepare')
wrapStatements('query')
countCalls(Database.prototype, 'run')
countCalls(Database.prototype, 'exec')
