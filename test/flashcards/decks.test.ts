import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { runs } from '../support/full'
import { contradictions } from '../support/recount'
import { recounted } from '../support/recounted'
import type { As } from '../support/world'
import { makeStudyWorld, type Shown, STUDIED } from './support'

const world = recounted(await makeStudyWorld())
const { call, stranger, deck, fact, read, cards, study, all } = world

const patch = (me: As, { id }: Shown, body: object, headers = {}) => call(me, 'PATCH', `/decks/${id}`, body, headers)
const drop = (me: As, { id }: Shown, query = '') => call(me, 'DELETE', `/decks/${id}${query}`)
const restore = (me: As, { id }: Shown) => call(me, 'POST', `/decks/${id}/restore`)
const idsOf = (shown: readonly Shown[]) => shown.map(({ id }) => id)
const names = async (me: As, query = '') => (await all(me, `/decks${query}`)).map(({ name }) => name)

/** A deck in a deck and so on, the topmost first. */
async function chain(me: As, levels: number): Promise<Shown[]> {
  const decks: Shown[] = []
  for (let i = 0; i < levels; i++) decks.push(await deck(me, { parent_id: decks.at(-1)?.id ?? null }))
  return decks
}

describe('a name', () => {
  test.each([
    ['', 'nothing'],
    [' a', 'white space at an end'],
    ['a::b', '::'],
    ['a\u0007b', 'a control character'],
    ['x'.repeat(201), 'more than 200 characters'],
  ])('%j is refused: %s', async (name) => {
    const me = stranger()
    const { status, body } = await call(me, 'POST', '/decks', { name })
    expect([status, body.errors[0].pointer]).toEqual([400, '/name'])
    expect(await names(me)).toEqual([])
  })

  test('is unique among siblings without case, in any normal form, and free elsewhere', async () => {
    const me = stranger()
    const top = await deck(me, { name: 'Caf\u00e9' })
    const taken = await call(me, 'POST', '/decks', { name: 'CAFE\u0301' })
    expect([taken.status, taken.body.existing_id]).toEqual([409, top.id])
    expect((await deck(me, { name: 'e\u0301' })).name).toBe('\u00e9')
    await deck(me, { name: 'Caf\u00e9', parent_id: top.id })
    expect((await patch(me, top, { name: 'CAF\u00c9' })).body.name).toBe('CAF\u00c9')
    const other = await deck(me, { name: 'other' })
    expect((await patch(me, other, { name: 'caf\u00e9' })).status).toBe(409)
    await drop(me, top)
    expect((await patch(me, other, { name: 'caf\u00e9' })).status).toBe(200)
    expect((await restore(me, top)).body).toMatchObject({ status: 409, existing_id: other.id })
  })
})

describe('the tree', () => {
  test('has ten levels at most, also when a subtree moves', async () => {
    const me = stranger()
    const decks = await chain(me, 10)
    const deep = await call(me, 'POST', '/decks', { name: 'eleventh', parent_id: decks[9].id })
    expect([deep.status, deep.body.errors[0]]).toMatchObject([400, { pointer: '/parent_id', code: 'too_deep' }])
    const [pair] = await chain(me, 2)
    expect((await patch(me, pair, { parent_id: decks[8].id })).status).toBe(400)
    expect((await patch(me, pair, { parent_id: decks[7].id })).status).toBe(200)
  })

  test('counts levels that lie in the trash, so that they can come back', async () => {
    const me = stranger()
    const decks = await chain(me, 9)
    const [pair, below] = await chain(me, 2)
    await drop(me, below)
    expect((await patch(me, pair, { parent_id: decks[8].id })).status).toBe(400)
  })

  test('any sequence of moves leaves a forest: what would close a circle is refused, all else is done', async () => {
    const me = stranger()
    const decks = await Promise.all(Array.from({ length: 6 }, () => deck(me)))
    const parents = new Map<number, number | null>(decks.map((_, i) => [i, null]))
    const inside = (one: number | null, other: number): boolean =>
      one !== null && (one === other || inside(parents.get(one) ?? null, other))
    const move = fc.tuple(fc.nat(5), fc.option(fc.nat(5)))
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 1, maxLength: 12 }), async (moves) => {
        for (const [moved, into] of moves) {
          const parent_id = into === null ? null : decks[into].id
          const { status } = await patch(me, decks[moved], { parent_id })
          const circle = inside(into, moved)
          expect(status).toBe(circle ? 409 : 200)
          if (!circle) parents.set(moved, into)
        }
        for (const [i, into] of parents)
          expect((await read(me, `/decks/${decks[i].id}`)).parent_id).toBe(into === null ? null : decks[into].id)
      }),
      { numRuns: runs(12) },
    )
  })

  test('is listed by name, level by level if asked', async () => {
    const me = stranger()
    const b = await deck(me, { name: 'b' })
    await deck(me, { name: 'A' })
    await deck(me, { name: 'c', parent_id: b.id })
    expect(await names(me)).toEqual(['A', 'b', 'c'])
    expect(await names(me, '?parent_id=none')).toEqual(['A', 'b'])
    expect(await names(me, `?parent_id=${b.id}`)).toEqual(['c'])
  })
})

