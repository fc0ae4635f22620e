import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DEFAULT_WEIGHTS } from '../../src/flashcards/scheduling/settings'
import { runs } from '../support/full'
import { contradictions } from '../support/recount'
import { recounted } from '../support/recounted'
import type { As } from '../support/world'
import { packageOf } from './anki/build'
import { makePortableWorld, readable, type Told } from './archive-support'
import { act, anyDeed, DAY, type Deed, grownIn, PNG, START } from './deeds'
import type { Shown } from './support'
import { NOTES_SOURCE, STUDIED_SOURCE } from './transfer-support'

/** Flashcards leave a workspace whole, and are merged into another by id and revision. */

const world = recounted(await makePortableWorld())

const { call, told, merge, stranger } = world
const grown = (deeds: readonly Deed[]) => grownIn(world, deeds)

/** What a caller sees and could do: what cannot differ where two workspaces are the same. */
async function seen(me: As): Promise<Shown[]> {
  const paths = [
    '/decks?limit=200',
    '/decks?limit=200&trashed=true',
    '/facts?limit=200',
    '/facts?limit=200&trashed=true',
  ]
    .concat('/cards?limit=200', '/cards?limit=200&trashed=true', '/reviews?limit=200', '/queue?preview=true&limit=100')
    .concat('/settings', '/media', '/stats?parts=today', '/facts?q=x')
  return Promise.all(paths.map((path) => world.read(me, path)))
}

const onlyOf = (report: Record<string, string[]>, ...outcomes: string[]) =>
  Object.values(report)
    .flat()
    .filter((outcome) => !outcomes.includes(outcome))

test('whatever was done: it is the same elsewhere, to its callers too, and a second merge changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyDeed, { minLength: 12, maxLength: 40 }), async (deeds) => {
      const [me, other] = [await grown(deeds), stranger()]
      const all = await told(me)
      expect(onlyOf(await merge(other, all), 'created')).toEqual([])
      expect(await told(other)).toEqual(all)
      expect(await seen(other)).toEqual(await seen(me))
      expect(await world.held(other)).toEqual(await world.held(me))
      for (const as of [me, other]) {
        const seq = await world.latestSeq(as)
        expect(onlyOf(await merge(as, all), 'unchanged')).toEqual([])
        expect(await world.latestSeq(as)).toBe(seq)
      }
      for (let i = 0; i < 4; i++) {
        const [here, there] = [await call(me, 'POST', '/reviews/undo'), await call(other, 'POST', '/reviews/undo')]
        expect([there.status, there.body.review, there.body.card]).toEqual([
          here.status,
          here.body.review,
          here.body.card,
        ])
      }
      expect(await seen(other)).toEqual(await seen(me))
    }),
    { numRuns: runs(5) },
  )
})

test('decks in the trash go over though others have their names', async () => {
  const [me, other] = [stranger(), stranger()]
  const add = async (name: string) => (await call(me, 'POST', '/decks', { name })).body.id
  const first = await add('First')
  for (let n = 0; n < 3; n++) await call(me, 'DELETE', `/decks/${await add('Words')}`)
  await call(me, 'PATCH', `/decks/${first}`, { name: 'Words' })
  expect(await merge(other, await told(me))).toMatchObject({ deck: Array(4).fill('created'), later: [] })
  expect(await told(other)).toEqual(await told(me))
})

test('two workspaces that went apart: any merge leaves a whole workspace, and a second one changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyDeed, { minLength: 8, maxLength: 20 }),
      fc.array(anyDeed, { maxLength: 12 }),
      fc.array(anyDeed, { maxLength: 12 }),
      async (before, here, there) => {
        const [me, other] = [await grown(before), stranger()]
        await merge(other, await told(me))
        for (const deed of here) await act(world, me, deed)
        for (const deed of there) await act(world, other, deed)
        const all = await told(me)
        await merge(other, all)
        const [first, again] = [await told(other), await merge(other, all)]
        expect(
          Object.values(again)
            .flat()
            .filter((outcome) => outcome === 'unchanged').length,
        ).toBeGreaterThan(0)
        await merge(other, all)
        if (onlyOf(again, 'unchanged').length === 0) expect(await told(other)).toEqual(first)
        expect(await contradictions(world.folder)).toEqual([])
        await seen(other)
      },
    ),
    { numRuns: runs(5) },
  )
})

