import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type ExportedFact,
  type ExportedReview,
  type PackageContent,
  writePackage,
} from '../../../src/flashcards/anki/write-package'
import type { FactContent } from '../../../src/flashcards/facts/fact-schema'
import { markdownToField } from '../../../src/flashcards/facts/field-html'
import type { ParsedCard } from '../../../src/flashcards/formats/parsed'
import { DEFAULT_SETTINGS } from '../../../src/flashcards/scheduling/settings'
import { spent } from '../../support/cost'
import { runs, slow } from '../../support/full'
import { zipOf } from '../../support/zip'
import { CREATED, codesIn, collectionIn, exported, factsIn, itemsOf, NEW } from './support'

async function write(facts: ExportedFact[], more: Partial<PackageContent> = {}): Promise<Uint8Array> {
  const clock = { time_zone: 'UTC', day_starts_at_hour: 4 }
  const empty = { clock, whole: null, decks: [], media: [] }
  const content = { today: '2026-03-21', ...empty, facts, limit: 128 * 2 ** 20, ...more }
  return Buffer.concat(await Array.fromAsync(writePackage(content)))
}

const text = fc
  .string({
    unit: fc.constantFrom('a', 'é', '😀', ' ', '\n', '*', '_', '`', '<', '&', '|', '#', '-', '\\', '[', ']', '"'),
    minLength: 1,
    maxLength: 40,
  })
  .filter((one) => one.trim() !== '')
const line = text.filter((one) => !one.includes('\n'))
const optional = fc.option(text)
const content: fc.Arbitrary<FactContent> = fc
  .record({
    type: fc.constantFrom('basic', 'reversed', 'typed', 'cloze'),
    ...{ front: text, back: text, extra: optional, hint: optional },
    accepted: fc.array(line, { maxLength: 3 }),
    tags: fc.uniqueArray(fc.constantFrom('Animal', 'b::c', 'été', 'z'), { maxLength: 4 }).map((tags) => tags.sort()),
    url: fc.option(fc.constant('https://example.com/?a=1&b')),
    name: fc.constantFrom({}, { system: 'anki', id: 'guid<1>' }, { system: 'external', id: 'x' }),
  })
  .map(({ type, front, back, accepted, url, name, ...more }) => {
    const rest = { ...more, source: { ...name, url } }
    return type === 'cloze'
      ? { type, front: null, back: null, text: `{{c1::${front}::hint}} ${back} {{c2::x}}`, accepted: [], ...rest }
      : { type, front, back, text: null, accepted: type === 'typed' ? accepted : [], ...rest }
  })
const day = fc
  .integer({ min: -400, max: 40_000 })
  .map((offset) => new Date(CREATED + offset * 86_400_000).toISOString().slice(0, 10))
const seconds = fc.integer({ min: 1_500_000_000, max: 2_000_000_000 }).map((at) => at * 1000)
const shared = {
  suspended: fc.boolean(),
  flag: fc.nat(7),
  position: fc.nat(100_000),
  ...{
    reps: fc.integer({ min: 1, max: 900 }),
    lapses: fc.nat(90),
    last_reviewed_at: seconds,
    scheduled_days: fc.nat(36_500),
  },
  stability: fc.double({ min: 0.001, max: 36_500, noNaN: true }),
  difficulty: fc.double({ min: 1, max: 10, noNaN: true }),
  ease: fc.integer({ min: 1300, max: 4000 }).map((factor) => factor / 1000),
}
const card: fc.Arbitrary<ParsedCard> = fc.oneof(
  fc
    .record({ suspended: shared.suspended, flag: shared.flag, position: shared.position })
    .map((own) => ({ ...NEW, ...own })),
  fc.record({ ...shared, due_day: day }).map((own) => ({ ...NEW, state: 'review' as const, ...own })),
  fc
    .record({ ...shared, due_at: seconds, state: fc.constantFrom('learning' as const, 'relearning' as const) })
    .map((own) => ({ ...NEW, ...own })),
)
const review: fc.Arbitrary<ExportedReview> = fc
  .record({
    reviewed_at: fc.integer({ min: CREATED, max: CREATED + 500 }),
    kind: fc.constantFrom('learning' as const, 'review' as const, 'relearning' as const, 'manual' as const),
    rating: fc.constantFrom(1 as const, 2 as const, 3 as const, 4 as const),
    ...{ duration_ms: fc.nat(3_600_000), scheduled_days: fc.nat(9), last_scheduled_days: fc.nat(9) },
  })
  .map((own) => ({ ...own, ordinal: 0, rating: own.kind === 'manual' ? null : own.rating }))

