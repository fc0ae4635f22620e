import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { factExample } from '../../../src/flashcards/examples'
import { type Exported, readJson, writeJson } from '../../../src/flashcards/transfer/json'
import type { ExportedFact } from '../../../src/flashcards/transfer/json-form'
import { readMarkdown } from '../../../src/flashcards/transfer/markdown'
import { Refusal } from '../../../src/http/problem'
import { anyFact, anyText, bytesOf } from '../arbitrary'

const AT = '2026-03-05T13:15:00.000Z'
const card = {
  ordinal: 0,
  state: 'review' as const,
  due_day: '2026-03-21',
  due_at: '2026-03-21T08:00:00.000Z',
  stability: 16.18802274,
  difficulty: 2.1043314,
  scheduled_days: 16,
  step: 0,
  reps: 3,
  lapses: 0,
  last_reviewed_at: AT,
  suspended: false,
  buried_until: null,
  flag: 2,
  leech: false,
  position: 7,
}
const review = {
  id: 'r1',
  ordinal: 0,
  kind: 'review' as const,
  rating: 3 as const,
  reviewed_at: AT,
  duration_ms: 1500,
  undone_at: null,
  before: { state: 'review' as const },
  predicted_retrievability: 0.86,
}
const { deck_id: _, ...members } = factExample
const fact: ExportedFact = { ...members, deck: ['A', 'B'], cards: [card], reviews: [review] }
const media = [{ name: 'cat.png', sha256: '0'.repeat(64) }]
const decks = [{ path: ['A'], description: 'd', settings: { fuzz: false } }]

async function written(file: Partial<Exported>): Promise<string> {
  const whole = { settings: null, decks: [], facts: [], media: [], ...file }
  return (await Array.fromAsync(writeJson(whole))).join('')
}
const read = (text: string) => [...readJson(bytesOf(text))]
const lines = (...facts: unknown[]) =>
  read(JSON.stringify({ format: 'satchel-flashcards', version: 1, decks: [], facts, media: [] })).map((item) =>
    item.kind === 'fault' ? `${item.where} ${item.code} ${item.detail}` : item.kind,
  )

