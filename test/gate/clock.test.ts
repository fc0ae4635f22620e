import { afterEach, expect, test } from 'bun:test'
import { resolveHour } from '../../src/gate/counter'
import { ask, closeWorlds, ON_METER, waitOf, world } from './asking'
import { describeClock } from './clock-cases'
import { DAY_MS, NOW, REST } from './world'

afterEach(closeWorlds)

describeClock(ON_METER)

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
