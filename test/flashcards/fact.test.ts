import { describe, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import fc from 'fast-check'
import { duplicateKey, listOrdinals, makeCardFaces, patchFact, readFact } from '../../src/flashcards/facts/fact'
import { CreateFact, Fact, type FactContent, UpdateFact } from '../../src/flashcards/facts/fact-schema'
import { ApiError } from '../../src/http/api-error'
import { runs } from '../support/full'
import { anyText, NAUGHTY } from './arbitrary'

const basic = { type: 'basic', front: 'f', back: 'b' } as const
const typed = { ...basic, type: 'typed' } as const
const notes = (count: number) => Array.from({ length: count }, (_, i) => `note ${i}`)
const cloze = { type: 'cloze', text: '{{c2::a}} {{c1::b}}' } as const

/** The pointer and code of what refuses a fact. */
function refusal(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const [fault] = error.extra.errors as { pointer: string; code: string }[]
    return `${error.status} ${fault?.pointer} ${fault?.code}`
  }
  return 'taken'
}

const RULES: [rule: string, input: FactContent, answer: string][] = [
  ['front is required', { type: 'basic', back: 'b' }, '400 /front required'],
  ['front is not blank', { ...basic, front: ' \n' }, '400 /front too_short'],
  ['back is required', { ...typed, back: null }, '400 /back required'],
  ['front of 20,000 code points', { ...basic, front: '👍'.repeat(20_000) }, 'taken'],
  ['front of 20,001', { ...basic, front: 'a'.repeat(20_001) }, '400 /front too_long'],
  ['front with NUL', { ...basic, front: 'a\0' }, '400 /front unstorable_text'],
  ['half a surrogate pair', { ...cloze, text: '{{c1::a}}\ud800' }, '400 /text unstorable_text'],
  ['no text beside sides', { ...basic, text: 'x' }, '400 /text not_allowed'],
  ['no sides beside text', { ...cloze, front: 'x' }, '400 /front not_allowed'],
  ['no back beside text', { ...cloze, back: 'x' }, '400 /back not_allowed'],
  ['text is required for cloze', { type: 'cloze' }, '400 /text required'],
  ['text holds a cloze', { type: 'cloze', text: 'x' }, '400 /text no_cloze'],
  ['extra of 20,001', { ...basic, extra: 'a'.repeat(20_001) }, '400 /extra too_long'],
  ['hint of 1,000', { ...basic, hint: 'é'.repeat(1000) }, 'taken'],
  ['hint of 1,001', { ...cloze, hint: 'a'.repeat(1001) }, '400 /hint too_long'],
  ['accepted for typed', { ...typed, accepted: ['x'.repeat(500)] }, 'taken'],
  ['accepted for no other', { ...basic, accepted: ['x'] }, '400 /accepted not_allowed'],
  ['an empty accepted for all', { ...basic, accepted: [] }, 'taken'],
  ['accepted of 501', { ...typed, accepted: ['x', 'x'.repeat(501)] }, '400 /accepted/1 too_long'],
  ['accepted is not blank', { ...typed, accepted: [' '] }, '400 /accepted/0 too_short'],
  ['accepted is one line', { ...typed, accepted: ['a\nb'] }, '400 /accepted/0 invalid_answer'],
  ['21 accepted', { ...typed, accepted: Array(21).fill('x') }, '400 /accepted too_many'],
  ['51 tags', { ...basic, tags: Array(51).fill('x') }, '400 /tags too_many'],
  ['a tag of 101', { ...basic, tags: ['x'.repeat(101)] }, '400 /tags/0 too_long'],
  ['a tag with a space', { ...basic, tags: ['ok', 'a b'] }, '400 /tags/1 invalid_tag'],
  ['a tag with a no-break space', { ...basic, tags: ['a\u00a0b'] }, '400 /tags/0 invalid_tag'],
  ['a tag with NUL', { ...basic, tags: ['a\0'] }, '400 /tags/0 invalid_tag'],
  ['an empty tag', { ...basic, tags: [''] }, '400 /tags/0 too_short'],
  ['an empty level', { ...basic, tags: ['a::::b'] }, '400 /tags/0 invalid_tag'],
  ['an ftp address', { ...basic, source: { url: 'ftp://a/b' } }, '400 /source/url invalid_url'],
  ['a script', { ...basic, source: { url: 'javascript://http://a' } }, '400 /source/url invalid_url'],
  ['an address with a space', { ...basic, source: { url: 'http://a/ b' } }, '400 /source/url invalid_url'],
  ['an address of 2,000', { ...basic, source: { url: `https://a/${'b'.repeat(1990)}` } }, 'taken'],
  ['an address of 2,001', { ...basic, source: { url: `https://a/${'b'.repeat(1991)}` } }, '400 /source/url too_long'],
  ['a source that says nothing', { ...basic, source: { system: null, url: null } }, 'taken'],
  ['a system without an id', { ...basic, source: { system: 'x', url: 'http://a' } }, '400 /source/id required'],
  ['an id without a system', { ...basic, source: { id: 'x' } }, '400 /source/system required'],
  ['an empty id', { ...basic, source: { system: 'x', id: '' } }, '400 /source/id too_short'],
  ['an empty system', { ...basic, source: { system: '', id: 'x' } }, '400 /source/system too_short'],
  ['names of 50 and 500', { ...basic, source: { system: '𝔸'.repeat(50), id: '𝔸'.repeat(500) } }, 'taken'],
  ['a system of 51', { ...basic, source: { system: 'a'.repeat(51), id: 'x' } }, '400 /source/system too_long'],
  ['an id of 501', { ...basic, source: { system: 'x', id: 'a'.repeat(501) } }, '400 /source/id too_long'],
  ['an id with NUL', { ...basic, source: { system: 'x', id: 'a\0' } }, '400 /source/id unstorable_text'],
  ['20 notes, one twice', { ...basic, note_ids: [...notes(20), ...notes(1)] }, 'taken'],
  ['21 notes', { ...basic, note_ids: notes(21) }, '400 /note_ids too_many'],
  [
    'an unreal instant',
    { ...basic, external_modified_at: '2025-02-30T00:00:00Z' },
    '400 /external_modified_at invalid_instant',
  ],
]

