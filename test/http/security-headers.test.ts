import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { getSecurityHeaders, setSecurityHeaders } from '../../src/http/security-headers'
import { startSmallApp } from '../system/small-app'

let base: string
let stop: () => unknown

beforeAll(async () => {
  const app = await startSmallApp(`${import.meta.dir}/../../public`)
  base = app.base
  stop = app.stop
})
afterAll(() => stop())

test('every path gets one of four frozen objects, and none lets a page run what is not ours', () => {
  const seen = new Set<object>()
  const segment = fc.oneof(fc.constantFrom('api', 'app', 'docs', 'assets', 'json', 'openapi.json', ''), fc.string())
  const paths = fc.array(segment).map((segments) => `/${segments.join('/')}`)
  fc.assert(
    fc.property(paths, (path) => {
      const headers = getSecurityHeaders(path)
      seen.add(headers)
      expect(Object.isFrozen(headers)).toBe(true)
      expect(headers['X-Content-Type-Options']).toBe('nosniff')
      expect(headers['Referrer-Policy']).toBe('no-referrer')
      expect(headers['Content-Security-Policy']).toMatch(/^default-src '(none|self)';.*frame-ancestors 'none'$/)
      expect(headers['Content-Security-Policy']).not.toMatch(/unsafe-eval|script-src[^;]*unsafe|https?:|\*/)
    }),
  )
  expect(seen.size).toBeLessThanOrEqual(4)
})

test.each([
  ['/api', 'none'],
  ['/api/notes', 'none'],
  ['/openapi.json', 'none'],
  ['/apis', 'self'],
  ['/', 'self'],
  ['/docs/errors', 'self'],
])('%s may load from %s', (path, source) => {
  expect(getSecurityHeaders(path)['Content-Security-Policy']).toStartWith(`default-src '${source}'`)
})

test('no page has inline styles', () => {
  const inline = (path: string) => getSecurityHeaders(path)['Content-Security-Policy']?.includes('unsafe-inline')
  expect(['/', '/docs', '/docs/notes', '/docs/errors', '/docs/json', '/app/', '/api/docs'].some(inline)).toBe(false)
})

test('pictures, sounds and films of the page itself are for the app only, and nothing else differs there', () => {
  const policy = (path: string) => getSecurityHeaders(path)['Content-Security-Policy'] ?? ''
  const media = " img-src 'self' blob:; media-src 'self' blob:;"
  for (const path of ['/app/', '/app/index.html', '/app/main.js']) {
    expect(policy(path)).toContain(media)
    expect(policy(path).replace(media, '')).toBe(policy('/'))
    expect(getSecurityHeaders(path)['Cross-Origin-Opener-Policy']).toBe('same-origin')
  }
  for (const path of ['/', '/apple', '/app', '/docs', '/docs/notes', '/api/app/', '/api/notes/attachments/x'])
    expect(policy(path)).not.toContain('blob:')
})

test.each([
  ['/', 'GET', 200],
  ['/nothing', 'GET', 404],
  ['/api/nothing', 'GET', 404],
  ['/api/broken', 'GET', 500],
  ['/api/notes', 'PUT', 404],
  ['/api/notes', 'POST', 500],
  ['/api/notes', 'HEAD', 200],
])('%s by %s answers %i with the headers', async (path, method, status) => {
  const body = method === 'POST' ? { body: '{', headers: { 'Content-Type': 'application/json' } } : {}
  const response = await fetch(base + path, { method, ...body })
  expect(response.status).toBe(status)
  for (const [name, value] of Object.entries(getSecurityHeaders(path))) expect(response.headers.get(name)).toBe(value)
})

test('a header that a handler set on purpose stays, and the others join it', async () => {
  const { headers } = await fetch(`${base}/api/own-policy`)
  expect(headers.get('Referrer-Policy')).toBe('origin')
  expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
  const framed = setSecurityHeaders(new Response(null, { headers: { 'Content-Security-Policy': 'sandbox' } }), '/api/x')
  expect(framed.headers.get('Content-Security-Policy')).toBe('sandbox')
})
