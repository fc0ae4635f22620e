import { type AnkiCalendar, type AnkiCard, type AnkiReview, LAST_SECOND } from '../../lib/anki/collection'
import { fromDay, modulo, toDay } from '../../lib/civil/day'
import type { ParsedCard, ParsedReview } from '../formats/parsed'

/** Converts Anki's days, which are counted from the creation of the collection, to civil dates. */
export interface AnkiDays {
  /** Returns the date of a day, or null outside of the years 1970 to 9999. */
  date(day: number): string | null
  /** Returns the instant at which a day begins, in milliseconds since 1970. */
  start(day: number): number
  dayOf(ms: number): number
}

const DAY_SECONDS = 86_400
const DEFAULT_ROLLOVER_HOUR = 4
/** The smallest offset that is guessed, UTC-10. The creation time alone cannot tell offsets a day apart. */
const MIN_OFFSET_SECONDS = 10 * 3600

/** Creates the calendar. If the offset is missing, the collection is assumed to be created at its rollover hour. */
export function toAnkiDays({ created, creationOffset, rollover }: AnkiCalendar): AnkiDays {
  const hour = isNumber(rollover, 23) ? rollover : DEFAULT_ROLLOVER_HOUR
  const offset = isNumber(creationOffset, 24 * 60)
    ? -60 * creationOffset
    : modulo(hour * 3600 - created + MIN_OFFSET_SECONDS, DAY_SECONDS) - MIN_OFFSET_SECONDS
  const zero = Math.floor((created + offset) / DAY_SECONDS)
  const [first, last] = [toDay('1970-01-01'), toDay('9999-12-31')]
  return {
    date: (day) => (zero + day >= first && zero + day <= last ? fromDay(zero + day) : null),
    start: (day) => ((zero + day) * DAY_SECONDS - offset + hour * 3600) * 1000,
    dayOf: (ms) => Math.floor((ms / 1000 + offset - hour * 3600) / DAY_SECONDS) - zero,
  }
}

function isNumber(value: unknown, limit: number): value is number {
  return typeof value === 'number' && Math.abs(value) <= limit
}

// The queues of cards are described at https://docs.ankiweb.net, the columns in Anki's source.

const TYPE = { new: 0, learning: 1, review: 2, relearning: 3 }
const QUEUE = { learning: 1, dayLearning: 3, preview: 4, suspended: -1, buried: [-2, -3] }
const REVIEW_KINDS = ['learning', 'review', 'relearning', 'filtered'] as const
const MAX_INTERVAL_DAYS = 36_500
/** Far above any real count of answers. */
const MAX_COUNT = 1_000_000
/** Learning cards are due at a second since 1970, or, below this number, on a day of the collection. */
const MIN_DUE_SECONDS = 1_000_000_000
/** The tag of a note by which Anki marks leeches. Here the card is marked. */
export const LEECH_TAG = 'leech'

interface CardSource {
  readonly card: AnkiCard
  readonly ordinal: number
  readonly tags: readonly string[]
  readonly days: AnkiDays
  /** When the collection was last changed, in milliseconds since 1970. */
  readonly modified: number
}

export function toParsedCard({ card, ordinal, tags, days, modified }: CardSource): ParsedCard {
  const data = parseData(card.data)
  const state = readState(card)
  const due = readDue(card, state)
  const today = days.dayOf(modified)
  const interval = clamp(card.ivl, MAX_INTERVAL_DAYS)
  return {
    ordinal,
    state,
    due_day: state === 'review' ? (days.date(due) ?? days.date(today)) : null,
    due_at: isLearned(state) ? (readDueInstant(due, days) ?? modified) : null,
    stability: within(data.s, 0.001, MAX_INTERVAL_DAYS),
    difficulty: within(data.d, 1, 10),
    ease: within(card.factor / 1000, 1, 20),
    scheduled_days: interval,
    step: 0,
    ...(isLearned(state) && card.left % 1000 > 0 ? { steps_left: card.left % 1000 } : {}),
    reps: clamp(card.reps, MAX_COUNT),
    lapses: clamp(card.lapses, MAX_COUNT),
    last_reviewed_at:
      state === 'new' ? null : readLastReview(data.lrt, state === 'review' ? due - interval : null, days),
    suspended: card.queue === QUEUE.suspended,
    buried_until: QUEUE.buried.includes(card.queue) ? days.date(today + 1) : null,
    flag: card.flags & 7,
    leech: card.lapses > 0 && tags.some(isLeechTag),
    position: within(state === 'new' ? due : data.pos, 0, 2 ** 31),
  }
}