describe('a fact', () => {
  test.each(RULES)('%s', (_, input, answer) => {
    expect(refusal(() => readFact(input))).toBe(answer)
  })

  test('has tags in NFC, sorted, each once under case folding', () => {
    const { tags } = readFact({ ...basic, tags: ['b', 'STRASSE', 'e\u0301', 'straße', 'A::x', 'B'] })
    expect(tags).toEqual(['A::x', 'b', 'STRASSE', 'é'])
  })

  test('has null for what is empty', () => {
    expect(readFact({ ...basic, extra: '', hint: '' })).toMatchObject({ extra: null, hint: null, text: null })
  })

  test('is answered in the shape of its schema, whose examples are valid', () => {
    for (const schema of [Fact, CreateFact, UpdateFact])
      for (const example of schema.examples as unknown[]) expect([...Value.Errors(schema, example)]).toEqual([])
  })

  test.each(NAUGHTY)('with %j is taken or refused', (text) => {
    for (const input of [
      { ...typed, front: text, accepted: [text], tags: [text] },
      { ...cloze, text, note_ids: [text] },
    ])
      expect(refusal(() => readFact({ ...input, source: { system: text, id: text, url: text } }))).toMatch(/^400 /)
  })

  test('of any text is refused as a request, or taken, checked again without a change, and has cards', () => {
    const type = fc.constantFrom('basic', 'typed', 'cloze')
    fc.assert(
      fc.property(type, anyText, anyText, (type, one, other) => {
        const sides = type === 'cloze' ? { text: `${one}{{c1::x}}` } : { front: one, back: other }
        const input: FactContent = { type, ...sides, extra: other, hint: one, tags: other.split(/\s+/).filter(Boolean) }
        if (refusal(() => readFact(input)) !== 'taken') return
        const fact = readFact(input)
        expect(patchFact(fact, {})).toEqual(fact)
        expect(makeCardFaces(fact).length).toBeGreaterThan(0)
      }),
      { numRuns: runs(300) },
    )
  })
})

