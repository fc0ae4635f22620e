import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { servePages } from '../../src/system/pages'
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

test('a link inside the folder does not lead out of it', async () => {
  expect((await fetch(`${base}/linked`)).status).toBe(404)
})

test('a file that is added later is not served', async () => {
  await Bun.write(join(root, '.public', 'later.txt'), 'later')
  expect((await fetch(`${base}/later.txt`)).status).toBe(404)
})

test('a missing folder stops the start', async () => {
  await expect(servePages(join(root, 'nowhere'))).rejects.toThrow()
})
