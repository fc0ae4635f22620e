import type { Session } from '../../db/database'
import { invalid } from '../../http/api-error'
import type { Study } from '../study'
import { readSample, simulate } from './collection-sample'
import { MAX_RETENTIONS } from './days'
import type { Workload } from './schema'
import type { Simulation } from './simulation'

/** The simulated days. */
const WORKLOAD_DAYS = 365
/** The most cards that are simulated for all retentions together. */
const SIMULATED_CARDS = 12_000
/** Of as many cards as are simulated for each of a few retentions, the draws no longer matter. */
const MAX_CARDS = 4000
/** How often a small collection is simulated for each retention: a year without cards takes half a millisecond, too. */
const MAX_RUNS = 8
/** The least and the greatest retention: those of the settings of a deck. */
const RETENTION_RANGE = [0.7, 0.99] as const
/** Retentions of which the best is sought: those of fsrs-rs. Higher ones are shown only. */
const BEST_UP_TO = 0.95
const DEFAULT_RETENTIONS = Array.from({ length: 26 }, (_, i) => (70 + i) / 100)
/** From so many retentions on they make a curve, which is smoothed. */
const SMOOTHED_FROM = 8
const MINUTE_MS = 60_000

/** Reads the retentions of a query, in order and each once. Throws invalid_request. */
export function readRetentions(text: string | undefined): number[] {
  if (text === undefined) return DEFAULT_RETENTIONS
  const parts = text.split(',')
  if (parts.length > MAX_RETENTIONS)
    throw invalid('/retentions', 'too_many', `retentions must be at most ${MAX_RETENTIONS}`)
  const [least, most] = RETENTION_RANGE
  if (!parts.every((part) => /^0\.\d{1,4}$/.test(part) && Number(part) >= least && Number(part) <= most))
    throw invalid('/retentions', 'invalid', 'retentions must be numbers from 0.70 to 0.99, with commas between them')
  return [...new Set(parts.map(Number))].sort((one, other) => one - other)
}

interface WorkloadRequest {
  /** The key of a deck; null: all. */
  readonly selected: number | null
  readonly retentions: readonly number[]
}

/**
 * Forecasts the work of the coming year for each retention. The best one costs the least time for each card that is
 * remembered at the end: the default target of fsrs-rs (CMRRTargetFn, total cost by memorized cards on the last day,
 * from 0.70 to 0.95), as Anki's "minimum recommended retention" had it.
 */
export async function forecastWorkload(
  session: Session,
  study: Study,
  { selected, retentions }: WorkloadRequest,
): Promise<Workload> {
  const size = Math.min(MAX_CARDS, Math.floor(SIMULATED_CARDS / retentions.length))
  const sample = await readSample(session, study, { selected, days: WORKLOAD_DAYS, size })
  const runs = Math.max(1, Math.min(MAX_RUNS, Math.floor(size / Math.max(1, sample.cards.length))))
  const scale = 1 / (runs * sample.setup.share)
  const isSmoothed = retentions.length >= SMOOTHED_FROM
  const sums: Work[] = []
  for (const [i, retention] of retentions.entries()) {
    const sum = { answers: 0, duration_ms: 0, memorized: 0 }
    // Rows of a curve are drawn apart, so that their chances even out. Those of a few differ by the retention alone.
    const seed = sample.seed + (isSmoothed ? i * runs : 0)
    for (let run = 0; run < runs; run++)
      addWork(sum, await simulate(sample, { days: WORKLOAD_DAYS, retention, seed: seed + run }))
    sums.push(sum)
  }
  const works = isSmoothed ? smoothWork(retentions, sums) : sums
  const rows = works.map(({ answers, duration_ms, memorized }, i) => ({
    retention: retentions[i] ?? 0,
    minutes_per_day: (duration_ms * scale) / MINUTE_MS / WORKLOAD_DAYS,
    answers_per_day: (answers * scale) / WORKLOAD_DAYS,
    memorized_cards: memorized * scale,
    memorized: memorized / Math.max(1, runs * sample.cards.length),
    seconds_per_card: memorized === 0 ? null : duration_ms / 1000 / memorized,
  }))
  return { days: WORKLOAD_DAYS, cards: sample.total, best_retention: bestOf(rows), retentions: rows }
}

/** What the simulations of a retention come to. */
interface Work {
  answers: number
  duration_ms: number
  memorized: number
}

function addWork(sum: Work, simulation: Simulation): void {
  for (const day of simulation.results) {
    sum.answers += day.reviews + day.new + day.learning
    sum.duration_ms += day.duration_ms
  }
  sum.memorized += simulation.countMemorized()
}

/** Replaces work by smooth curves over the retentions, of which some hundred cards draw each row by chance. */
function smoothWork(retentions: readonly number[], works: readonly Work[]): Work[] {
  const [answers, durations, memorized] = (['answers', 'duration_ms', 'memorized'] as const).map((name) => {
    const values = works.map((work) => work[name])
    if (values.some((value) => value === 0)) return values
    return fitCubic(retentions, values.map(Math.log)).map(Math.exp)
  })
  return works.map((work, i) => ({
    answers: answers?.[i] ?? work.answers,
    duration_ms: durations?.[i] ?? work.duration_ms,
    memorized: memorized?.[i] ?? work.memorized,
  }))
}

/** Returns the values at these places of the cubic that is closest to the given ones, by least squares. */
function fitCubic(places: readonly number[], values: readonly number[]): number[] {
  const middle = places.reduce((sum, place) => sum + place, 0) / places.length
  const basis: number[][] = []
  for (let power = 0; power <= 3; power++) {
    let own = places.map((place) => (place - middle) ** power)
    for (const other of basis) own = addTimes(own, -dot(own, other), other)
    const length = Math.sqrt(dot(own, own))
    basis.push(own.map((value) => value / length))
  }
  return basis.reduce((fit, own) => addTimes(fit, dot(values, own), own), Array<number>(places.length).fill(0))
}

function dot(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, i) => sum + value * (other[i] ?? 0), 0)
}

function addTimes(to: readonly number[], factor: number, values: readonly number[]): number[] {
  return to.map((value, i) => value + factor * (values[i] ?? 0))
}

function bestOf(rows: Workload['retentions']): number | null {
  let best: { retention: number; seconds: number } | null = null
  for (const { retention, seconds_per_card: seconds } of rows)
    if (seconds !== null && seconds > 0 && retention <= BEST_UP_TO && (!best || seconds < best.seconds))
      best = { retention, seconds }
  return best?.retention ?? null
}
