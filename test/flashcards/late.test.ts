import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { DEFAULT_WEIGHTS } from '../../src/flashcards/scheduling/settings'
import { runs } from '../support/full'
import { recounted } from '../support/recounted'
import { makeStudyWorld, type Shown } from './support'

/** Late answers: whatever the order in which devices send, the cards and their logs are as in the order of time. */

const world = recounted(await makeStudyWorld())

const START = Date.parse('2026-03-02T12:00:00.000Z')
const DAY = 86_400_000
let reviews = 0
const freshId = (n = ++reviews) => `01890000-0000-7000-9000-${n.toString(16).padStart(12, '0')}`
const at = (days: number) => new Date(START + days * DAY).toISOString()

/** Cards of a caller of its own. Fuzz is off, since it depends on the ids of cards. */
async function newCards(count = 1, settings: object = {}) {
  const me = world.stranger()
  world.clock.now = START + 400 * DAY
  const deck = await world.deck(me, { settings: { fuzz: false, ...settings } })
  const cards: Shown[] = []
  for (let i = 0; i < count; i++)
    cards.push(...(await world.cards(me, await world.fact(me, { deck_id: deck.id, front: `f${i}` }))))
  const [card] = cards
  const answer = (body: object, headers = {}) => world.call(me, 'POST', `/cards/${card.id}/reviews`, body, headers)
  const log = async (of = card): Promise<Shown[]> => (await world.all(me, `/cards/${of.id}/reviews`)).toReversed()
  return { me, deck, cards, card, answer, log, read: (of = card) => world.read(me, `/cards/${of.id}`) }
}

/** What is the same in every order of arrival. */
const course = ({ id: _, card_id: __, revision: ___, created_at: ____, updated_at: _____, ...rest }: Shown) => rest
const schedule = ({ fact_id: _, deck_id: __, prompt: ___, ...rest }: Shown) => course(rest)

test('an answer of before one that came first is 201, merged, and the card is as in the order of time', async () => {
  const [late, timely] = [await newCards(), await newCards()]
  const answers = [4, 3, 1, 3].map((rating, i) => ({ rating, reviewed_at: at(i * 9), duration_ms: i }))
  const merged: boolean[] = []
  for (const i of [0, 2, 3, 1]) {
    const { status, body } = await late.answer(answers[i] ?? {})
    expect([status, body.review.reviewed_at]).toEqual([201, at(i * 9)])
    expect(body.card).toEqual(await late.read())
    merged.push(body.merged)
  }
  expect(merged).toEqual([false, false, false, true])
  for (const answer of answers) expect((await timely.answer(answer)).body.merged).toBe(false)
  expect((await late.log()).map(course)).toEqual((await timely.log()).map(course))
  expect(schedule(await late.read())).toEqual(schedule(await timely.read()))
  expect((await late.log()).map(({ revision }) => revision)).toEqual([1, 1, 2, 2])
  expect((await late.read()).revision).toBe((await timely.read()).revision)
  const { items } = (await world.callAny(late.me, 'GET', '/api/changes?limit=200')).body
  const told = new Map(items.map(({ id, revision }: Shown) => [id, revision]))
  for (const one of [...(await late.log()), await late.read()]) expect(told.get(one.id)).toBe(one.revision)
  for (const { me, deck } of [late, timely])
    await world.call(me, 'PATCH', `/decks/${deck.id}`, { settings: { weights: DEFAULT_WEIGHTS.with(3, 12.5) } })
  expect(schedule(await late.read())).toEqual(schedule(await timely.read()))
})

