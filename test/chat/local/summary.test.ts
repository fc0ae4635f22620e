import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { summarize } from '../../../src/chat/local/summary'
import { cost } from '../../support/cost'

const BODY = `# Boiler
The boiler is of 2019. Its warranty ends in May. I had coffee.

The boiler needs service each year. The service of the boiler costs 90 euros.`
const quoted = (body: string, sentences: number) =>
  summarize(body, sentences).map(({ start, end }) => body.slice(start, end))

test('what says most is taken, in the order of the note, and what was said already counts less', () => {
  expect(quoted(BODY, 2)).toEqual(['Its warranty ends in May.', 'The boiler needs service each year.'])
  expect(quoted('Buy milk', 3)).toEqual(['Buy milk'])
  expect(quoted('  \n', 3)).toEqual([])
})

test('of any body: as many sentences as asked at most, in order, none twice, each as it stands there', () => {
  const piece = fc.oneof(fc.constantFrom('Ann. ', '\n', '# ', '- ', 'The key is here. ', '"', '😀'), fc.string())
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.integer({ min: 1, max: 10 }), (pieces, most) => {
      const body = pieces.join('')
      const ranges = summarize(body, most)
      expect(ranges.length).toBeLessThanOrEqual(most)
      let last = 0
      for (const { start, end } of ranges) {
        expect(start).toBeGreaterThanOrEqual(last)
        expect(body.slice(start, end).trim()).not.toBe('')
        last = end
      }
    }),
  )
})

test('a note of 1 MiB is summarized in under a second', async () => {
  const body = 'The key of the boiler room hangs in the hall. '.repeat((1 << 20) / 46)
  expect(await cost(1000, () => summarize(body, 10))).toBeLessThan(1000)
})
