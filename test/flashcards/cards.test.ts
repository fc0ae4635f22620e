import { describe, expect, test } from 'bun:test'
import { recounted } from '../support/recounted'
import type { As } from '../support/world'
import { makeStudyWorld, type Shown, STUDIED } from './support'

const world = recounted(await makeStudyWorld())
const { call, stranger, deck, fact, read, cards, study, all } = world

async function oneCard(me: As, members: object = {}): Promise<Shown> {
  const [card] = await cards(me, await fact(me, { deck_id: (await deck(me)).id, ...members }))
  return card
}
const patch = (me: As, { id }: Shown, body: object, headers = {}) => call(me, 'PATCH', `/cards/${id}`, body, headers)

describe('a card', () => {
  test('that is new has no schedule', async () => {
    const me = stranger()
    expect(await oneCard(me)).toMatchObject({
      revision: 1,
      prompt: 'f',
      answer: 'b',
      state: 'new',
      due_at: null,
      due_day: null,
      stability: null,
      difficulty: null,
      scheduled_days: 0,
      step: 0,
      reps: 0,
      lapses: 0,
      last_reviewed_at: null,
      retrievability: null,
      suspended: false,
      buried_until: null,
      flag: 0,
      leech: false,
    })
  })

  test('in review is due when its study day begins, in whatever zone, and no row is touched by another zone', async () => {
    const me = stranger()
    const card = await oneCard(me)
    await study(card.id, { ...STUDIED, due_day: 20_533 })
    const seen = await read(me, `/cards/${card.id}`)
    expect([seen.due_day, seen.due_at]).toEqual(['2026-03-21', '2026-03-21T04:00:00.000Z'])
    const before = await world.db.all('SELECT * FROM study_cards ORDER BY key')
    await call(me, 'PATCH', '/settings', { time_zone: 'America/New_York' })
    const moved = await read(me, `/cards/${card.id}`)
    expect([moved.due_day, moved.due_at]).toEqual(['2026-03-21', '2026-03-21T08:00:00.000Z'])
    expect(await world.db.all('SELECT * FROM study_cards ORDER BY key')).toEqual(before)
  })

  test('in learning is due at an instant, whose study day follows from the zone', async () => {
    const me = stranger()
    const card = await oneCard(me)
    const due_at = Date.parse('2026-03-03T06:00:00.000Z')
    await study(card.id, {
      state: 'learning',
      stability: 2.3065,
      difficulty: 2.1,
      due_at,
      last_reviewed_at: due_at - 1,
    })
    const day = async () => {
      const { due_at, due_day } = await read(me, `/cards/${card.id}`)
      return [due_at, due_day]
    }
    expect(await day()).toEqual(['2026-03-03T06:00:00.000Z', '2026-03-03'])
    await call(me, 'PATCH', '/settings', { time_zone: 'America/New_York' })
    expect(await day()).toEqual(['2026-03-03T06:00:00.000Z', '2026-03-02'])
  })

  test('shows the chance of recall of today, and its ETag changes with the day and the settings alone', async () => {
    const me = stranger()
    const card = await oneCard(me)
    await study(card.id, { ...STUDIED, stability: 4, last_reviewed_at: Date.parse('2026-03-02T10:00:00.000Z') })
    const seen = async () => {
      const { body, headers } = await call(me, 'GET', `/cards/${card.id}`)
      return { retrievability: body.retrievability, etag: headers.get('etag') }
    }
    const start = world.clock.now
    expect(await seen()).toEqual({ retrievability: 1, etag: '"1.20514.1"' })
    world.clock.now += 4 * 86_400_000
    const later = await seen()
    expect(later.retrievability).toBeCloseTo(0.9, 6)
    expect(later.etag).toBe('"1.20518.1"')
    expect((await call(me, 'GET', `/cards/${card.id}`, undefined, { 'If-None-Match': '"1.20518.1"' })).status).toBe(304)
    await call(me, 'PATCH', '/settings', { learn_ahead_minutes: 5 })
    expect((await seen()).etag).toBe('"1.20518.2"')
    // Writing compares the revision alone.
    expect((await patch(me, card, { flag: 1 }, { 'If-Match': '"1.20514.1"' })).status).toBe(200)
    const late = await patch(me, card, { flag: 2 }, { 'If-Match': '"1.20518.2"' })
    expect([late.status, late.body.current.flag]).toEqual([412, 1])
    world.clock.now = start
  })

  test('takes what is its own, and nothing else', async () => {
    const me = stranger()
    const card = await oneCard(me)
    const asked = { suspended: true, buried_until: '2026-03-09', flag: 7, position: 0 }
    const { status, body } = await patch(me, card, asked)
    expect([status, body]).toEqual([200, { ...card, ...asked, revision: 2, updated_at: body.updated_at }])
    expect((await patch(me, card, asked)).body.revision).toBe(2)
    expect((await patch(me, card, { buried_until: null })).body.buried_until).toBeNull()
    for (const refused of [
      { flag: 8 },
      { flag: 1.5 },
      { flag: null },
      { position: -1 },
      { suspended: 'true' },
      { buried_until: '2025-02-30' },
      { buried_until: '' },
      { due_day: '2026-03-09' },
      { state: 'review' },
      { leech: true },
    ])
      expect([refused, (await patch(me, card, refused)).status]).toEqual([refused, 400])
    expect((await read(me, `/cards/${card.id}`)).revision).toBe(3)
  })

  test('is not changed in the trash', async () => {
    const me = stranger()
    const card = await oneCard(me)
    await call(me, 'DELETE', `/facts/${card.fact_id}`)
    const there = await read(me, `/cards/${card.id}`)
    const { status, body } = await patch(me, card, { flag: 1 })
    expect([status, body.code]).toEqual([409, 'conflict'])
    expect(await read(me, `/cards/${card.id}`)).toEqual(there)
  })
})