test('a late answer is merged whatever the revision; one that is not late needs it', async () => {
  const { answer } = await newCards()
  const stale = { 'If-Match': '"1"' }
  expect((await answer({ rating: 3, id: freshId(40), reviewed_at: at(5) }, stale)).status).toBe(201)
  for (const [id, days] of [
    [41, 4],
    [39, 5],
    [38, 0],
  ] as const) {
    const { status, body } = await answer({ rating: 3, id: freshId(id), reviewed_at: at(days) }, stale)
    expect([status, body.merged]).toEqual([201, true])
  }
  for (const body of [{}, { reviewed_at: at(5), id: freshId(42) }, { reviewed_at: at(6) }])
    expect((await answer({ rating: 3, ...body }, stale)).status).toBe(412)
  const again = await answer({ rating: 3, id: freshId(41), reviewed_at: at(4) }, stale)
  expect([again.status, again.body.merged]).toEqual([200, true])
  expect((await answer({ rating: 3, id: freshId(40), reviewed_at: at(5) })).body.merged).toBe(false)
  expect((await answer({ rating: 4, id: freshId(41), reviewed_at: at(4) })).status).toBe(409)
  expect((await answer({ rating: 3, reviewed_at: at(3) }, stale)).body.merged).toBe(true)
})

test('a leech takes answers that were given offline, in any order; a card that was suspended by hand does not', async () => {
  const settings = { leech_threshold: 1, learning_steps_minutes: [] }
  const bodies = [4, 1, 3].map((rating, i) => ({ rating, reviewed_at: at(i * 30) }))
  const cards: Shown[] = []
  for (const order of [
    [0, 1, 2],
    [0, 2, 1],
    [2, 1, 0],
    [1, 0, 2],
  ]) {
    const one = await newCards(1, settings)
    for (const i of order) expect((await one.answer(bodies[i] ?? {})).status).toBe(201)
    expect(await one.read()).toMatchObject({ suspended: true, leech: true, lapses: 1, reps: 3 })
    cards.push(schedule(await one.read()))
    expect((await one.answer({ rating: 3 })).body.code).toBe('card_suspended')
    await world.call(one.me, 'PATCH', `/cards/${one.card.id}`, { suspended: false })
    const more = await one.answer({ rating: 3, reviewed_at: at(20) })
    expect([more.body.merged, more.body.card.suspended]).toEqual([true, false])
  }
  for (const card of cards) expect(card).toEqual(cards[0])

  const one = await newCards(1, settings)
  for (const body of bodies.slice(0, 1)) await one.answer(body)
  const suspend = (suspended: boolean) => world.call(one.me, 'PATCH', `/cards/${one.card.id}`, { suspended })
  await suspend(true)
  for (const body of [{}, { reviewed_at: at(-1) }, { reviewed_at: at(70) }])
    expect((await one.answer({ rating: 3, ...body })).body.code).toBe('card_suspended')
  await suspend(false)
  for (const days of [-1, 70]) expect((await one.answer({ rating: 3, reviewed_at: at(days) })).status).toBe(201)
  // Suspended by hand after an answer that was late: a further late one leaves that alone.
  const { review } = (await one.answer({ rating: 3, reviewed_at: at(60) })).body
  await suspend(true)
  await world.call(one.me, 'POST', `/reviews/${review.id}/undo`)
  expect(await one.read()).toMatchObject({ suspended: true, leech: false, reps: 3 })
})

test('a reset, and a due day set by hand, keep their effect at their place', async () => {
  for (const action of [{ action: 'reset' }, { action: 'set_due', value: '2026-05-01' }]) {
    const outcomes: Shown[] = []
    for (const isLate of [false, true]) {
      const one = await newCards()
      const set = () => world.call(one.me, 'POST', '/cards/actions', { ids: [one.card.id], ...action })
      await one.answer({ rating: 4, reviewed_at: at(0) })
      const between = { rating: 1, reviewed_at: at(10) }
      if (!isLate) await one.answer(between)
      world.clock.now = START + 20 * DAY
      await set()
      world.clock.now = START + 40 * DAY
      await one.answer({ rating: 3, reviewed_at: at(30) })
      if (isLate) expect((await one.answer(between)).body.merged).toBe(true)
      outcomes.push([schedule(await one.read()), (await one.log()).map(course)])
    }
    expect(outcomes[1]).toEqual(outcomes[0])
  }
})

