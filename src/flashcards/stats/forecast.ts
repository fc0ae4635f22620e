import type { Session } from '../../db/database'
import type { Study } from '../study'
import { readSample, simulate } from './collection-sample'
import { listDays, SIMULATED_DAYS, type StudyDayRange } from './days'
import type { SimulatedDay } from './simulation'

/** The most cards that are simulated. */
const SIMULATED_CARDS = 10_000
/** The most simulations of a forecast, whose mean is shown. */
const MAX_RUNS = 8
/** After so many simulated answers no other simulation begins: a tenth of a second. */
const ENOUGH_ANSWERS = 40_000
const MINUTE_MS = 60_000

/** What studying all that the queue gives comes to on a day. Null before today and after SIMULATED_DAYS. */
type ForecastWork = { readonly [Name in 'reviews' | 'new' | 'learning' | 'total' | 'minutes']: number | null }

export const UNKNOWN_WORK: ForecastWork = { reviews: null, new: null, learning: null, total: null, minutes: null }

/** Forecasts the answers of each of the days, in their order. */
export async function forecastWork(
  session: Session,
  study: Study,
  days: StudyDayRange,
  selected: number | null,
): Promise<ForecastWork[]> {
  const length = Math.min(days.to - study.today + 1, SIMULATED_DAYS)
  if (days.from - study.today >= length) return listDays(days).map(() => UNKNOWN_WORK)
  const sample = await readSample(session, study, { selected, days: length, size: SIMULATED_CARDS })
  const sums: SimulatedDay[] = Array.from({ length }, () => ({ reviews: 0, new: 0, learning: 0, duration_ms: 0 }))
  let [runs, answers] = [0, 0]
  while (runs < MAX_RUNS && answers < ENOUGH_ANSWERS) {
    const { results } = await simulate(sample, { days: length, seed: sample.seed + runs++ })
    for (const [i, sum] of sums.entries()) {
      const day = results[i] ?? sum
      for (const name of ['reviews', 'new', 'learning', 'duration_ms'] as const) sum[name] += day[name]
      answers += day.reviews + day.new + day.learning
    }
  }
  const scale = 1 / (runs * sample.setup.share)
  return listDays(days).map((day) => shownWork(sums[day - study.today], scale))
}

function shownWork(sum: SimulatedDay | undefined, scale: number): ForecastWork {
  if (!sum) return UNKNOWN_WORK
  const [reviews, fresh, learning] = [sum.reviews, sum.new, sum.learning].map((count) => roundTenth(count * scale))
  const total = roundTenth((reviews ?? 0) + (fresh ?? 0) + (learning ?? 0))
  const minutes = roundTenth((sum.duration_ms * scale) / MINUTE_MS)
  return { reviews: reviews ?? 0, new: fresh ?? 0, learning: learning ?? 0, total, minutes }
}

function roundTenth(value: number): number {
  return Math.round(value * 10) / 10
}