describe('a deck that is dropped', () => {
  /** Two decks, one in the other, a fact in each, and one fact of each in the trash already. */
  async function planted(me: As) {
    const [top, sub] = await chain(me, 2)
    const facts = [
      await fact(me, { deck_id: top.id, front: 'in top' }),
      await fact(me, { deck_id: sub.id, front: 'in sub', type: 'reversed' }),
    ]
    const gone = await fact(me, { deck_id: sub.id, front: 'gone before' })
    await call(me, 'DELETE', `/facts/${gone.id}`)
    return { top, sub, facts, gone }
  }

  test('goes with all that lives in it, as one entry, and comes back as one', async () => {
    const me = stranger()
    const { top, sub, facts, gone } = await planted(me)
    const other = await deck(me)
    const [card] = await cards(me, facts[1])
    await study(card.id)
    expect((await drop(me, top)).status).toBe(204)
    expect(idsOf(await all(me, '/decks'))).toEqual([other.id])
    expect([await all(me, '/facts'), await all(me, '/cards')]).toEqual([[], []])
    expect(idsOf(await all(me, '/decks?trashed=true'))).toEqual([top.id])
    expect(idsOf(await all(me, '/facts?trashed=true'))).toEqual([gone.id])
    expect((await read(me, `/decks/${sub.id}`)).deleted_at).not.toBeNull()
    expect((await restore(me, top)).body).toMatchObject({ id: top.id, deleted_at: null })
    expect(idsOf(await all(me, '/decks')).toSorted()).toEqual([top.id, sub.id, other.id].toSorted())
    expect(idsOf(await all(me, '/facts')).toSorted()).toEqual(idsOf(facts).toSorted())
    expect((await cards(me, facts[1]))[0]).toMatchObject({ id: card.id, state: 'review', reps: STUDIED.reps })
    expect(await cards(me, gone)).toEqual([])
  })

  test('twice is once, and what went before stays where it is', async () => {
    const me = stranger()
    const { top, sub } = await planted(me)
    await drop(me, sub)
    await drop(me, top)
    expect((await drop(me, top)).status).toBe(204)
    expect((await restore(me, sub)).status).toBe(409)
    await restore(me, top)
    expect(idsOf(await all(me, '/decks'))).toEqual([top.id])
    expect((await restore(me, sub)).status).toBe(200)
    expect(await all(me, '/facts')).toHaveLength(2)
  })

  test('is read, and not changed; nor is a fact brought back into it', async () => {
    const me = stranger()
    const { top, gone } = await planted(me)
    await drop(me, top)
    expect((await patch(me, top, { name: 'x' })).status).toBe(409)
    expect((await call(me, 'POST', `/facts/${gone.id}/restore`)).status).toBe(409)
    expect((await call(me, 'POST', '/decks', { name: 'x', parent_id: top.id })).status).toBe(400)
  })

  test('leaves its facts and subdecks to another first', async () => {
    const me = stranger()
    const { top, sub, facts, gone } = await planted(me)
    const target = await deck(me)
    expect((await drop(me, top, `?move_to=${target.id}`)).status).toBe(204)
    expect((await read(me, `/decks/${sub.id}`)).parent_id).toBe(target.id)
    expect((await read(me, `/facts/${facts[0].id}`)).deck_id).toBe(target.id)
    expect((await read(me, `/facts/${gone.id}`)).deck_id).toBe(sub.id)
    expect((await cards(me, facts[0]))[0].deck_id).toBe(target.id)
    expect(idsOf(await all(me, '/decks?trashed=true'))).toEqual([top.id])
  })

  test('leaves nothing to what it stands in itself, or to what is not there: nothing is changed', async () => {
    const me = stranger()
    const { top, sub } = await planted(me)
    const gone = await deck(me)
    await drop(me, gone)
    for (const { id } of [top, sub, gone]) {
      const { status, body } = await drop(me, top, `?move_to=${id}`)
      expect([status, body.errors[0].pointer]).toEqual([400, '/move_to'])
    }
    expect(await read(me, `/decks/${top.id}`)).toEqual(top)
  })

  test('is not moved where a name is taken: nothing is changed', async () => {
    const me = stranger()
    const { top, sub, facts } = await planted(me)
    const target = await deck(me)
    await deck(me, { parent_id: target.id, name: sub.name })
    expect((await drop(me, top, `?move_to=${target.id}`)).status).toBe(409)
    expect((await read(me, `/facts/${facts[0].id}`)).deck_id).toBe(top.id)
  })

  test.each([false, true])('is erased with all that is in it (from the trash: %s)', async (trashed) => {
    const me = stranger()
    const { top } = await planted(me)
    if (trashed) await drop(me, top)
    expect((await drop(me, top, '?permanent=true')).status).toBe(204)
    for (const query of ['', '?trashed=true'])
      for (const what of ['decks', 'facts', 'cards']) expect(await all(me, `/${what}${query}`)).toEqual([])
    const { workspace } = (await world.callAny(me, 'GET', '/api/usage')).body
    expect([workspace.resources, workspace.size_bytes]).toEqual([0, 0])
    const { items } = (await world.callAny(me, 'GET', '/api/changes?limit=200')).body
    expect(items.filter(({ op }: Shown) => op === 'upsert')).toEqual([])
  })
})