test('what was done by hand is last in the log, though the clock of a device is ahead', async () => {
  const { answer, card, me, log, read } = await newCards()
  world.clock.now = START
  const ahead = new Date(START + 300_000).toISOString()
  await answer({ rating: 4, id: 'ffffffff-ffff-7fff-bfff-ffffffffffff', reviewed_at: ahead })
  await world.call(me, 'POST', '/cards/actions', { ids: [card.id], action: 'reset' })
  expect((await answer({ rating: 3, reviewed_at: at(0) })).body.merged).toBe(true)
  expect(await read()).toMatchObject({ state: 'new', reps: 0 })
  const live = await answer({ rating: 3 })
  expect(live.body).toMatchObject({ merged: false, card: { state: 'learning', reps: 1 } })
  expect((await log()).map(({ kind }) => kind)).toEqual(['learning', 'learning', 'manual', 'learning'])
})

test('an answer older than what was imported is in the log and changes nothing, whatever the weights are', async () => {
  const { answer, card, read, me, deck, log } = await newCards()
  await world.study(card.id)
  const before = await read()
  const old = await answer({ rating: 1, reviewed_at: '2026-02-01T00:00:00.000Z' })
  expect([old.status, old.body.merged, old.body.card]).toEqual([201, true, before])
  expect(old.body.review.after).toEqual(old.body.review.before)
  const next = await answer({ rating: 3, reviewed_at: at(30) })
  expect(next.body.card.reps).toBe(before.reps + 1)
  const older = await answer({ rating: 1, reviewed_at: '2026-01-01T00:00:00.000Z' })
  expect([older.body.merged, older.body.card]).toEqual([true, next.body.card])
  const weights = DEFAULT_WEIGHTS.with(3, 12.5)
  await world.call(me, 'PATCH', `/decks/${deck.id}`, { settings: { weights } })
  const { stability } = await read()
  const twin = await newCards()
  await world.study(twin.card.id)
  await twin.answer({ rating: 3, reviewed_at: at(30) })
  await world.call(twin.me, 'PATCH', `/decks/${twin.deck.id}`, { settings: { weights } })
  expect(stability).toBe((await twin.read()).stability)
  await world.call(me, 'POST', `/reviews/${older.body.review.id}/undo`)
  expect((await read()).stability).toBe(stability)
  expect(await log()).toHaveLength(3)
})

test('an answer older than imported ones leaves memory alone, though the weights changed since', async () => {
  const { answer, card, read, me, deck, log } = await newCards()
  for (const days of [0, 10, 20]) await answer({ rating: 3, reviewed_at: at(days) })
  const [, , last] = await log()
  await world.db.run(
    `UPDATE study_reviews SET kind = 'import'
    WHERE card = (SELECT key FROM study_cards WHERE id = $1) AND id <> $2`,
    [card.id, last.id],
  )
  await world.call(me, 'PATCH', `/decks/${deck.id}`, {
    settings: { weights: DEFAULT_WEIGHTS.with(3, 12.5).with(8, 1.7) },
  })
  const { stability, difficulty } = await read()
  expect((await answer({ rating: 1, reviewed_at: at(5) })).body.merged).toBe(true)
  const after = await read()
  expect(after.stability).toBeCloseTo(stability, 6)
  expect(after.difficulty).toBeCloseTo(difficulty, 6)
})

test('a card that was buried is no more after a late answer, for later ones and after their undo', async () => {
  const { answer, card, read, me, log } = await newCards()
  await answer({ rating: 4, reviewed_at: at(0) })
  await world.call(me, 'PATCH', `/cards/${card.id}`, { buried_until: '2028-01-01' })
  await answer({ rating: 3, reviewed_at: at(20) })
  await answer({ rating: 3, reviewed_at: at(10) })
  expect((await log()).map(({ before }) => before.buried_until)).toEqual([null, '2028-01-01', null])
  expect((await read()).buried_until).toBeNull()
  await world.call(me, 'POST', '/reviews/undo')
  expect((await log()).map(({ before }) => before.buried_until).at(-1)).toBe('2028-01-01')
  await world.call(me, 'POST', '/reviews/undo')
  expect((await read()).buried_until).toBe('2028-01-01')
})

