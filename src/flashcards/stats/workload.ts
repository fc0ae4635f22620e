import type { Session } from '../../db/database'
import { invalid } from '../../http/api-error'
import type { Study } from '../study'
import { readSample, simulate } from './collection-sample'
import { MAX_RETENTIONS } from './days'
import type { Workload } from './schema'

/** The simulated days. */
const WORKLOAD_DAYS = 365
/** The most cards that are simulated for all retentions together. */
const SIMULATED_CARDS = 12_000
/** Of as many cards as are simulated for each of a few retentions, the draws no longer matter. */
const MAX_CARDS = 4000
/** The least and the greatest retention: those of the settings of a deck. */
const RETENTION_RANGE = [0.7, 0.99] as const
/** Retentions of which the best is sought: those of fsrs-rs. Higher ones are shown only. */
const BEST_UP_TO = 0.95
const DEFAULT_RETENTIONS = Array.from({ length: 26 }, (_, i) => (70 + i) / 100)
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
  const scale = 1 / sample.setup.share
  const rows: Workload['retentions'] = []
  for (const retention of retentions) {
    const simulation = await simulate(sample, { days: WORKLOAD_DAYS, retention })
    let [answers, duration_ms] = [0, 0]
    for (const day of simulation.results) {
      answers += day.reviews + day.new + day.learning
      duration_ms += day.duration_ms
    }
    const memorized = simulation.countMemorized()
    rows.push({
      retention,
      minutes_per_day: (duration_ms * scale) / MINUTE_MS / WORKLOAD_DAYS,
      answers_per_day: (answers * scale) / WORKLOAD_DAYS,
      memorized_cards: memorized * scale,
      memorized: memorized / Math.max(1, sample.cards.length),
      seconds_per_card: memorized === 0 ? null : duration_ms / 1000 / memorized,
    })
  }
  return { days: WORKLOAD_DAYS, cards: sample.total, best_retention: bestOf(rows), retentions: rows }
}

function bestOf(rows: Workload['retentions']): number | null {
  let best: { retention: number; seconds: number } | null = null
  for (const { retention, seconds_per_card: seconds } of rows)
    if (seconds !== null && seconds > 0 && retention <= BEST_UP_TO && (!best || seconds < best.seconds))
      best = { retention, seconds }
  return best?.retention ?? null
}
