import { fromDay } from '../../lib/civil/day'
import type { ScheduledOutcome, SchedulerPreview } from '../scheduling/scheduler'
import type { CardSnapshot } from '../scheduling/snapshot'
import type { CardPreview, Review } from './review-schema'

// Conversions of schedules to the API. The app shares them.

export function toPreview({ again, hard, good, easy }: SchedulerPreview): CardPreview {
  return { again: showOutcome(again), hard: showOutcome(hard), good: showOutcome(good), easy: showOutcome(easy) }
}

function showOutcome({ state, due_at, due_day, scheduled_days, interval_seconds }: ScheduledOutcome) {
  return { state, due_at: showInstant(due_at), due_day: showDay(due_day), scheduled_days, interval_seconds }
}

export function showSnapshot(snapshot: CardSnapshot): Review['before'] {
  return {
    ...snapshot,
    due_at: showInstant(snapshot.due_at),
    due_day: showDay(snapshot.due_day),
    last_reviewed_at: showInstant(snapshot.last_reviewed_at),
    buried_until: showDay(snapshot.buried_until),
  }
}

const showInstant = (at: number | null) => (at === null ? null : new Date(at).toISOString())
const showDay = (day: number | null) => (day === null ? null : fromDay(day))
