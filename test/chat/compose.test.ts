import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { citationMarks, toAnswerText } from '../../src/chat/compose'

describe('text of notes in an answer', () => {
  test.each([
    ['a\n> b\r\n  c', 'a b c'],
    ['see [1] and [[2]]', 'see (1) and [(2)]'],
    ['![alt](http://x/y_(z).png "t")', '[image: alt]'],
    ['![a [b] c](http://x)', '! [a [b] c](http://x)'],
    ['![1][a](http://x)', '!(1)[a](http://x)'],
    ['[link](http://x)', '[link](http://x)'],
    ['<img src=http://x> <Image href=x> <b>', '< img src=http://x> < Image href=x> <b>'],
  ])('%j becomes %j', (text, expected) => expect(toAnswerText(text)).toBe(expected))

  test('no text of a note can hold a mark, an image or a line break', () => {
    const part = fc.oneof(
      fc.constantFrom('!', '[', ']', '(', ')', '1', '23', 'x', '\n', '> ', ' '),
      fc.string({ maxLength: 3 }),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const text = toAnswerText(parts.join(''))
        expect(citationMarks(text).size).toBe(0)
        expect(text).not.toMatch(/!\[|[\r\n]/)
      }),
      { numRuns: 1000 },
    )
  })
})