test('what was imported from Anki, notes that facts come from, and answers that may be repeated go over as well', async () => {
  const [me, other] = [stranger(), stranger()]
  world.clock.now = START
  await world.send(me, 'format=apkg', packageOf('legacy2', STUDIED_SOURCE))
  const [deck] = await world.all(me, '/decks')
  const note = (await world.callAny(me, 'POST', '/api/notes', { title: 'n' })).body
  const fact = await world.fact(me, { deck_id: deck.id, note_ids: [note.id] })
  const [card] = await world.cards(me, fact)
  const answer = { id: '01900000-0000-7000-8000-00000000aaaa', rating: 3 }
  expect((await call(me, 'POST', `/cards/${card.id}/reviews`, answer)).status).toBe(201)
  const all = await told(me)
  const third = stranger()
  expect(onlyOf(await merge(third, all), 'created')).toEqual(['invalid_request'])
  expect(await world.read(third, `/facts/${fact.id}`)).toEqual({ ...fact, deck_id: deck.id, note_ids: [] })
  await world.callAny(other, 'POST', '/api/notes', { id: note.id, title: 'n' })
  expect(onlyOf(await merge(other, all), 'created')).toEqual([])
  expect(await told(other)).toEqual(all)
  expect(all.files.size).toBe(2)
  expect((await call(other, 'POST', `/cards/${card.id}/reviews`, answer)).status).toBe(200)
})

