import { describe, expect, test } from 'bun:test'
import { ifMatch, isUnchanged, requireRevision, writeEtag } from '../../src/http/responses'

const request = (headers: Record<string, string>) => new Request('http://localhost/', { headers })

describe('conditional requests', () => {
  test.each([
    ['"3"', [3]],
    ['"3-17"', [3]],
    ['"3-17-1x9k2w5tq0b"', [3]],
    ['"3-17.md"', [3]],
    ['"3.2026-03-01.4"', [3]],
    ['"3.2026-03-01.4.html.1x9k2"', [3]],
    ['"3.2026-03-01.4.gz"', [3]],
    ['"3-17.html.1x9k2"', [3]],
    ['"3-0123456789abcdef"', [3]],
    // As nginx, Apache, Caddy, Jetty and this server itself write it for a compressed answer.
    ['W/"3-0"', [3]],
    ['"3-0-gzip"', [3]],
    ['W/"3-0-br"', [3]],
    ['"3-zstd"', [3]],
    ['"3-0--gzip"', [3]],
    ['"3-0.gz"', [3]],
    ['"3-17.md.gz"', [3]],
    ['"3-0123456789abcdef-gzip"', [3]],
    ['"1-0", "2-5"', [1, 2]],
    ['*', '*'],
    ['"abc"', [-1]],
    ['W/"abc"', [-1]],
    ['"3-0-gzip-gzip"', [-1]],
    ['"3-0-evil"', [-1]],
    ['"3-0gzip"', [-1]],
    ['"3-0.evil"', [-1]],
    ['"3-evil"', [-1]],
    ['"3-0;gzip"', [-1]],
    ['"-gzip"', [-1]],
    ['"3-0123456789abcde"', [-1]],
    ['"5f3-1a2b"', [-1]],
    ['"0"', [-1]],
    ['""', [-1]],
  ])('If-Match %s names %p', (header, expected) => {
    expect(ifMatch(request({ 'If-Match': header }))).toEqual(expected as never)
  })

  test('no If-Match demands nothing', () => {
    expect(ifMatch(request({}))).toBeNull()
  })

  test.each(['3', '"3', '"a" "b"', ',', 'W/3', '*, "3"'])('If-Match %s is malformed', (header) => {
    expect(() => ifMatch(request({ 'If-Match': header }))).toThrow(/quoted ETags/)
  })

  test('a write needs the revision alone, a read all of the tag', () => {
    const present = writeEtag(3, 18)
    expect(() => requireRevision(ifMatch(request({ 'If-Match': '"3-17"' })), { revision: 3 })).not.toThrow()
    expect(isUnchanged(request({ 'If-None-Match': '"3-17"' }), present)).toBe(false)
    expect(isUnchanged(request({ 'If-None-Match': '"1-0", W/"3-18"' }), present)).toBe(true)
    for (const same of ['"3-18.gz"', '"3-18-gzip"', 'W/"3-18--gzip"', '"3-18-br"'])
      expect([same, isUnchanged(request({ 'If-None-Match': same }), present)]).toEqual([same, true])
    for (const other of ['"3-17.gz"', '"3-18.md"', '"3-18.gz.gz"', '"3-18gz"', '"3"', '"3-gzip"'])
      expect([other, isUnchanged(request({ 'If-None-Match': other }), present)]).toEqual([other, false])
    // A digest may itself end like this.
    expect(isUnchanged(request({ 'If-None-Match': '"x-br"' }), '"x-br"')).toBe(true)
    expect(isUnchanged(request({ 'If-None-Match': '*' }), present)).toBe(true)
  })
})
