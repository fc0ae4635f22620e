import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ApiError } from '../../src/http/api-error'
import { readCursor, writeCursor } from '../../src/http/cursor'

describe('cursors', () => {
  test('come back as they were written, for the same list', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.string(),
        (binding, number, text) => {
          expect(readCursor(writeCursor(binding, [number, text]), binding, ['number', 'string'])).toEqual([
            number === 0 ? 0 : number,
            text,
          ])
        },
      ),
    )
  })

  test('are refused for another sort or filter, and for other kinds of keys', () => {
    const cursor = writeCursor('notes -updated', [5, 'a'])
    expect(() => readCursor(cursor, 'notes updated', ['number', 'string'])).toThrow(ApiError)
    expect(() => readCursor(cursor, 'notes -updated', ['string', 'string'])).toThrow(ApiError)
    expect(() => readCursor(cursor, 'notes -updated', ['number'])).toThrow(ApiError)
  })

  test('any other text is invalid_cursor and nothing worse', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String()), (text) => {
        expect(() => readCursor(text, 'b', ['number'])).toThrow(expect.objectContaining({ code: 'invalid_cursor' }))
      }),
    )
  })
})
