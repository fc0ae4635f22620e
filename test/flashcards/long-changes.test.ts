import { afterAll, describe, expect, test } from 'bun:test'
import type { HistoryStep } from '../../src/flashcards/optimizing/history'
import { replay } from '../../src/flashcards/scheduling/scheduler'
import { DEFAULT_WEIGHTS } from '../../src/flashcards/scheduling/settings'
import type { Memory } from '../../src/flashcards/scheduling/snapshot'
import { brokenOff, makeLongWorld } from '../support/long-changes'
import { contradictions } from '../support/recount'
import { recounted } from '../support/recounted'
import { type As, stranger } from '../support/world'
import { fillSample } from './optimizing/studied'

/** Decks and weights that reach more than one transaction changes. */

const world = recounted(await makeLongWorld())

const MANY = 450
const FEW = 60
const DECKS = '/api/flashcards/decks'

/** A deck with facts, half of them in a deck below it; one more fact is in the trash by itself. */
async function filled(me: As, facts: number, { ok } = world) {
  const deck = (await ok(me, 'POST', DECKS, { name: 'Top' })).body
  const below = (await ok(me, 'POST', DECKS, { name: 'Below', parent_id: deck.id })).body
  const factOf = (at: number) => ({ deck_id: at % 2 ? deck.id : below.id, type: 'basic', front: `f ${at}`, back: 'b' })
  for (let at = 0; at < facts; at += 50) {
    const items = Array.from({ length: Math.min(50, facts - at) }, (_, i) => factOf(at + i))
    await ok(me, 'POST', '/api/flashcards/facts/batch', { items })
  }
  const gone = (await ok(me, 'POST', '/api/flashcards/facts', factOf(-1))).body
  await ok(me, 'DELETE', `/api/flashcards/facts/${gone.id}`)
  return { deck, below, path: `${DECKS}/${deck.id}` }
}

const runs = async (me: As) => (await world.ok(me, 'GET', '/api/imports')).body.items

describe.each([
  ['few', FEW],
  ['many', MANY],
])('a deck with %s facts', (_, facts) => {
  const isMany = facts === MANY

  test('goes to the trash and comes back with exactly what went along', async () => {
    const me = stranger()
    const { path, deck } = await filled(me, facts)
    const before = await world.told(me)
    const gone = await world.later(me, 'DELETE', path)
    expect(gone.status).toBe(isMany ? 202 : 204)
    if (isMany) expect(await world.ended(me, gone)).toMatchObject({ kind: 'deck', state: 'done', done: facts + 1 })
    expect(await world.told(me)).toEqual({
      'deck delete': 2,
      'fact delete': facts + 1,
      'card delete': facts + 1,
    })
    const trashed = (await world.ok(me, 'GET', `${DECKS}?trashed=true`)).body.items
    expect(trashed.map(({ id }: { id: string }) => id)).toEqual([deck.id])
    expect(await contradictions(world.folder)).toEqual([])

    const back = await world.later(me, 'POST', `${path}/restore`)
    expect(back.status).toBe(isMany ? 202 : 200)
    if (isMany) expect((await world.ended(me, back)).result).toMatchObject({ id: deck.id, deleted_at: null })
    expect(await world.told(me)).toEqual(before)
    expect((await world.ok(me, 'GET', path)).body.deleted_at).toBeNull()
    expect(await runs(me)).toHaveLength(isMany ? 2 : 0)
  })

  test('who waits is answered as ever', async () => {
    const me = stranger()
    const { path, deck } = await filled(me, facts)
    const gone = await world.call(me, 'DELETE', path)
    expect([gone.status, gone.body]).toEqual([204, ''])
    const headers = { 'Idempotency-Key': 'back' }
    const back = await world.call(me, 'POST', `${path}/restore`, undefined, headers)
    expect([back.status, back.headers.get('ETag'), back.body.id]).toEqual([200, '"3"', deck.id])
    const again = await world.call(me, 'POST', `${path}/restore`, undefined, headers)
    expect([again.status, again.headers.get('Idempotency-Replayed'), again.body]).toEqual([200, 'true', back.body])
    expect(again.headers.get('ETag')).toBe('"3"')
  })

  test('is refused as ever: another revision, no deck, a name that is taken', async () => {
    const me = stranger()
    const { path, deck } = await filled(me, facts)
    const stale = await world.call(me, 'DELETE', path, undefined, { 'If-Match': '"9"' })
    expect([stale.status, stale.body.current.id]).toEqual([412, deck.id])
    expect((await world.call(stranger(), 'DELETE', path)).status).toBe(404)
    expect((await world.call(me, 'DELETE', `${path}?move_to=${deck.id}`)).status).toBe(400)
    await world.ok(me, 'DELETE', path)
    const other = (await world.ok(me, 'POST', DECKS, { name: 'top' })).body
    const taken = await world.call(me, 'POST', `${path}/restore`)
    expect([taken.status, taken.body.existing_id]).toEqual([409, other.id])
    expect((await world.told(me))['fact upsert']).toBeUndefined()
  })

  test('is moved into another and erased', async () => {
    const me = stranger()
    const { path, below } = await filled(me, facts)
    const other = (await world.ok(me, 'POST', DECKS, { name: 'Other' })).body
    await world.ok(me, 'DELETE', `${path}?move_to=${other.id}`)
    expect((await world.ok(me, 'GET', `${DECKS}/${below.id}`)).body.parent_id).toBe(other.id)
    const { 'fact upsert': living } = await world.told(me)
    expect(living).toBe(facts)
    await world.ok(me, 'DELETE', `${DECKS}/${other.id}?permanent=true`)
    expect((await world.ok(me, 'GET', '/api/usage')).body.workspace.resources).toBe(1)
    expect((await world.ok(me, 'GET', `${DECKS}?trashed=true`)).body.items).toHaveLength(1)
  })
})

