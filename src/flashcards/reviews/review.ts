import { writeStamps } from '../../http/resource'
import { type Tagged, writeEtag } from '../../http/responses'
import { writeInstant, writeOptional } from '../../http/values'
import { fromDay } from '../../lib/civil/day'
import {
  countElapsedDays,
  type LogEntry,
  nextSnapshot,
  retrievability,
  type ScheduledCard,
} from '../scheduling/scheduler'
import { DEFAULT_WEIGHTS, type SchedulingSettings } from '../scheduling/settings'
import { type CardSnapshot, isRating, memoryOf, type Rating, showSnapshot } from '../scheduling/snapshot'
import { type StudyClock, studyDay } from '../scheduling/study-day'
import type { Review } from './review-schema'
import type { LoggedRow, LogPlace, ReviewRow } from './review-store'

// Reviews: how they are computed, and their conversions between storage, the API and the scheduler.

export function readSnapshot(stored: string): CardSnapshot {
  return JSON.parse(stored)
}

export function toReview(row: ReviewRow): Tagged<Review> {
  const { card_id, kind, rating, duration_ms, elapsed_days, predicted_retrievability, params_id } = row
  return {
    resource: {
      ...writeStamps(row),
      card_id,
      kind,
      rating: isRating(rating) ? rating : null,
      reviewed_at: writeInstant(row.reviewed_at),
      study_day: fromDay(row.study_day),
      duration_ms,
      elapsed_days,
      predicted_retrievability,
      params_id,
      before: showSnapshot(readSnapshot(row.before)),
      after: showSnapshot(readSnapshot(row.after)),
      undone_at: writeOptional(row.undone_at),
    },
    etag: writeEtag(row.revision),
  }
}

/**
 * Converts a card's log to the entries that memory is replayed from, oldest first. A schedule that was set by hand does
 * not change memory and is skipped; a reset, or imported memory, replaces it. A log may begin in the middle, with the
 * memory at that time. In an imported log, answers after unknown memory are skipped, and a new card may begin again
 * without a reset.
 */
export function toLogEntries(all: readonly EntryColumns[]): LogEntry[] {
  const rows = all.filter((row) => !isTooOld(row.reviewed_at, readSnapshot(row.before)))
  const [first] = rows
  const known = first ? memoryOf(readSnapshot(first.before)) : null
  const begin: LogEntry[] = first && known ? [{ day: first.study_day - first.elapsed_days, memory: known }] : []
  return begin.concat(rows.flatMap(toLogEntry))
}

type EntryColumns = Pick<LoggedRow, 'rating' | 'reviewed_at' | 'study_day' | 'elapsed_days' | 'before' | 'after'>

/** Whether an answer is older than all that is known of the card, e.g. of before an import. It changes nothing. */
export function isTooOld(reviewed_at: number, { last_reviewed_at }: Pick<CardSnapshot, 'last_reviewed_at'>): boolean {
  return last_reviewed_at !== null && reviewed_at < last_reviewed_at
}

export function isEarlierInLog(one: LogPlace, other: LogPlace): boolean {
  return one.reviewed_at === other.reviewed_at ? one.id < other.id : one.reviewed_at < other.reviewed_at
}

function toLogEntry({ rating, study_day: day, before: stored, after }: EntryColumns): LogEntry[] {
  const before = readSnapshot(stored)
  const old = memoryOf(before)
  if (isRating(rating)) {
    if (before.state === 'new')
      return [
        { day, memory: null },
        { day, rating },
      ]
    return old ? [{ day, rating }] : []
  }
  const memory = memoryOf(readSnapshot(after))
  const kept = old?.stability === memory?.stability && old?.difficulty === memory?.difficulty
  return kept && memory !== null ? [] : [{ day, memory }]
}

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
