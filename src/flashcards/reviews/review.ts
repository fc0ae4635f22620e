import { type Tagged, writeEtag } from '../../http/conditional'
import { writeInstant } from '../../http/values'
import { fromDay } from '../../lib/civil/day'
import type { LogEntry } from '../scheduling/scheduler'
import { type CardSnapshot, isRating, memoryOf } from '../scheduling/snapshot'
import type { Review } from './review-schema'
import type { LoggedRow, LogPlace, ReviewRow } from './review-store'
import { showSnapshot } from './shown-schedule'

// Conversions of reviews between storage, the API and the scheduler.

export function readSnapshot(stored: string): CardSnapshot {
  return JSON.parse(stored)
}

export function toReview(row: ReviewRow): Tagged<Review> {
  const { id, revision, card_id, kind, rating, duration_ms, elapsed_days, predicted_retrievability, params_id } = row
  return {
    resource: {
      id,
      revision,
      created_at: writeInstant(row.created_at),
      updated_at: writeInstant(row.updated_at),
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
      undone_at: row.undone_at === null ? null : writeInstant(row.undone_at),
    },
    etag: writeEtag(revision),
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

/**
 * Whether an answer at this instant is older than all that is known of the card, such as one of before an import. It is
 * in the log, and changes nothing.
 */
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
