import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { readText } from '../../src/search/analyze'
import { analyze } from '../support/analyze'

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
    { numRuns: 20 },
  )
}, 30_000)
