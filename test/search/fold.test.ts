import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { composeMapped, fold, foldMapped, hasWords, toSortKey } from '../../src/search/fold'
import { runs } from '../support/full'
import { plain } from './matcher'

const text = fc.string({ unit: 'binary', maxLength: 60 }).filter((value) => value.isWellFormed())
const any = fc.oneof(text, fc.string({ unit: 'grapheme', maxLength: 60 }))

describe('folded text', () => {
  const cases: [text: string, folded: string][] = [
    ['Café', 'cafe'],
    ['CAFE\u0301', 'cafe'],
    ['Zürcher', 'zurcher'],
    ['Йод', 'иод'],
    ['ΕΛΛΆΣ', 'ελλασ'],
    ['Ελλάς', 'ελλασ'],
    ['İstanbul', 'istanbul'],
    ['ｶﾞ', 'ガ'],
    ['か\u3099', 'が'],
    ['が', 'が'],
    ['한국', '한국'],
    ['ﬁn', 'fin'],
    ['Ａ１', 'a1'],
    ['½', '1⁄2'],
    ['Straße', 'strasse'],
    ['Łódź Ørsted đà ılık Ærø œuvre Þór', 'lodz orsted da ilik aero oeuvre thor'],
    ['أحمد إلى آخر', 'احمد الي اخر'],
    ['مُحَمَّد كـتـاب', 'محمد كتاب'],
    ['שָׁלוֹם', 'שלום'],
    ['co\u00adoperate', 'cooperate'],
    ['', ''],
  ]
  test.each(cases)('%j is compared as %j', (from, to) => {
    expect(fold(from)).toBe(to)
  })

  test('is the rule of the page, and folding it again changes nothing that matters to a search', () => {
    fc.assert(
      fc.property(any, (value) => expect(fold(value)).toBe(plain(value))),
      { numRuns: runs(1500) },
    )
  })

  test('with its way back is the same text', () => {
    fc.assert(
      fc.property(any, (value) => expect(foldMapped(value).text).toBe(fold(value))),
      { numRuns: runs(2500) },
    )
    // Nothing is assigned between here and the variation selectors, but ideographs.
    for (let code = 1; code < 0x20000; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue
      const character = String.fromCodePoint(code)
      const joined = `か${character}\u1112${character}\uac00${character}a${character}`
      if (foldMapped(joined).text !== fold(joined))
        throw new Error(`U+${code.toString(16)} joins what stands before it`)
    }
  })

  test('composed, with its way back, is the same text', () => {
    fc.assert(
      fc.property(any, (value) => expect(composeMapped(value).text).toBe(value.normalize('NFKC'))),
      { numRuns: runs(2500) },
    )
    const { text: composed, original } = composeMapped('x ﬁn Cafe\u0301 ½')
    expect([composed, original(2, 3), original(6, 10)]).toEqual(['x fin Café 1⁄2', [2, 3], [5, 10]])
  })

  test('leads back to the characters that it was made of', () => {
    fc.assert(
      fc.property(any, fc.nat(), fc.nat(), (value, a, b) => {
        const folded = foldMapped(value)
        const [from, to] = [a, b].map((n) => n % (folded.text.length + 1)).sort((x, y) => x - y) as [number, number]
        const [start, end] = folded.original(from, to)
        expect(start).toBeWithin(0, value.length + 1)
        if (from < to) expect(fold(value.slice(start, end)).includes(folded.text.slice(from, to))).toBeTrue()
      }),
      { numRuns: runs(1500) },
    )
    const { text: folded, original } = foldMapped('x ﬁn Cafe\u0301!')
    expect([folded, original(2, 3), original(3, 5), original(6, 10)]).toEqual(['x fin cafe!', [2, 3], [2, 4], [5, 10]])
  })

  test('has words where there are letters or digits, but not in scripts without spaces', () => {
    expect(['cafe', '10', 'हिन्दी', 'a🤩'].map(hasWords)).toEqual([true, true, true, true])
    expect(['++', '', '😀', '❤️', '会議', 'x会', 'か', 'ｶ', '한국', 'ไทย', 'ລາວ'].map(hasWords)).toEqual(
      Array(11).fill(false),
    )
  })
})

test('titles are sorted as Intl.Collator does, with numbers by their value', () => {
  const { compare } = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
  const sign = fc.constantFrom(
    ...` _-,;:!?.'"()[]{}@*/\\&#%\`^+<=>|~$`,
    ...'abzABZéÉñäöüß',
    '0',
    '00',
    '7',
    '10',
    '123456789012',
  )
  const title = fc.array(sign, { maxLength: 8 }).map((signs) => signs.join('').replace(/\s+/g, ' ').trim())
  const order = (a: string, b: string) => (a < b ? -1 : Number(a > b))
  fc.assert(
    fc.property(title, title, (a, b) => {
      expect([a, b, order(toSortKey(a), toSortKey(b))]).toEqual([a, b, Math.sign(compare(a, b))])
    }),
    { numRuns: runs(2000) },
  )
})
