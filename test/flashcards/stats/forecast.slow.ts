import { expect, test } from 'bun:test'
import { compareForecasts } from './person'

test('over a year of study, what comes in 14 days is within 15 % of each forecast', async () => {
  const checks = [14, 60, 120, 200, 280, 351]
  const found = await compareForecasts({ days: 365, facts: 2500, checks })
  expect(found.map(({ day }) => day)).toEqual(checks)
  for (const { total } of found) expect(Math.abs(total - 1)).toBeLessThan(0.15)
  // Half a minute on a quiet machine: some 30,000 answers.
}, 600_000)
