import { paramsId } from './params-id'
import { countElapsedDays, nextSnapshot, retrievability, type ScheduledCard } from './scheduler'
import type { SchedulingSettings } from './settings'
import type { CardSnapshot, Rating } from './snapshot'
import { type StudyClock, studyDay } from './study-day'

export interface ReviewResult {
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
