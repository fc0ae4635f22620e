import { fromDay } from '../../lib/civil/day'
import { type StudyClock, startOfStudyDay, studyDay } from './study-day'

/**
 * The members of a card that the scheduler reads and changes, which a review stores as `before` and `after`. Instants
 * are milliseconds since 1970, days are study days (study-day.ts).
 */

export const CARD_STATES = ['new', 'learning', 'review', 'relearning'] as const
type CardState = (typeof CARD_STATES)[number]

/** 1 again, 2 hard, 3 good, 4 easy. */
export type Rating = 1 | 2 | 3 | 4
export const RATINGS: readonly Rating[] = [1, 2, 3, 4]

export function isRating(value: unknown): value is Rating {
  return value === 1 || value === 2 || value === 3 || value === 4
}

/** The memory of a card in FSRS: stability, the days until recall falls to 0.9, and difficulty, 1..10. */
export interface Memory {
  readonly stability: number
  readonly difficulty: number
}

export interface CardSnapshot {
  readonly state: CardState
  /** Null while new. In `review` the first instant of due_day; else what is stored. */
  readonly due_at: number | null
  /** Null while new. In `review` what is stored; else the study day of due_at. */
  readonly due_day: number | null
  /** Null while new, as is difficulty. */
  readonly stability: number | null
  readonly difficulty: number | null
  /** The interval of a card in `review`, in study days; else 0. */
  readonly scheduled_days: number
  readonly step: number
  readonly reps: number
  readonly lapses: number
  readonly last_reviewed_at: number | null
  readonly suspended: boolean
  readonly leech: boolean
  /** Hidden before this study day. */
  readonly buried_until: number | null
}

export const NEW_SNAPSHOT: CardSnapshot = {
  state: 'new',
  due_at: null,
  due_day: null,
  stability: null,
  difficulty: null,
  scheduled_days: 0,
  step: 0,
  reps: 0,
  lapses: 0,
  last_reviewed_at: null,
  suspended: false,
  leech: false,
  buried_until: null,
}

/** Resets the card as if it was never answered. It stays suspended or buried, which separate actions change. */
export function resetSnapshot({ suspended, buried_until }: CardSnapshot): CardSnapshot {
  return { ...NEW_SNAPSHOT, suspended, buried_until }
}

/** Puts the card in `review`, due on a study day. Memory stays; without any, its next answer counts as the first. */
export function setDue(card: CardSnapshot, day: number, today: number, clock: StudyClock): CardSnapshot {
  const from = card.last_reviewed_at === null ? today : studyDay(card.last_reviewed_at, clock)
  const scheduled_days = Math.max(0, day - from)
  return { ...card, state: 'review', step: 0, scheduled_days, due_day: day, due_at: startOfStudyDay(day, clock) }
}

/** Recomputes due_at and due_day by a clock that may have changed since: the one that the state stores decides. */
export function computeDue(card: CardSnapshot, clock: StudyClock): Pick<CardSnapshot, 'due_at' | 'due_day'> {
  const { state, due_at, due_day } = card
  if (state === 'review') return { due_day, due_at: due_day === null ? null : startOfStudyDay(due_day, clock) }
  return { due_at, due_day: due_at === null ? null : studyDay(due_at, clock) }
}

export function memoryOf({ stability, difficulty }: CardSnapshot): Memory | null {
  return stability === null || difficulty === null ? null : { stability, difficulty }
}

const showInstant = (at: number | null) => (at === null ? null : new Date(at).toISOString())
const showDay = (day: number | null) => (day === null ? null : fromDay(day))

/** Writes when a card is due as the API has it. */
export function showDue<Due extends Pick<CardSnapshot, 'due_at' | 'due_day'>>(due: Due) {
  return { ...due, due_at: showInstant(due.due_at), due_day: showDay(due.due_day) }
}

/** Writes what each rating would come to as the API has it. */
export function showPreview<Due extends Pick<CardSnapshot, 'due_at' | 'due_day'>>({
  again,
  hard,
  good,
  easy,
}: Readonly<Record<'again' | 'hard' | 'good' | 'easy', Due>>) {
  return { again: showDue(again), hard: showDue(hard), good: showDue(good), easy: showDue(easy) }
}

export function showSnapshot(snapshot: CardSnapshot) {
  const { last_reviewed_at, buried_until } = snapshot
  return { ...showDue(snapshot), last_reviewed_at: showInstant(last_reviewed_at), buried_until: showDay(buried_until) }
}
