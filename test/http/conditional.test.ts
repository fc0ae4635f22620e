import { describe, expect, test } from 'bun:test'
import { ifMatch, isUnchanged, requireRevision, writeEtag } from '../../src/http/conditional'

const request = (headers: Record<string, string>) => new Request('http://localhost/', { headers })

describe('conditional requests', () => {
  test.each([
    ['"3"', [3]],
    ['"3-17"', [3]],
    ['"3.2026-03-01.4"', [3]],
    ['"1-0", "2-5"', [1, 2]],
    ['*', '*'],
    ['W/"3-0"', [-1]],
    ['"abc"', [-1]],
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
    expect(isUnchanged(request({ 'If-None-Match': '*' }), present)).toBe(true)
  })

  test('a stale write is shown the resource as it is', () => {
    const current = { revision: 4, title: 'now' }
    expect(() => requireRevision([3], current)).toThrow(
      expect.objectContaining({ code: 'precondition_failed', extra: { current } }),
    )
  })
})
