import { dayOf, daysInMonth, fromDay, partsOf } from '../day'
import { addMonths, type CalendarPeriod, type PeriodUnit, periodOf } from './calendar'
import { readCount, type WordCursor } from './cursor'
import { type DateWordsContext, isReadDay, readDate } from './date'
import { createWordCursor } from './read'

/** The first and the last day of a period, both YYYY-MM-DD and both included. */
export interface PeriodDays {
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
    return PERIODS.includes(unit) ? periodOf(unit as PeriodUnit, today, ahead ?? 0) : null
  }
  const days = unit === 'day' ? 1 : unit === 'week' ? 7 : unit === 'month' ? 0 : null
  if (days === null || !ahead || !Number.isInteger(count) || count > MAX_COUNT) return null
  const size = count * ahead
  const end = days === 0 ? addMonths(today, size) : today + size * days
  return ahead > 0 ? { first: today, last: end } : { first: end, last: today }
}

const PERIODS: readonly unknown[] = ['week', 'month', 'quarter', 'year'] satisfies PeriodUnit[]

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
