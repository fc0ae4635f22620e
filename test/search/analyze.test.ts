import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { readText, Token, TokenCache } from '../../src/search/analyze'
import { analyze } from '../support/analyze'
import { runs } from '../support/full'

test('a long text is read in stretches, and becomes what it would in one', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'C++',
      '.NET',
      'e-mail',
      '-',
      '--',
      '#1',
      'node.js',
      '会議',
      'é',
      'e\u0301',
      ' \u0301',
      '\n',
      'getUser',
      '->',
    ),
    fc.string({ unit: 'grapheme', maxLength: 4 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { minLength: 3, maxLength: 30 }), fc.constantFrom(' ', '', '\n'), (pieces, between) => {
      const once = `${pieces.join(between)} x`
      const text = once.repeat(Math.ceil(100_000 / once.length))
      const words = new Map<string, number[]>()
      const extras = new Set<string>()
      let place = 0
      const add = ({ word }: { word: string }) => {
        const places = words.get(word) ?? []
        words.set(word, places)
        places.push(place++)
      }
      readText(text, add, (extra) => extras.add(extra))
      const { terms, lengths } = analyze(['', '', text])
      expect(lengths[2]).toBe(place)
      expect([...terms.keys()].filter((term) => /^[=!]/.test(term)).sort()).toEqual([...extras].sort())
      for (const [word, places] of words) expect([word, terms.get(word)?.[2]]).toEqual([word, places])
    }),
    { numRuns: runs(20) },
  )
}, 30_000)

test('words that share a place in the table of those that were met are told apart', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '😀'), minLength: 1, maxLength: 3 })
  const make = (key: string) => new Token(key, key, key)
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 40 }), (all) => {
      const known = new TokenCache(2)
      const text = all.join(' ')
      let at = 0
      for (const one of all) {
        const token = known.token(text, at, at + one.length, make)
        expect(token.key).toBe(one)
        expect(known.token(`<${one}>`, 1, 1 + one.length, make)).toBe(token)
        at += one.length + 1
      }
    }),
  )
})

test('a character beyond the 16 bits of a unit is one of the two in a row, never half of one', () => {
  const terms: string[] = []
  readText(
    '𠮷𠮷野家',
    ({ written }) => void terms.push(written),
    () => {},
  )
  expect(terms).toEqual(['𠮷𠮷', '𠮷野', '野家', '家'])
})
