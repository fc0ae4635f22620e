import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { plainAnswer } from '../../../src/flashcards/cards/card'
import { compareAnswer, editDistance, plainText } from '../../../src/flashcards/cards/compare-answer'
import { fieldToPlainText } from '../../../src/flashcards/facts/field-html'
import { cost } from '../../support/cost'
import { runs } from '../../support/full'
import { anyText, NAUGHTY } from '../arbitrary'

const check = (answer: string, back: string, ...accepted: string[]) =>
  compareAnswer(answer, { right: [back, ...accepted].map(plainAnswer), ignores_accents: false })

const RATINGS: [answer: string, back: string, rating: 1 | 2 | 3, distance: number][] = [
  ['Lisbon', 'Lisbon', 3, 0],
  [' lis\tBON\n', '**Lisbon**', 3, 0],
  ['newyork', 'New York', 3, 0],
  ['e\u0301te\u0301', 'ÉTÉ', 3, 0],
  ['strasse', 'Straße', 3, 0],
  ['2*3*4', '2\\*3\\*4', 3, 0],
  ['`map`', 'map', 3, 0],
  ['東京', '東京', 3, 0],
  ['ete', 'été', 2, 2],
  ['Lisbone', 'Lisbon', 2, 1],
  ['Lsibon', 'Lisbon', 2, 1],
  ['Lisbn', 'Lisbon', 2, 1],
  ['Lisbom', 'Lisbon', 2, 1],
  ['horse', 'house', 2, 1],
  ['cats', 'cat', 1, 1],
  ['hare', 'here', 1, 1],
  ['Libson!', 'Lisbon', 1, 2],
  ['कि', 'का', 1, 1],
  ['か', 'が', 1, 1],
  ['', 'Lisbon', 1, 6],
  ['', '![](media:x.png)', 1, 16],
  ['rio', '**rio** [rio.mp3](media:rio.mp3)![a river](media:r.png)', 3, 0],
  ['a river', '![a river](media:r.png)', 3, 0],
  ['👨‍👩‍👧', '👨‍👩‍👦', 1, 1],
]

describe('a typed answer', () => {
  test.each(RATINGS)('%j for %j is rated %d, %d edits away', (answer, back, suggested_rating, edits) => {
    const found = check(answer, back)
    expect(found).toMatchObject({ suggested_rating, distance: edits, correct: suggested_rating === 3 })
  })

  test('is compared with the nearest of the right ones', () => {
    expect(check('Lisboa', 'Lisbon', '*Lisboa*')).toEqual({
      correct: true,
      expected: 'Lisboa',
      distance: 0,
      diff: [{ op: 'equal', text: 'Lisboa' }],
      suggested_rating: 3,
    })
    expect(check('Olisipp', 'Lisbon', 'Olisipo')).toMatchObject({ expected: 'Olisipo', suggested_rating: 2 })
    expect(check('', 'a', 'b')).toMatchObject({ expected: 'a' })
  })

  test('is shown letter by letter, with the white space and case of the right one', () => {
    expect(check('the quack fox', 'The Quick brown fox').diff).toEqual([
      { op: 'equal', text: 'The Qu' },
      { op: 'delete', text: 'a' },
      { op: 'insert', text: 'i' },
      { op: 'equal', text: 'ck ' },
      { op: 'insert', text: 'brown ' },
      { op: 'equal', text: 'fox' },
    ])
  })

  test('is right for itself and gives both texts in its diff, whatever they are', () => {
    fc.assert(
      fc.property(anyText, anyText, (answer, back) => {
        const { diff, expected } = check(answer.slice(0, 500), back)
        const right = diff.filter(({ op }) => op !== 'delete').map(({ text }) => text)
        expect(right.join('')).toBe(expected)
        if (expected !== '' && expected.length < 1000) expect(check(expected, back).correct).toBe(true)
      }),
      { numRuns: runs(200) },
    )
  })

  test('that has the words is right, whatever marks and case they have', () => {
    const word = fc.tuple(
      fc.constantFrom('Lisbon', 'été', '東京', '2', 'x-y'),
      fc.constantFrom('', '*', '**', '`', '~~'),
    )
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), (words) => {
        const back = words.map(([text, mark]) => mark + text + mark).join(' ')
        const answer = words.map(([text]) => text.toUpperCase()).join('  ')
        expect(check(answer, back)).toMatchObject({ correct: true, expected: words.map(([text]) => text).join(' ') })
      }),
    )
  })

  test.each(NAUGHTY)('%j does no harm', (text) => {
    expect(() => check(text, `${text}x`, text)).not.toThrow()
  })

  // The facts are those of Anki's own tests of typed answers.
  test.each([
    ['[sound:foo.mp3]<b>1</b> &nbsp;2', '1  2'],
    ['<div>123</div>', '123'],
    ['<div>a<br></div><div>b</div>\nc', 'a b c'],
    ['source &lt;dir&gt;/bin/activate', 'source <dir>/bin/activate'],
    ['<style>b{}</style>2*3*4<script>x</script><!-- y --> &amp;amp;', '2*3*4 &amp;'],
  ])('to the field %s is %s', (field, text) => {
    expect(fieldToPlainText(field)).toBe(text)
    expect(compareAnswer(text, { right: [fieldToPlainText(field)], ignores_accents: false })).toMatchObject({
      correct: true,
      expected: text,
    })
  })

  test.each([
    ['שִׁנּוּן', 'שנון', 3],
    ['חוֹף', 'חופ', 1],
    ['ば', 'は', 3],
    ['été', 'ete', 3],
    ['Lisbon', 'Lisbom', 2],
  ])('to %s, where accents make no difference, is %s rated %d', (back, answer, suggested_rating) => {
    const found = compareAnswer(answer, { right: [back], ignores_accents: true })
    expect(found).toMatchObject({ suggested_rating, expected: back.normalize('NFC') })
  })
})