describe('counts', () => {
  test('are of the deck and its subdecks, each card once, as a recount of the cards says', async () => {
    const me = stranger()
    const [top, sub] = await chain(me, 2)
    await fact(me, { deck_id: (await deck(me)).id, front: 'elsewhere' })
    const today = 20_514 // 2026-03-02
    const learning = { state: 'learning', stability: 1, difficulty: 5, due_at: Date.parse('2026-03-03T03:59:59.999Z') }
    const kinds = [
      {},
      { buried_until: today + 1 },
      { ...STUDIED, due_day: today },
      { ...STUDIED, due_day: today + 1 },
      { ...STUDIED, due_day: today, buried_until: today },
      { ...STUDIED, due_day: today, buried_until: today + 1 },
      { ...STUDIED, due_day: today, suspended: 1 },
      { suspended: 1 },
      learning,
      { ...learning, state: 'relearning', due_at: Date.parse('2026-03-03T04:00:00.000Z') },
    ]
    for (const [i, columns] of kinds.entries()) {
      const made = await fact(me, { deck_id: i % 2 ? top.id : sub.id, front: `f${i}` })
      const [card] = await cards(me, made)
      if (Object.keys(columns).length > 0) await study(card.id, columns)
    }
    expect(await read(me, `/decks/${top.id}/counts`)).toEqual({
      new: 2,
      learning: 2,
      review: 4,
      suspended: 2,
      total: 10,
      due_today: 3,
    })
    const shown = await all(me, `/cards?deck_id=${sub.id}`)
    const counts = await read(me, `/decks/${sub.id}/counts`)
    const of = (...states: string[]) =>
      shown.filter(({ state, suspended }) => !suspended && states.includes(state)).length
    expect(counts).toMatchObject({ new: of('new'), learning: of('learning', 'relearning'), review: of('review') })
    expect(counts.total).toBe(shown.length)
  })

  test('of a list are those of each deck, with its subdecks; none where nothing is asked', async () => {
    const me = stranger()
    const [top, sub, low] = await chain(me, 3)
    const beside = await deck(me)
    const trashed = await deck(me, { parent_id: top.id })
    for (const [i, { id }] of [top, sub, low, low, trashed, trashed].entries())
      await fact(me, { deck_id: id, front: `f${i}` })
    await call(me, 'DELETE', `/decks/${trashed.id}`)
    const lists = ['', '&parent_id=none', `&parent_id=${top.id}`, '&limit=1']
    for (const query of lists) {
      const { items } = await read(me, `/decks?counts=true${query}`)
      for (const { id, counts } of items) expect(counts).toEqual(await read(me, `/decks/${id}/counts`))
    }
    const { items } = await read(me, '/decks?counts=true')
    const totals = new Map(items.map(({ id, counts }: { id: string; counts: { total: number } }) => [id, counts.total]))
    expect([top, sub, low, beside].map(({ id }) => totals.get(id))).toEqual([4, 3, 2, 0])
    for (const query of ['', '?counts=false'])
      for (const one of (await read(me, `/decks${query}`)).items) expect(one).not.toHaveProperty('counts')
    expect((await call(me, 'GET', '/decks?counts=yes')).status).toBe(400)
    const [{ counts }] = (await read(me, '/decks?trashed=true&counts=true')).items
    expect(counts.total).toBe(0)
  })

  test('leave the ETag of the deck alone', async () => {
    const me = stranger()
    const made = await deck(me)
    await fact(me, { deck_id: made.id })
    expect((await call(me, 'GET', `/decks/${made.id}`)).headers.get('etag')).toBe('"1"')
    expect((await read(me, `/decks/${made.id}/counts`)).new).toBe(1)
  })
})