describe('the cards of a fact', () => {
  test('are one, two, one, and one per number', () => {
    expect(makeCardFaces(readFact(basic))).toEqual([{ ordinal: 0, prompt: 'f', answer: 'b' }])
    expect(makeCardFaces(readFact(typed))).toEqual([{ ordinal: 0, prompt: 'f', answer: 'b' }])
    expect(makeCardFaces(readFact({ ...basic, type: 'reversed' }))).toEqual([
      { ordinal: 0, prompt: 'f', answer: 'b' },
      { ordinal: 1, prompt: 'b', answer: 'f' },
    ])
    expect(makeCardFaces(readFact(cloze))).toEqual([
      { ordinal: 0, prompt: 'a […]', answer: 'a **b**' },
      { ordinal: 1, prompt: '[…] b', answer: '**a** b' },
    ])
  })

  test('are known by ordinal, and of a cloze only those are worked out that are wanted', () => {
    for (const fact of [basic, typed, { ...basic, type: 'reversed' as const }, cloze].map(readFact))
      expect(listOrdinals(fact)).toEqual(makeCardFaces(fact).map(({ ordinal }) => ordinal))
    expect(makeCardFaces(readFact(cloze), new Set([1, 2]))).toEqual([
      { ordinal: 1, prompt: '[…] b', answer: '**a** b' },
    ])
  })
})

describe('a patch of a fact', () => {
  const old = readFact({ ...typed, accepted: ['c'], external_modified_at: '2026-03-01T08:15:00.123Z' })

  test('keeps what it does not name', () => {
    expect(patchFact(old, { hint: 'h' })).toEqual({ ...old, hint: 'h' })
    expect(patchFact(old, {})).toEqual(old)
  })
  test('changes basic, reversed and typed into each other', () => {
    for (const from of ['basic', 'reversed', 'typed'] as const)
      for (const type of ['basic', 'reversed', 'typed'] as const)
        expect(patchFact(readFact({ ...basic, type: from }), { type }).type).toBe(type)
  })
  test('never changes to or from cloze', () => {
    expect(refusal(() => patchFact(old, { type: 'cloze', text: cloze.text, front: null, back: null }))).toBe(
      '400 /type type_fixed',
    )
    expect(refusal(() => patchFact(readFact(cloze), { ...basic, text: null }))).toBe('400 /type type_fixed')
  })
  test('loses no accepted answers unasked', () => {
    expect(refusal(() => patchFact(old, { type: 'basic' }))).toBe('400 /accepted not_allowed')
    expect(patchFact(old, { type: 'basic', accepted: null }).accepted).toEqual([])
  })
  test('cannot clear a side', () => {
    expect(refusal(() => patchFact(old, { front: null }))).toBe('400 /front required')
  })
})

describe('the duplicate key', () => {
  const key = (front: string, type: 'basic' | 'typed' = 'basic') =>
    duplicateKey({ type, front, text: null, fields: null })

  test('is the same whatever the case, the form and the white space', () => {
    expect(key('  Caf\u00e9\n\tSTRASSE ')).toBe(key('cafe\u0301 straße'))
    expect(key('a')).toMatch(/^[0-9a-f]{64}$/)
  })
  test('differs by type and by text', () => {
    expect(new Set([key('a'), key('b'), key('a', 'typed'), key('á'), key('ab'), key('a b')]).size).toBe(6)
    expect(key(`${'a'.repeat(19_999)}b`)).not.toBe(key('a'.repeat(20_000)))
  })
  test('does not depend on case, form or outer space, for any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(key(text.normalize('NFD'))).toBe(key(text))
        expect(key(` ${text.replaceAll(' ', ' \t ')}\n`)).toBe(key(text))
      }),
      { numRuns: runs(200) },
    )
  })
})
