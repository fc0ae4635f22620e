/**
 * `bun run mutate [--seed=N] [--count=50] [--only=src/gate] [--seconds=300]`: changes the committed source at random
 * places, one at a time, in a copy of the tree, and runs the tests: a change that none of them notices shows what they do not hold.
 * The seed is the commit unless given. Prints a table of what survived; each run of tests is ended after `--seconds`.
 */
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { chance } from '../torture/row'
import { KINDS, type Mutation, mutate, mutationsOf } from './mutations'

const ROOT = join(import.meta.dir, '../..')
/** What is stored for good, what the documents show, and types. */
const UNTOUCHED = /\/migrations\/|\/examples\.ts$|\.d\.ts$/
/** Folders of src/ whose tests are elsewhere. */
const ROOMS: Readonly<Record<string, string[]>> = {
  'src/cli': ['test/cli', ...['backup', 'commands', 'import-command'].map((name) => `test/server/${name}.server.ts`)],
  'src/main.ts': ['test/server/process.server.ts'],
  'src/config.ts': ['test/server/process.server.ts'],
  'src/log': ['test/system'],
  'src/jobs': ['test/system'],
  'src/db/postgres/copy-database.sqlite.ts': ['test/server/move.server.ts'],
  'src/features': [],
  'src/lib/markdown': ['test/notes', 'test/flashcards/anki'],
  'src/openapi': ['test/system', 'test/docs.test.ts'],
}

interface Place extends Mutation {
  readonly path: string
  readonly text: string
}

interface Outcome {
  readonly result: 'killed' | 'survived' | 'did not compile' | 'over time'
  /** Killed by which test. */
  readonly by?: string
}

const say = (line: string) => void process.stdout.write(`${line}\n`)

