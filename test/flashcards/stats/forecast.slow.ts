import { expect, test } from 'bun:test'
import { compareForecasts } from './person'

test('over a year of study, what comes in 14 days is within 15 % of each forecast', async () => {
  const checks = [14, 60, 120, 200, 280, 351]
  const found = await compareForecasts({ days: 365, facts: 2500, checks })
  expect(found.map(({ day }) => day)).toEqual(checks)
  for (const { total } of found) expect(Math.abs(total - 1)).toBeLessThan(0.15)
  // Half a minute on a quiet machine: some 30,000 answers.
}, 600_000)

const few = { review_limit_per_day: 12 }
test.each([
  ['each day', {}],
  ['after ten days off', { pause: [30, 40] }],
  ['after ten days off, with a low limit', { pause: [30, 40], settings: few }],
  ['without new cards', { changed: { day: 40, settings: { new_limit_per_day: 0 } } }],
  ['without steps', { settings: { learning_steps_minutes: [], relearning_steps_minutes: [] } }],
  ['with a sibling of each card', { siblings: 1 }],
  ['with siblings on one day', { siblings: 1, settings: { bury_siblings: false } }],
] as const)(
  'of cards studied %s, what comes in 14 days is within 15 % of the forecast',
  async (_, plan) => {
    for (const seed of [90_001, 97_920]) {
      const [found] = await compareForecasts({ days: 54, facts: 1000, checks: [40], seed, ...plan })
      expect(Math.abs((found?.total ?? 0) - 1)).toBeLessThan(0.15)
    }
  },
  300_000,
)
