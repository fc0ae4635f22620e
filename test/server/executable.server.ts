import { expect, test } from 'bun:test'
import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { embeddedModule, inExecutable, ROOT, WORKERS } from '../../build/parts'
import { version } from '../../package.json'
import { optimize } from '../../src/flashcards/optimizing/optimizer'
import { makeFolder } from '../support/folder'
import { slow } from '../support/full'
import { EXECUTABLE } from '../support/process'
import { makeKey } from '../support/world'

/** The one executable: what it must carry, and that it does. */

const sources = [...new Bun.Glob('src/**/*.ts').scanSync(ROOT)]
/** The files that are served as they are: the app is bundled, and the executable bundles its own. */
const PAGES = readdirSync(join(ROOT, 'public')).filter((name) => name !== 'app')
const textOf = (path: string) => Bun.file(join(ROOT, path)).text()

test('every file that runs in a Worker goes into it, wherever one is started', async () => {
  expect(WORKERS).toContainValues(['src/notes/html/render-worker.ts', 'src/notes/import/read-worker.ts'])
  for (const path of sources) {
    const text = await textOf(path)
    for (const [, name = ''] of text.matchAll(/new URL\(([^)]*), import\.meta\.url\)/g))
      expect(WORKERS).toContain(join(path, '..', name.slice(1, -1)))
    // A Worker is started by its address there and then, or by imports, which are handed it.
    const others = path === 'src/imports/read-file.ts' ? ['new Worker(reader, { ref: false })'] : []
    expect([path, Array.from(text.matchAll(/new Worker\((?!new URL)[^)]*\)/g), String)]).toEqual([path, others])
  }
  for (const path of WORKERS) expect([path, await Bun.file(join(ROOT, path)).exists()]).toEqual([path, true])
})

test('the address of a Worker in it tells files of the same name apart', () => {
  const source = "new URL('./reader.ts', import.meta.url)"
  const inside = (path: string) => inExecutable(source, join(ROOT, path))
  expect(['src/notes/import/import.ts', 'src/tasks/files/import.ts'].map(inside)).toEqual([
    'new URL("./src/notes/import/reader.js", \'file:///$bunfs/root/\')',
    'new URL("./src/tasks/files/reader.js", \'file:///$bunfs/root/\')',
  ])
})

test('no source looks for files around itself but those that are carried', async () => {
  const looking = []
  for (const path of sources) if (/import\.meta\.dir|resolveSync|__dirname/.test(await textOf(path))) looking.push(path)
  expect(looking.toSorted()).toEqual(['src/main.ts'])
  for (const name of PAGES) expect(embeddedModule(join(ROOT, 'public'))).toContain(`${JSON.stringify(name)}: file`)
})

/** Builds it from the source in a folder. Returns its path. */
function build(root: string): string {
  const file = join(makeFolder(), 'satchel')
  const built = Bun.spawnSync([process.execPath, 'build/build.ts', file], { cwd: root })
  expect([built.exitCode, built.stderr.toString()]).toEqual([0, ''])
  return file
}

