import { afterEach, expect, test } from 'bun:test'
import { resolveHour } from '../../src/gate/tiers'
import { ask, closeWorlds, foreign, left, world } from './asking'
import { checkLimitHeaders } from './structured-fields'
import { HOUR_MS, KEY, NOW, type World } from './world'

/** A clock that is set, goes wrong, and is put right: nobody is frozen for longer than is told, nobody gets more. */

afterEach(closeWorlds)

/** Seconds to the end of the hour of NOW. */
const REST = 1432
const DAY_MS = 24 * HOUR_MS

/** The same data folder under a new process, whose clock shows `now`. */
function restarted(w: World, now: number): World {
  w.meter.close()
  const again = world({ folder: w.folder })
  again.time.now = now
  return again
}

/** A refusal whose times agree, and how long it says to wait. */
async function waitOf(w: World): Promise<number> {
  const refused = await w.call('/api/ok')
  checkLimitHeaders(refused)
  expect(refused.status).toBe(429)
  return Number(refused.headers.get('Retry-After'))
}

test.each([
  [0, 0, 0],
  [5, 5, 5],
  [5, 6, 6],
  [5, 4, 5],
  [5, 3, 5],
  [5, 2, 2],
  [500_000, 0, 0],
  [0, 500_000, 500_000],
])('the hour after %i, when the clock shows %i, is %i', (held, present, hour) => {
  expect(resolveHour(held, present)).toBe(hour)
})

for (const restart of [false, true]) {
  const set = (w: World, now: number): World => {
    if (restart) return restarted(w, now)
    w.time.now = now
    return w
  }
  const how = restart ? 'over a restart' : 'while it runs'

  test.each([
    [-1, REST + 3600, ['clock_behind']],
    [-2, REST + 7200, ['clock_behind']],
  ])(
    `a clock set back by %i hours gives nobody a fresh hour, and the wait is true, ${how}`,
    async (hours, wait, warnings) => {
      const w = world()
      await ask(w, 20, '/api/ok')
      const back = set(w, NOW + hours * HOUR_MS)
      expect(await waitOf(back)).toBe(wait)
      expect<string[]>([...back.door.warnings]).toEqual(warnings)
      back.time.now += wait * 1000 - 1
      expect(await waitOf(back)).toBe(1)
      back.time.now += 1
      expect(left(await back.call('/api/ok'))).toBe('19')
    },
  )

  test.each([3, 24, 25, 24 * 365, 24 * 365 * 50])(
    `a clock that was ahead by %i hours freezes nobody and refills nobody, ${how}`,
    async (hours) => {
      const w = world()
      await ask(w, 15, '/api/ok')
      const ahead = set(w, NOW + hours * HOUR_MS)
      await ask(ahead, 20, '/api/ok')
      expect(await waitOf(ahead)).toBe(REST)
      const back = set(ahead, NOW)
      expect(left(await back.call('/api/ok'))).toBe('4')
      await ask(back, 4, '/api/ok')
      expect(await waitOf(back)).toBe(REST)
      expect<string[]>([...back.door.warnings]).toEqual(['clock_was_ahead'])
      back.time.now += REST * 1000
      expect(left(await back.call('/api/ok'))).toBe('19')
    },
  )

  test(`what was counted in hours to come waits for them, and holds no hour until then, ${how}`, async () => {
    const w = world()
    const ahead = set(w, NOW + 5 * HOUR_MS)
    await ask(ahead, 20, '/api/ok')
    let back = set(ahead, NOW)
    for (let hour = 0; hour < 5; hour++) {
      back = set(back, NOW + hour * HOUR_MS)
      expect([hour, left(await back.call('/api/ok'))]).toEqual([hour, '19'])
    }
    back = set(back, NOW + 5 * HOUR_MS)
    expect(await waitOf(back)).toBe(REST)
  })

  test(`new keys in 24 hours: those of days to come do not count, those of today still do, ${how}`, async () => {
    const w = world()
    for (let i = 0; i < 12; i++) await ask(w, 1, '/api/ok', { key: foreign(i) })
    const ahead = set(w, NOW + 30 * DAY_MS)
    for (let i = 20; i < 40; i++) await ask(ahead, 1, '/api/ok', { key: foreign(i) })
    const back = set(ahead, NOW)
    for (let i = 40; i < 48; i++) {
      const { headers } = await back.call('/api/ok', { key: foreign(i) })
      expect(headers.get('X-Key-Status')).toBe('new')
    }
    expect((await back.call('/api/ok', { key: foreign(99) })).status).toBe(429)
    // A key that came while the clock was ahead is known, and so are those of before.
    for (const i of [0, 11, 20, 39, 47]) {
      const { status, headers } = await back.call('/api/ok', { key: foreign(i) })
      expect([i, status, headers.get('X-Key-Status')]).toEqual([i, 200, 'known'])
    }
  })

  test(`a clock that begins in 1970 refuses nothing and forgets nothing, ${how}`, async () => {
    const w = world()
    await ask(w, 1, '/api/ok', { key: KEY })
    await ask(w, 20, '/api/ok')
    const early = set(w, 5000)
    expect(left(await early.call('/api/ok'))).toBe('19')
    const known = await early.call('/api/ok', { key: KEY })
    expect([known.status, known.headers.get('X-Key-Status')]).toEqual([200, 'known'])
    const right = set(early, NOW)
    expect(await waitOf(right)).toBe(REST)
    expect((await right.call('/api/ok', { key: KEY })).headers.get('X-Key-Status')).toBe('known')
  })
}

test('the housekeeping of a clock that is ahead for less than an hour takes nothing from the present one', async () => {
  const w = world()
  /** Calls at this time, and waits for the housekeeping that this begins. */
  const callAt = async (now: number) => {
    w.time.now = now
    await w.call('/api/ok', { from: '203.0.113.10' })
    while (!w.meter.state.tidied) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await ask(w, 20, '/api/ok')
  for (const days of [1000, 2000]) {
    await callAt(NOW + days * DAY_MS)
    // The end of an hour comes while it is ahead.
    await callAt(NOW + days * DAY_MS + REST * 1000)
    await callAt(NOW + 1000)
    expect(await waitOf(w)).toBe(REST - 1)
  }
})