function git(...args: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(['git', '-C', ROOT, ...args])
  if (exitCode !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
  return stdout.toString().trim()
}

/** Random places, each kind as often as the others, at most one to a file: so all are typechecked in one go. */
async function pick(tree: string, only: string, count: number, seed: number): Promise<Place[]> {
  const random = chance(seed)
  const paths = [...new Bun.Glob('src/**/*.ts').scanSync(tree)].filter(
    (path) => path.startsWith(only) && !UNTOUCHED.test(path),
  )
  const all: Place[] = []
  for (const path of paths.toSorted()) {
    const text = await Bun.file(join(tree, path)).text()
    all.push(...mutationsOf(text).map((mutation) => ({ ...mutation, path, text })))
  }
  const picked = new Map<string, Place>()
  for (let tries = 0; picked.size < count && tries < 50 * count; tries++) {
    const kind = KINDS[tries % KINDS.length]
    const left = all.filter((place) => place.kind === kind)
    const place = left[Math.floor(random() * left.length)]
    if (place && !picked.has(place.path)) picked.set(place.path, place)
  }
  return [...picked.values()]
}

/** Those of the places that still compile, tried together. */
async function compiling(tree: string, places: readonly Place[]): Promise<Set<Place>> {
  for (const place of places) await Bun.write(join(tree, place.path), mutate(place.text, place))
  const { output } = await run(tree, ['node_modules/.bin/tsc', '--pretty', 'false'], 600)
  for (const { path, text } of places) await Bun.write(join(tree, path), text)
  return new Set(places.filter(({ path }) => !output.includes(`${path}(`)))
}

/** Runs a command, ending it after so many seconds; `code` is then null. */
async function run(tree: string, command: string[], seconds: number, env: Record<string, string> = {}) {
  const child = Bun.spawn(command, { cwd: tree, env: { ...process.env, ...env }, stdout: 'pipe', stderr: 'pipe' })
  let isOver = false
  const timer = setTimeout(() => {
    isOver = true
    child.kill('SIGTERM')
  }, seconds * 1000)
  const texts = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  const code = await child.exited
  clearTimeout(timer)
  return { code: isOver ? null : code, output: texts.join('\n') }
}

async function runTests(tree: string, tests: readonly string[], seconds: number): Promise<Outcome> {
  const flags = ['--no-orphans', '--timeout', '120000', '--parallel', '--no-isolate', '--bail', '--only-failures']
  // Named one by one they are the nearest ones, which are run in full.
  const isNear = tests.filter((test) => test.startsWith('./')).every((test) => test.endsWith('.ts'))
  const { code, output } = await run(
    tree,
    [process.execPath, 'test', ...flags, ...tests],
    seconds,
    isNear ? { FULL: '1' } : {},
  )
  if (code === null) return { result: 'over time' }
  if (code === 0) return { result: 'survived' }
  const file = /^(?:\.\/)?(test\/\S+\.ts):$/m.exec(output)?.[1] ?? 'no file'
  const name = /^\(fail\) (.+?)(?: \[[\d.]+m?s\])?$/m.exec(output)?.[1] ?? 'the file does not load'
  return { result: 'killed', by: `${file}: ${name}` }
}

/**
 * The tests for a file, the nearest first: those that import it (or else its folder), those of its room, its slow ones, all. Each is a list
 * of what `bun test` takes.
 */
function stagesOf(tree: string, tests: ReadonlyMap<string, string>, path: string): string[][] {
  const importing = [join(path, '..', basename(path, '.ts')), `${join(path, '..')}/`].map((target) =>
    [...tests].flatMap(([test, text]) => (text.includes(`/${target}`) ? [`./${test}`] : [])),
  )
  const own = Object.entries(ROOMS).find(([room]) => path === room || path.startsWith(`${room}/`))?.[1]
  const folders = path.split('/').slice(1, -1)
  while (!own && folders.length > 0 && !existsSync(join(tree, 'test', ...folders))) folders.pop()
  const room = own ?? (folders.length > 0 ? [join('test', ...folders)] : [])
  // `bun test` finds none of these in a folder by itself.
  const slow = [...tests.keys()].filter(
    (test) => test.endsWith('.slow.ts') && room.some((one) => test.startsWith(`${one}/`)),
  )
  const others = room.flatMap((one) => ['--path-ignore-patterns', one.endsWith('.ts') ? one : `${one}/**`])
  const stages = [
    importing.find((some) => some.length > 0) ?? [],
    room.map((one) => `./${one}`),
    slow.map((test) => `./${test}`),
    [...others, './test'],
  ]
  return stages.filter((stage) => stage.length > 0)
}

/** Files of tests that fail without a mutation, and those that do not. The first kill nothing, so they are left out. */
const [unsound, sound] = [new Set<string>(), new Set<string>()]

/** What the tests say of a mutation. */
async function attempt(tree: string, place: Place, tests: readonly string[], seconds: number): Promise<Outcome> {
  const file = join(tree, place.path)
  for (;;) {
    const some = tests.filter((test) => !unsound.has(test.slice('./'.length)))
    if (!some.some((test) => test.startsWith('./'))) return { result: 'survived' }
    await Bun.write(file, mutate(place.text, place))
    const ignored = [...unsound].flatMap((path) => ['--path-ignore-patterns', path])
    const outcome = await runTests(tree, [...ignored, ...some], seconds)
    await Bun.write(file, place.text)
    const killer = outcome.by?.slice(0, outcome.by.indexOf(': ')) ?? ''
    if (!killer.endsWith('.ts') || sound.has(killer)) return outcome
    const isSound = (await runTests(tree, [`./${killer}`], seconds)).result === 'survived'
    ;(isSound ? sound : unsound).add(killer)
    if (isSound) return outcome
  }
}

function row({ path, line, text, ...mutation }: Place, { result, by = '' }: Outcome): string {
  const before = text.split('\n')[line - 1]?.trim() ?? ''
  const changed =
    mutate(text, { line, ...mutation })
      .split('\n')
      [line - 1]?.trim() ?? ''
  const cells = [`${path}:${line}`, mutation.kind, `\`${before}\``, changed ? `\`${changed}\`` : 'left out', result, by]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string' },
      count: { type: 'string', default: '50' },
      only: { type: 'string', default: 'src' },
      seconds: { type: 'string', default: '300' },
    },
  })
  const seed = Number(values.seed ?? `0x${git('rev-parse', 'HEAD').slice(0, 8)}`)
  const [count, seconds] = [Number(values.count), Number(values.seconds)]
  if (![seed, count, seconds].every(Number.isSafeInteger))
    throw new Error('--seed, --count and --seconds take whole numbers.')
  const folder = mkdtempSync(join(tmpdir(), 'satchel-mutation-'))
  const tree = join(folder, 'tree')
  git('worktree', 'add', '--detach', tree, 'HEAD')
  process.once('SIGINT', () => process.exit(130))
  process.once('SIGTERM', () => process.exit(143))
  process.once('exit', () => {
    git('worktree', 'remove', '--force', tree)
    rmSync(folder, { recursive: true, force: true })
  })
  symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'))
  const places = await pick(tree, values.only, count, seed)
  const outcomes = await tryAll(tree, places, seconds)
  say(`Seed ${seed}.\n`)
  say('| place | kind | code | mutated | result | killed by |\n| --- | --- | --- | --- | --- | --- |')
  for (const [place, outcome] of outcomes) say(row(place, outcome))
  const of = (result: Outcome['result']) => [...outcomes.values()].filter((one) => one.result === result).length
  const tried = of('killed') + of('survived')
  say(
    `\nKilled: ${of('killed')} of ${tried} (${Math.round((100 * of('killed')) / Math.max(1, tried))} %). Survived: ${of('survived')}.`,
  )
  say(`Over time: ${of('over time')}. Did not compile: ${of('did not compile')}.`)
  if (unsound.size > 0) say(`Left out, since they fail as it is: ${[...unsound].join(', ')}.`)
}

/** Tries each place with the tests nearest to it, then those that survived with the next. Tells each outcome at once. */
async function tryAll(tree: string, places: readonly Place[], seconds: number): Promise<Map<Place, Outcome>> {
  const able = await compiling(tree, places)
  const tests = new Map<string, string>()
  for (const path of new Bun.Glob('test/**/*.{test,slow,server}.ts').scanSync(tree))
    tests.set(path, await Bun.file(join(tree, path)).text())
  const outcomes = new Map<Place, Outcome>()
  for (let stage = 0; stage < 4; stage++)
    for (const place of places) {
      const some = stagesOf(tree, tests, place.path)[stage]
      if (!some || (outcomes.get(place)?.result ?? 'survived') !== 'survived') continue
      const outcome = able.has(place)
        ? await attempt(tree, place, some, seconds)
        : { result: 'did not compile' as const }
      outcomes.set(place, outcome)
      process.stderr.write(`${stage + 1}: ${row(place, outcome)}\n`)
    }
  return outcomes
}

await main()
process.exit(0)
