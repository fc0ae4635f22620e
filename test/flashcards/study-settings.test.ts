import { describe, expect, test } from 'bun:test'
import { recounted } from '../support/recounted'
import type { As } from '../support/world'
import { makeStudyWorld } from './support'

const world = recounted(await makeStudyWorld())
const { call, stranger, deck, read } = world

const patch = (me: As, body: object) => call(me, 'PATCH', '/settings', body)

describe('study settings', () => {
  test('are the defaults until somebody changes them, and reading them stores nothing', async () => {
    const me = stranger()
    const { body, headers } = await call(me, 'GET', '/settings')
    expect(headers.get('etag')).toBe('"1"')
    expect(body).toMatchObject({
      revision: 1,
      created_at: null,
      time_zone: 'UTC',
      day_starts_at_hour: 4,
      learn_ahead_minutes: 20,
    })
    expect(body.deck_defaults).toEqual({
      ...{ new_limit_per_day: 20, review_limit_per_day: 200, new_ignores_review_limit: false },
      ...{ fuzz: true, bury_siblings: true, desired_retention: 0.9, maximum_interval_days: 36_500 },
      ...{ learning_steps_minutes: [1, 10], relearning_steps_minutes: [10] },
      ...{ new_order: 'position', review_order: 'due', new_mix: 'mix' },
      ...{ leech_threshold: 8, leech_action: 'suspend', weights: null },
    })
    expect((await world.callAny(me, 'GET', '/api/changes')).body.latest_seq).toBe(0)
  })

  test('are patched member by member; null brings back a default, and nothing changed keeps the revision', async () => {
    const me = stranger()
    await patch(me, { time_zone: 'Europe/Lisbon', deck_defaults: { fuzz: false, learning_steps_minutes: [] } })
    const { body } = await patch(me, { day_starts_at_hour: 0, deck_defaults: { new_limit_per_day: 0 } })
    expect(body).toMatchObject({ revision: 3, time_zone: 'Europe/Lisbon', day_starts_at_hour: 0 })
    expect(body.deck_defaults).toMatchObject({ fuzz: false, learning_steps_minutes: [], new_limit_per_day: 0 })
    expect((await patch(me, { deck_defaults: { fuzz: false } })).body).toEqual(body)
    const back = (await patch(me, { time_zone: null, deck_defaults: null })).body
    expect([back.time_zone, back.deck_defaults.fuzz, back.day_starts_at_hour]).toEqual(['UTC', true, 0])
  })

  test('that say a default are as they were, before anything is changed and after', async () => {
    const me = stranger()
    const said = { fuzz: true, learning_steps_minutes: [1, 10], desired_retention: 0.9, weights: null }
    const { body } = await patch(me, { time_zone: 'UTC', deck_defaults: said })
    expect([body.revision, body.created_at]).toEqual([1, null])
    expect((await world.callAny(me, 'GET', '/api/changes')).body.latest_seq).toBe(0)
    const changed = (await patch(me, { deck_defaults: { fuzz: false } })).body
    expect((await patch(me, { deck_defaults: said })).body).toMatchObject({
      revision: 3,
      deck_defaults: { fuzz: true },
    })
    expect((await patch(me, { deck_defaults: null })).body.revision).toBe(3)
    expect(changed.revision).toBe(2)
  })

  test.each([
    { time_zone: 'Mars/Olympus' },
    { time_zone: '+01:00' },
    { time_zone: '' },
    { day_starts_at_hour: 24 },
    { day_starts_at_hour: 1.5 },
    { learn_ahead_minutes: 1440 },
    { zone: 'UTC' },
  ])('%o is refused, and nothing is changed', async (body) => {
    const me = stranger()
    expect((await patch(me, body)).status).toBe(400)
    expect((await read(me, '/settings')).revision).toBe(1)
  })
})

test.each([
  [{ learning_steps_minutes: [1440] }, 'learning_steps_minutes'],
  [{ colour: 'red' }, 'colour'],
])('deck settings with %o are refused as defaults, of a new deck and of one that is there', async (settings, name) => {
  const me = stranger()
  const made = await deck(me)
  for (const [method, path, body, pointer] of [
    ['PATCH', '/settings', { deck_defaults: settings }, '/deck_defaults/'],
    ['POST', '/decks', { name: 'new', settings }, '/settings/'],
    ['PATCH', `/decks/${made.id}`, { settings }, '/settings/'],
  ] as const) {
    const answer = await call(me, method, path, body)
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, expect.stringContaining(pointer + name)])
  }
  expect([(await read(me, '/settings')).revision, (await read(me, '/decks')).items]).toEqual([1, [made]])
})

test('NaN, which no JSON can hold, is refused as such', async () => {
  const me = stranger()
  expect((await call(me, 'PATCH', '/settings', '{"deck_defaults":{"desired_retention":NaN}}')).body.code).toBe(
    'invalid_json',
  )
})
