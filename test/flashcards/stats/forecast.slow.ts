import { expect, test } from 'bun:test'
import { compareForecasts } from './person'

/** `SEEDS=101-120` judges other persons, and shows the least, the middle and the greatest of their ratios. */
const [from = 0, to = from] = (process.env.SEEDS ?? '90001').split('-').map(Number)
const SEEDS = Array.from({ length: to - from + 1 }, (_, i) => from + i)

test('over a year of study, what comes in 14 days is within 15 % of each forecast', async () => {
  const checks = [14, 60, 120, 200, 280, 351]
  const found = await compareForecasts({ days: 365, facts: 2500, checks })
  expect(found.map(({ day }) => day)).toEqual(checks)
  for (const { total } of found) expect(Math.abs(total - 1)).toBeLessThan(0.15)
  // Half a minute on a quiet machine: some 30,000 answers.
}, 600_000)

const few = { review_limit_per_day: 12 }
const long = { learning_steps_minutes: [1, 10, 60], relearning_steps_minutes: [10, 30] }
test.each([
  ['each day', {}],
  ['after ten days off', { pause: [30, 40] }],
  ['after ten days off, with a low limit', { pause: [30, 40], settings: few }],
  ['without new cards', { changed: { day: 40, settings: { new_limit_per_day: 0 } } }],
  ['without steps', { settings: { learning_steps_minutes: [], relearning_steps_minutes: [] } }],
  ['with a sibling of each card', { siblings: 1 }],
  ['with siblings on one day', { siblings: 1, settings: { bury_siblings: false } }],
  ['with steps that wait for the next day', { settings: long }],
  ['with steps for which one comes back', { settings: long, returns: [1.5, 3] }],
  ['with steps for which one sometimes comes back', { settings: long, returns: [0.8] }],
] as const)(
  'of cards studied %s, what comes in 14 days is within 15 %% of the forecast',
  async (name, plan) => {
    const found: Awaited<ReturnType<typeof compareForecasts>> = []
    for (const seed of SEEDS)
      found.push(...(await compareForecasts({ days: 54, facts: 1000, checks: [40], seed, ...plan })))
    if (process.env.SEEDS) showRatios(name, found)
    for (const { total } of found) expect(Math.abs(total - 1)).toBeLessThan(0.15)
  },
  900_000,
)

function showRatios(
  name: string,
  found: readonly Readonly<Record<'total' | 'reviews' | 'new' | 'learning', number>>[],
) {
  for (const kind of ['total', 'reviews', 'new', 'learning'] as const) {
    const ratios = found.map((one) => one[kind]).toSorted((one, other) => one - other)
    const shown = [0, 0.5, 1].map((at) => ratios[Math.floor(at * (ratios.length - 1))]?.toFixed(3))
    process.stdout.write(`${name}: ${kind} ${shown.join(' ')}\n`)
  }
}
