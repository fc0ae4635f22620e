import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'

import { MAX_SENTENCE_UNITS, splitBlocks, splitSentences } from '../../../src/chat/local/sentences'
import { cost } from '../../support/cost'
import { runs } from '../../support/full'

const read = (body: string) =>
  splitBlocks(body).flatMap((block) =>
    splitSentences(body, block).map(({ start, end }) => ({ text: body.slice(start, end), context: block.context })),
  )
const sentences = (body: string) => read(body).map(({ text }) => text)

describe('prose', () => {
  test.each([
    ['It is late. We go.', ['It is late.', 'We go.']],
    ['Dr. Steiner met Mr. Haller, e.g. on Monday. Fine.', ['Dr. Steiner met Mr. Haller, e.g. on Monday.', 'Fine.']],
    ['J. R. R. Tolkien wrote it. Really.', ['J. R. R. Tolkien wrote it.', 'Really.']],
    ['See no. 5 and p. 12 there. No. We do not.', ['See no. 5 and p. 12 there.', 'No.', 'We do not.']],
    ['Am 3. Mai um acht. Danach Essen.', ['Am 3. Mai um acht.', 'Danach Essen.']],
    ['"Really?" he said. Yes.', ['"Really?" he said.', 'Yes.']],
    ['It weighs 3.5 kg. Good.', ['It weighs 3.5 kg.', 'Good.']],
    ['東京は首都です。人口は多い。', ['東京は首都です。', '人口は多い。']],
  ])('%s', (body, expected) => expect(sentences(body)).toEqual(expected))

  test('a line that an editor wrapped goes on in the next', () => {
    const body = 'This line is long enough that an editor must have wrapped it\nHere. And this is new.'
    expect(sentences(body)).toEqual([body.slice(0, -17), 'And this is new.'])
  })

  test('short lines are sentences of their own', () => {
    expect(sentences('Wifi: Kestrel\r\nPassword: heron')).toEqual(['Wifi: Kestrel', 'Password: heron'])
  })
})

describe('Markdown', () => {
  test('headings are not quoted, but tell what stands below them', () => {
    const body = '# House ##\ntext\n## Water\nvalve\n\nTitle\n-----\nunder\n# Other\nlast'
    expect(read(body)).toEqual([
      { text: 'text', context: 'House' },
      { text: 'valve', context: 'House\nWater' },
      { text: 'under', context: 'House\nTitle' },
      { text: 'last', context: 'Other' },
    ])
  })

  test('a list item is one sentence without its mark, wrapped lines included', () => {
    expect(sentences('- [x] Buy milk. And eggs\n- call Ana\n  tomorrow\n1. first\n2) second')).toEqual([
      'Buy milk. And eggs',
      'call Ana\n  tomorrow',
      'first',
      'second',
    ])
  })

  test('a row of a table is one sentence, under the head of its table', () => {
    const body = '| Service | Cost |\n|:---|---:|\n| Gym | 45 € |\n\nafter'
    expect(read(body)).toEqual([
      { text: 'Gym | 45 €', context: '| Service | Cost |' },
      { text: 'after', context: '' },
    ])
  })

  test('a line of code is one sentence, under the line that leads in', () => {
    expect(read('To restart:\n\n```sh\n# not a heading\nrun. it\n```\nafter')).toEqual([
      { text: 'To restart:', context: '' },
      { text: '# not a heading', context: 'To restart' },
      { text: 'run. it', context: 'To restart' },
      { text: 'after', context: '' },
    ])
  })

  test('quotation marks and rules are not part of a sentence', () => {
    expect(sentences('> quoted\n\n***\n\n- - -\n\nend')).toEqual(['quoted', 'end'])
  })
})

const MARKS = [
  ...['# ', '- ', '1. ', '> ', '| a | b |\n', '|--|--|\n', '```\n', '\n', '\r\n', '\r', '\n\n', '===\n', '---', '  '],
  ...['. ', '! ', 'Dr. ', '😀', 'é\u0301', '東京。'],
]
const markdown = fc
  .array(fc.oneof(fc.constantFrom(...MARKS), fc.string({ unit: 'binary', maxLength: 12 })), { maxLength: 60 })
  .map((parts) => parts.join(''))

test('sentences of any body stand in order, do not overlap, are not blank, are bounded and cut no character in two', () => {
  fc.assert(
    fc.property(markdown, (body) => {
      let last = 0
      for (const { start, end } of splitBlocks(body).flatMap((block) => splitSentences(body, block))) {
        const text = body.slice(start, end)
        expect(start).toBeGreaterThanOrEqual(last)
        expect(text.trim()).toBe(text)
        expect(text).not.toBe('')
        expect(text.length).toBeLessThanOrEqual(MAX_SENTENCE_UNITS)
        expect(text.isWellFormed() || !body.isWellFormed()).toBe(true)
        last = end
      }
    }),
    { numRuns: runs(500) },
  )
})

test.each(['a', '- ', '| ', '|-', '# ', '> ', '```', 'A. ', '😀', '. ', '\n', '=\n', '\\', '* * '])(
  'a body of 1 MiB of %j is divided in under a second',
  async (part) => {
    const body = part.repeat((1 << 20) / part.length)
    const divide = () => {
      for (const block of splitBlocks(body)) splitSentences(body, block)
    }
    expect(await cost(1000, divide)).toBeLessThan(1000)
  },
)
