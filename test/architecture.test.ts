import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { breaches, type Source, testsWithoutAssertion } from './support/house'

const ROOT = join(import.meta.dir, '..')

async function sources(): Promise<Source[]> {
  const paths = [...new Bun.Glob('src/**/*.ts').scanSync(ROOT)].filter((path) => !path.endsWith('.d.ts'))
  return Promise.all(paths.map(async (path) => ({ path, text: await Bun.file(join(ROOT, path)).text() })))
}

describe('the rules of the house', () => {
  test('hold for every file of src/', async () => {
    const all = await sources()
    expect(all.length).toBeGreaterThan(20)
    expect(breaches(all)).toEqual([])
  })

  const broken: [rule: string, path: string, text: string][] = [
    ['features never import each other', 'src/chat/service.ts', "import type { Notes } from '../notes/service'"],
    ['not even lazily', 'src/chat/service.ts', "const notes = await import('../notes/service')"],
    ['what is shared knows no feature', 'src/http/reply.ts', "import { Note } from '../notes/schema'"],
    [
      'what reads archives knows no feature',
      'src/lib/zip/read.ts',
      "import type { Draft } from '../../notes/transfer/parsed'",
    ],
    [
      'what reads HTML knows no feature',
      'src/lib/markdown/writer.ts',
      "import { address } from '../../notes/html/render'",
    ],
    ['what searches knows no feature', 'src/search/snippet.ts', "import type { Note } from '../notes/note'"],
    ['what imports files knows no feature', 'src/imports/run.ts', "import type { Note } from '../notes/note'"],
    [
      'a library knows nothing of the server',
      'src/lib/civil/zone.ts',
      "import { invalid } from '../../http/api-error'",
    ],
    ['a library knows no feature either', 'src/lib/civil/day.ts', "import type { Note } from '../../notes/note'"],
    ['nothing flows back to app.ts', 'src/notes/service.ts', "import { createApp } from '../app'"],
    ['nobody but the outermost files imports config.ts', 'src/gate/gate.ts', "import { readConfig } from '../config'"],
    ['a store decides nothing', 'src/notes/store.ts', "import { createNotes } from './service'"],
    ['a store knows no HTTP', 'src/notes/store.ts', "import { ApiError } from '../http/api-error'"],
    ['a service does not know its routes', 'src/notes/service.ts', "import { notesRoutes } from './routes'"],
    ['routes ask the service, not the store', 'src/notes/routes.ts', "import { getNote } from './store'"],
    ['only config.ts reads the environment', 'src/main.ts', 'const port = process.env.PORT'],
    ['only config.ts reads the environment, by any name', 'src/db/sqlite.ts', 'const path = Bun.env.DATA_DIR'],
    ['the clock is handed in', 'src/notes/service.ts', 'const at = Date.now()'],
    ['the clock is handed in, also as a Date', 'src/notes/note.ts', 'const at = new Date()'],
    ['ids are handed in', 'src/notes/service.ts', 'const id = Bun.randomUUIDv7()'],
    ['chance is handed in', 'src/gate/keys.ts', 'crypto.getRandomValues(bytes)'],
    ['SQL lives in stores', 'src/notes/service.ts', "await tx.run('DELETE FROM notes')"],
    ['SQL lives in stores, however it is broken', 'src/notes/routes.ts', 'db.all(`\n  SELECT * FROM notes`)'],
    ['Elysia lives in routes and the gate', 'src/notes/service.ts', "import { t } from 'elysia'"],
    [
      'a regex literal has single backslashes',
      'src/notes/note.ts',
      String.raw`const word = /\\b(?:do|does)\\b/i.test(text)`,
    ],
    ['so in any place', 'src/notes/note.ts', String.raw`list.filter((one) => !/[a/]\\d+/.test(one))`],
    ['so behind text with quotes', 'src/notes/note.ts', String.raw`const a = "it's"; return /^\\s*$/u`],
    ['so behind other literals', 'src/notes/note.ts', String.raw`const [a, b] = [/\w'/, /x\\w/]`],
    ['so inside of a template', 'src/notes/note.ts', ['const a = `$', '{text.replace(/\\\\s/)}`'].join('')],
    ['a file stays short', 'src/notes/note.ts', 'line\n'.repeat(401)],
  ]

  test.each(broken)('%s: breaking it is noticed', (_, path, text) => {
    expect(breaches([{ path, text }])).toHaveLength(1)
  })

  test('what is allowed is left alone', () => {
    const allowed: Source[] = [
      { path: 'src/config.ts', text: 'const environment = process.env' },
      { path: 'src/main.ts', text: 'const now = () => Date.now()' },
      { path: 'src/notes/store.ts', text: "import type { Key } from '../http/cursor'\nconst sql = `SELECT 1`" },
      { path: 'src/notes/routes.ts', text: "import { Elysia } from 'elysia'\nimport type { Notes } from './service'" },
      { path: 'src/tasks/service.ts', text: "import { toDay } from '../lib/civil/day'" },
      { path: 'src/lib/civil/zone.ts', text: "import { modulo } from './day'" },
      { path: 'src/notes/note.ts', text: String.raw`const word = new RegExp('\\b\\d\\s\\w', 'u')` },
      { path: 'src/notes/note.ts', text: 'const word = new RegExp(`^\\\\d/\\\\b`)' },
      { path: 'src/notes/note.ts', text: String.raw`const path = /[\\/]\b\d\\$/ // not /\\b/` },
      { path: 'src/notes/note.ts', text: String.raw`const pattern = '^x=/\\\\d+/'` },
      { path: 'src/notes/note.ts', text: String.raw`const half = total / 2 + " \\d/" + rest / 3` },
      { path: 'src/app.ts', text: "import { notesRoutes } from './notes/routes'" },
    ]
    expect(breaches(allowed)).toEqual([])
  })
})

