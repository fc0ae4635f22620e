import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdir, mkdtemp, rename, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPages } from '../../src/system/pages'
import { makeFolder } from '../support/folder'
import { startSmallApp } from './small-app'

let root: string
let base: string
let stop: () => unknown

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'pages.'))
  const folder = join(root, '.public')
  await mkdir(join(folder, '.git'), { recursive: true })
  const files = {
    'index.html': '<h1>Key page</h1>',
    'page.js': '1',
    'app/index.html': '<link href="../page.js"><script src="main.js"></script><link href="app.webmanifest">',
    'app/main.js': '2',
    'app/app.webmanifest': '{}',
    '.env': 'SECRET',
    '.git/config': 'SECRET',
    '../secret': 'SECRET',
  }
  for (const [name, text] of Object.entries(files)) await Bun.write(join(folder, name), text)
  await symlink('../secret', join(folder, 'linked'))
  const app = await startSmallApp(folder)
  base = app.base
  stop = app.stop
})
afterAll(async () => {
  await stop()
  await rm(root, { recursive: true })
})

test('the folder is served at /, with / as its index', async () => {
  for (const path of ['/', '/index.html']) {
    const response = await fetch(base + path)
    expect(await response.text()).toBe('<h1>Key page</h1>')
    expect(response.headers.get('Content-Type')).toStartWith('text/html')
    expect(response.headers.get('Cross-Origin-Opener-Policy')).toBe('same-origin')
  }
  expect((await fetch(`${base}/page.js`)).headers.get('Content-Type')).toStartWith('text/javascript')
})

test('a folder with a page is served at its address with a slash, and without one leads there', async () => {
  const response = await fetch(`${base}/app`, { redirect: 'manual' })
  expect([response.status, response.headers.get('Location')]).toEqual([308, 'app/'])
  expect(await (await fetch(`${base}/app`)).text()).toBe(await (await fetch(`${base}/app/`)).text())
  for (const path of ['/index', '/app/main', '/application']) expect((await fetch(base + path)).status).toBe(404)
})

test.each(['/.env', '/.git/config', '/..%2fsecret', '/%2e%2e/secret', '/..%5csecret', '/page.js%00', '/nothing'])(
  '%s is not there',
  async (path) => {
    const response = await fetch(base + path)
    expect(response.status).toBe(404)
    expect(await response.text()).not.toContain('SECRET')
  },
)

test('a page is sent with brotli, once, and whole whatever Range says', async () => {
  for (const path of ['/', '/page.js']) {
    const first = await fetch(base + path)
    const etag = first.headers.get('ETag') ?? ''
    expect([first.headers.get('Content-Encoding'), first.headers.get('Cache-Control')]).toEqual(['br', 'no-cache'])
    const again = await fetch(base + path, { headers: { 'If-None-Match': etag } })
    expect([again.status, again.headers.get('ETag'), await again.text()]).toEqual([304, etag, ''])
    const part = await fetch(base + path, { headers: { Range: 'bytes=0-0' } })
    expect([part.status, part.headers.get('Content-Range'), await part.text()]).toEqual([200, null, await first.text()])
  }
})

/** The version in the pages of a folder with these files. */
async function versionWith(files: Record<string, string>): Promise<string | undefined> {
  const folder = makeFolder()
  const all = { 'index.html': '<script src="page.js"></script>', 'page.js': '1', ...files }
  for (const [name, text] of Object.entries(all)) await Bun.write(join(folder, name), text)
  const { linkFiles } = await openPages(folder)
  return /assets\/(\w+)\//.exec(linkFiles(all['index.html'], ''))?.[1]
}

test('the version is that of all bytes and names, but not of the pages', async () => {
  const version = await versionWith({})
  expect(version).toMatch(/^\w{9,}$/)
  expect(await versionWith({ 'other.html': 'page' })).toBe(version)
  for (const files of [{ 'page.js': '2' }, { 'more.js': '' }, { 'app/page.js': '1' }])
    expect(await versionWith(files)).not.toBe(version)
  expect(await versionWith({ 'a.js': 'same' })).not.toBe(await versionWith({ 'b.js': 'same' }))
})