test('after other weights, a late answer is computed by the present ones', async () => {
  const [late, timely] = [await newCards(), await newCards()]
  const weights = DEFAULT_WEIGHTS.with(3, 12.5)
  const answers = [4, 3, 3].map((rating, i) => ({ rating, reviewed_at: at(i * 9) }))
  for (const i of [0, 2]) await late.answer(answers[i] ?? {})
  for (const { me, deck } of [late, timely])
    await world.call(me, 'PATCH', `/decks/${deck.id}`, { settings: { weights } })
  await late.answer(answers[1] ?? {})
  for (const answer of answers) await timely.answer(answer)
  const [one, other] = [await late.read(), await timely.read()]
  expect(one.stability).toBeCloseTo(other.stability, 6)
  expect([one.due_day, one.reps]).toEqual([other.due_day, other.reps])
})

test('fuzz is that of the order of time: a card that was undone to the start gets the same intervals again', async () => {
  const one = await newCards(1, { fuzz: true })
  const answers = [4, 3, 3, 3].map((rating, i) => ({ rating, reviewed_at: at(i * 9) }))
  for (const answer of answers) await one.answer(answer)
  const expected = [(await one.log()).map(course), schedule(await one.read())]
  for (const _ of answers) await world.call(one.me, 'POST', '/reviews/undo')
  for (const i of [3, 1, 0, 2]) await one.answer(answers[i] ?? {})
  const standing = (await one.log()).filter(({ undone_at }) => undone_at === null)
  expect([standing.map(course), schedule(await one.read())]).toEqual(expected)
})

test('a late answer recomputes 200 later ones and no more; what a batch leaves is taken when it is sent again', async () => {
  const { answer, card, cards, me, read, log } = await newCards(2, { leech_action: 'none' })
  const batch = async (items: object[], headers = {}) =>
    (await world.call(me, 'POST', '/reviews/batch', { items }, headers)).body.items
  const statusesOf = (items: Shown[]) => items.map(({ status, error }) => error?.code ?? status)
  const many = (of: Shown, count: number, days: number) =>
    Array.from({ length: count }, (_, i) => {
      return { id: freshId(), card_id: of.id, rating: 1 + (i % 4), reviewed_at: at(days + i) }
    })
  const later = many(card, 201, 100)
  expect(new Set(statusesOf(await batch(later)))).toEqual(new Set([201]))
  const before = [await read(), await log()]
  expect((await answer({ rating: 3, reviewed_at: at(99) })).body).toMatchObject({
    code: 'out_of_order',
    last_reviewed_at: at(300),
  })
  expect([await read(), await log()]).toEqual(before)
  for (const days of [100.5, 300.5, 102.5, 102.4])
    expect((await answer({ rating: 3, reviewed_at: at(days) })).status).toBe(201)
  expect((await answer({ rating: 3, reviewed_at: at(102.3) })).body.code).toBe('out_of_order')

  const [, other] = cards
  await batch(many(other, 190, 100))
  const late = many(other, 30, 60)
  // 26 times 190 are fewer than 5,000, 27 times are more.
  const key = { 'Idempotency-Key': 'late' }
  const first = statusesOf(await batch(late, key))
  expect(first).toEqual([...Array(26).fill(201), ...Array(4).fill('unavailable')])
  // Until all is taken, a repeat with the same Idempotency-Key goes on.
  const second = statusesOf(await batch(late, key))
  expect(statusesOf(await batch(late, key))).toEqual(second)
  expect(second).toEqual([...Array(26).fill(200), ...Array(4).fill(201)])
  expect(await read(other)).toMatchObject({ reps: 220 })
})