describe('by revision', () => {
  /** A workspace with a studied card, told of, and what its lines are called. */
  async function studied() {
    const me = stranger()
    world.clock.now = START
    const deck = await world.deck(me, { settings: { fuzz: false } })
    const fact = await world.fact(me, { deck_id: deck.id, source: { system: 'x', id: deck.name } })
    const [card] = await world.cards(me, fact)
    await call(me, 'POST', `/cards/${card.id}/reviews`, { rating: 3 })
    return { me, deck, fact, card, all: await told(me) }
  }
  const changed = (all: Told, type: string, members: object): Partial<Told> => ({
    ...all,
    lines: { ...all.lines, [type]: (all.lines[type] ?? []).map((line) => ({ ...line, ...members })) },
  })

  test('what is higher is taken, with its instants; what is the same or lower is left alone', async () => {
    const { me, deck, fact, card, all } = await studied()
    const at = '2026-04-01T00:00:00.000Z'
    for (const [type, members] of [
      ['deck', { description: 'new' }],
      ['fact', { back: 'new' }],
      ['card', { flag: 5 }],
    ] as const) {
      expect(onlyOf(await merge(me, changed(all, type, { ...members, revision: 1 })), 'unchanged')).toEqual([])
      const newer = await merge(me, {
        lines: {
          [type]: changed(all, type, { ...members, revision: 9, updated_at: at, created_at: at }).lines?.[type] ?? [],
        },
      })
      expect([newer[type], newer.later]).toEqual([['updated'], []])
    }
    const shown = { revision: 9, updated_at: at, created_at: at }
    expect(await world.read(me, `/decks/${deck.id}`)).toMatchObject({ ...shown, description: 'new' })
    expect(await world.read(me, `/facts/${fact.id}`)).toMatchObject({ ...shown, back: 'new' })
    expect(await world.read(me, `/cards/${card.id}`)).toMatchObject({ ...shown, flag: 5, answer: 'new' })
  })

  test('a card that moved on here keeps its log: answers from elsewhere are refused', async () => {
    const { me, card, all } = await studied()
    const other = stranger()
    await merge(other, all)
    world.clock.now += DAY
    await call(me, 'POST', `/cards/${card.id}/reviews`, { rating: 1 })
    for (const rating of [4, 4]) await call(other, 'POST', `/cards/${card.id}/reviews`, { rating })
    const report = await merge(other, await told(me))
    expect([report.card, report.review]).toEqual([['unchanged'], ['unchanged', 'conflict']])
    expect((await call(other, 'POST', '/reviews/undo')).body.card.reps).toBe(2)
  })

  test('an answer that was undone elsewhere is undone here, with its card', async () => {
    const { me, card, all } = await studied()
    const other = stranger()
    await merge(other, all)
    await call(me, 'POST', '/reviews/undo')
    const report = await merge(other, await told(me))
    expect([report.card, report.review]).toEqual([['updated'], ['updated']])
    expect(await world.read(other, `/cards/${card.id}`)).toEqual(await world.read(me, `/cards/${card.id}`))
    expect((await call(other, 'POST', '/reviews/undo')).status).toBe(404)
  })

  test('more answers than a step takes back are all taken back', async () => {
    const { me, card, all } = await studied()
    const other = stranger()
    await merge(other, all)
    for (let i = 0; i < 105; i++) {
      world.clock.now += DAY
      expect((await call(other, 'POST', `/cards/${card.id}/reviews`, { rating: 3 })).status).toBe(201)
    }
    await call(me, 'POST', '/cards/actions', { ids: [card.id], action: 'reset' })
    const theirs = await told(me)
    const newer = changed(theirs, 'card', { revision: 1000 })
    expect((await merge(other, { lines: { card: newer.lines?.card ?? [] } })).card).toEqual(['updated'])
    const log = await world.all(other, `/cards/${card.id}/reviews`)
    expect([log.length, log.filter(({ undone_at }) => undone_at === null).length]).toEqual([106, 0])
  })

  test('a deck that went to the trash takes along what is here alone; back again, it brings it', async () => {
    const { me, deck, all } = await studied()
    const other = stranger()
    await merge(other, all)
    const mine = await world.fact(other, { deck_id: deck.id, front: 'mine alone' })
    const below = await world.deck(other, { parent_id: deck.id })
    await call(me, 'DELETE', `/decks/${deck.id}`)
    await merge(other, await told(me))
    expect([await world.all(other, '/decks'), await world.all(other, '/facts')]).toEqual([[], []])
    await call(me, 'POST', `/decks/${deck.id}/restore`)
    await merge(other, await told(me))
    expect((await world.all(other, '/decks')).map(({ id }) => id)).toContain(below.id)
    expect((await world.all(other, '/facts')).map(({ id }) => id)).toContain(mine.id)
  })

  test('other weights from elsewhere hold for cards that are here alone as well', async () => {
    const { me, deck, all } = await studied()
    const other = stranger()
    await merge(other, all)
    const [card] = await world.cards(other, await world.fact(other, { deck_id: deck.id, front: 'mine' }))
    await call(other, 'POST', `/cards/${card.id}/reviews`, { rating: 3 })
    const weights = DEFAULT_WEIGHTS.with(2, 9)
    await call(me, 'PATCH', '/settings', { deck_defaults: { weights } })
    expect((await merge(other, await told(me))).card).toEqual(['updated'])
    expect((await world.read(other, `/cards/${card.id}`)).stability).toBeCloseTo(9, 6)
  })

  test('sources, ordinals and media names of another are refused, and so is what refers to nothing; a deck gets a number', async () => {
    const { deck, fact, all } = await studied()
    const other = stranger()
    const own = await world.deck(other, { name: deck.name })
    await world.putMedia(other, 'a.png', PNG)
    const stamps = { revision: 1, created_at: deck.created_at, updated_at: deck.created_at }
    const media = [{ id: fact.id, ...stamps, name: 'a.png', sha256: '0'.repeat(64) }]
    const report = await merge(other, { ...all, lines: { ...all.lines, media } })
    expect(report).toMatchObject({ deck: ['created'], media: ['conflict'], fact: ['created'], later: [] })
    expect((await world.read(other, `/decks/${deck.id}`)).name).toBe(`${deck.name} (2)`)
    expect((await world.read(other, `/decks/${own.id}`)).name).toBe(deck.name)
    const { deck: _, ...rest } = all.lines
    expect(await merge(stranger(), { lines: rest })).toMatchObject({
      fact: ['invalid_request'],
      card: ['invalid_request'],
      review: ['invalid_request'],
    })
    const another = stranger()
    const { id: deck_id } = await world.deck(another, { name: 'another' })
    await world.fact(another, { deck_id, source: fact.source })
    expect((await merge(another, all)).fact).toEqual(['conflict'])
    const twice =
      all.lines.card?.map((line) => ({
        ...line,
        id: line.id.replace(/.$/, (last: string) => (last === 'f' ? '0' : 'f')),
        revision: 99,
      })) ?? []
    const third = stranger()
    await merge(third, all)
    expect((await merge(third, { lines: { card: twice } })).card).toEqual(['conflict'])
  })

  test('media come with the bytes that they name, or not at all; a fact whose cards do not come gets new ones', async () => {
    const { me, all } = await studied()
    await world.putMedia(me, 'a.png', PNG)
    const whole = await told(me)
    expect((await merge(stranger(), { ...whole, files: new Map() })).media).toEqual(['invalid_request'])
    const others = new Map([['media/a.png', Uint8Array.of(1)]])
    expect((await merge(stranger(), { ...whole, files: others })).media).toEqual(['invalid_request'])
    const other = stranger()
    await merge(other, { lines: { deck: all.lines.deck ?? [], fact: all.lines.fact ?? [] } })
    expect(await world.all(other, '/cards')).toMatchObject([{ state: 'new', revision: 1 }])
  })
})