describe('what is written is read back:', () => {
  test('text, tags, decks, cards and the log of any facts', async () => {
    const fact = fc.record({
      fact: content,
      first: card,
      second: card,
      log: fc.array(review, { maxLength: 5 }),
      deck: fc.constantFrom(['A'], ['A', 'B'], []),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(fact, { minLength: 1, maxLength: 4 }), async (given) => {
        const facts = given.map(({ fact: { source, ...content }, first, second, log, deck }, i) => {
          // No two facts of a workspace have one source.
          const fact = { ...content, source: source?.id ? { ...source, id: `${source.id}${i}` } : (source ?? null) }
          const cards = fact.type === 'reversed' || fact.type === 'cloze' ? [first, { ...second, ordinal: 1 }] : [first]
          return exported(fact, { id: `fact-${i}`, cards, log, deck })
        })
        const items = await itemsOf(await write(facts))
        expect(codesIn(items)).toEqual([])
        expect(factsIn(items).map(comparable)).toEqual(
          facts.map(({ deck, fact, id, ...rest }) =>
            comparable({
              ...rest,
              fact: { ...fact, source: { system: 'anki', id, ...fact.source } },
              deck: deck.length === 0 ? ['Default'] : deck,
            }),
          ),
        )
      }),
      { numRuns: runs(60) },
    )
  })

  test('decks with their descriptions, and media byte by byte', async () => {
    const media = [
      { name: 'é b.png', bytes: Buffer.from('png') },
      { name: 'a.mp3', bytes: Buffer.from('mp3') },
    ]
    const fact = exported({ type: 'basic', front: 'a', back: 'b' }, { deck: ['A', 'B'] })
    const items = await itemsOf(
      await write([fact], { media, decks: [{ path: ['A', 'B'], description: 'about', settings: DEFAULT_SETTINGS }] }),
    )
    expect(items.filter(({ kind }) => kind === 'deck' || kind === 'media')).toEqual([
      { kind: 'deck', path: ['A'], description: '' },
      { kind: 'deck', path: ['A', 'B'], description: 'about' },
      ...media.map((file) => ({ kind: 'media' as const, ...file })),
    ])
  })

  test('a leech and a buried card, as Anki marks them', async () => {
    const buried = { ...NEW, leech: true, lapses: 8, buried_until: '2026-03-22' }
    const [fact] = factsIn(
      await itemsOf(
        await write([exported({ type: 'basic', front: 'a', back: 'b', tags: ['z'] }, { cards: [buried] })]),
      ),
    )
    expect(fact).toMatchObject({ fact: { tags: ['z'] }, cards: [{ leech: true, buried_until: '2026-03-22' }] })
  })
})

/** What a package can tell of a fact: times of the log are moved where two are the same. */
function comparable({
  fact,
  deck,
  cards,
  log,
}: Pick<ExportedFact, 'fact' | 'deck' | 'cards'> & { log: readonly object[] }) {
  return {
    ...{ fact, deck, log: log.length },
    cards: cards.map(({ ease, position, steps_left: _, ...rest }) => ({
      ...rest,
      ease: rest.state === 'new' ? null : ease,
      position,
    })),
  }
}

test('the log keeps its answers in order, and no time stands twice in the package', async () => {
  const answer = (reviewed_at: number, rating: 1 | 3): ExportedReview => ({
    ...{ ordinal: 0, kind: 'review', rating, reviewed_at, duration_ms: 0, scheduled_days: 2, last_scheduled_days: 1 },
  })
  const fact = (id: string) =>
    exported({ type: 'basic', front: id, back: 'b' }, { id, log: [answer(CREATED, 1), answer(CREATED + 1, 3)] })
  const read = factsIn(await itemsOf(await write([fact('a'), fact('b'), fact('c')])))
  const times = read.flatMap(({ log }) => log.map(({ reviewed_at }) => reviewed_at))
  expect(new Set(times).size).toBe(6)
  expect(read.map(({ log }) => log.map(({ rating }) => rating))).toEqual([
    [1, 3],
    [1, 3],
    [1, 3],
  ])
})

/** The package with its collection changed, as another program would. */
async function edited(bytes: Uint8Array, sql: string): Promise<Uint8Array> {
  const { db } = await collectionIn(bytes)
  db.run(sql)
  const data = db.serialize()
  db.close()
  return zipOf([{ name: 'collection.anki2', data }])
}

test('an edit made elsewhere wins over what the last field says, and drops no other member', async () => {
  const bytes = await write([
    exported({ type: 'typed', front: 'a *b*', back: 'c', extra: 'more', hint: 'h', accepted: ['d'] }),
  ])
  const [kept] = factsIn(await itemsOf(await edited(bytes, 'UPDATE notes SET mod = mod + 1')))
  expect(kept?.fact).toMatchObject({ type: 'typed', front: 'a *b*', accepted: ['d'] })
  const [changed] = factsIn(
    await itemsOf(await edited(bytes, "UPDATE notes SET flds = replace(flds, '<em>b</em>', '<b>new</b>')")),
  )
  expect(changed?.fact).toMatchObject({ type: 'typed', front: 'a **new**', back: 'c', extra: 'more', hint: 'h' })
  expect(changed?.fact.accepted).toBeUndefined()
})

