import type { TimeLanguage } from '../day'
import { dayOf, daysInMonth, fromDay, partsOf, toDay } from '../day'
import { civilOf, clockTime, instantOf, parseTimeOfDay } from '../zone'
import { addMonths, type CalendarPeriod, periodOf } from './calendar'
import { readCount, type WordCursor } from './cursor'
import { isPeriodUnit } from './periods'
import { createWordCursor, hasShakyDay, readTime, type TimeContext } from './read'
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
  const warning = warnings.find(({ code }) => code !== 'hour_assumed')
  if (warning) return warning
  const unread = findUnread(text, spans)
  if (unread) return notUnderstood('this is no date', unread.index, unread.index + unread[0].length)
  if (recurrence) return notUnderstood('a date does not repeat: use `recurrence` or quick add', 0, text.length)
  if (due && !start && duration_minutes === null && reminders.length === 0) return due
  return notUnderstood(due ? 'this is more than a date' : 'this is no date', 0, text.length)
}

/** Finds the text from the first word that no span covers to the last one. */
export function findUnread(text: string, spans: readonly TimeSpan[]): RegExpExecArray | null {
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

export function isReadDay(read: ReadDay | TimeWarning): read is ReadDay {
  return 'date' in read
}

/** In UTF-16 units; a longer text is not a date. */
const WORDS_LENGTH = 200

/** How words of a date are read: `now` is in milliseconds since 1970, `time_zone` an IANA name. */
interface DateWordsContext extends Pick<TimeContext, 'now'> {
  readonly time_zone: string
  /** The first that understands the words counts; behind the first of all, not by an abbreviation such as `do`. */
  readonly languages: readonly TimeLanguage[]
}

/** Reads words that only name a day and maybe a time, in `time_zone`; null if they name none or hold anything else. */
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
  const here = civilOf(instantOf(toDay(date), parseTimeOfDay(time), from), time_zone)
  return { date: fromDay(here.day), time: clockTime(here.minutes) }
}

/** The first and the last day of a period, both YYYY-MM-DD and both included. */
interface PeriodDays {
  readonly first: string
  readonly last: string
}

/** UTF-16 units; longer words name no period. */
const PERIOD_LENGTH = 80
/** Units of a counted period, at most. */
const MAX_COUNT = 999

/**
 * Reads words that only name a day or a period: `yesterday`, `5 May`, `this week`, `letzten Monat`, `December`, `the next 3
 * days`. Weeks begin on Monday; a month without a year is the nearest one in the past or the future. Returns null if they
 * name none in any of the languages.
 */
export function readPeriodWords(words: string, { languages, ...context }: DateWordsContext): PeriodDays | null {
  if (words.length > PERIOD_LENGTH) return null
  for (const language of languages) {
    const time = { ...context, language, dateOrder: null, past: true }
    const days = readWhole(createWordCursor(words, time))
    if (days) return { first: fromDay(days.first), last: fromDay(days.last) }
    const read = readDate(words, time)
    if (isReadDay(read) && read.time === null) return { first: read.date, last: read.date }
  }
  return null
}

type Days = Pick<CalendarPeriod, 'first' | 'last'>

function readWhole(c: WordCursor): Days | null {
  const days = c.attempt(() => readUnits(c)) ?? c.attempt(() => readMonth(c))
  return c.token ? null : days
}

/** Reads how many periods after the present one: 1 for `next`, -1 for `last`. */
function readAhead(c: WordCursor): number | null {
  if (c.has('after_next')) return 2
  if (c.has('next') || c.has('coming')) return 1
  return c.has('past') ? -1 : c.has('this') ? 0 : null
}

/** Reads `this week`, `le mois dernier`, and with a count, today included: `the last 7 days`, `les 7 derniers jours`. */
function readUnits(c: WordCursor): Days | null {
  c.has('article')
  const before = readAhead(c)
  const count = readCount(c)
  const between = before ?? readAhead(c)
  const unit = c.value('unit')
  const ahead = between ?? readAhead(c)
  const { today } = c.moment
  if (count === null) {
    const week = periodOf('week', today, ahead ?? 0).first
    if (unit === 'weekend') return { first: week + 5, last: week + 6 }
    return isPeriodUnit(unit) ? periodOf(unit, today, ahead ?? 0) : null
  }
  const days = unit === 'day' ? 1 : unit === 'week' ? 7 : unit === 'month' ? 0 : null
  if (days === null || !ahead || !Number.isInteger(count) || count > MAX_COUNT) return null
  const size = count * ahead
  const end = days === 0 ? addMonths(today, size) : today + size * days
  return ahead > 0 ? { first: today, last: end } : { first: end, last: today }
}

function readMonth(c: WordCursor): Days | null {
  const before = readAhead(c)
  const month = c.number('month')
  if (month === null) return null
  const which = before ?? readAhead(c)
  c.has('of')
  const year = c.digits(4, { shortest: 4 })
  const present = partsOf(c.moment.today)
  const away = month - present.month
  const nearest = away > 6 ? -1 : away < -6 ? 1 : 0
  const ahead = which === 1 ? (away <= 0 ? 1 : 0) : which === -1 ? (away >= 0 ? -1 : 0) : nearest
  const of = year ?? present.year + ahead
  const first = dayOf(of, month, 1)
  return { first, last: first + daysInMonth(of, month) - 1 }
}