test('people find all decks as a package for Anki, unless it would be too large', async () => {
  const [me, other] = [await grown([]), stranger()]
  const [deck] = await world.all(me, '/decks')
  await world.fact(me, { deck_id: deck.id, front: 'in the package' })
  const files = await readable(world, me)
  expect([...files.keys()]).toEqual(['flashcards.apkg'])
  const { body } = await world.send(other, 'format=apkg', files.get('flashcards.apkg') ?? '')
  expect(body.resources.fact.created).toBe(1)
  expect((await readable(world, me, 1000)).size).toBe(0)
})

test('whatever a line holds, it is merged or refused', async () => {
  const me = await grown([])
  await world.send(me, 'format=apkg', packageOf('legacy2', NOTES_SOURCE))
  const [deck] = await world.all(me, '/decks')
  for (const type of ['reversed', 'basic'])
    await world.fact(me, { deck_id: deck.id, type, front: `${type}{{c1::x}}`, tags: ['a'] })
  for (const { id } of await world.all(me, '/cards')) await call(me, 'POST', `/cards/${id}/reviews`, { rating: 3 })
  await call(me, 'PATCH', '/settings', { learn_ahead_minutes: 3 })
  await world.putMedia(me, 'a.png', PNG)
  const all = await told(me)
  const text = fc.string({ unit: 'binary', maxLength: 8 }).filter((one) => one.isWellFormed() && !one.includes('\0'))
  const anyJson = fc.oneof(
    fc.jsonValue({ maxDepth: 2, stringUnit: 'grapheme' }).filter((value) => !JSON.stringify(value).includes('\\u')),
    text,
    fc.constantFrom(
      'new',
      'review',
      'cloze',
      '2026-03-01',
      '2026-03-01T00:00:00.000Z',
      deck.id,
      '0'.repeat(64),
      0,
      1,
      1e12,
    ),
    fc.integer(),
    fc.constant(null),
  )
  const types = Object.keys(all.lines)
  const hostile = fc.tuple(
    fc.constantFrom(...types),
    fc.nat(),
    fc.array(fc.tuple(fc.nat(), anyJson), { maxLength: 3 }),
    anyJson,
  )
  const codes = ['created', 'updated', 'unchanged', 'invalid_request', 'conflict', 'too_large']
  await fc.assert(
    fc.asyncProperty(fc.array(hostile, { maxLength: 12 }), async (lines) => {
      const mixed: Record<string, Shown[]> = {}
      for (const [type, which, faults, whole] of lines) {
        const known = all.lines[type] ?? []
        const line = structuredClone(known[which % known.length])
        line.revision = 2 + (which % 5)
        for (const [at, value] of faults) line[Object.keys(line)[at % Object.keys(line).length] ?? ''] = value
        mixed[type] = [...(mixed[type] ?? []), which % 9 === 0 ? whole : line]
      }
      const target = stranger()
      if (lines.length % 2 === 0) await merge(target, all)
      const report = await merge(target, { lines: mixed, files: all.files })
      expect(onlyOf(report, ...codes)).toEqual([])
      for (const shown of await seen(target)) expect(shown.code).toBeUndefined()
      await call(target, 'POST', '/reviews/undo')
      for (const { id } of (await world.read(target, '/cards')).items)
        expect((await call(target, 'POST', `/cards/${id}/reviews`, { rating: 3 })).status).toBeLessThan(500)
    }),
    { numRuns: runs(25) },
  )
})

test('a fact that an import was stopped behind gets its cards from a repeat', async () => {
  const [me, other] = [stranger(), stranger()]
  const deck = await world.deck(me)
  await world.fact(me, { deck_id: deck.id, type: 'reversed' })
  const { lines } = await told(me)
  const session = { workspace: { id: world.idOf(other), kind: 'key' as const }, db: world.db }
  for (const type of ['deck', 'fact']) {
    const archivedType = world.archivedTypes.find((one) => one.type === type)
    await world.db.transaction(
      async (db) => void (await archivedType?.merge({ ...session, db }, lines[type]?.[0], null)),
    )
  }
  expect(await world.all(other, '/cards')).toEqual([])
  const { deck: decks = [], fact: facts = [] } = lines
  expect((await merge(other, { lines: { deck: decks, fact: facts } })).fact).toEqual(['unchanged'])
  expect(await world.all(other, '/cards')).toHaveLength(2)
})