/** Its logs are written beside the API: no feed tells of them. */
const logged = await makeLongWorld()
afterAll(logged.close)

const WEIGHTS = DEFAULT_WEIGHTS.with(0, 0.3)

/** A deck of cards that were answered some ten times each, and what is asked of their weights. */
async function answered(me: As, cards: number, { ok, folder } = logged) {
  const deck = (await ok(me, 'POST', DECKS, { name: 'Answered' })).body
  const { logs } = await fillSample(folder, deck.id, 0, cards)
  const settings = { weights: WEIGHTS }
  return {
    logs,
    changes: {
      'of all decks': ['/api/flashcards/settings', { deck_defaults: settings }],
      'of a deck': [`${DECKS}/${deck.id}`, { name: 'New', settings }],
    } as const,
  }
}

/** How cards remember, each beside how it should. */
async function remembered(me: As, logs: readonly HistoryStep[][], { ok } = logged) {
  const cards = (await ok(me, 'GET', '/api/flashcards/cards?limit=200')).body.items
  return [
    cards.map(({ stability, difficulty, revision }: Memory & { revision: number }) => [
      stability,
      difficulty,
      revision,
    ]),
    logs.map((log) => {
      const { stability, difficulty } = replay(log, WEIGHTS) ?? { stability: null, difficulty: null }
      return [stability, difficulty, 2]
    }),
  ]
}

describe.each(['of all decks', 'of a deck'] as const)('weights %s', (what) => {
  test.each([
    ['few', 10],
    ['many', 100],
  ])('%s cards follow', async (_, cards) => {
    const me = stranger()
    const { logs, changes } = await answered(me, cards)
    const [path, patch] = changes[what]
    const answer = await logged.later(me, 'PATCH', path, patch)
    expect(answer.status).toBe(cards === 100 ? 202 : 200)
    const body = answer.status === 202 ? (await logged.ended(me, answer)).result : answer.body
    expect((await logged.ok(me, 'GET', path)).body).toEqual(body)
    const [shown, wanted] = await remembered(me, logs)
    expect(shown).toEqual(wanted)
    // What changes no weights is done at once, whatever it reaches.
    expect((await logged.later(me, 'PATCH', path, patch)).status).toBe(200)
  })

  test('go on after a stop of the server, and are refused before anything is changed', async () => {
    const me = stranger()
    const own = await makeLongWorld()
    const { logs, changes } = await answered(me, 100, own)
    const [path, patch] = changes[what]
    const stale = await own.call(me, 'PATCH', path, patch, { 'If-Match': '"9"' })
    expect(stale.body).toMatchObject({ status: 412, current: { revision: 1 } })
    const { next, run } = await brokenOff(own, me, 'PATCH', path, patch)
    expect(run).toMatchObject({ kind: 'weights', state: 'done', done: 100 })
    const [shown, wanted] = await remembered(me, logs, next)
    expect(shown).toEqual(wanted)
    await next.close()
  })
})

describe('a run that is stopped', () => {
  test('leaves a deck that lives, with some of its facts; the same request does the rest', async () => {
    const me = stranger()
    const { path } = await filled(me, MANY)
    const before = await world.told(me)
    expect((await world.cancelled(me, 'DELETE', path)).done).toBeLessThan(MANY)
    expect((await world.ok(me, 'GET', path)).body.deleted_at).toBeNull()
    // What went along comes back although the deck never left.
    await world.ok(me, 'POST', `${path}/restore`)
    expect(await world.told(me)).toEqual(before)
    await world.cancelled(me, 'DELETE', path)
    await world.ok(me, 'DELETE', path)
    expect((await world.told(me))['fact upsert']).toBeUndefined()

    await world.cancelled(me, 'POST', `${path}/restore`)
    expect((await world.ok(me, 'GET', path)).body.deleted_at).toBeNull()
    await world.ok(me, 'POST', `${path}/restore`)
    expect(await world.told(me)).toEqual(before)
  })

  test.each(['', '?permanent=true'])('by a stop of the server, goes on: DELETE%s', async (query) => {
    const me = stranger()
    const own = await makeLongWorld()
    const { path } = await filled(me, MANY, own)
    const { next, between, begun, run } = await brokenOff(own, me, 'DELETE', path + query)
    expect(between).toEqual([])
    expect(['waiting', 'running']).toContain(begun.state)
    expect(run.state).toBe('done')
    expect((await next.told(me))['fact upsert']).toBeUndefined()
    expect(await contradictions(next.folder)).toEqual([])
    await next.close()
  })
})
