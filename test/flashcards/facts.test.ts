import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { runs } from '../support/full'
import { recounted } from '../support/recounted'
import type { As } from '../support/world'
import { makeStudyWorld, type Shown } from './support'

const world = recounted(await makeStudyWorld())
const { call, stranger, deck, fact, read, cards, study, all } = world

/** What of a card must not be lost. */
const KEPT = ['id', 'state', 'due_day', 'stability', 'difficulty', 'reps', 'position', 'flag']
const schedule = (card: Shown) => Object.fromEntries(KEPT.map((name) => [name, card[name]]))
const clozeFact = async (me: As, text: string) =>
  fact(me, { deck_id: (await deck(me)).id, type: 'cloze', front: null, back: null, text })
const patch = (me: object, { id }: Shown, body: object, headers = {}) =>
  call(me, 'PATCH', `/facts/${id}`, body, headers)
const ordinals = (shown: readonly Shown[]) => shown.map(({ ordinal }) => ordinal)

describe('a new fact', () => {
  test.each([
    [{ type: 'basic' }, [0]],
    [{ type: 'typed', accepted: ['c'] }, [0]],
    [{ type: 'reversed' }, [0, 1]],
    [{ type: 'cloze', front: null, back: null, text: '{{c1::a}} {{c7,3::b}} {{c1::c}}' }, [0, 2, 6]],
  ])('%o has its cards, all new and beside each other', async (members, expected) => {
    const me = stranger()
    const made = await fact(me, { deck_id: (await deck(me)).id, ...members })
    const own = await cards(me, made)
    expect(ordinals(own)).toEqual(expected)
    expect(own.map(({ state, position, deck_id }) => [state, position, deck_id])).toEqual(
      expected.map(() => ['new', 1, made.deck_id]),
    )
    const next = await fact(me, { deck_id: made.deck_id, front: 'next' })
    expect((await cards(me, next))[0].position).toBe(2)
  })

  test('is refused in a deck that is none or lies in the trash, and nothing is made', async () => {
    const me = stranger()
    const gone = await deck(me)
    await call(me, 'DELETE', `/decks/${gone.id}`)
    for (const deck_id of [gone.id, '01890000-0000-7000-8000-00000000ffff']) {
      const { status, body } = await call(me, 'POST', '/facts', { deck_id, type: 'basic', front: 'f', back: 'b' })
      expect([status, body.errors[0].pointer]).toEqual([400, '/deck_id'])
    }
    expect(await all(me, '/facts')).toEqual([])
  })

  test('its source is its own in the workspace, also while it lies in the trash', async () => {
    const [me, other] = [stranger(), stranger()]
    const { id: deck_id } = await deck(me)
    const source = { system: 's', id: 'x' }
    const made = await fact(me, { deck_id, source })
    await call(me, 'DELETE', `/facts/${made.id}`)
    const same = { deck_id, type: 'basic', front: 'g', back: 'b' }
    for (const taken of [{ source }, { source: { ...source, url: 'http://a' } }]) {
      const { status, body } = await call(me, 'POST', '/facts', { ...same, ...taken })
      expect([status, body.code, body.existing_id]).toEqual([409, 'conflict', made.id])
    }
    await fact(other, { ...same, deck_id: (await deck(other)).id, source })
    const near = await fact(me, { ...same, source: { ...source, system: 'near' } })
    const { status, body } = await patch(me, near, { source: { system: 's' } })
    expect([status, body.existing_id]).toEqual([409, made.id])
    for (const free of [{ ...source, system: 't' }, { ...source, id: 'X' }, { url: 'http://a' }, { url: 'http://a' }])
      expect((await fact(me, { ...same, source: free })).source).toEqual({ system: null, id: null, url: null, ...free })
  })
})