test('a versioned file may be kept for good; under another version it is the present one, not kept', async () => {
  const page = await (await fetch(`${base}/app/`)).text()
  const [, version = ''] = /"\.\.\/assets\/(\w+)\/page\.js".*"\.\.\/assets\/\1\/app\/main\.js"/.exec(page) ?? []
  expect(await (await fetch(`${base}/app/index.html`)).text()).toBe(page)
  for (const [wanted, caching] of [
    [version, 'public, max-age=31536000, immutable'],
    ['0', 'no-cache'],
    [`${version}0`, 'no-cache'],
  ]) {
    for (const name of ['page.js', 'app/main.js']) {
      const answer = await fetch(`${base}/assets/${wanted}/${name}`)
      expect([answer.status, answer.headers.get('Cache-Control')]).toEqual([200, caching ?? ''])
      expect(await answer.text()).toBe(await (await fetch(`${base}/${name}`)).text())
      const headers = { 'If-None-Match': answer.headers.get('ETag') ?? '' }
      const again = await fetch(`${base}/assets/${wanted}/${name}`, { headers })
      expect([again.status, again.headers.get('Cache-Control')]).toEqual([304, caching ?? ''])
    }
  }
  for (const name of ['index.html', '.env', '.git/config', '..%2fsecret', '../secret', 'nothing', 'linked', ''])
    expect([name, (await fetch(`${base}/assets/${version}/${name}`)).status]).toEqual([name, 404])
})

test('a manifest has one address, by which browsers know an installed app', async () => {
  expect(await (await fetch(`${base}/app/`)).text()).toContain('<link href="app.webmanifest">')
  const { status, headers } = await fetch(`${base}/app/app.webmanifest`)
  const got = ['Content-Type', 'Cache-Control'].map((name) => headers.get(name))
  expect([status, ...got]).toEqual([200, 'application/manifest+json', 'no-cache'])
  expect(headers.get('Content-Security-Policy')).toContain("default-src 'self'")
})

test('a link inside the folder does not lead out of it', async () => {
  expect((await fetch(`${base}/linked`)).status).toBe(404)
})

test('a file that is added later is not served', async () => {
  await Bun.write(join(root, '.public', 'later.txt'), 'later')
  expect((await fetch(`${base}/later.txt`)).status).toBe(404)
})

test('a missing folder stops the start', async () => {
  await expect(openPages(join(root, 'nowhere'))).rejects.toThrow()
})

/** What a bundle of the app has: its page, the script of the page, and a part with its digest in its name. */
function bundleOf(digest: string): Record<string, string> {
  return {
    'index.html': `<script src="main.js"></script><p>${digest}</p>`,
    'main.js': `import('./part-${digest}.js')`,
    'service-worker.js': digest,
    [`part-${digest}.js`]: digest,
  }
}

/** Replaces the app as build/bundle-app.ts does: the folder is removed, and a new one has its name. */
async function bundleAgain(folder: string, digest: string): Promise<void> {
  const [app, fresh] = [join(folder, 'app'), join(folder, 'app-fresh')]
  for (const [name, text] of Object.entries(bundleOf(digest))) await Bun.write(join(fresh, name), text)
  await rm(app, { recursive: true, force: true })
  await rename(fresh, app)
}

const DOCS = ['docs', 'docs/notes']

/** The status and the body of some paths. */
const askAll = (base: string, paths: readonly string[]) =>
  Promise.all(
    paths.map(async (path) => {
      const answer = await fetch(`${base}/${path}`)
      return [path, answer.status, await answer.text()]
    }),
  )

test.each([
  ['before anything was loaded', []],
  ['after its page was loaded', ['app/']],
  ['after the documentation was loaded', ['docs', 'docs/notes']],
])(
  'an app that is bundled again %s is served as it was at the start, and the new one from the next on',
  async (...[, loaded]) => {
    const folder = makeFolder()
    await Bun.write(join(folder, 'index.html'), '<h1>Key page</h1>')
    await bundleAgain(folder, 'old')
    const server = await startSmallApp(folder)
    const version = /assets\/(\w+)\//.exec((await openPages(folder)).linkFiles('<script src="app/main.js">', ''))?.[1]
    const paths = (digest: string) => Object.keys(bundleOf(digest)).map((name) => `app/${name}`)
    const versioned = paths('old')
      .filter((path) => !path.endsWith('.html'))
      .map((path) => `assets/${version}/${path}`)
    await askAll(server.base, loaded)
    await bundleAgain(folder, 'new')

    const answers = await askAll(server.base, [...paths('old'), ...versioned])
    for (const [path, status, text] of answers)
      expect([path, status, text]).toEqual([path, 200, expect.stringContaining('old')])
    expect((await askAll(server.base, ['', 'app/', ...DOCS])).map(([path, status]) => [path, status])).toEqual(
      ['', 'app/', ...DOCS].map((path) => [path, 200]),
    )
    expect(
      (await askAll(server.base, ['app/part-new.js', `assets/${version}/app/part-new.js`])).map(([, status]) => status),
    ).toEqual([404, 404])
    await server.stop()

    const next = await startSmallApp(folder)
    for (const [path, status, text] of await askAll(next.base, paths('new')))
      expect([path, status, text]).toEqual([path, 200, expect.stringContaining('new')])
    expect((await askAll(next.base, ['app/part-old.js']))[0]?.[1]).toBe(404)
    await next.stop()
  },
)
