import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { MAX_PASSAGES, splitPassages } from '../../../src/search/meaning/passages'
import { CodeTable, computeNearness, quantize, readVectors } from '../../../src/search/meaning/vectors'

const unit = (numbers: readonly number[]) => {
  const length = Math.hypot(...numbers) || 1
  return Float32Array.from(numbers, (number) => number / length)
}
const vector = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 24, maxLength: 24 }).map(unit)

test('eight bits keep a cosine to a hundredth, and the nearest is the nearest of all passages', () => {
  fc.assert(
    fc.property(vector, fc.array(vector, { minLength: 1, maxLength: 5 }), (query, passages) => {
      const dot = (other: Float32Array) => other.reduce((sum, number, i) => sum + number * (query[i] ?? 0), 0)
      const { vectors, codes } = quantize(passages)
      expect([vectors.length, codes.length]).toEqual([24 * passages.length, 3 * passages.length])
      expect(Math.abs(computeNearness([query], vectors, 24) - Math.max(...passages.map(dot)))).toBeLessThan(0.02)
      const read = readVectors(vectors, 24)
      const off = read.flatMap((own, n) => Array.from(own, (number, i) => Math.abs(number - (passages[n]?.[i] ?? 0))))
      expect(Math.max(...off)).toBeLessThan(0.02)
    }),
  )
})

test('signs alone are summed as they are', () => {
  fc.assert(
    fc.property(vector, vector, (query, passage) => {
      const { vectors, codes } = quantize([passage])
      const signs = Array.from(new Int8Array(vectors.buffer), (number) => (number > 0 ? 1 : -1))
      const expected = signs.reduce((sum, sign, i) => sum + sign * (query[i] ?? 0), 0)
      expect(new CodeTable(query).scoreNearest(codes)).toBeCloseTo(expected, 4)
    }),
  )
})

test('passages are bounded in number and length, and lose no word of a text that fits', () => {
  const text = fc.array(
    fc.oneof(fc.lorem({ maxCount: 60 }), fc.constantFrom('# One', '## Two', '', '```', '😀'.repeat(700))),
  )
  fc.assert(
    fc.property(fc.lorem(), text, (title, lines) => {
      const passages = splitPassages({ title, tags: ['tag'], body: lines.join('\n') })
      expect(passages.length).toBeLessThanOrEqual(MAX_PASSAGES)
      for (const passage of passages) {
        expect(passage.length).toBeLessThanOrEqual(1000)
        expect(passage.isWellFormed()).toBeTrue()
      }
      const whole = passages.join(' ')
      if (lines.join('\n').length < 8000)
        for (const word of lines.join(' ').match(/[a-z]+/g) ?? []) expect(whole).toContain(word)
    }),
  )
})

test('a passage stands below its title and headings; in code nothing is a heading', () => {
  const body = '# Trips\nAll of them.\n## Lisbon\nBy train.\n\n```\n# not one\n```\n# Food\nSoup.'
  expect(splitPassages({ title: 'Plans', tags: ['a/b'], body })).toEqual([
    'Plans · a/b\nTrips\nAll of them.',
    'Plans · a/b\nTrips › Lisbon\nBy train.\n```\n# not one\n```',
    'Plans · a/b\nFood\nSoup.',
  ])
  expect(splitPassages({ title: 'Alone', tags: [], body: '' })).toEqual(['Alone'])
  expect(splitPassages({ title: '—', tags: [], body: '***' })).toEqual([])
})
