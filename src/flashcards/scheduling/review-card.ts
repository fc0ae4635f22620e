import { countElapsedDays, nextSnapshot, retrievability, type ScheduledCard } from './scheduler'
import { DEFAULT_WEIGHTS, type SchedulingSettings } from './settings'
import type { CardSnapshot, Rating } from './snapshot'
import { type StudyClock, studyDay } from './study-day'

/**
 * Returns a digest of the settings that a schedule depends on, the same in every process: 16 digits of the weights, a
 * point, 16 digits of the rest.
 */
export function paramsId(settings: SchedulingSettings): string {
  const { desired_retention, maximum_interval_days, learning_steps_minutes, relearning_steps_minutes, fuzz } = settings
  const rest = [desired_retention, maximum_interval_days, learning_steps_minutes, relearning_steps_minutes, fuzz]
  return `${digest(settings.weights ?? DEFAULT_WEIGHTS)}.${digest(rest)}`
}

/** Whether two params_ids are of the same weights, so that memory is the same under both. */
export function haveSameWeights(one: string, other: string): boolean {
  return one.split('.')[0] === other.split('.')[0]
}

function digest(value: unknown): string {
  return new Bun.CryptoHasher('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16)
}

interface ReviewResult {
  readonly after: CardSnapshot
  readonly study_day: number
  /** Study days since the last answer; 0 for a new card. */
  readonly elapsed_days: number
  /** The chance of recall before the answer, 0..1; null for a card without memory. */
  readonly predicted_retrievability: number | null
  readonly params_id: string
}

/** Computes the card after an answer, and what its review stores besides. Throws what nextSnapshot throws. */
export function reviewCard(
  card: ScheduledCard,
  { now, rating }: { readonly now: number; readonly rating: Rating },
  settings: SchedulingSettings,
  clock: StudyClock,
): ReviewResult {
  const today = studyDay(now, clock)
  return {
    after: nextSnapshot(card, { now, rating }, settings, clock),
    study_day: today,
    elapsed_days: countElapsedDays(card, now, clock),
    predicted_retrievability: retrievability(card, today, settings.weights, clock),
    params_id: paramsId(settings),
  }
}
