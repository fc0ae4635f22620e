/**
 * `bun --preload bench/statements.ts …` counts the statements that a server runs on SQLite into the file STATEMENTS_FILE:
 * all so far, and all up to the answer that was made last, as 32-bit numbers.
 */
import { Database, type Statement } from 'bun:sqlite'

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
  const make: Method = Reflect.get(Database.prototype, name)
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

/** Notes after each answer how many statements there were until then, in all handlers of a server. */
function watchAnswers(handlers: unknown): unknown {
  if (typeof handlers === 'function')
    return async function (this: unknown, ...args: unknown[]) {
      const answer = await handlers.apply(this, args)
      counts[1] = counts[0] ?? 0
      return answer
    }
  if (typeof handlers !== 'object' || handlers === null || handlers instanceof Response) return handlers
  return Object.fromEntries(Object.entries(handlers).map(([name, value]) => [name, watchAnswers(value)]))
}

const { serve } = Bun
Reflect.set(Bun, 'serve', (options: { fetch: unknown; routes?: unknown }) =>
  Reflect.apply(serve, Bun, [
    {
      ...options,
      fetch: watchAnswers(options.fetch),
      ...(options.routes ? { routes: watchAnswers(options.routes) } : {}),
    },
  ]),
)