test('what Anki called a fact is its guid again, unless no import could take it; others are called by their id', async () => {
  const called = (system: string, id: string) =>
    exported({ type: 'basic', front: 'a', back: 'b', source: { system, id } }, { id: `fact-${id.slice(0, 5)}` })
  const [long, longest] = ['l'.repeat(490), 'm'.repeat(491)]
  const facts = [called('anki', 'g#1'), called('anki', long), called('anki', longest), called('other', 'x')]
  const { db } = await collectionIn(await write(facts))
  const guids = db.query<{ guid: string }, []>('SELECT guid FROM notes ORDER BY id').all()
  db.close()
  expect(guids.map(({ guid }) => guid)).toEqual(['g#1', long, 'fact-mmmmm', 'fact-x'])
})

test('what the last field says is held to its shape', async () => {
  const bytes = await write([exported({ type: 'typed', front: 'a', back: 'b' })])
  const [fact] = factsIn(
    await itemsOf(
      await edited(bytes, `UPDATE notes SET flds = replace(flds, '"accepted":[]', '"accepted":[7,"x"],"admin":true')`),
    ),
  )
  expect(fact?.fact).toEqual({
    ...{
      type: 'typed',
      front: 'a',
      back: 'b',
      text: null,
      extra: null,
      hint: null,
      accepted: ['x'],
      source: { system: 'anki', id: 'fact-1', url: null },
      tags: [],
    },
  })
})

test('the collection is of schema 11, with the tables and marks that other programs look for', async () => {
  const review: ParsedCard = {
    ...NEW,
    state: 'review',
    due_day: '2026-03-21',
    scheduled_days: 16,
    stability: 16.5,
    difficulty: 2.5,
    last_reviewed_at: CREATED,
    reps: 3,
  }
  const bytes = await write([
    exported(
      { type: 'reversed', front: 'a', back: 'b' },
      { cards: [review, { ...NEW, ordinal: 1, position: 4 }], deck: ['A', 'B'] },
    ),
  ])
  const { layout, db } = await collectionIn(bytes)
  const [col] = db.query<Record<string, string>, []>('SELECT * FROM col').all()
  expect(layout).toBe('legacy1')
  expect([col?.ver, col?.tags, JSON.parse(col?.conf ?? '').schedVer]).toEqual([11, '{}', 2])
  expect(Object.values(JSON.parse(col?.decks ?? '')).map((deck) => (deck as { name: string }).name)).toEqual([
    'Default',
    'A',
    'A::B',
  ])
  expect(Object.keys(JSON.parse(col?.models ?? ''))).toHaveLength(4)
  const cards = db.query<Record<string, string>, []>('SELECT ord, type, queue, due, ivl, factor, data FROM cards').all()
  expect(cards).toEqual([
    {
      ord: 0,
      type: 2,
      queue: 2,
      due: 2271,
      ivl: 16,
      factor: 2500,
      data: JSON.stringify({ pos: 1, s: 16.5, d: 2.5, dr: 0.9, decay: 0.1542, lrt: CREATED / 1000 }),
    },
    { ord: 1, type: 0, queue: 0, due: 4, ivl: 0, factor: 0, data: '{}' },
  ] as unknown as typeof cards)
  expect(db.query("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all()).toEqual(
    ['cards', 'col', 'graves', 'notes', 'revlog'].map((name) => ({ name })),
  )
  db.close()
})

test('Markdown becomes HTML in which nothing can act, with media as Anki refers to it', () => {
  expect(markdownToField('a *b* `c<d`')).toBe('a <em>b</em> <code>c&lt;d</code>')
  expect(markdownToField('a\n\nb')).toBe('<p>a</p>\n<p>b</p>')
  expect(markdownToField('![p](media:a%20b.png) [s](media:x.mp3)')).toBe('<img src="a b.png" alt="p" /> [sound:x.mp3]')
  expect(markdownToField('<script>x</script><img src=x onerror=alert(1)>')).not.toMatch(/script|onerror/)
  expect(markdownToField('[x](javascript:alert(1))')).not.toContain('javascript')
  expect(markdownToField('a\x1fb')).not.toContain('\x1f')
})

slow('no text takes the parser longer than a moment', async () => {
  for (const mark of ['**a_', '*a ', '[', '![', '<', '> ', '`', '| a'])
    expect((await spent(() => markdownToField(mark.repeat(20_000 / mark.length)))).ms).toBeLessThan(500)
})
