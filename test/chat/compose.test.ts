import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { limited, marksOf, plain } from '../../src/chat/compose'

describe('limits of the caller', () => {
  const none = { stop: [], tokenLimit: null }

  test('the text ends before the first stop sequence', () => {
    expect(limited('one two three', { ...none, stop: ['three', 'two'] })).toEqual({ text: 'one ', cut: false })
    expect(limited('one', { ...none, stop: ['x'] })).toEqual({ text: 'one', cut: false })
  })

  test('the text is cut at the limit of tokens, never inside a character', () => {
    expect(limited('abcdefgh', { ...none, tokenLimit: 2 })).toEqual({ text: 'abcdefgh', cut: false })
    expect(limited('abc😀d', { ...none, tokenLimit: 1 })).toEqual({ text: 'abc', cut: true })
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), fc.integer({ min: 1, max: 12 }), (text, tokenLimit) => {
        const { text: kept, cut } = limited(text, { ...none, tokenLimit })
        expect(text.startsWith(kept)).toBe(true)
        expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(tokenLimit * 4)
        expect(cut).toBe(kept !== text)
      }),
    )
  })
})

describe('text of notes in an answer', () => {
  test.each([
    ['a\n> b\r\n  c', 'a b c'],
    ['see [1] and [[2]]', 'see (1) and [(2)]'],
    ['![alt](http://x/y_(z).png "t")', '[image: alt]'],
    ['![a [b] c](http://x)', '! [a [b] c](http://x)'],
    ['![1][a](http://x)', '!(1)[a](http://x)'],
    ['[link](http://x)', '[link](http://x)'],
  ])('%j becomes %j', (text, expected) => expect(plain(text)).toBe(expected))

  test('no text of a note can hold a mark, an image or a line break', () => {
    const part = fc.oneof(
      fc.constantFrom('!', '[', ']', '(', ')', '1', '23', 'x', '\n', '> ', ' '),
      fc.string({ maxLength: 3 }),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const text = plain(parts.join(''))
        expect(marksOf(text).size).toBe(0)
        expect(text).not.toMatch(/!\[|[\r\n]/)
      }),
      { numRuns: 1000 },
    )
  })
})
