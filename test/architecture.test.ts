import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import app from '../app/package.json'
import { dependencies, optionalDependencies } from '../package.json'
import { linesOfCode, measureHouse, ratchet } from './support/budgets'
import {
  appWithServer,
  breaches,
  importCycles,
  longFunctions,
  overlongFiles,
  repeatedExports,
  type Source,
  testsWithoutAssertion,
  twoWayFolders,
  unlistedPackages,
  workersWithSchemas,
} from './support/house'

const ROOT = join(import.meta.dir, '..')

async function sources(pattern = 'src/**/*.ts'): Promise<Source[]> {
  const paths = [...new Bun.Glob(pattern).scanSync(ROOT)].filter((path) => !path.endsWith('.d.ts'))
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
    ['tools know features by types alone', 'src/tools/services.ts', "import { toNote } from '../notes/note'"],
    ['so through one file', 'src/tools/find.ts', "import type { Note } from '../notes/schema'"],
    ['what is shared knows no feature', 'src/http/reply.ts', "import { Note } from '../notes/schema'"],
    ['what declares resources knows no feature', 'src/resources/resource.ts', "import type { A } from '../notes/note'"],
    [
      'what reads HTML knows no feature',
      'src/lib/markdown/writer.ts',
      "import { address } from '../../notes/html/render'",
    ],
    ['what searches knows no feature', 'src/search/snippet.ts', "import type { Note } from '../notes/note'"],
    ['what imports files knows no feature', 'src/imports/active-run.ts', "import type { Note } from '../notes/note'"],
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
    ['random bytes are handed in', 'src/gate/keys.ts', 'crypto.getRandomValues(bytes)'],
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
      { path: 'src/tools/services.ts', text: "import type { Note } from '../notes/schema'" },
      { path: 'src/app.ts', text: "import { notesRoutes } from './notes/routes'" },
      { path: 'src/notes/names.ts', text: "import { Elysia } from 'elysia'\nconst sql = `SELECT 1`" },
    ]
    expect(breaches(allowed)).toEqual([])
  })
})

