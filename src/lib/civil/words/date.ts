import { fromDay, toDay } from '../day'
import { civilOf, clockTime, instantOf } from '../zone'
import { readTime, type TimeContext } from './read'
import type { ReadDay } from './reading'

/** The part of a text that prevents it from being a date. `start` and `end` are UTF-16 units, end exclusive. */
export interface UnreadDate {
  readonly start: number
  readonly end: number
  readonly detail: string
}

/**
 * Reads a text that only names a day, a time or both, such as `next friday at 9am`. Otherwise returns the part that was
 * not understood; a recurrence, a range of days or a duration is more than a date.
 */
export function readDate(text: string, context: Omit<TimeContext, 'firstOccurrence'>): ReadDay | UnreadDate {
  const { due, start, duration_minutes, recurrence, spans, warnings } = readTime(text, {
    ...context,
    firstOccurrence: (_, from) => from,
  })
  const [warning] = warnings
  if (warning) return warning
  const rest = spans.reduceRight(
    (left, span) => left.slice(0, span.start) + ' '.repeat(span.end - span.start) + left.slice(span.end),
    text,
  )
  const unread = /[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/su.exec(rest)
  if (unread) return { start: unread.index, end: unread.index + unread[0].length, detail: 'this is no date' }
  if (due && !start && !recurrence && duration_minutes === null) return due
  return { start: 0, end: text.length, detail: due ? 'this is more than a date' : 'this is no date' }
}

/** Returns whether a text was read as a date. */
export function isReadDay(read: ReadDay | UnreadDate): read is ReadDay {
  return 'date' in read
}

/** In UTF-16 units; a longer text is not a date. */
const WORDS_LENGTH = 200

/**
 * Reads English words that only name a day and maybe a time, and returns them in `time_zone` (an IANA name). Returns
 * null if they name none, or contain anything else. `now` is in milliseconds since 1970.
 */
export function readDateWords(
  words: string,
  now: number,
  time_zone: string,
): { date: string; time: string | null } | null {
  if (words.length > WORDS_LENGTH) return null
  const read = readDate(words, { now, time_zone, dateOrder: null })
  if (!isReadDay(read)) return null
  const { date, time } = read
  if (time === null || read.time_zone === null || read.time_zone === time_zone) return { date, time }
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  const here = civilOf(instantOf(toDay(date), hours * 60 + minutes, read.time_zone), time_zone)
  return { date: fromDay(here.day), time: clockTime(here.minutes) }
}