describe('cards come and go with their fact', () => {
  test('a number that is taken out and put back keeps its card and its schedule', async () => {
    const me = stranger()
    const made = await clozeFact(me, '{{c1::a}} {{c2::b}}')
    const [, second] = await cards(me, made)
    await study(second.id)
    const before = schedule((await cards(me, made))[1])
    expect((await patch(me, made, { text: '{{c1::a}} b {{c5::c}}' })).status).toBe(200)
    expect(ordinals(await cards(me, made))).toEqual([0, 4])
    const gone = await read(me, `/cards/${second.id}`)
    expect([gone.deleted_at !== null, schedule(gone)]).toEqual([true, before])
    await patch(me, made, { text: '{{c1::a}} {{c2::b again}}' })
    const back = await cards(me, made)
    expect([ordinals(back), schedule(back[1]), back[1].deleted_at]).toEqual([[0, 1], before, null])
    expect(back[1].answer).toBe('a **b again**')
  })

  test('reversed, basic, reversed keeps both cards and their schedules', async () => {
    const me = stranger()
    const made = await fact(me, { deck_id: (await deck(me)).id, type: 'reversed' })
    const own = await cards(me, made)
    for (const { id } of own) await study(id)
    const before = (await cards(me, made)).map(schedule)
    await patch(me, made, { type: 'basic' })
    expect(ordinals(await cards(me, made))).toEqual([0])
    await patch(me, made, { type: 'typed', accepted: ['c'] })
    await patch(me, made, { type: 'reversed', accepted: null })
    expect((await cards(me, made)).map(schedule)).toEqual(before)
  })

  test('a fact that goes and comes back brings the cards that it has, and no other', async () => {
    const me = stranger()
    const made = await fact(me, { deck_id: (await deck(me)).id, type: 'reversed' })
    await patch(me, made, { type: 'basic' })
    const [first] = await cards(me, made)
    await study(first.id)
    const before = schedule((await cards(me, made))[0])
    expect((await call(me, 'DELETE', `/facts/${made.id}`)).status).toBe(204)
    expect(await cards(me, made)).toEqual([])
    expect(await cards(me, made, '&trashed=true')).toHaveLength(2)
    expect((await call(me, 'POST', `/facts/${made.id}/restore`)).body.deleted_at).toBeNull()
    expect((await cards(me, made)).map(schedule)).toEqual([before])
  })

  test('editing text raises the revision of the cards that show it, and only of those', async () => {
    const me = stranger()
    const made = await clozeFact(me, '{{c1::a}}{{c2::b}}')
    await patch(me, made, { text: '{{c1::a}}{{c2::c}}' })
    expect((await cards(me, made)).map(({ revision }) => revision)).toEqual([2, 2])
    await patch(me, made, { hint: 'h', tags: ['t'] })
    expect((await cards(me, made)).map(({ revision }) => revision)).toEqual([2, 2])
  })

  test('a side that is new stands beside its sibling, not behind all other cards', async () => {
    const me = stranger()
    const { id: deck_id } = await deck(me)
    const made = await fact(me, { deck_id })
    await fact(me, { deck_id, front: 'behind' })
    await patch(me, made, { type: 'reversed' })
    expect((await cards(me, made)).map(({ position }) => position)).toEqual([1, 1])
  })

  test('cards go with their fact into another deck', async () => {
    const me = stranger()
    const [from, to] = [await deck(me), await deck(me)]
    const made = await fact(me, { deck_id: from.id, type: 'reversed' })
    await patch(me, made, { type: 'basic', deck_id: to.id })
    await patch(me, made, { type: 'reversed' })
    expect((await cards(me, made)).map(({ deck_id }) => deck_id)).toEqual([to.id, to.id])
  })

  test('any sequence of numbers leaves one card of each number, and cards never change their id', async () => {
    const me = stranger()
    const { id: deck_id } = await deck(me)
    const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 5 })
    const textOf = (of: readonly number[]) => of.map((n) => `{{c${n}::x}}`).join(' ')
    await fc.assert(
      fc.asyncProperty(fc.array(numbers, { minLength: 2, maxLength: 5 }), async ([first = [1], ...rest]) => {
        const made = await fact(me, { deck_id, type: 'cloze', front: null, back: null, text: textOf(first) })
        const ids = new Map<number, string>()
        for (const of of [first, ...rest]) {
          await patch(me, made, { text: textOf(of) })
          const { items } = (await call(me, 'GET', `/cards?limit=200&deck_id=${deck_id}`)).body
          const own = items.filter(({ fact_id }: Shown) => fact_id === made.id)
          expect(ordinals(own).toSorted()).toEqual(of.map((n) => n - 1).toSorted())
          for (const { ordinal, id } of own) {
            expect(ids.get(ordinal) ?? id).toBe(id)
            ids.set(ordinal, id)
          }
        }
        await call(me, 'DELETE', `/facts/${made.id}?permanent=true`)
      }),
      { numRuns: runs(15) },
    )
  })
})

