import { fromDay, toDay } from '../../civil/day'
import { readCivilDate } from '../../http/civil'
import { invalid } from '../../http/problem'
import { readInstant, readOptional, writeOptional } from '../../http/values'
import type { DeckRow } from '../decks/store'
import type { Snapshot } from '../scheduling/snapshot'
import type { PortableSnapshot } from './schema'

/** Instants, days and schedules as an archive tells of them: instants are milliseconds inside, days whole days. */

export const date = (day: number | null) => (day === null ? null : fromDay(day))

/** Throws invalid_request. */
export function readDay(text: string | null, pointer: string): number | null {
  return text === null ? null : toDay(readCivilDate(text, pointer))
}

/** When a row was made and last changed. Throws invalid_request. */
export function readStamps({ created_at, updated_at }: { readonly created_at: string; readonly updated_at: string }): {
  created_at: number
  updated_at: number
} {
  return { created_at: readInstant(created_at, '/created_at'), updated_at: readInstant(updated_at, '/updated_at') }
}

export function toldSnapshot(of: Snapshot): PortableSnapshot {
  const { state, stability, difficulty, scheduled_days, step, reps, lapses, suspended, leech } = of
  return {
    state,
    due_at: writeOptional(of.due_at),
    due_day: date(of.due_day),
    stability,
    difficulty,
    scheduled_days,
    step,
    reps,
    lapses,
    last_reviewed_at: writeOptional(of.last_reviewed_at),
    suspended,
    leech,
    buried_until: date(of.buried_until),
  }
}

/** @param pointer of the snapshot; empty where it is the whole. Throws invalid_request. */
export function readSnapshotAt(told: PortableSnapshot, pointer: string): Snapshot {
  return {
    ...told,
    due_at: readOptional(told.due_at, `${pointer}/due_at`),
    due_day: readDay(told.due_day, `${pointer}/due_day`),
    last_reviewed_at: readOptional(told.last_reviewed_at, `${pointer}/last_reviewed_at`),
    buried_until: readDay(told.buried_until, `${pointer}/buried_until`),
  }
}

/**
 * Holds a schedule to what the scheduler makes: what is new was never answered, what was answered is remembered, and
 * what is not new is due. Only what was set due without an answer is in review without memory. Throws invalid_request.
 */
export function requireSchedule(told: PortableSnapshot, pointer: string): void {
  const { state, due_at, due_day, stability, difficulty, last_reviewed_at } = told
  const { scheduled_days, step, reps, lapses } = told
  const isRemembered = stability !== null && difficulty !== null && last_reviewed_at !== null
  const isForgotten = stability === null && difficulty === null && last_reviewed_at === null && reps === 0
  const fits = {
    new: isForgotten && due_at === null && due_day === null && scheduled_days + step + lapses === 0,
    review: (isRemembered || isForgotten) && due_day !== null,
    learning: isRemembered && due_at !== null,
    relearning: isRemembered && due_at !== null,
  }
  if (!fits[state])
    throw invalid(`${pointer}/state`, 'invalid_schedule', `no card in ${state} has a schedule such as this`)
}

/** Where something lies in the trash, or null and null. */
export type Trashed = Pick<DeckRow, 'trashed_at' | 'trashed_with'>

/**
 * What is told of the trash, as far as the deck that it stands in lets it: nothing lives in a deck that is in the trash,
 * and nothing went along with a deck that its own did not go along with.
 */
export function trashedIn(
  { trashed_at, trashed_with }: Trashed,
  deck: (Trashed & Pick<DeckRow, 'id'>) | null,
): Trashed {
  const entry = deck === null || deck.trashed_at === null ? null : (deck.trashed_with ?? deck.id)
  if (trashed_at === null) return { trashed_at: deck?.trashed_at ?? null, trashed_with: entry }
  return { trashed_at, trashed_with: trashed_with === entry ? entry : null }
}