describe('our own export', () => {
  test('is one JSON object, and reads as it was written', async () => {
    const text = await written({ settings: { time_zone: 'UTC' }, decks, facts: [fact, fact], media })
    expect(JSON.parse(text)).toEqual({
      format: 'satchel-flashcards',
      version: 1,
      settings: { time_zone: 'UTC' },
      decks,
      facts: [fact, fact],
      media,
    })
    const items = read(text)
    expect(items.map(({ kind }) => kind)).toEqual(['settings', 'deck', 'fact', 'fact', 'media'])
    expect(items[1]).toEqual({ kind: 'deck', path: ['A'], description: 'd', settings: { fuzz: false } })
    expect(items[2]).toMatchObject({
      id: factExample.id,
      where: 'facts[0]',
      deck: ['A', 'B'],
      fact: { type: 'basic', front: factExample.front, tags: factExample.tags },
      cards: [{ ...card, due_at: Date.parse(card.due_at), last_reviewed_at: Date.parse(AT), ease: null }],
      log: [{ id: 'r1', ordinal: 0, reviewed_at: Date.parse(AT), kind: 'review', rating: 3, duration_ms: 1500 }],
    })
    expect(items[4]).toEqual({ kind: 'media', ...media[0], bytes: null } as never)
  })

  test('of any facts gives the same facts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyFact, { maxLength: 4 }), async (facts) => {
        const exported = facts.map((one, index) => ({ ...one, id: `${index}`, deck: [], cards: [], reviews: [] }))
        const found = read(await written({ facts: exported }))
        expect(found.map((item) => item.kind === 'fact' && { ...item.fact, external_id: item.external_id })).toEqual(
          facts.map(({ external_modified_at: _, ...one }) => one) as never,
        )
      }),
      { numRuns: 100 },
    )
  })

  test('keeps what is well formed, and reports what is not', () => {
    expect(lines(fact, 7, { ...fact, type: 'odd' }, { ...fact, cards: [{ ...card, state: 'x' }] }, fact)).toEqual([
      'fact',
      'facts[1] invalid_value facts[1] is not as exported.',
      'facts[2] invalid_value type is not as exported.',
      'facts[3] invalid_value cards/0/state is not as exported.',
      'fact',
    ])
  })

  test('holds real dates only', () => {
    expect(
      lines(
        { ...fact, cards: [{ ...card, due_day: '2025-02-30' }] },
        { ...fact, reviews: [{ ...review, reviewed_at: '2025-13-01T00:00:00.000Z' }] },
        { ...fact, external_modified_at: 'yesterday' },
      ),
    ).toEqual([
      'facts[0] invalid_value due_day is not as exported.',
      'facts[1] invalid_value reviewed_at is not as exported.',
      'facts[2] invalid_value external_modified_at is not as exported.',
    ])
  })

  test('may hold anything beside what is read', () => {
    const more = { cards: [null], reviews: [null, { due_day: '2025-02-30' }] }
    expect(lines({ ...fact, cards: [{ ...card, ...more }], reviews: [{ ...review, ...more }] })).toEqual(['fact'])
  })

  test('has its reviews in order, those of imports as what the card was', () => {
    const imported = { ...review, kind: 'import' as const, before: { state: 'new' as const } }
    const earlier = { ...imported, before: null, reviewed_at: '2026-03-01T00:00:00.000Z' }
    const [item] = read(
      JSON.stringify({
        format: 'satchel-flashcards',
        version: 1,
        decks: [],
        media: [],
        facts: [{ ...fact, reviews: [imported, earlier] }],
      }),
    )
    expect(item).toMatchObject({ log: [{ kind: 'review' }, { kind: 'learning', reviewed_at: Date.parse(AT) }] })
  })

  test('of another format or version, or with a list missing, is refused', () => {
    const whole = { format: 'satchel-flashcards', version: 1, decks: [], facts: [], media: [] }
    for (const wrong of [
      { format: 'x' },
      { version: 2 },
      { version: '1' },
      { facts: {} },
      { decks: null },
      { media: 1 },
    ])
      expect(() => read(JSON.stringify({ ...whole, ...wrong }))).toThrow(
        expect.objectContaining({ code: 'invalid_request' }),
      )
    for (const other of ['null', '[]', '1', '"x"', '{}', '{', '']) expect(() => read(other)).toThrow(Refusal)
    expect(() => read('['.repeat(100_000))).toThrow(expect.objectContaining({ code: 'invalid_json' }))
  })

  test('with anything anywhere is read or refused', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 3 }),
        fc.constantFrom('settings', 'decks', 'facts', 'media'),
        (value, member) => {
          const file = { format: 'satchel-flashcards', version: 1, decks: [], facts: [], media: [], [member]: value }
          try {
            for (const item of read(JSON.stringify(file))) expect(['settings', 'fault']).toContain(item.kind)
          } catch (error) {
            expect(error).toBeInstanceOf(Refusal)
          }
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('a Markdown file', () => {
  test('gives the facts that it has the form of', () => {
    const items = [...readMarkdown(bytesOf('# T\n\na :: b\n\n```\nc :: d\n```\n==e== f'))]
    expect(items.map(({ where, fact }) => ({ where, fact }))).toEqual([
      { where: 'line 3', fact: { type: 'basic', front: 'a', back: 'b' } },
      { where: 'line 8', fact: { type: 'cloze', text: '{{c1::e}} f' } },
    ])
  })

  test('of any text is read', () => {
    fc.assert(fc.property(anyText, (text) => expect(() => [...readMarkdown(bytesOf(text))]).not.toThrow()))
  })

  test('of more than a million lines is refused', () => {
    expect(() => [...readMarkdown(bytesOf('\n'.repeat(1_000_000)))]).toThrow(
      expect.objectContaining({ code: 'too_large' }),
    )
  })

  test('that is not UTF-8 is refused', () => {
    expect(() => [...readMarkdown(Uint8Array.of(0xc3))]).toThrow(expect.objectContaining({ code: 'invalid_request' }))
  })
})