describe('filters', () => {
  test('find cards and the facts that have them', async () => {
    const me = stranger()
    const top = await deck(me)
    const sub = await deck(me, { parent_id: top.id })
    const other = await deck(me)
    const note = (await world.callAny(me, 'POST', '/api/notes', { title: 'T' })).body.id
    const a = await fact(me, {
      deck_id: top.id,
      front: 'Grüße  aus\nBonn',
      tags: ['Geo::Europe'],
      source: { system: 's', id: 'x' },
    })
    const b = await fact(me, { deck_id: sub.id, type: 'reversed', back: '100%', tags: ['geo'], note_ids: [note] })
    const c = await fact(me, {
      deck_id: other.id,
      type: 'cloze',
      front: null,
      back: null,
      text: '{{c1::a_b}}',
      tags: ['geology'],
    })
    const [ofA] = await cards(me, a)
    const [, ofB] = await cards(me, b)
    await study(ofA.id, { ...STUDIED, due_day: 20_519, leech: 1 })
    await study(ofB.id, {
      state: 'relearning',
      stability: 1,
      difficulty: 5,
      due_at: Date.parse('2026-03-07T03:59:00.000Z'),
    })
    await patch(me, ofB, { flag: 3, suspended: true })
    const facts = async (query: string) => new Set((await all(me, `/facts?${query}`)).map(({ id }) => id))
    const ofCards = async (query: string) => new Set((await all(me, `/cards?${query}`)).map(({ fact_id }) => fact_id))
    for (const [query, ...expected] of [
      [`deck_id=${top.id}`, a, b],
      [`deck_id=${sub.id}`, b],
      ['tag=GEO', a, b],
      ['tag=geo::europe', a],
      ['tag=eu'],
      ['type=cloze', c],
      ['state=new', b, c],
      ['state=review', a],
      ['state=relearning', b],
      ['due_before=2026-03-08', a, b],
      ['due_before=2026-03-07', b],
      ['leech=true', a],
      ['leech=false', b, c],
      ['suspended=true', b],
      ['flag=3', b],
      ['flag=0', a, b, c],
      [`q=${encodeURIComponent('GRÜSSE AUS')}`, a],
      ['q=%25', b],
      ['q=a_b', c],
      ['q=axb'],
      [`note_id=${note}`, b],
      [`note_id=${top.id}`],
      ['source_system=s&source_id=x', a],
      ['source_system=s', a],
      ['source_system=t&source_id=x'],
      ['source_system=s&source_id=X'],
      [`deck_id=${top.id}&tag=geo&suspended=true&state=relearning&flag=3&q=100`, b],
    ] as [string, ...Shown[]][]) {
      const ids = new Set(expected.map(({ id }) => id))
      expect([query, await facts(query), await ofCards(query)]).toEqual([query, ids, ids])
    }
    expect(await all(me, '/cards?suspended=true')).toHaveLength(1)
  })

  test('by ids have those of them, page by page; what is in the trash, unknown or of others is left out', async () => {
    const [me, other] = [stranger(), stranger()]
    const { id: deck_id } = await deck(me)
    const made = await Promise.all([1, 2, 3, 4].map((front) => fact(me, { deck_id, front: `${front}` })))
    const foreign = await fact(other, { deck_id: (await deck(other)).id })
    const cardsOf = async (as: As, ...facts: Shown[]) => {
      const shown = await all(as, '/cards')
      return facts.map(({ id }) => shown.find(({ fact_id }) => fact_id === id)?.id)
    }
    const named = {
      facts: [...made.slice(0, 3).map(({ id }) => id), foreign.id],
      cards: [...(await cardsOf(me, ...made.slice(0, 3))), ...(await cardsOf(other, foreign))],
    }
    await call(me, 'DELETE', `/facts/${made[2]?.id}`)
    for (const [kind, [one, two, trashed, theirs]] of Object.entries(named)) {
      const mine = [one, two]
      const ids = [one, two, trashed, theirs, deck_id].join(',')
      const listed = async (query: string) => (await all(me, `/${kind}?${query}`)).map(({ id }) => id)
      expect(await listed(`ids=${ids}`)).toEqual(mine.toSorted())
      const first = (await call(me, 'GET', `/${kind}?limit=1&ids=${ids}`)).body
      const rest = (await call(me, 'GET', `/${kind}?limit=1&ids=${ids}&cursor=${first.next_cursor}`)).body
      expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(mine.toSorted())
      expect(rest.next_cursor).toBeNull()
      expect(await listed(`ids=${ids}&trashed=true`)).toEqual([trashed])
      expect(await listed(`ids=${ids}&flag=1`)).toEqual([])
      for (const wrong of ['', 'x', `${ids},`, Array(201).fill(deck_id).join()])
        expect((await call(me, 'GET', `/${kind}?ids=${wrong}`)).body.errors[0].pointer).toBe('/ids')
    }
    const sorted = `/cards?sort=-position&ids=${(await all(me, '/cards')).slice(0, 2).map(({ id }) => id)}`
    expect((await call(me, 'GET', sorted)).body.items.map(({ prompt }: Shown) => prompt)).toEqual(['2', '1'])
  })

  test('a page ends early where the texts are long', async () => {
    const me = stranger()
    const { id: deck_id } = await deck(me)
    const text = '\u{1f600}'.repeat(20_000)
    for (let i = 0; i < 60; i++) await fact(me, { deck_id, front: text, back: text })
    const { items, next_cursor } = await read(me, '/facts?limit=200')
    expect([items.length, next_cursor !== null]).toEqual([52, true])
  })
})
