import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startSmallApp } from './small-app'

const PAGE_POLICY = "default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'"
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"

let base: string
let stop: () => unknown

beforeAll(async () => {
  const app = await startSmallApp(`${import.meta.dir}/../../public`)
  base = app.base
  stop = app.stop
})
afterAll(() => stop())

const get = (path: string, headers: Record<string, string> = {}) => fetch(base + path, { redirect: 'manual', headers })

test.each([
  ['/docs', 'text/html', PAGE_POLICY],
  ['/docs/notes', 'text/html', PAGE_POLICY],
  ['/docs/json', 'application/json', DATA_POLICY],
  ['/openapi.json', 'application/json', DATA_POLICY],
  ['/docs/errors', 'text/html', PAGE_POLICY],
  ['/style.css', 'text/css', PAGE_POLICY],
])('%s answers with its type and its policy', async (path, type, policy) => {
  const response = await get(path)
  expect(response.status).toBe(200)
  expect(response.headers.get('Content-Type')).toStartWith(type)
  expect(response.headers.get('Content-Security-Policy')).toBe(policy)
  expect((await response.bytes()).length).toBeGreaterThan(500)
})

test('/openapi.json has fewer bytes than /docs/json', async () => {
  const [whole, short] = await Promise.all(
    ['/docs/json', '/openapi.json'].map(async (path) => (await get(path)).bytes()),
  )
  expect(short?.length).toBeLessThan(0.9 * (whole?.length ?? 0))
})

test('reading the document leaves the routes working as before', async () => {
  await get('/docs/json')
  expect((await get('/api/notes')).status).toBe(200)
  expect((await get('/api/notes/n1')).status).toBe(200)
})

test.each([
  ['/docs/', '../docs'],
  ['/docs/notes/', '../notes'],
  ['/docs/json/', '../json'],
])('%s leads to the page without the slash, whose relative links would break there', async (path, target) => {
  const response = await get(path)
  expect(response.status).toBe(308)
  expect(response.headers.get('Location')).toBe(target)
})

test('the overview names no other host', async () => {
  expect(await (await get('/docs')).text()).not.toMatch(/(?:src|href)="https?:\/\//)
})

test.each(['/', '/docs', '/docs/notes', '/docs/errors', '/docs/guides/ten-minutes'])(
  'the page %s asks for its files at addresses that may be kept for good, and is itself asked for each time',
  async (path) => {
    const page = await get(path)
    expect(page.headers.get('Cache-Control')).toBe('no-cache')
    expect(page.headers.get('ETag')).toMatch(/^"\w+\.br"$/)
    const html = await page.text()
    const files = [...html.matchAll(/(?:<link rel="(?:icon|stylesheet|modulepreload)" href|src)="([^"]*)"/g)]
    expect(files.length).toBeGreaterThan(0)
    for (const [, address = ''] of files) {
      expect(address).toMatch(/^(?:\.\.\/)*assets\/\w+\/[\w/-]+\.(?:js|css|svg)$/)
      const { pathname } = new URL(address, base + path)
      const [kept, plain] = await Promise.all([get(pathname), get(pathname.replace(/^\/assets\/\w+/, ''))])
      expect(kept.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable')
      expect(plain.headers.get('Cache-Control')).toBe('no-cache')
      expect(await kept.text()).toBe(await plain.text())
    }
  },
)

test('the document has an ETag, and is not sent again to those who have it', async () => {
  for (const path of ['/openapi.json', '/docs/json']) {
    const etag = (await get(path)).headers.get('ETag') ?? ''
    expect(etag).toMatch(/^"\w+\.br"$/)
    const again = await get(path, { 'If-None-Match': etag })
    expect([again.status, await again.text(), again.headers.get('ETag')]).toEqual([304, '', etag])
    expect((await get(path, { 'If-None-Match': '"other"' })).status).toBe(200)
  }
})

test('the document groups the tags that it has', async () => {
  const document = await (await get('/openapi.json')).json()
  expect(document['x-tagGroups']).toEqual([
    { name: 'Notes', tags: ['Notes'] },
    { name: 'Chat and agents', tags: ['Chat'] },
    { name: 'Server', tags: ['Server'] },
  ])
})

test('the document tells the limits it was given', async () => {
  const { info, tags } = (await (await get('/openapi.json')).json()) as {
    info: { version: string; description: string }
    tags: { name: string }[]
  }
  expect(info.version).toBe('1.2.3')
  expect(info.description).toMatch(/ 20 requests an hour .* 1000 requests an hour/s)
  expect(tags.map(({ name }) => name)).toEqual(['Notes', 'Chat', 'Server'])
})
