import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { checkQuery } from '../../src/http/api'

describe('a query string', () => {
  test.each([
    '',
    '?',
    '?limit=5',
    '?limit=5&sort=title',
    '?tag=a&tag=b',
    '?q=100%25',
    '?q=100%2500',
    '?q=%F0%9F%9A%82',
    '?q=a=b',
    '?q=a%3Db%26q',
  ])('%j is read as sent', (query) => {
    expect(() => checkQuery(`http://localhost/api/notes${query}`)).not.toThrow()
  })

  test.each<[string, string]>([
    ['?limit=1&limit=2', '/limit'],
    ['?sort=title&limit=1&sort=title', '/sort'],
    ['?limit=1&%6cimit=2', '/limit'],
    ['?q=%ff', '/q'],
    ['?q=%', '/q'],
    ['?%ff=1', '/%ff'],
    ['?limit=1&q=%00', '/q'],
    ['?q=a%00b', '/q'],
    ['?%00=1', '/%00'],
  ])('%j is refused, and says where', (query, pointer) => {
    expect(() => checkQuery(`http://localhost/api/notes${query}`)).toThrow(
      expect.objectContaining({ code: 'invalid_request', extra: { errors: [expect.objectContaining({ pointer })] } }),
    )
  })

  test('any well-formed text comes through encoded', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed() && !text.includes('\0')),
        (text) => {
          checkQuery(`http://localhost/?q=${encodeURIComponent(text)}`)
        },
      ),
    )
  })
})