describe('settings of a deck', () => {
  test('come from the deck itself, the decks above, the workspace and the defaults, and say from where', async () => {
    const me = stranger()
    const top = await deck(me, { settings: { new_limit_per_day: 5, fuzz: false } })
    const sub = await deck(me, { parent_id: top.id, settings: { fuzz: true, weights: null } })
    await call(me, 'PATCH', '/settings', { deck_defaults: { leech_threshold: 4, new_limit_per_day: 7 } })
    const { overrides, effective, from } = await read(me, `/decks/${sub.id}/settings`)
    expect([overrides.fuzz, overrides.new_limit_per_day]).toEqual([true, null])
    expect(effective).toMatchObject({ fuzz: true, new_limit_per_day: 5, leech_threshold: 4, desired_retention: 0.9 })
    expect(from).toMatchObject({ fuzz: sub.id, new_limit_per_day: top.id, leech_threshold: 'deck_defaults' })
    expect([Object.keys(effective).length, Object.keys(from).length, Object.keys(overrides).length]).toEqual([
      15, 15, 15,
    ])
  })

  test('are patched member by member; null inherits again', async () => {
    const me = stranger()
    const made = await deck(me, { settings: { fuzz: false, new_limit_per_day: 5 } })
    const { body } = await patch(me, made, { settings: { fuzz: null, review_limit_per_day: 0 } })
    expect(body.settings).toMatchObject({ fuzz: null, new_limit_per_day: 5, review_limit_per_day: 0 })
    expect((await patch(me, made, { settings: { fuzz: null } })).body.revision).toBe(2)
    const cleared = (await patch(me, made, { settings: null })).body.settings
    expect(Object.values(cleared).every((value) => value === null)).toBe(true)
  })
})

test('any sequence of drops, restores, moves and erasures leaves nothing done by half', async () => {
  const me = stranger()
  const op = fc.record({
    what: fc.constantFrom('drop', 'restore', 'move', 'drop into', 'erase', 'drop fact', 'restore fact'),
    one: fc.nat(4),
    other: fc.nat(4),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(op, { minLength: 3, maxLength: 10 }), async (ops) => {
      const decks: Shown[] = []
      const facts: Shown[] = []
      for (let i = 0; i < 5; i++) {
        decks.push(await deck(me, { parent_id: i % 2 ? decks[i - 1].id : null }))
        facts.push(await fact(me, { deck_id: decks[i].id, type: i % 2 ? 'reversed' : 'basic' }))
      }
      for (const { what, one, other } of ops) {
        const [first, second] = [decks[one], decks[other]]
        const { status } = await {
          drop: () => drop(me, first),
          restore: () => restore(me, first),
          move: () => patch(me, first, { parent_id: second.id }),
          'drop into': () => drop(me, first, `?move_to=${second.id}`),
          erase: () => drop(me, first, '?permanent=true'),
          'drop fact': () => call(me, 'DELETE', `/facts/${facts[one].id}`),
          'restore fact': () => call(me, 'POST', `/facts/${facts[one].id}/restore`),
        }[what]()
        expect([200, 204, 400, 404, 409]).toContain(status)
      }
      expect(await contradictions(world.folder)).toEqual([])
      const living = await all(me, '/decks')
      const home = new Set(idsOf(living))
      for (const { deck_id } of await all(me, '/facts')) expect(home).toContain(deck_id)
      for (const one of living.filter(({ parent_id }) => !home.has(parent_id))) await drop(me, one, '?permanent=true')
    }),
    { numRuns: runs(10) },
  )
})

test('erasing tells of every review that goes, and gives back what it counted', async () => {
  const me = stranger()
  const made = await deck(me)
  const [card] = await cards(me, await fact(me, { deck_id: made.id }))
  expect((await call(me, 'POST', `/cards/${card.id}/reviews`, { rating: 3 })).status).toBe(201)
  await drop(me, made, '?permanent=true')
  const { items } = (await world.callAny(me, 'GET', '/api/changes')).body
  expect(items.map(({ type, op, revision }: Shown) => [type, op, revision])).toEqual([
    ['review', 'delete', 2],
    ['card', 'delete', 3],
    ['fact', 'delete', 2],
    ['deck', 'delete', 2],
  ])
  expect((await world.callAny(me, 'GET', '/api/usage')).body.workspace).toMatchObject({ resources: 0, size_bytes: 0 })
})

test('a deck erased with move_to leaves all that stood in it', async () => {
  const me = stranger()
  const [from, to] = [await deck(me), await deck(me)]
  const [made, gone] = [await fact(me, { deck_id: from.id }), await fact(me, { deck_id: from.id })]
  await call(me, 'DELETE', `/facts/${gone.id}`)
  expect((await drop(me, from, `?permanent=true&move_to=${to.id}`)).status).toBe(204)
  expect((await call(me, 'POST', `/facts/${gone.id}/restore`)).body.deck_id).toBe(to.id)
  expect([(await read(me, `/facts/${made.id}`)).deck_id, idsOf(await all(me, '/decks'))]).toEqual([to.id, [to.id]])
})