describe('a duplicate', () => {
  const twin = { type: 'basic', front: ' WHAT  is\nit? ', back: 'other', hint: 'h' }

  async function pair() {
    const me = stranger()
    const { id: deck_id } = await deck(me)
    const first = await fact(me, { deck_id, front: 'What is it?' })
    return { me, first, sent: { deck_id, ...twin } }
  }

  test('is made beside the first unless it is skipped, updates the first in its place, or is an error', async () => {
    const { me, first, sent } = await pair()
    const elsewhere = await deck(me)
    const send = (how: string, more = {}) => call(me, 'POST', `/facts?on_duplicate=${how}`, { ...sent, ...more })
    const withoutCards = ({ body: { cards: _, ...shown } }: { body: Shown }) => shown
    const skipped = await send('skip')
    expect([skipped.status, withoutCards(skipped)]).toEqual([200, first])
    const refused = await send('error')
    expect([refused.status, refused.body.code, refused.body.duplicate_of]).toEqual([409, 'duplicate_fact', first.id])
    const updated = await send('update', { deck_id: elsewhere.id })
    const changed = { front: sent.front, back: 'other', hint: 'h', revision: 2, updated_at: updated.body.updated_at }
    expect([updated.status, withoutCards(updated)]).toEqual([200, { ...first, ...changed }])
    const { status, body } = await call(me, 'POST', '/facts', sent)
    expect([status, body.id !== first.id]).toEqual([201, true])
  })

  test.each(['trash', 'type', 'workspace'])('is none where another %s keeps the two apart', async (what) => {
    const { me, first, sent } = await pair()
    if (what === 'trash') await call(me, 'DELETE', `/facts/${first.id}`)
    const who = what === 'workspace' ? stranger() : me
    const deck_id = what === 'workspace' ? (await deck(who)).id : sent.deck_id
    const body = { ...sent, deck_id, type: what === 'type' ? 'reversed' : 'basic' }
    expect((await call(who, 'POST', '/facts?on_duplicate=error', body)).status).toBe(201)
  })
})

describe('a batch', () => {
  test('answers for each item, and one that is refused leaves nothing of itself', async () => {
    const me = stranger()
    const { id: deck_id } = await deck(me)
    const ok = { deck_id, type: 'basic', front: 'a', back: 'b' }
    const items = [
      ok,
      { ...ok, front: '' },
      { ...ok, source: { system: 's', id: 'x' }, front: 'c' },
      { ...ok, source: { system: 's', id: 'x' }, front: 'd' },
      ok,
    ]
    const { status, body } = await call(me, 'POST', '/facts/batch', { on_duplicate: 'skip', items })
    const [first, second, third, fourth, fifth] = body.items
    expect([status, body.items.map(({ status }: Shown) => status)]).toEqual([200, [201, 400, 201, 409, 200]])
    expect(second.error.errors[0].pointer).toBe('/items/1/front')
    expect([fourth.error.code, fourth.id]).toEqual(['conflict', null])
    expect([fifth.id, fifth.duplicate_of]).toEqual([first.id, first.id])
    expect((await all(me, '/facts')).map(({ id }) => id)).toEqual([first.id, third.id])
  })

  test('atomic: all or nothing, and the first that failed is named', async () => {
    const me = stranger()
    const { id: deck_id } = await deck(me)
    const ok = { deck_id, type: 'basic', front: 'a', back: 'b' }
    const { status, body } = await call(me, 'POST', '/facts/batch', { atomic: true, items: [ok, { ...ok, back: '' }] })
    expect([status, body.failed_index]).toEqual([400, 1])
    expect(await all(me, '/facts')).toEqual([])
  })

  test('takes 500, and no more', async () => {
    const me = stranger()
    const { id: deck_id } = await deck(me)
    const items = Array.from({ length: 501 }, (_, i) => ({ deck_id, type: 'basic', front: `f${i}`, back: 'b' }))
    expect((await call(me, 'POST', '/facts/batch', { items })).status).toBe(400)
    const { body } = await call(me, 'POST', '/facts/batch', { items: items.slice(1) })
    expect(body.items.filter(({ status }: Shown) => status === 201)).toHaveLength(500)
  })
})