const PLAIN: [markdown: string, plain: string][] = [
  ['**bold** *it* ***both*** _a_ __b__ ~~c~~ ==d==', 'bold it both a b c d'],
  ['snake_case_name 2 * 3 * 4 a == b', 'snake_case_name 2 * 3 * 4 a == b'],
  ['# Heading', 'Heading'],
  ['- one\n- [two](http://x/(y) "t")\n> 3. three', 'one\ntwo\nthree'],
  ['![a cat](media:cat.png) [[page|shown]] [[page]] <https://a.b>', 'a cat shown page https://a.b'],
  ['`**code**` ``a`b``', '**code** a`b'],
  ['```js\nlet x\n```', '\nlet x\n'],
  ['a<br>b <b>c</b> 1 < 2', 'ab c 1 < 2'],
  ['&lt;b&gt; &amp;lt; &#233; &#x1F44D; &nope; &#0;', '<b> &lt; é 👍 &nope; &#0;'],
  ['\\*a\\* \\\\ \\&lt; \\x', '*a* \\ &lt; \\x'],
]

describe('plain text', () => {
  test.each(PLAIN)('of %j', (markdown, plain) => {
    expect(plainText(markdown)).toBe(plain)
  })
})

describe('the distance', () => {
  const letters = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 7 })
  const plain = (a: readonly string[], b: readonly string[]): number => {
    if (a.length === 0 || b.length === 0) return a.length + b.length
    const [x, y] = [a.slice(1), b.slice(1)]
    if (a[0] === b[0]) return plain(x, y)
    const swapped = a[0] === b[1] && a[1] === b[0] ? plain(a.slice(2), b.slice(2)) : Number.POSITIVE_INFINITY
    return 1 + Math.min(plain(x, y), plain(x, b), plain(a, y), swapped)
  }

  test('is that of the definition, the same both ways', () => {
    fc.assert(
      fc.property(letters, letters, (a, b) => {
        expect(editDistance(a, b)).toBe(plain(a, b))
        expect(editDistance(b, a)).toBe(editDistance(a, b))
      }),
      { numRuns: runs(150) },
    )
  })

  test('comes with edits that turn one into the other', () => {
    const word = letters.map((own) => `x${own.join('')}`)
    fc.assert(
      fc.property(word, word, (answer, back) => {
        const { diff } = check(answer, back)
        const without = (op: string) => diff.flatMap((one) => (one.op === op ? [] : one.text)).join('')
        expect([without('insert'), without('delete')]).toEqual([answer, back])
      }),
    )
  })
})

describe('checking takes bounded time', () => {
  const hostile: [name: string, answer: string, back: string, accepted: string[]][] = [
    ['long texts without a letter in common', 'a'.repeat(1000), 'b '.repeat(10_000), Array(20).fill('c'.repeat(500))],
    ['long texts of the same letters', 'ab'.repeat(500), 'ba'.repeat(10_000), Array(20).fill('abb'.repeat(166))],
    ['accents without a letter', '\u0301'.repeat(1000), '\u0302'.repeat(20_000), []],
    ...[...'* _ [ ![ ]( ` ``a` < <a & \\ > [[ # ~~ == [a]('.split(' '), ...['**a ', '- ', '\n', '* ']].map(
      (unit): [string, string, string, string[]] => [
        JSON.stringify(unit),
        unit.repeat(1000 / unit.length),
        unit.repeat(20_000 / unit.length),
        [],
      ],
    ),
  ]
  test.each(hostile)('for %s', async (_, answer, back, accepted) => {
    expect(await cost(500, () => check(answer, back, ...accepted))).toBeLessThan(500)
  })
})
