/**
 * `bun run test:postgres [FILE…] [FLAG…]`: a part of the suite, or the files named, on a PostgreSQL and a Valkey or Redis that
 * it starts for itself and ends with the tests. The part is CONTRACT; with FULL in the environment, all files that open a
 * database. The value of a flag follows an equals sign. Ends with the code of `bun test`.
 */
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { Glob } from 'bun'
import { findPostgres, findRedis, startPostgres, startRedis } from './support/engines'
import { FULL } from './support/full'

/** What shows that the engine does as SQLite does: the stores, what all resources share, a part of each feature, and races. */
const CONTRACT = [
  'contract',
  'db/*',
  'blobs/blobs',
  'archive/merge-order',
  'chat/{talks,undo-that}',
  'flashcards/{archive,decks,facts,queue,undo}',
  '{gate,http}/deadline',
  'imports/{arrival,repeats,runs}',
  'notes/{list,notes,links,links-history,revisions-history}',
  'search/{engine,other-workspaces,results}',
  'tasks/{dependencies,lists,series,undo}',
  'tasks/{agenda/agenda-model,filter/filter,groups/named,groups/projects}',
  'workspace/*',
]

let ended: NodeJS.Signals | null = null
let tests: Bun.Subprocess | null = null
/** What each file imports. */
const imports = new Map<string, string[]>()
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
  const files = parameters.every((parameter) => parameter.startsWith('-')) ? chosenFiles() : []
  tests = Bun.spawn(
    [process.execPath, 'test', '--timeout', '120000', '--parallel', '--no-isolate', ...files, ...parameters],
    {
      env: { ...process.env, TEST_DATABASE_URL: database.url, TEST_REDIS_URL: counters.url },
      stdio: ['inherit', 'inherit', 'inherit'],
    },
  )
  return await tests.exited
}

function chosenFiles(): string[] {
  const all = filesWithDatabase()
  if (FULL) return all
  const chosen = new Glob(`{${CONTRACT.join(',')}}.test.ts`)
  return all.filter((file) => chosen.match(relative(import.meta.dir, file)))
}

/** The tests that import `support/database.ts`, be it through others. */
function filesWithDatabase(): string[] {
  const opener = join(import.meta.dir, 'support/database.ts')
  return [...new Glob('**/*.test.ts').scanSync({ cwd: import.meta.dir, absolute: true })].filter((test) => {
    const files = new Set([test])
    for (const file of files) for (const imported of importsOf(file)) files.add(imported)
    return files.has(opener)
  })
}

function importsOf(file: string): string[] {
  const known = imports.get(file)
  if (known) return known
  const found = new Bun.Transpiler({ loader: file.endsWith('x') ? 'tsx' : 'ts' })
    .scanImports(readFileSync(file, 'utf8'))
    .filter(({ path }) => path.startsWith('.'))
    .map(({ path }) => Bun.resolveSync(path, dirname(file)))
    .filter((path) => /\.tsx?$/.test(path))
  imports.set(file, found)
  return found
}
