import { fromDay, toDay } from '../day'
import { civilOf, clockTime, instantOf } from '../zone'
import { readTime, TIME_LANGUAGES, type TimeContext } from './read'
import type { ReadDay, TimeWarning } from './reading'

/**
 * Reads a text that only names a day, a time or both, such as `next friday at 9am`. Otherwise returns the first part that
 * was not understood; a recurrence, a reminder, a range of days or a duration is more than a date.
 */
export function readDate(text: string, context: Omit<TimeContext, 'firstOccurrence'>): ReadDay | TimeWarning {
  const { due, start, duration_minutes, recurrence, reminders, spans, warnings } = readTime(text, {
    ...context,
    firstOccurrence: (_, from) => from,
  })
  const [warning] = warnings
  if (warning) return warning
  const rest = spans.reduceRight(
    (left, span) => left.slice(0, span.start) + ' '.repeat(span.end - span.start) + left.slice(span.end),
    text,
  )
  const unread = /[^\s\p{P}](?:.*[^\s\p{P}])?/su.exec(rest)
  if (unread) return notUnderstood('this is no date', unread.index, unread.index + unread[0].length)
  if (recurrence) return notUnderstood('a date does not repeat: use `recurrence` or quick add', 0, text.length)
  if (due && !start && duration_minutes === null && reminders.length === 0) return due
  return notUnderstood(due ? 'this is more than a date' : 'this is no date', 0, text.length)
}

function notUnderstood(detail: string, start: number, end: number): TimeWarning {
  return { code: 'not_understood', start, end, detail }
}

/** Returns whether a text was read as a date. */
export function isReadDay(read: ReadDay | TimeWarning): read is ReadDay {
  return 'date' in read
}

/** In UTF-16 units; a longer text is not a date. */
const WORDS_LENGTH = 200

/**
 * Reads words of any of the languages that only name a day and maybe a time, and returns them in `time_zone` (an IANA
 * name). Returns null if they name none, or contain anything else. `now` is in milliseconds since 1970.
 */
export function readDateWords(
  words: string,
  now: number,
  time_zone: string,
): { date: string; time: string | null } | null {
  if (words.length > WORDS_LENGTH) return null
  const read = TIME_LANGUAGES.map((language) => readDate(words, { now, time_zone, dateOrder: null, language })).find(
    isReadDay,
  )
  if (!read) return null
  const { date, time } = read
  if (time === null || read.time_zone === null || read.time_zone === time_zone) return { date, time }
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  const here = civilOf(instantOf(toDay(date), hours * 60 + minutes, read.time_zone), time_zone)
  return { date: fromDay(here.day), time: clockTime(here.minutes) }
}