/** What was set by hand has no rating, nor has an answer in a filtered deck that does not reschedule. */
export function toParsedReview(
  { id, ease, time, type, factor }: AnkiReview,
  ordinal: number,
  isFirstScheduler: boolean,
): ParsedReview {
  const kind = REVIEW_KINDS[type]
  const counts = kind !== undefined && (kind !== 'filtered' || factor !== 0)
  const rating = counts ? readRating(isFirstScheduler && LEARNING_KINDS.has(kind) ? toFourButtons(ease) : ease) : null
  return {
    ordinal,
    reviewed_at: id,
    kind: rating === null || !counts ? 'manual' : kind === 'filtered' ? 'review' : kind,
    rating,
    duration_ms: clamp(time, 3_600_000),
  }
}

const LEARNING_KINDS: ReadonlySet<string> = new Set(['learning', 'relearning'])

function readRating(ease: number): ParsedReview['rating'] {
  return ease === 1 || ease === 2 || ease === 3 || ease === 4 ? ease : null
}

/** While learning, the first scheduler had no button "hard": 2 was "good", 3 "easy". */
function toFourButtons(ease: number): number {
  return ease === 2 || ease === 3 ? ease + 1 : ease
}

/** In Anki's first scheduler, a lapsed card keeps the type review while it is relearned. */
function readState({ type, queue }: AnkiCard): ParsedCard['state'] {
  if (type === TYPE.learning) return 'learning'
  if (type === TYPE.relearning) return 'relearning'
  if (type !== TYPE.review) return 'new'
  return queue === QUEUE.learning || queue === QUEUE.dayLearning ? 'relearning' : 'review'
}

/** One in a filtered deck is due by `odue`, unless it was answered there and learns again: then `due` is right. */
function readDue({ odid, odue, due, queue }: AnkiCard, state: ParsedCard['state']): number {
  if (odid === 0 || odue === 0) return due
  return isLearned(state) && queue !== QUEUE.preview && due > 0 ? due : odue
}

const isLearned = (state: ParsedCard['state']) => state === 'learning' || state === 'relearning'

/** Returns when a learning card is due, in milliseconds since 1970; null if the number is not a valid time. */
function readDueInstant(due: number, days: AnkiDays): number | null {
  if (due >= MIN_DUE_SECONDS) return due <= LAST_SECOND ? due * 1000 : null
  return days.date(due) === null ? null : days.start(due)
}

/** The last review in milliseconds since 1970. Older versions do not store it: then its computed `day` counts. */
function readLastReview(seconds: unknown, day: number | null, days: AnkiDays): number | null {
  if (typeof seconds === 'number' && seconds > 0 && seconds <= LAST_SECOND) return Math.trunc(seconds * 1000)
  return day === null || days.date(day) === null ? null : days.start(day)
}

function parseData(data: string): Readonly<Record<string, unknown>> {
  try {
    const members: unknown = JSON.parse(data)
    return typeof members === 'object' && members !== null ? { ...members } : {}
  } catch {
    // Older collections store an empty text here, and add-ons store anything.
    return {}
  }
}

function clamp(value: number, most: number): number {
  return Math.min(Math.max(0, value), most)
}

function within(value: unknown, least: number, most: number): number | null {
  return typeof value === 'number' && value >= least && value <= most ? value : null
}

export function isLeechTag(tag: string): boolean {
  return tag.toLowerCase() === LEECH_TAG
}