describe('every test asserts something', () => {
  const without = (text: string) => testsWithoutAssertion({ path: 'test/a.test.ts', text })

  test('in every file of test/', async () => {
    const paths = [...new Bun.Glob('test/**/*.{test,server,browser}.ts').scanSync(ROOT)]
    expect(paths.length).toBeGreaterThan(100)
    const texts = paths.map(async (path) => ({ path, text: await Bun.file(join(ROOT, path)).text() }))
    expect((await Promise.all(texts)).flatMap(testsWithoutAssertion)).toEqual([])
  })

  test.each([
    ['a call alone', "test('a', () => {\n  f()\n})"],
    ['cases', "test.each([[expect(1)]])('%s', (one) => void f(one))"],
    ['behind a condition', "test.skipIf(!slow).each([1])('%i', async () => f())"],
    ['what is said to', "test('a', () => {\n  // expect(f()).toBe(1)\n  f('expect(1)')\n})"],
  ])('%s: is noticed', (_, text) => expect(without(text)).toEqual(['test/a.test.ts:1']))

  test.each([
    ['expect', "test('a', () => {\n  expect(f(')')).toBe(1)\n})"],
    ['a helper', "test('a', async () => {\n  await expectProblem(400)\n})"],
    ['a property', "test('a', () => fc.assert(property, { numRuns: 9 }))"],
    ['a wait', "test('a', async () => {\n  await until(() => done)\n})"],
    [
      'a test by another name, and others with such a name',
      "const slow = test.skipIf(!on)\n/a/.test('b')\nlatest('c')",
    ],
  ])('%s: is left alone', (_, text) => expect(without(text)).toEqual([]))
})

describe('pages of decisions', () => {
  const folder = join(ROOT, 'docs/decisions')
  const names = [...new Bun.Glob('*.md').scanSync(folder)].filter((name) => name !== 'README.md').toSorted()
  const text = (name: string) => Bun.file(join(folder, name)).text()

  test('are numbered from 1 on, each number once, in the name as in the heading', async () => {
    const numbers = names.map((name) => Number(/^(\d{4})-[a-z-]+\.md$/.exec(name)?.[1]))
    expect(numbers).toEqual(numbers.map((_, i) => i + 1))
    const headings = await Promise.all(names.map(async (name) => (await text(name)).split('\n', 1)[0] ?? ''))
    expect(headings.map((heading) => Number(/^# (\d+)\. \S/.exec(heading)?.[1]))).toEqual(numbers)
  })

  test('stand in the list of pages, under their headings', async () => {
    const listed = (await text('README.md')).split('\n').filter((line) => /^\d/.test(line))
    const expected = names.map(async (name) => {
      const [, number, title] = /^# (\d+\.) (.+)\n/.exec(await text(name)) ?? []
      return `${number} [${title}](${name})`
    })
    expect(listed).toEqual(await Promise.all(expected))
  })

  test('are named by other files as they are called', async () => {
    const paths = [...new Bun.Glob('{src,test,eval,bench,docs}/**/*.{ts,md,sql}').scanSync(ROOT), 'README.md']
    const texts = await Promise.all(paths.map((path) => Bun.file(join(ROOT, path)).text()))
    const named = texts.flatMap((one) => [...one.matchAll(/decisions\/(\d{4}[\w.-]*)/g)].map(([, name = '']) => name))
    expect(named.length).toBeGreaterThan(2)
    expect(named.filter((name) => !names.some((page) => page.startsWith(name.replace(/\.$/, ''))))).toEqual([])
  })
})