test('in an empty folder it serves the pages, the docs, notes, and what Workers do', async () => {
  const file = EXECUTABLE ?? build(ROOT)
  const folder = makeFolder()
  const env = { PORT: '0' }
  expect(Bun.spawnSync([file, 'version'], { cwd: folder, env }).stdout.toString()).toBe(`${version}\n`)

  const child = Bun.spawn([file, 'serve'], { cwd: folder, env, stdout: 'pipe' })
  try {
    const base = await baseOf(child.stdout)
    for (const name of PAGES) {
      const source = Bun.file(join(ROOT, 'public', name))
      const response = await fetch(`${base}/${name}`)
      expect([response.status, response.headers.get('Content-Type')]).toEqual([200, source.type])
      expect(response.headers.get('Cache-Control')).toBe('no-cache')
      expect([name, response.headers.get('Content-Encoding')]).toEqual([name, 'br'])
      const seen = { headers: { 'If-None-Match': response.headers.get('ETag') ?? '' } }
      expect((await fetch(`${base}/${name}`, seen)).status).toBe(304)
      expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'self'")
      if (name !== 'index.html') expect(await response.text()).toBe(await source.text())
    }
    const home = await (await fetch(`${base}/`)).text()
    const [address, version] = /assets\/(\w+)\/app\.js/.exec(home) ?? []
    expect(home.replaceAll(`assets/${version}/`, '')).toBe(await textOf('public/index.html'))
    expect((await fetch(`${base}/${address}`)).headers.get('Cache-Control')).toContain('immutable')
    const app = await (await fetch(`${base}/app`)).text()
    const start = /src="\.\.(\/assets\/\w+\/app\/main\.js)"/.exec(app)?.[1]
    expect(await (await fetch(base + start)).text()).toContain('import')
    const worker = await fetch(`${base}/app/service-worker.js`)
    expect([worker.headers.get('Cache-Control'), await worker.text()]).toEqual([
      'no-cache',
      expect.stringContaining('app/main.js'),
    ])
    const manifest = await fetch(`${base}/app/app.webmanifest`)
    expect([manifest.headers.get('Content-Type'), (await manifest.json()).start_url]).toEqual([
      'application/manifest+json',
      './',
    ])
    for (const page of ['docs', 'docs/notes', 'docs/guides/ten-minutes'])
      expect(await (await fetch(`${base}/${page}`)).text()).toContain('<h1>')
    expect(await (await fetch(`${base}/openapi.json`)).json()).toMatchObject({ openapi: '3.1.0' })
    for (const path of ['/.env', '/package.json', '/src/cli.ts']) expect((await fetch(base + path)).status).toBe(404)

    const post = (path: string, type: string, body: string) =>
      fetch(base + path, { method: 'POST', body, headers: { 'X-API-Key': makeKey(1), 'Content-Type': type } })
    const made = await post('/api/notes', 'application/json', '{"title":"T","body":"**bold**"}')
    expect(made.status).toBe(201)
    const html = await fetch(base + made.headers.get('Location'), {
      headers: { 'X-API-Key': makeKey(1), Accept: 'text/html' },
    })
    expect(await html.text()).toContain('<strong>bold</strong>')
    const notes = await post('/api/notes/import', 'text/markdown', '# imported')
    expect(await notes.json()).toMatchObject({ totals: { created: 1 } })
    const calendar = 'BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:u\r\nSUMMARY:s\r\nEND:VTODO\r\nEND:VCALENDAR\r\n'
    const tasks = await post('/api/tasks/import', 'text/calendar', calendar)
    expect(await tasks.json()).toMatchObject({ totals: { created: 1 } })
    const more = join(makeFolder(), 'more.md')
    await Bun.write(more, '# more')
    const options = { cwd: folder, env: { SATCHEL_KEY: makeKey(1) } }
    const imported = Bun.spawnSync([file, 'import', more, `--url=${base}`], options)
    expect([imported.exitCode, imported.stdout.toString()]).toEqual([0, 'Imported: 1 created.\n'])
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
    expect(readdirSync(folder)).toEqual(['data'])
    expect(Bun.spawnSync([file, 'check'], { cwd: folder, env }).exitCode).toBe(0)
  } finally {
    child.kill('SIGKILL')
    await child.exited
  }
})

slow(
  'the same source in another folder gives the same bytes, which name neither folder',
  async () => {
    const other = makeFolder()
    // Bun names parts after where their packages are, so these are in the folder itself.
    const parts = ['app', 'package.json', 'tsconfig.json', 'build', 'bun.lock', 'docs/guides', 'public', 'src']
    for (const path of [...parts, 'node_modules'])
      cpSync(join(ROOT, path), join(other, path), { recursive: true, verbatimSymlinks: true })
    const digests = []
    for (const root of [ROOT, other]) {
      const file = build(root)
      const bytes = Buffer.from(await Bun.file(file).arrayBuffer())
      for (const folder of [ROOT, other, file]) expect(bytes.includes(folder)).toBe(false)
      digests.push(new Bun.CryptoHasher('sha256').update(bytes).digest('hex'))
    }
    expect(digests[1]).toBe(digests[0] ?? '')
  },
  60_000,
)

test('it carries the trainer of flashcards where that is installed', async () => {
  const file = join(makeFolder(), 'trainer')
  const script = `await (await import('./build/executable.ts')).buildExecutable('${file}', 'test/server/trainer-child.ts')`
  expect(Bun.spawnSync([process.execPath, '-e', script], { cwd: ROOT }).exitCode).toBe(0)
  const expected = await optimize([]).catch((error: unknown) => String(error))
  const printed = Bun.spawnSync([file], { cwd: makeFolder(), env: {} }).stdout.toString()
  if (typeof expected === 'string') expect(printed).toStartWith('"')
  else expect(JSON.parse(printed)).toEqual(expected)
})

async function baseOf(stdout: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  const reader = stdout.getReader()
  while (!/"url":"([^"]+)"/.test(text)) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`it did not start: ${text}`)
    text += new TextDecoder().decode(value)
  }
  return /"url":"([^"]+)\/"/.exec(text)?.[1] ?? ''
}
