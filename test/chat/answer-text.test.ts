import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createTextLimits, listCitationMarks, TextFilter, toAnswerText } from '../../src/chat/answer-text'
import { runs } from '../support/full'

/** Marks 1 and 2 have citations. */
const has = (n: number) => n === 1 || n === 2
const filtered = (...pieces: string[]) => {
  const filter = new TextFilter(has)
  return pieces.map((piece) => filter.push(piece)).join('') + filter.end()
}
const limited = (stop: readonly string[], tokens: number | null, ...pieces: string[]) => {
  const limits = createTextLimits(stop, tokens)
  const text = pieces.map((piece) => limits.push(piece)).join('') + limits.end()
  return { text, ended: limits.ended }
}

/** Texts made of what images and marks are made of, and the same cut into pieces anywhere. */
const sign = fc.constantFrom(
  '!',
  '[',
  ']',
  '(',
  ')',
  '1',
  '7',
  'x',
  '\\',
  '\n',
  ' ',
  '😀',
  '![a](http://x)',
  '[1]',
  '[9]',
  '<',
  'im',
  'G',
  '<img src=x>',
)
const text = fc.array(sign, { maxLength: 30 }).map((signs) => signs.join(''))
const cut = fc.array(fc.nat(60), { maxLength: 8 })
const piecesOf = (whole: string, places: readonly number[]): string[] => {
  const sorted = places.map((place) => Math.min(place, whole.length)).toSorted((a, b) => a - b)
  return [0, ...sorted].map((from, i) => whole.slice(from, sorted[i] ?? whole.length))
}

describe('images and marks in a text', () => {
  test.each([
    ['It ends in May [1].', 'It ends in May [1].'],
    ['It ends in May [3].', 'It ends in May .'],
    ['a list [x] and [12a]', 'a list [x] and [12a]'],
    ['see ![a cat](http://x/y_(z).png "t") here', 'see [image: a cat] here'],
    ['![a [b] c](http://x)', '[image: a [b] c]'],
    ['![a ![b](http://y) c](http://x)', '[image: a [image: b] c]'],
    ['![alt][ref]', '[image: alt]'],
    ['![alt]', '! [alt]'],
    ['In May![1]', 'In May! [1]'],
    ['wow![1][2]', 'wow! [1][2]'],
    ['[1[9]]', '[1 ]'],
    ['!![a](b)(http://x)', '! [image: a](http://x)'],
    ['![never ends', '! [never ends'],
    ['hi!', 'hi!'],
    ['see <img src="http://x"> <IMG/src=x> here', 'see < img src="http://x"> < IMG/src=x> here'],
    ['<picture><source srcset=x></picture>', '< picture>< source srcset=x></picture>'],
    ['![<svg onload=x>](http://y)', '[image: < svg onload=x>]'],
    ['<[9]img src=x>', '< img src=x>'],
    ['<im[9]g src=x>', '<im g src=x>'],
    ['a <b>bold</b> 1 < 2 <im', 'a <b>bold</b> 1 < 2 <im'],
  ])('%j leaves as %j', (given, expected) => expect(filtered(given)).toBe(expected))

  test('what leaves is the same however the text is cut into pieces', () => {
    fc.assert(
      fc.property(text, cut, (whole, places) => expect(filtered(...piecesOf(whole, places))).toBe(filtered(whole))),
      { numRuns: runs(2000) },
    )
  })

  test('no image and no mark without a citation ever leaves, in no piece and in no whole', () => {
    fc.assert(
      fc.property(text, cut, (whole, places) => {
        const left = filtered(...piecesOf(whole, places))
        expect(left).not.toContain('![')
        expect(left).not.toMatch(/<img/i)
        expect([...listCitationMarks(left)].filter((n) => !has(n))).toEqual([])
      }),
      { numRuns: runs(2000) },
    )
  })

  test('what is neither leaves unchanged, and at once', () => {
    const filter = new TextFilter(has)
    expect(filter.push('Milk, eggs (6) and bread. ')).toBe('Milk, eggs (6) and bread. ')
    expect(filter.push('Really')).toBe('Really')
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 40 }).filter((given) => !/[![<]/.test(given)),
        (given) => expect(filtered(given)).toBe(given),
      ),
    )
  })

  test('an image that does not end is let go after 4 KiB', () => {
    const filter = new TextFilter(has)
    expect(filter.push(`![${'x'.repeat(5000)}`)).toStartWith('! [xxx')
  })
})

describe('limits of the caller', () => {
  test.each<[string[], number | null, string, string, 'stop' | 'length' | null]>([
    [['three', 'two'], null, 'one two three', 'one ', 'stop'],
    [['x'], null, 'one', 'one', null],
    [['abc', 'b'], null, 'zabc', 'z', 'stop'],
    [[], 2, 'abcdefgh', 'abcdefgh', null],
    [[], 1, 'abc😀d', 'abc', 'length'],
    [['e'], 1, 'abcde', 'abcd', 'stop'],
  ])('stop %j and %j tokens of %j leave %j', (stop, tokens, given, expected, ended) => {
    expect(limited(stop, tokens, given)).toEqual({ text: expected, ended })
    expect(limited(stop, tokens, ...given)).toEqual({ text: expected, ended })
  })

  test('what leaves is the same however the text is cut, and never more than the tokens', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é', '😀'), maxLength: 30 })
    const stops = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 }), {
      maxLength: 4,
    })
    fc.assert(
      fc.property(letters, cut, stops, fc.option(fc.integer({ min: 1, max: 12 })), (whole, places, stop, tokens) => {
        // A surrogate pair is kept together by the filter in front.
        const pieces = piecesOf([...whole].join('\0'), places).map((piece) => piece.replaceAll('\0', ''))
        const intact = pieces.every((piece) => piece.isWellFormed())
        fc.pre(intact)
        const left = limited(stop, tokens, ...pieces)
        expect(left).toEqual(limited(stop, tokens, whole))
        expect(whole.startsWith(left.text)).toBe(true)
        expect(Buffer.byteLength(left.text)).toBeLessThanOrEqual((tokens ?? 100) * 4)
        expect(stop.some((sequence) => left.text.includes(sequence))).toBe(false)
      }),
      { numRuns: runs(1000) },
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
        expect(listCitationMarks(text).size).toBe(0)
        expect(text).not.toMatch(/!\[|[\r\n]/)
      }),
      { numRuns: runs(1000) },
    )
  })
})
