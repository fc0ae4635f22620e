import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { makeFaces, readCloze, requireCloze } from '../../src/flashcards/facts/cloze'
import { cost } from '../support/cost'
import { runs } from '../support/full'
import { anyText, NAUGHTY } from './arbitrary'

const facesOf = (text: string, number: number) => makeFaces(requireCloze(text), number)

const FACES: [text: string, number: number, prompt: string, answer: string][] = [
  ['{{c1::Lisbon}} is a city', 1, '[…] is a city', '**Lisbon** is a city'],
  ['{{c1::Lisbon::capital}}', 1, '[capital]', '**Lisbon**'],
  ['{{c1::Lisbon:: }}', 1, '[…]', '**Lisbon**'],
  ['{{c1::a}} and {{c2::b}}', 2, 'a and […]', 'a and **b**'],
  ['{{c1::a}} and {{c1::b}}', 1, '[…] and […]', '**a** and **b**'],
  ['{{c1,2::a}} {{c2::b}}', 1, '[…] b', '**a** b'],
  ['{{c1,2::a}} {{c2::b}}', 2, '[…] […]', '**a** **b**'],
  ['{{c1::a {{c2::b::in}} c::out}}', 1, '[out]', '**a b c**'],
  ['{{c1::a {{c2::b::in}} c::out}}', 2, 'a [in] c', 'a **b** c'],
  ['{{c1::a::hint with {{c2::b}}}}', 1, '[hint with b]', '**a**'],
  ['{{c1::\\frac{a}{\\frac{b}{c}}}}', 1, '[…]', '**\\frac{a}{\\frac{b}{c}}**'],
  ['{x, {{c1::b}}}', 1, '{x, […]}', '{x, **b**}'],
  ['{{c1::f{{c2::{x}}}}}', 2, 'f[…]', 'f**{x}**'],
  ['{{{c1::a}}}', 1, '{[…]}', '{**a**}'],
  ['{{c1:: a }}', 1, '[…]', ' **a** '],
  ['{{c1::a\n\nb}}', 1, '[…]', '**a**\n\n**b**'],
  ['{{c500::z}} }} {{d1::x}} {{c::y}} c1::', 500, '[…] }} {{d1::x}} {{c::y}} c1::', '**z** }} {{d1::x}} {{c::y}} c1::'],
]

const FAULTS: [text: string, code: string][] = [
  ['', 'no_cloze'],
  ['nothing {{c::here}} {{c1:x}} {c1::x}', 'no_cloze'],
  ['{{c0::a}}', 'cloze_number'],
  ['{{c501::a}}', 'cloze_number'],
  [`{{c${'9'.repeat(400)}::a}}`, 'cloze_number'],
  ['{{c1::a', 'cloze_unclosed'],
  ['{{c1::a {{c2::b}}', 'cloze_unclosed'],
  ['{{c1::}}', 'cloze_empty'],
  ['{{c1:: ::hint}}', 'cloze_empty'],
  [`${'{{c1::'.repeat(9)}x${'}}'.repeat(9)}`, 'cloze_depth'],
  [Array.from({ length: 51 }, (_, i) => `{{c${i + 1}::a}}`).join(''), 'too_many_clozes'],
]

describe('a cloze text', () => {
  test.each(FACES)('%s, card %d', (text, number, prompt, answer) => {
    expect(facesOf(text, number)).toEqual({ prompt, answer })
  })

  test.each(FAULTS)('%s is refused as %s', (text, code) => {
    expect(readCloze(text).fault?.code).toBe(code as never)
    expect(() => requireCloze(text)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
  })

  test('has its numbers in order, each once; those in a hint make no card', () => {
    expect(requireCloze('{{c3::a}}{{c1,3,2::b}}{{c1::c::{{c9::d}}}}').numbers).toEqual([1, 2, 3])
  })

  test('of eight levels, fifty cards and 20,000 characters is taken', () => {
    expect(requireCloze(`${'{{c1::'.repeat(8)}x${'}}'.repeat(8)}`).numbers).toEqual([1])
    expect(requireCloze(Array.from({ length: 50 }, (_, i) => `{{c${i + 1}::a}}`).join('')).numbers).toHaveLength(50)
  })

  test('of any kind is read or refused, and shows each of its numbers', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { cloze, fault } = readCloze(text)
        if (fault) return
        for (const number of cloze.numbers) {
          const { prompt, answer } = facesOf(text, number)
          expect(prompt).not.toBe(answer)
          expect(prompt).toContain('[')
          expect(answer).toContain('**')
        }
      }),
      { numRuns: runs(300) },
    )
  })

  test('of words gives back its words, however it is nested', () => {
    const word = fc.constantFrom('a', 'b ', 'ü', '👍')
    const tree = fc.letrec<{ node: { source: string; plain: string } }>((tie) => ({
      node: fc.oneof(
        { depthSize: 'small', maxDepth: 7 },
        word.map((text) => ({ source: text, plain: text })),
        fc
          .tuple(fc.integer({ min: 1, max: 9 }), fc.array(tie('node'), { minLength: 1, maxLength: 3 }))
          .map(([number, parts]) => ({
            source: `{{c${number}::${parts.map(({ source }) => source).join('')}}}`,
            plain: parts.map(({ plain }) => plain).join(''),
          })),
      ),
    })).node
    fc.assert(
      fc.property(tree, ({ source, plain }) => {
        const { cloze } = readCloze(source)
        for (const number of cloze?.numbers ?? [])
          expect(facesOf(source, number).answer.replaceAll('**', '')).toBe(plain)
      }),
      { numRuns: runs(200) },
    )
  })

  test.each(NAUGHTY)('%j does no harm', (text) => {
    expect(() => readCloze(`{{c1::${text}x}}${text}`)).not.toThrow()
  })
})

describe('the scan is linear', () => {
  const units = '{{c1:: {{c1,2,3,4,5,6,7,8 9 { }} :: {{c1::a}} {{c1::{{c2::{{c3::a}}}}}}'.split(' ')
  test.each(units)('over %s', async (unit) => {
    const text = `{{c1::${unit.repeat(200_000 / unit.length)}`
    expect(await cost(150, () => readCloze(text))).toBeLessThan(150)
  })
})
