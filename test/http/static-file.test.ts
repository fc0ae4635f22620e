import { expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { linkVersioned, serveStatic } from '../../src/http/static-file'

const TEXT = 'body { color: black }\n'.repeat(500)
const serve = serveStatic({ bytes: new TextEncoder().encode(TEXT), type: 'text/css' })
const ask = (headers: Record<string, string> = {}) => serve(new Request('http://localhost/', { headers }))

test.each([
  ['br, gzip', 'br', /^"\w+\.br"$/],
  ['gzip', 'gzip', /^"\w+\.gz"$/],
  ['identity', null, /^"\w+"$/],
  ['br;q=0, gzip;q=0', null, /^"\w+"$/],
])('with Accept-Encoding: %s it is sent in the coding %p, under an ETag of its own', async (accept, coding, tag) => {
  const { headers, ...answer } = await ask({ 'Accept-Encoding': accept }).then(async (one) => ({
    headers: one.headers,
    bytes: await one.bytes(),
  }))
  expect(headers.get('Content-Encoding')).toBe(coding)
  expect(headers.get('ETag')).toMatch(tag)
  expect(headers.get('Vary')).toBe('Accept-Encoding')
  const plain =
    coding === 'br' ? brotliDecompressSync(answer.bytes) : coding ? gunzipSync(answer.bytes) : Buffer.from(answer.bytes)
  expect(plain.toString()).toBe(TEXT)
})

test('it is not sent again to those who have it in any coding, and is to all others', async () => {
  const etag = (await ask()).headers.get('ETag')?.slice(1, -1)
  for (const tag of [`"${etag}"`, `"${etag}.br"`, `"${etag}.gz"`, `W/"${etag}"`, `"x", "${etag}"`, '*']) {
    const answer = await ask({ 'If-None-Match': tag, 'Accept-Encoding': 'br' })
    expect([tag, answer.status, answer.headers.get('ETag'), answer.body]).toEqual([tag, 304, `"${etag}.br"`, null])
  }
  for (const tag of [`"${etag}x"`, '"x"', `"${etag}.zip"`])
    expect([tag, (await ask({ 'If-None-Match': tag })).status]).toEqual([tag, 200])
})

test.each(['bytes=0-9', 'bytes=-5', 'bytes=999999-', 'bytes=0-1,3-4', 'lines=1-2'])(
  'a Range such as %s is ignored',
  async (range) => {
    for (const more of [{}, { 'If-Range': (await ask()).headers.get('ETag') ?? '' }]) {
      const answer = await ask({ Range: range, ...more })
      expect([answer.status, answer.headers.get('Content-Range'), await answer.text()]).toEqual([200, null, TEXT])
    }
  },
)

test('pictures are sent as they are', async () => {
  const picture = serveStatic({ bytes: new TextEncoder().encode(TEXT), type: 'image/png' })
  const { headers } = await picture(new Request('http://localhost/', { headers: { 'Accept-Encoding': 'br' } }))
  expect([headers.get('Content-Encoding'), headers.get('Content-Type')]).toEqual([null, 'image/png'])
})

test('it may be kept without asking only if the caller says so', async () => {
  expect((await ask()).headers.get('Cache-Control')).toBe('no-cache')
  expect((await serve(new Request('http://localhost/'), 'public, immutable')).headers.get('Cache-Control')).toBe(
    'public, immutable',
  )
})

const FILES = new Set(['app.js', 'app/main.js'])
test.each([
  ['', 'src="app.js"', 'src="assets/7/app.js"'],
  ['index.html', 'href="./app.js"', 'href="assets/7/app.js"'],
  ['docs', 'src="./app.js"', 'src="assets/7/app.js"'],
  ['docs/guides/begin', 'src="../../app.js"', 'src="../../assets/7/app.js"'],
  ['app/index.html', 'src="main.js"', 'src="../assets/7/app/main.js"'],
  ['app/', 'src="../app.js"', 'src="../assets/7/app.js"'],
])('the page /%s loads %s as %s', (page, link, expected) => {
  expect(linkVersioned(`<link ${link}><link\n${link}>`, page, FILES, '7')).toBe(`<link ${expected}><link\n${expected}>`)
})

test.each([
  '<a href="docs">',
  '<a href="#app.js">',
  '<a href="app.js#top">',
  '<a href="app.js?v=1">',
  '<a href="https://other.example/app.js">',
  '<a href="//other.example/app.js">',
  '<a href="/app.js">',
  '<a href="mailto:app.js">',
  '<a href="docs/app.js">',
  '<a data-href="app.js">',
  '<code>src=&quot;app.js&quot;</code>',
])('%s is left as it is', (html) => {
  expect(linkVersioned(html, '', FILES, '7')).toBe(html)
})
