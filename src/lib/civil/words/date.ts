import { fromDay, toDay } from '../day'
import { civilOf, clockTime, instantOf } from '../zone'
import { hasShakyDay, readTime, type TimeContext, type TimeLanguage } from './read'
import type { ReadDay, TimeSpan, TimeWarning } from './reading'

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
  const unread = findUnread(text, spans)
  if (unread) return notUnderstood('this is no date', unread.index, unread.index + unread[0].length)
  if (recurrence) return notUnderstood('a date does not repeat: use `recurrence` or quick add', 0, text.length)
  if (due && !start && duration_minutes === null && reminders.length === 0) return due
  return notUnderstood(due ? 'this is more than a date' : 'this is no date', 0, text.length)
}

/** Finds the text from the first word that no span covers to the last one. */
function findUnread(text: string, spans: readonly TimeSpan[]): RegExpExecArray | null {
  const rest = spans.reduceRight(
    (left, span) => left.slice(0, span.start) + ' '.repeat(span.end - span.start) + left.slice(span.end),
    text,
  )
  return /[^\s\p{P}](?:.*[^\s\p{P}])?/su.exec(rest)
}

/** Whether every word of a text is of a date, a time or a recurrence; false for more than 200 UTF-16 units. */
export function isOnlyTime(text: string, language: TimeLanguage): boolean {
  if (text.length > WORDS_LENGTH) return false
  const context = {
    now: 0,
    time_zone: null,
    language,
    dateOrder: 'dmy',
    firstOccurrence: (_: string, from: string) => from,
  } as const
  const { spans } = readTime(text, context)
  return spans.length > 0 && findUnread(text, spans) === null
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

/** How words of a date are read: `now` is in milliseconds since 1970, `time_zone` an IANA name. */
export interface DateWordsContext extends Pick<TimeContext, 'now'> {
  readonly time_zone: string
  /** The first that understands the words counts; behind the first of all, not by an abbreviation such as `do`. */
  readonly languages: readonly TimeLanguage[]
}

/**
 * Reads words that only name a day and maybe a time, and returns them in `time_zone`. Returns null if they name none in
 * any of the languages, or contain anything else.
 */
export function readDateWords(
  words: string,
  { languages, ...context }: DateWordsContext,
): { date: string; time: string | null } | null {
  if (words.length > WORDS_LENGTH) return null
  for (const language of languages) {
    if (language !== languages[0] && hasShakyDay(words, language)) continue
    const read = readDate(words, { ...context, language, dateOrder: null })
    if (isReadDay(read)) return inZone(read, context.time_zone)
  }
  return null
}

function inZone({ date, time, time_zone: from }: ReadDay, time_zone: string): { date: string; time: string | null } {
  if (time === null || from === null || from === time_zone) return { date, time }
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  const here = civilOf(instantOf(toDay(date), hours * 60 + minutes, from), time_zone)
  return { date: fromDay(here.day), time: clockTime(here.minutes) }
}