describe('a fact that belongs to notes', () => {
  test('names notes that there are, is found by each, and forgets one once it is erased', async () => {
    const me = stranger()
    const { id: deck_id } = await deck(me)
    const note = (await world.callAny(me, 'POST', '/api/notes', { title: 'T' })).body.id
    const other = (await world.callAny(me, 'POST', '/api/notes', { title: 'U' })).body.id
    const made = await fact(me, { deck_id, note_ids: [note, other, note] })
    expect(made.note_ids).toEqual([note, other])
    const plain = { deck_id, type: 'basic', front: 'x', back: 'y' }
    const { status, body } = await call(me, 'POST', '/facts', { ...plain, note_ids: [note, deck_id] })
    expect([status, body.errors[0].pointer, body.errors[0].code]).toEqual([400, '/note_ids/1', 'unknown_note'])
    expect((await patch(me, made, { note_ids: [other, deck_id] })).body.errors[0].pointer).toBe('/note_ids/1')
    for (const id of [note, other])
      expect((await all(me, `/facts?note_id=${id}`)).map(({ id }) => id)).toEqual([made.id])
    await world.callAny(me, 'DELETE', `/api/notes/${note}`)
    expect((await read(me, `/facts/${made.id}`)).note_ids).toEqual([note, other])
    const seq = (await world.callAny(me, 'GET', '/api/changes')).body.latest_seq
    await world.callAny(me, 'DELETE', `/api/notes/${note}?permanent=true`)
    const left = await read(me, `/facts/${made.id}`)
    expect([left.note_ids, left.revision]).toEqual([[other], 2])
    const { items } = (await world.callAny(me, 'GET', `/api/changes?since=${seq}`)).body
    expect(items).toContainEqual(expect.objectContaining({ type: 'fact', id: made.id, op: 'upsert', revision: 2 }))
    expect(await all(me, `/facts?note_id=${note}`)).toEqual([])
    const none = (await patch(me, left, { note_ids: null })).body
    expect([none.note_ids, await all(me, `/facts?note_id=${other}`)]).toEqual([[], []])
  })
})

describe('where a fact came from', () => {
  test('is patched member by member, and found by system, and by id beside it', async () => {
    const me = stranger()
    const { id: deck_id } = await deck(me)
    let made = await fact(me, { deck_id, source: { url: 'https://example.org/' } })
    expect(made.source).toEqual({ system: null, id: null, url: 'https://example.org/' })
    for (const [source, expected] of [
      [
        { system: 's', id: 'x' },
        { system: 's', id: 'x', url: 'https://example.org/' },
      ],
      [{ url: null }, { system: 's', id: 'x', url: null }],
      [{ id: 'y' }, { system: 's', id: 'y', url: null }],
      [{}, { system: 's', id: 'y', url: null }],
      [{ system: null, id: null }, null],
    ] as [object, object | null][]) {
      made = (await patch(me, made, { source })).body
      expect(made.source).toEqual(expected)
    }
    expect(made.revision).toBe(5)
    made = (await patch(me, made, { source: { system: 's', id: 'z', url: 'http://a' } })).body
    expect((await all(me, '/facts?source_system=s&source_id=z')).map(({ id }) => id)).toEqual([made.id])
    const { status, body } = await call(me, 'GET', '/facts?source_id=z')
    expect([status, body.errors[0].pointer]).toEqual([400, '/source_system'])
    expect((await patch(me, made, { source: null })).body.source).toBeNull()
    for (const wrong of [{ system: null }, { id: null }, { URL: 'http://a' }, { url: 'ftp://a' }, 'x']) {
      const named = (await patch(me, made, { source: { system: 's', id: 'z' } })).body
      expect((await call(me, 'PATCH', `/facts/${made.id}`, { source: wrong })).status).toBe(400)
      expect(await read(me, `/facts/${made.id}`)).toEqual(named)
    }
  })
})

describe('writing and reading one', () => {
  test('a new fact is answered with its cards, also one that was there', async () => {
    const me = stranger()
    const deck_id = (await deck(me)).id
    const add = (body: object, query = '') => call(me, 'POST', `/facts${query}`, { deck_id, ...body })
    const sides = { type: 'reversed', front: 'a', back: 'b' }
    const [one, cloze] = [await add(sides), await add({ type: 'cloze', text: '{{c1::a}} {{c3::b}}' })]
    const shown = async ({ body }: { body: Shown }) =>
      (await call(me, 'GET', '/cards')).body.items.filter((card: Shown) => card.fact_id === body.id)
    expect(one.body.cards).toEqual(await shown(one))
    expect(cloze.body.cards.map((card: Shown) => card.ordinal)).toEqual([0, 2])
    const again = await add({ ...sides, type: 'reversed' }, '?on_duplicate=skip')
    expect([again.status, again.body.cards]).toEqual([200, one.body.cards])
    // A side that went to the trash is none of its cards.
    await call(me, 'PATCH', `/facts/${one.body.id}`, { type: 'basic' })
    const basic = await add({ ...sides, type: 'basic' }, '?on_duplicate=skip')
    expect(basic.body.cards).toHaveLength(1)
  })
})
