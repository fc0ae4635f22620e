/**
 * `bun run test:postgres [FILE…] [FLAG…]`: the suite, or the files named, on a PostgreSQL and a Valkey or Redis that it starts
 * for itself and ends with the tests. The value of a flag follows an equals sign. Ends with the code of `bun test`.
 */
import { findPostgres, findRedis, startPostgres, startRedis } from './support/engines'

let ended: NodeJS.Signals | null = null
let tests: Bun.Subprocess | null = null
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    ended = signal
    tests?.kill(signal)
  })

try {
  findPostgres()
  findRedis()
} catch (error) {
  process.stderr.write(`${Error.isError(error) ? error.message : error}\n`)
  process.exit(1)
}
process.exitCode = await run(process.argv.slice(2))

async function run(parameters: readonly string[]): Promise<number> {
  await using database = await startPostgres()
  await using counters = await startRedis()
  // Whoever ends us while the engines start finds no tests to end.
  if (ended) return 1
  const files = parameters.every((parameter) => parameter.startsWith('-')) ? ['./test'] : []
  tests = Bun.spawn(
    [process.execPath, 'test', '--timeout', '120000', '--parallel', '--no-isolate', ...files, ...parameters],
    {
      env: { ...process.env, TEST_DATABASE_URL: database.url, TEST_REDIS_URL: counters.url },
      stdio: ['inherit', 'inherit', 'inherit'],
    },
  )
  return await tests.exited
}