/** A deed of a device: its instant, the device, and an answer to one of two cards or the undo of its last deed. */
interface Deed {
  readonly at: number
  readonly card: number
  readonly rating: number
  readonly id: string
}

test('any number of devices, answers and undos, in any order of arrival: the same cards and logs', async () => {
  const deeds = fc.array(
    fc.record({
      gap: fc.constantFrom(0, 60_000, 3_600_000, DAY, 9 * DAY),
      device: fc.nat(3),
      card: fc.nat(1),
      rating: fc.constantFrom(1, 1, 2, 3, 4),
    }),
    { minLength: 2, maxLength: 14 },
  )
  const settings = fc.record({
    leech_threshold: fc.constantFrom(1, 2, 8),
    leech_action: fc.constantFrom('suspend', 'none'),
    learning_steps_minutes: fc.constantFrom([], [1, 10]),
  })
  // Which device sends next, how many of its answers, whether as a batch, and whether the last to arrive is then undone.
  const sends = fc.array(
    fc.record({ device: fc.nat(3), count: fc.integer({ min: 1, max: 5 }), batch: fc.boolean(), undo: fc.nat(3) }),
    { minLength: 30, maxLength: 30 },
  )
  await fc.assert(
    fc.asyncProperty(deeds, settings, sends, fc.nat(), async (list, own, sends, salt) => {
      const many = await newCards(2, own)
      let now = START
      const left: Deed[][] = [[], [], [], []]
      for (const [i, { gap, device, card, rating }] of list.entries()) {
        now += gap
        const scattered = ((i + 1) * 7919 + salt) % 10_007
        left[device]?.push({ at: now, card, rating, id: freshId(++reviews * 0x10000 + scattered) })
      }
      const bodyOf = ({ at, rating, id }: Deed) => ({ id, rating, reviewed_at: new Date(at).toISOString() })
      const standing: Deed[] = []
      const send = async (one: typeof many, some: readonly Deed[], batch: boolean) => {
        const items = some.map((deed) => ({ ...bodyOf(deed), card_id: one.cards[deed.card].id }))
        if (batch) {
          const { body } = await world.call(one.me, 'POST', '/reviews/batch', { items })
          expect(body.items.map(({ status }: Shown) => status)).toEqual(items.map(() => 201))
        } else
          for (const { card_id, ...body } of items)
            expect((await world.call(one.me, 'POST', `/cards/${card_id}/reviews`, body)).status).toBe(201)
      }
      for (const { device, count, batch, undo } of [
        ...sends,
        ...left.map((_, device) => ({ device, count: 99, batch: true, undo: 1 })),
      ]) {
        const some = left[device]?.splice(0, count) ?? []
        if (some.length === 0) continue
        await send(many, some, batch)
        standing.push(...some)
        if (undo > 0) continue
        const { status, body } = await world.call(many.me, 'POST', '/reviews/undo')
        expect([status, body.review.id]).toEqual([200, standing.pop()?.id])
      }
      const one = await newCards(2, own)
      const sorted = standing.toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
      for (const deed of sorted) {
        const path = `/cards/${one.cards[deed.card].id}/reviews`
        const { id: _, ...body } = bodyOf(deed)
        expect((await world.call(one.me, 'POST', path, body)).body.merged).toBe(false)
      }
      for (const i of [0, 1]) {
        expect(schedule(await many.read(many.cards[i]))).toEqual(schedule(await one.read(one.cards[i])))
        const log = (await many.log(many.cards[i])).filter(({ undone_at }) => undone_at === null)
        expect(log.map(course)).toEqual((await one.log(one.cards[i])).map(course))
      }
      const queues = await Promise.all([many, one].map(({ me }) => world.read(me, '/queue')))
      const [first, second] = queues.map(({ items: _, ...rest }) => rest)
      expect(first).toEqual(second)
    }),
    { numRuns: runs(30) },
  )
})