describe('the rooms of the house', () => {
  test('hold for all files of src/ together', async () => {
    const all = await sources()
    expect(importCycles(all)).toEqual([])
    expect(twoWayFolders(all)).toEqual([])
    expect(repeatedExports(all)).toEqual([])
    expect(longFunctions(all)).toEqual([])
    expect(workersWithSchemas(all)).toEqual([])
  })

  test('hold for the app, which takes nothing of the server but what runs in a browser', async () => {
    const app = await sources('app/**/*.{ts,tsx}')
    expect(app.length).toBeGreaterThan(20)
    expect(overlongFiles(app)).toEqual([])
    expect(importCycles(app)).toEqual([])
    expect(repeatedExports(app.filter(({ path }) => !path.endsWith('Screen.tsx')))).toEqual([])
    expect(longFunctions(app)).toEqual([])
    expect(appWithServer([...app, ...(await sources())])).toEqual([])
    for (const { path, text } of app)
      expect([
        path,
        text.match(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|setHTML|\beval\(|\bBun\./),
      ]).toEqual([path, null])
  })

  const page: Source = { path: 'app/notes/Page.tsx', text: "import { a } from '../../src/notes/a'" }
  test.each([
    ['Elysia', "import { t } from 'elysia'"],
    ['a part of Bun', "import { Database } from 'bun:sqlite'"],
    ['a part of Node', "import { readFileSync } from 'node:fs'"],
  ])('an app that loads %s through what it shares is noticed', (_, text) => {
    expect(appWithServer([page, { path: 'src/notes/a.ts', text }])).toEqual(['app/notes/Page.tsx loads src/notes/a.ts'])
  })

  test.each([
    ['types of the server', "import type { Static } from 'elysia'"],
    ['a library of both', "import { Lexer } from 'marked'"],
    ['what its file does not lead to', ''],
  ])('an app may load %s', (_, text) => {
    const other: Source = { path: 'src/notes/b.ts', text: "import { t } from 'elysia'" }
    expect(appWithServer([page, { path: 'src/notes/a.ts', text }, other])).toEqual([])
  })

  const worker: Source = { path: 'src/notes/import/read-worker.ts', text: "import { a } from '../a'" }
  test.each([
    ['at once', "import { t } from 'elysia'"],
    ['by a part of the library', "import { Value } from '@sinclair/typebox/value'"],
    ['lazily', "const { t } = await import('elysia')"],
  ])('a Worker that loads schemas %s is noticed', (_, text) => {
    expect(workersWithSchemas([worker, { path: 'src/notes/a.ts', text }])).toEqual([
      'src/notes/import/read-worker.ts loads src/notes/a.ts',
    ])
  })

  test.each([
    ['their types alone', [{ path: 'src/notes/a.ts', text: "import type { Static } from 'elysia'" }]],
    ['another library', [{ path: 'src/notes/a.ts', text: "import { parse } from 'yaml'" }]],
    ['what does not lead there', [{ path: 'src/notes/b.ts', text: "import { t } from 'elysia'" }]],
  ])('a Worker may load %s', (_, files) => {
    expect(workersWithSchemas([worker, ...files])).toEqual([])
  })

  const two = (first: string, second: string): Source[] => [
    { path: 'src/a/one.ts', text: first },
    { path: 'src/b/two.ts', text: second },
  ]

  test.each([
    ['of two files', two("import { two } from '../b/two'", "import { one } from '../a/one'")],
    ['by a type alone', two("import type { Two } from '../b/two'", "export type { One } from '../a/one'")],
    [
      'over several lines, and at run time',
      two("import {\n  two,\n  three,\n} from '../b/two'", "const one = await import('../a/one')"),
    ],
    [
      'of three files in one folder',
      ['b', 'c', 'a'].map((next, i) => ({ path: `src/x/${'abc'[i]}.ts`, text: `import { x } from './${next}'` })),
    ],
  ] satisfies [string, Source[]][])('a cycle %s is noticed', (_, files) => {
    expect(importCycles(files)).toEqual([files.map(({ path }) => path).join(' ')])
  })

  test.each([
    ['one way', two("import { two } from '../b/two'", 'export const two = 2')],
    ['to what is no file of ours', two("import { Elysia } from 'elysia'", "import { b } from './none'")],
    ['in words alone', two("import { two } from '../b/two'", "// import { one } from '../a/one'")],
  ] satisfies [string, Source[]][])('no cycle is: %s', (_, files) => {
    expect(importCycles(files)).toEqual([])
  })

  const there: Source = { path: 'src/notes/service.ts', text: "import { links } from './links/store'" }
  const links: Source = { path: 'src/notes/links/store.ts', text: 'export const links = 1' }

  test.each([
    ['in other files', [{ path: 'src/notes/links/service.ts', text: "import { note } from '../note'" }]],
    ['by a type alone', [{ path: 'src/notes/links/service.ts', text: "import type { Note } from '../note'" }]],
    ['lazily', [{ path: 'src/notes/links/service.ts', text: "await import('../note')" }]],
  ])('two folders that import each other %s are noticed', (_, files) => {
    const note: Source = { path: 'src/notes/note.ts', text: 'export const note = 1' }
    expect(twoWayFolders([there, links, note, ...files])).toEqual(['src/notes <> src/notes/links'])
  })

  test.each([
    ['one way', []],
    ['within a folder', [{ path: 'src/notes/links/other.ts', text: "import { links } from './store'" }]],
    ['from a third one', [{ path: 'src/features/notes.ts', text: "import { links } from '../notes/links/store'" }]],
  ])('folders that import %s are left alone', (_, files) => {
    expect(twoWayFolders([there, links, ...files])).toEqual([])
  })

  test.each([
    ['two types', 'export type Place = string', 'export interface Place {}'],
    ['a type and a value', 'export type Place = string', 'export const Place = 1'],
    ['two functions', 'export function Place() {}', 'export async function Place() {}'],
    ['a class and one of several', 'export class Place {}', 'export const { a, b: Place } = c'],
  ])('one name for %s is noticed', (_, first, second) => {
    expect(repeatedExports(two(first, second))).toEqual(['Place'])
  })

  test.each([
    ['a schema and its type in one file', 'export const Place = 1\nexport type Place = number', ''],
    ['a name that is passed on', 'export const Place = 1', "export { Place } from '../a/one'"],
    ['what stays in its file', 'const Place = 1', 'export const Place = 2'],
    ['a longer name', 'export const Place = 1', 'export const Places = 2'],
  ])('names are left alone: %s', (_, first, second) => {
    expect(repeatedExports(two(first, second))).toEqual([])
  })

  const lines = (count: number) => '  line\n'.repeat(count)

  test.each([
    ['a function', `export function long(): string {\n${lines(59)}}`, 'long'],
    ['with parameters on lines of their own', `function long({\n  a,\n  b,\n}: Deps) {\n${lines(56)}}`, 'long'],
    ['a method', `class A {\n  long(): void {\n${`  ${lines(59)}`}  }\n}`, 'long'],
    ['an arrow', `const long = async () => {\n${lines(59)}}`, 'long'],
    [
      'around another one',
      `export function long() {\n${lines(58)}  const inner = () => {\n    line\n  }\n  line\n}`,
      'long',
    ],
  ])('too long a function is noticed: %s', (_, text, name) => {
    expect(longFunctions([{ path: 'src/notes/note.ts', text }])).toEqual([`src/notes/note.ts ${name}`])
  })

  test.each([
    ['of 60 lines', `export function long(): string {\n${lines(58)}}`],
    ['whose lines are those of functions inside it', `function long() {\n  return {\n${method(40)}${method(40)}  }\n}`],
    ['that lists routes', `export function notesRoutes({ notes }: Deps) {\n${lines(90)}}`],
    ['that is none, but a table', `const TABLE = {\n${lines(90)}}`],
    ['that is none, but a condition', `if (SLOW) {\n${lines(90)}}`],
  ])('a function is left alone: %s', (_, text) => {
    expect(longFunctions([{ path: 'src/notes/note.ts', text }])).toEqual([])
  })

  function method(count: number): string {
    return `    method() {\n${`    ${lines(1)}`.repeat(count)}    },\n`
  }

  test.each([
    'SELECT value FROM json_each($1)',
    'SELECT octet_length(body)',
    'CREATE TABLE a (b) WITHOUT ROWID',
    'PRAGMA optimize',
    'SELECT a FROM b INDEXED BY c',
    'INSERT OR IGNORE INTO a VALUES (1)',
    'SELECT a FROM b WHERE a GLOB $1',
    'SELECT iif(a, 1, 0) FROM b',
  ])('a word of SQLite in a store is noticed: %s', (sql) => {
    expect(breaches([{ path: 'src/notes/store.ts', text: `const sql = '${sql}'` }])).toHaveLength(1)
  })

  test.each([
    ['src/notes/store.sqlite.ts', "const sql = 'PRAGMA optimize'"],
    ['src/db/connection.ts', "const sql = 'PRAGMA optimize'"],
    ['src/notes/store.ts', '/** As json_each does. */\nconst sql = `SELECT length(body)`'],
    ['src/notes/store.ts', "const pragmatic = 'SELECT rowids FROM a'"],
    ['src/notes/store.ts', 'const sql = `SELECT a FROM b WHERE glob($1, a) OR a IS DISTINCT FROM $2`'],
    ['src/notes/store.ts', 'const sql = `INSERT INTO a VALUES (1) ON CONFLICT DO NOTHING`'],
  ])('%s may say %s', (path, text) => {
    expect(breaches([{ path, text }])).toEqual([])
  })
})

describe('packages', () => {
  const ofServer = Object.keys({ ...dependencies, ...optionalDependencies })
  const ofApp = app.dependencies as Record<string, string>

  test('of the server are what src/ imports, and none of the app alone', async () => {
    expect(unlistedPackages(await sources(), ofServer)).toEqual([])
    expect(ofServer).not.toContainAnyValues(['preact', 'idb', '@codemirror/view'])
  })

  test('of the app are what app/ imports, where both have one in the same version', async () => {
    expect(unlistedPackages(await sources('app/**/*.{ts,tsx}'), Object.keys(ofApp))).toEqual([])
    const shared = Object.entries(dependencies).filter(([name]) => name in ofApp)
    expect(Object.fromEntries(shared)).toEqual(Object.fromEntries(shared.map(([name]) => [name, ofApp[name] ?? ''])))
  })

  test('have their reason in a page of decisions', async () => {
    const pages = [...new Bun.Glob('docs/decisions/*.md').scanSync(ROOT)].map((path) =>
      Bun.file(join(ROOT, path)).text(),
    )
    const text = (await Promise.all(pages)).join('\n')
    const names = Object.keys({ ...dependencies, ...optionalDependencies, ...ofApp })
    expect(names.filter((name) => !text.includes(name))).toEqual([])
  })

  const file = (text: string): Source => ({ path: 'src/notes/note.ts', text })
  test.each([
    ['at once', "import { h } from 'preact'", 'preact'],
    ['by a part of it', "import { signal } from '@preact/signals/core'", '@preact/signals'],
    ['by a type', "import type { DBSchema } from 'idb'", 'idb'],
    ['lazily', "const { openDB } = await import('idb')", 'idb'],
  ])('an unlisted one is noticed: %s', (_, text, name) => {
    expect(unlistedPackages([file(text)], ['elysia'])).toEqual([`src/notes/note.ts imports ${name}`])
  })

  test.each([
    "import { t } from 'elysia'",
    "import { Type } from '@sinclair/typebox/type'",
    "import { Database } from 'bun:sqlite'",
    "import { file } from 'bun'",
    "import { join } from 'node:path'",
    "import { note } from './other'",
  ])('left alone: %s', (text) => expect(unlistedPackages([file(text)], ['elysia', '@sinclair/typebox'])).toEqual([]))
})

describe('every test asserts something', () => {
  const without = (text: string) => testsWithoutAssertion({ path: 'test/a.test.ts', text })

  test('in every file of test/', async () => {
    const paths = [...new Bun.Glob('test/**/*.{test,slow,server,browser}.ts').scanSync(ROOT)]
    expect(paths.length).toBeGreaterThan(100)
    const texts = paths.map(async (path) => ({ path, text: await Bun.file(join(ROOT, path)).text() }))
    expect((await Promise.all(texts)).flatMap(testsWithoutAssertion)).toEqual([])
  })

  test.each([
    ['a call alone', "test('a', () => {\n  f()\n})"],
    ['cases', "test.each([[expect(1)]])('%s', (one) => void f(one))"],
    ['behind a condition', "test.skipIf(!slow).each([1])('%i', async () => f())"],
    ['on one engine', "onSqlite.each([1])('%i', async () => f())"],
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

  test('are few and short, and open with the choice in one sentence', async () => {
    expect(names.length).toBeLessThanOrEqual(20)
    const pages = await Promise.all(names.map(text))
    expect(names.filter((_, i) => (pages[i]?.split('\n').length ?? 0) > 81)).toEqual([])
    expect(names.filter((_, i) => !/^# .+\n\n[A-Z`][^\n]+(?:\n[^\n]+)?\.\n\n/.test(pages[i] ?? ''))).toEqual([])
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

/**
 * The size of the house. A figure may only go down: a commit that lets a row grow says why in its body and takes as much
 * from another row. `bun test/support/budgets.ts` prints the figures of today.
 */
const BUDGETS: Readonly<Record<string, number>> = {
  'lines of src/*.ts': 880,
  'lines of src/archive/': 561,
  'lines of src/blobs/': 639,
  'lines of src/chat/': 9099,
  'lines of src/cli/': 1237,
  'lines of src/db/': 3250,
  'lines of src/features/': 862,
  'lines of src/flashcards/': 16_831,
  'lines of src/gate/': 1999,
  'lines of src/http/': 2788,
  'lines of src/imports/': 3031,
  'lines of src/jobs/': 71,
  'lines of src/lib/': 12_469,
  'lines of src/log/': 361,
  'lines of src/mcp/': 1659,
  'lines of src/notes/': 17_044,
  'lines of src/openapi/': 1755,
  'lines of src/resources/': 549,
  'lines of src/search/': 5020,
  'lines of src/system/': 518,
  'lines of src/tasks/': 12_143,
  'lines of src/tools/': 3924,
  'lines of src/workspace/': 1814,
  'lines of src/': 98_504,
  'lines of chat without a model': 4032,
  'lines of time in words': 5552,
  'lines of Markdown': 5872,
  'lines of app/': 24_868,
  'lines of public/': 4401,
  'lines of test/': 104_044,
  'files of src/': 550,
  'files of src/ with under 40 lines of code': 35,
  settings: 30,
  'runtime dependencies': 15,
  'entries in the fullest folder of src/': 30,
}

/**
 * How many files of src/ a request passes from the socket to SQL and back, on the second request of its kind: those of
 * which a function runs. `bun test/support/passed-files.ts --list` names them.
 */
const PASSED_FILES: Readonly<Record<string, number>> = {
  'GET notes': 19,
  'GET a note': 19,
  'POST note': 37,
  'quick add': 50,
  review: 37,
  'chat question': 62,
}

describe('the size of the house', () => {
  test('is within the budgets, which only go down', async () => {
    const figures = await measureHouse()
    expect(Object.keys(figures).toSorted()).toEqual(Object.keys(BUDGETS).toSorted())
    const faults = Object.entries(figures).flatMap(([name, figure]) => {
      const ceiling = BUDGETS[name] ?? 0
      return ratchet(name, figure, ceiling, name.startsWith('lines') ? Math.max(25, ceiling * 0.01) : 2)
    })
    expect(faults).toEqual([])
  })

  test('lets a request pass few files', async () => {
    const child = Bun.spawn([process.execPath, join(ROOT, 'test/support/passed-files.ts')], { stderr: 'inherit' })
    const counts: Record<string, number> = await new Response(child.stdout).json()
    expect(Object.keys(counts)).toEqual(Object.keys(PASSED_FILES))
    const faults = Object.entries(counts).flatMap(([name, count]) => ratchet(name, count, PASSED_FILES[name] ?? 0, 2))
    expect(faults).toEqual([])
  })

  test.each([
    ['above its ceiling', 11, 10, 0, ['lines: 11, more than 10']],
    ['at it', 10, 10, 0, []],
    ['a little below', 9, 10, 1, []],
    ['far below', 8, 10, 1, ['lines: 8, less than 10: lower the ceiling to 8']],
  ])('a figure %s', (_, figure, ceiling, slack, faults) =>
    expect(ratchet('lines', figure, ceiling, slack)).toEqual(faults),
  )

  test.each([
    ['code', 'const a = 1\nconst b = 2\n', 2],
    ['blank lines and comments', '/**\n * A.\n */\n\n// B.\nconst a = 1 // C\n', 1],
  ])('counts lines of code: %s', (_, text, lines) => expect(linesOfCode(text)).toBe(lines))
})
