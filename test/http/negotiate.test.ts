import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { preferredType } from '../../src/http/responses'
import { cost } from '../support/cost'
import { runs } from '../support/full'

const OFFERS = ['application/json', 'text/markdown', 'text/html'] as const
const choose = (accept: string | null) => preferredType(accept, OFFERS)
const [JSON_TYPE, MARKDOWN, HTML] = OFFERS

describe('the Accept header', () => {
  test.each([
    ['text/html', HTML],
    ['TEXT/Markdown', MARKDOWN],
    ['text/html, text/markdown', MARKDOWN],
    ['text/html, text/markdown;q=0.9', HTML],
    ['text/html;q=0.8,text/markdown;q=0.801', MARKDOWN],
    ['text/*', MARKDOWN],
    ['text/*, text/markdown;q=0', HTML],
    ['*/*', JSON_TYPE],
    ['*/*;q=0.5, text/html', HTML],
    ['*/*, application/json;q=0.1', MARKDOWN],
    ['text/*;q=0.3, text/html;q=0.2, */*;q=0.1', MARKDOWN],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8', HTML],
    ['text/html ; q=0.4 , text/markdown;Q=0.5', MARKDOWN],
    ['text/html;charset=utf-8', HTML],
    ['text/markdown; charset="utf-8"; q=0.9, text/html;q=0.8', MARKDOWN],
    ['text/html;q=1.000;ext="a,b;q=0", text/markdown;q=0.999', HTML],
    ['text/html;q=0.5, text/html;q=0.9, text/markdown;q=0.7', HTML],
    [',, text/html ,', HTML],
    ['text/html; ; ;q=0.1, text/markdown;q=0.2', MARKDOWN],
  ])('%s asks for %s', (accept, type) => {
    expect(choose(accept)).toBe(type)
  })

  test.each([
    ['absent', null],
    ['empty', ''],
    ['of nothing we have', 'image/png, application/xml'],
    ['that wants nothing', 'text/*;q=0, */*;q=0'],
    ['of a narrower kind than ours', 'text/html;level=1, text/markdown;variant=GFM'],
  ])('%s gets JSON', (_, accept) => {
    expect(choose(accept)).toBe(JSON_TYPE)
  })

  test.each([
    'html',
    'text/',
    '*/html',
    'text/html;q=2',
    'text/html;q=-1',
    'text/html;q=',
    'text/html;q=0.1234',
    'ü/x',
  ])('leaves out what is malformed, as in %p', (accept) => {
    expect(choose(`text/markdown;q=0.1, ${accept}`)).toBe(MARKDOWN)
    expect(choose(accept)).toBe(JSON_TYPE)
  })

  test('without wildcards: the heaviest offer, and of equals the first', () => {
    const weights = fc.tuple(...OFFERS.map(() => fc.integer({ min: 0, max: 1000 })))
    const order = fc.shuffledSubarray([0, 1, 2], { minLength: 3 })
    fc.assert(
      fc.property(weights, order, (thousandths, places) => {
        const accept = places
          .map((place) => `${OFFERS[place]};q=${((thousandths[place] ?? 0) / 1000).toFixed(3)}`)
          .join(', ')
        const heaviest = Math.max(...thousandths)
        expect(choose(accept)).toBe(heaviest === 0 ? JSON_TYPE : (OFFERS[thousandths.indexOf(heaviest)] ?? JSON_TYPE))
      }),
    )
  })

  test('of any text whatever gets one of the offers, quickly', async () => {
    const pieces = fc.constantFrom(...'text/html|*/*|;|,|q=|0.5|"|\\| |\t|;q=1|a=b|/|*'.split('|'))
    const accepts = fc.oneof(
      fc.string(),
      fc.array(pieces).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(accepts, (accept) => expect(OFFERS).toContain(choose(accept))),
      { numRuns: runs(2000) },
    )
    for (const piece of [';', '; ', ';\t ', '"', '"\\', ',', 'a=b;', ';a="', ' ', '*/*;']) {
      const accept = `text/html${piece.repeat(16_384 / piece.length)}`
      expect(await cost(200, () => choose(accept))).toBeLessThan(200)
    }
  })
})
