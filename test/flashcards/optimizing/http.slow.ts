import { afterAll, describe, expect, test } from 'bun:test'
import { cp, mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { replay } from '../../../src/flashcards/scheduling/scheduler'
import { DEFAULT_WEIGHTS } from '../../../src/flashcards/scheduling/settings'
import { makeFolder } from '../../support/folder'
import type { As } from '../../support/world'
import { makeStudyWorld, type Shown } from '../support'
import { fillSample } from './studied'

const world = await makeStudyWorld()
afterAll(world.close)

/** The trainer itself; null where it is not installed or has no binary for this platform. */
const trainer = await import('@open-spaced-repetition/binding').catch(() => null)
const withTrainer = test.skipIf(trainer === null)

const CARDS = 100

/** A caller with a deck of cards that were answered often enough. */
async function studied(settings: object = {}) {
  const me = world.stranger()
  const deck = await world.deck(me, { settings })
  return { me, deck, ...(await fillSample(world.folder, deck.id, 0, CARDS)) }
}

const optimize = (me: As, body: object = {}, headers = {}) => world.call(me, 'POST', '/optimize', body, headers)
const effective = async (me: As, deck: Shown) => (await world.read(me, `/decks/${deck.id}/settings`)).effective.weights
const lastSeq = async (me: As) => (await world.callAny(me, 'GET', '/api/changes')).body.latest_seq

describe('what is learnt from', () => {
  test('fewer than 400 items are too few: the refusal says how many there are', async () => {
    const me = world.stranger()
    expect((await optimize(me)).body).toMatchObject({ status: 409, code: 'not_enough_reviews', items: 0 })
    const deck = await world.deck(me)
    const { items } = await fillSample(world.folder, deck.id, 0, 30)
    expect(items).toBeWithin(1, 400)
    for (const deck_id of [null, deck.id])
      expect((await optimize(me, { deck_id })).body).toMatchObject({ code: 'not_enough_reviews', items })
  })

  withTrainer('it is every answer a day or more after the one before, and nothing is changed unasked', async () => {
    const { me, deck, answers, items } = await studied()
    const seq = await lastSeq(me)
    const { status, body } = await optimize(me)
    expect(status).toBe(200)
    expect(body).toMatchObject({ reviews: answers, items, improved: true, applied: false })
    expect(body.current.weights).toEqual(DEFAULT_WEIGHTS)
    expect(body.proposed.weights).toHaveLength(21)
    expect(body.proposed.log_loss).toBeLessThan(body.current.log_loss)
    expect(body.held_out.after.log_loss).toBeLessThan(body.held_out.before.log_loss)
    expect(body.held_out.before.log_loss).not.toBe(body.current.log_loss)
    expect([await effective(me, deck), await lastSeq(me)]).toEqual([null, seq])
  })

  withTrainer(
    'cards of decks with their own weights are left out, and a deck is trained on those that inherit',
    async () => {
      const { me, deck, answers } = await studied()
      const weights = DEFAULT_WEIGHTS.with(0, 0.3)
      const own = await world.deck(me, { parent_id: deck.id, settings: { weights } })
      const below = await world.deck(me, { parent_id: own.id })
      await fillSample(world.folder, below.id, 200, 200 + CARDS)
      const beside = await world.deck(me)
      const other = await fillSample(world.folder, beside.id, 400, 410)
      const reviews = async (deck_id: string | null) => (await optimize(me, { deck_id })).body.reviews
      expect(await reviews(null)).toBe(answers + other.answers)
      expect(await reviews(deck.id)).toBe(answers)
      const { body } = await optimize(me, { deck_id: own.id })
      expect(body.current.weights).toEqual(weights)
      expect(await reviews(below.id)).toBe(body.reviews)
    },
  )

  test('a deck that there is not, other members, and due days without weights are refused', async () => {
    const { me } = await studied()
    const unknown = '01890000-0000-7000-8000-00000000ffff'
    for (const body of [
      { deck_id: unknown },
      { deck_id: 'x' },
      { apply: 1 },
      { colour: 'red' },
      { reschedule: true },
      { dry_run: true },
    ])
      expect((await optimize(me, body)).status).toBe(400)
  })
})

describe('better weights', () => {
  /** The cards as they are shown, each beside its log. */
  const cardsOf = (me: As) => world.all(me, '/cards')

  withTrainer('are the deck’s own, and memory follows the log under them; due days stay', async () => {
    const { me, deck, logs } = await studied()
    const before = await cardsOf(me)
    const { body } = await optimize(me, { deck_id: deck.id, apply: true })
    expect(body).toMatchObject({ improved: true, applied: true })
    const { weights } = body.proposed
    expect(await effective(me, deck)).toEqual(weights)
    expect((await world.read(me, '/settings')).deck_defaults.weights).toBeNull()
    const after = await cardsOf(me)
    expect(after.map(({ due_day, scheduled_days }) => [due_day, scheduled_days])).toEqual(
      before.map(({ due_day, scheduled_days }) => [due_day, scheduled_days]),
    )
    for (const [i, { stability, difficulty, revision }] of after.entries()) {
      const memory: Shown = replay(logs[i] ?? [], weights)
      expect({ stability, difficulty }).toEqual(memory)
      expect(revision).toBe(before[i].revision + 1)
    }
  })

  withTrainer('are those of deck_defaults without a deck, and due days follow them when asked', async () => {
    const { me, deck } = await studied({ fuzz: false })
    const before = await cardsOf(me)
    const { body } = await optimize(me, { apply: true, reschedule: true })
    const { weights } = body.proposed
    expect((await world.read(me, '/settings')).deck_defaults.weights).toEqual(weights)
    expect((await world.read(me, `/decks/${deck.id}`)).settings.weights).toBeNull()
    const after = await cardsOf(me)
    for (const [i, card] of after.entries()) {
      // At the default retention the interval is the stability, in whole days.
      const days = Math.max(1, Math.round(card.stability))
      expect([card.scheduled_days, card.revision]).toEqual([days, before[i].revision + 1])
      const answered = Date.parse(card.last_reviewed_at) - 12 * 3_600_000
      expect(card.due_day).toBe(new Date(answered + days * 86_400_000).toISOString().slice(0, 10))
    }
    // What is in use already is not better than itself.
    expect((await optimize(me, { apply: true })).body).toMatchObject({ improved: false, applied: false })
  })

  withTrainer(
    'who does not want to wait is told where to ask, and under the same key gets what came of it',
    async () => {
      const { me, deck } = await studied()
      const headers = { Prefer: 'respond-async', 'Idempotency-Key': 'later' }
      const accepted = await optimize(me, { apply: true, reschedule: true }, headers)
      expect([accepted.status, accepted.body.kind]).toEqual([202, 'weights'])
      const where = accepted.headers.get('Location') ?? ''
      let { body: run } = await world.callAny(me, 'GET', where)
      while (run.state !== 'done') run = (await world.callAny(me, 'GET', where)).body
      expect(run).toMatchObject({ done: CARDS, result: { improved: true, applied: true } })
      expect(await effective(me, deck)).toEqual(run.result.proposed.weights)
      const repeated = await optimize(me, { apply: true, reschedule: true }, { 'Idempotency-Key': 'later' })
      expect([repeated.status, repeated.body]).toEqual([200, run.result])
    },
  )

  withTrainer('are tried in a dry run, which counts the cards that move; one undo puts all of them back', async () => {
    const { me, deck } = await studied()
    const dates = async () => (await cardsOf(me)).map(({ due_day, scheduled_days }) => [due_day, scheduled_days])
    const [before, seq] = [await dates(), await lastSeq(me)]
    const asked = { deck_id: deck.id, apply: true, reschedule: true }
    const { body: tried } = await optimize(me, { ...asked, dry_run: true })
    expect(tried).toMatchObject({ improved: true, applied: false, preview: { dry_run: true, cards: CARDS } })
    expect([await dates(), await lastSeq(me), await effective(me, deck)]).toEqual([before, seq, null])
    const { body } = await optimize(me, asked)
    expect([body.applied, body.preview]).toEqual([true, undefined])
    const moved = (await dates()).filter(([due], i) => due !== before[i]?.[0]).length
    expect(moved).toBe(tried.preview.moved_earlier + tried.preview.moved_later)
    const undone = await world.call(me, 'POST', '/reschedule/undo')
    expect(undone.body).toEqual({ deck_id: deck.id, settings_restored: true, cards: moved })
    expect([await dates(), await effective(me, deck)]).toEqual([before, null])
  })

  withTrainer('are not used if they predict worse what they did not learn from', async () => {
    const me = world.stranger()
    const deck = await world.deck(me)
    await fillSample(world.folder, deck.id, 0, 1205)
    const { body } = await optimize(me, { apply: true })
    expect(body).toMatchObject({ improved: false, applied: false })
    expect(body.proposed.log_loss).toBeLessThan(body.current.log_loss)
    expect(await effective(me, deck)).toBeNull()
  })

  withTrainer('are applied once for an Idempotency-Key', async () => {
    const { me } = await studied()
    const once = { 'Idempotency-Key': 'one' }
    const first = await optimize(me, { apply: true }, once)
    const seq = await lastSeq(me)
    const second = await optimize(me, { apply: true }, once)
    expect([second.status, second.body, await lastSeq(me)]).toEqual([200, first.body, seq])
    expect(second.headers.get('Idempotency-Replayed')).toBe('true')
  })

  withTrainer('are not applied over others that came meanwhile', async () => {
    const { me } = await studied()
    const training = optimize(me, { apply: true })
    const weights = DEFAULT_WEIGHTS.with(0, 0.3)
    const patched = await world.call(me, 'PATCH', '/settings', { deck_defaults: { weights } })
    expect([patched.status, (await training).body.code]).toEqual([200, 'conflict'])
    expect((await world.read(me, '/settings')).deck_defaults.weights).toEqual(weights)
  })
})

describe('while weights are trained', () => {
  withTrainer('a second training of the workspace is refused as busy, others are served', async () => {
    const [{ me }, other] = [await studied(), await studied()]
    const first = optimize(me)
    const second = await optimize(me)
    expect([second.status, second.body.code]).toEqual([409, 'busy'])
    const [elsewhere, read] = await Promise.all([optimize(other.me), world.call(me, 'GET', '/cards')])
    expect([elsewhere.status, read.status, (await first).status, (await optimize(me)).status]).toEqual([
      200, 200, 200, 200,
    ])
  })

  withTrainer('a stop of the server ends it with 503', async () => {
    const stopped = await makeStudyWorld()
    const me = stopped.stranger()
    const deck = await stopped.deck(me)
    await fillSample(stopped.folder, deck.id, 0, CARDS)
    const training = stopped.call(me, 'POST', '/optimize', {})
    // Once it has begun, another is refused.
    while ((await stopped.call(me, 'POST', '/optimize', {})).body.code !== 'busy');
    await stopped.close()
    expect((await training).body).toMatchObject({ status: 503, code: 'unavailable' })
  })
})

test('without the trainer only training differs', async () => {
  // The same files where every package but the trainer can be found.
  const root = join(import.meta.dir, '../../..')
  const folder = makeFolder()
  for (const name of ['src', 'test', 'public', 'docs', 'package.json'])
    await cp(join(root, name), join(folder, name), { recursive: true })
  await mkdir(join(folder, 'node_modules'))
  for (const name of await readdir(join(root, 'node_modules')))
    if (name !== '@open-spaced-repetition')
      await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  const alone: { makeStudyWorld: typeof makeStudyWorld } = await import(join(folder, 'test/flashcards/support.ts'))
  const bare = await alone.makeStudyWorld()
  const me = bare.stranger()
  const deck = await bare.deck(me)
  const fact = await bare.fact(me, { deck_id: deck.id })
  const [card] = await bare.cards(me, fact)
  expect((await bare.call(me, 'POST', `/cards/${card.id}/reviews`, { rating: 3 })).status).toBe(201)
  const { items } = await fillSample(bare.folder, deck.id, 0, CARDS)
  expect((await bare.call(me, 'POST', '/optimize', {})).body).toMatchObject({ status: 501, code: 'optimizer_missing' })
  for (const path of ['/stats', '/queue']) expect((await bare.call(me, 'GET', path)).status).toBe(200)
  expect(items).toBeGreaterThan(400)
  await bare.close()
})
