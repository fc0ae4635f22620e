import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { getSecurityHeaders, setSecurityHeaders } from '../../src/http/answer'

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

const DATA = "default-src 'none'; frame-ancestors 'none'"
const PAGE = "default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'"

test.each([
  ...['/api', '/api/notes', '/openapi.json', '/docs/json'].map((path) => [path, DATA]),
  ...['/apis', '/', '/docs', '/docs/notes', '/docs/errors', '/style.css'].map((path) => [path, PAGE]),
])('%s has the policy %s', (path, policy) => {
  expect(getSecurityHeaders(path)['Content-Security-Policy']).toBe(policy)
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

test('a header that a handler set on purpose stays, and the others join it', () => {
  const own = { 'Content-Security-Policy': 'sandbox', 'Referrer-Policy': 'origin' }
  const { headers } = setSecurityHeaders(new Response(null, { headers: own }), '/api/x')
  expect([...Object.keys(own), 'X-Content-Type-Options'].map((name) => headers.get(name))).toEqual([
    ...Object.values(own),
    'nosniff',
  ])
})
