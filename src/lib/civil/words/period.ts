import { dayOf, daysInMonth, fromDay, partsOf, toDay } from '../day'
import { civilOf } from '../zone'
import { addMonths, type CalendarPeriod, type PeriodUnit, periodOf } from './calendar'
import { isReadDay, readDate } from './date'

/** A range of days, both included, as YYYY-MM-DD. */
export interface PeriodDays {
  readonly first: string
  readonly last: string
}

/** UTF-16 units; longer words name no period. */
const WORDS_LENGTH = 80
const MONTHS = 'january february march april may june july august september october november december'.split(' ')
const UNIT = /^(?:the )?(?<which>this|current|next|coming|last|past|previous)? ?(?<unit>week|month|quarter|year)$/
const COUNTED = /^(?:the )?(?<which>last|past|next|coming) (?<count>\d{1,3}) (?<unit>day|week|month)s$/
const MONTH = new RegExp(`^(?:(?<which>last|next|this) )?(?<month>${MONTHS.join('|')})(?: (?<year>\\d{4}))?$`)

/**
 * Reads English words that only name a day or a period: `yesterday`, `5 May`, `this week`, `last month`, `December`,
 * `the next 3 days`. Weeks begin on Monday; a month without a year is the nearest one in the past or the future. Returns
 * null if they name none. `now` is in milliseconds since 1970, `time_zone` an IANA name.
 */
export function readPeriodWords(words: string, now: number, time_zone: string): PeriodDays | null {
  const text = words.trim().toLowerCase().replace(/\s+/g, ' ')
  if (text === '' || text.length > WORDS_LENGTH) return null
  const today = civilOf(now, time_zone).day
  const range = readUnit(text, today) ?? readCounted(text, today) ?? readMonth(text, today)
  if (range) return { first: fromDay(range.first), last: fromDay(range.last) }
  const weekend = /^(?:the |this |next |last )?weekend$/.test(text)
  const read = readDate(weekend ? text.replace('weekend', 'saturday') : text, {
    now,
    time_zone,
    dateOrder: null,
    past: true,
  })
  if (!isReadDay(read) || read.time !== null) return null
  return { first: read.date, last: weekend ? fromDay(toDay(read.date) + 1) : read.date }
}

type Days = Pick<CalendarPeriod, 'first' | 'last'>

/** How many periods after the present one. */
const aheadOf = (which: string | undefined): number =>
  which === 'next' || which === 'coming' ? 1 : which === 'last' || which === 'past' || which === 'previous' ? -1 : 0

function readUnit(text: string, today: number): Days | null {
  const { which, unit } = UNIT.exec(text)?.groups ?? {}
  return unit === undefined ? null : periodOf(unit as PeriodUnit, today, aheadOf(which))
}

/** Reads `the last 7 days`, today included. */
function readCounted(text: string, today: number): Days | null {
  const { which, count = '0', unit } = COUNTED.exec(text)?.groups ?? {}
  if (unit === undefined) return null
  const ahead = aheadOf(which)
  const size = Number(count) * ahead
  const end = unit === 'month' ? addMonths(today, size) : today + size * (unit === 'week' ? 7 : 1)
  return ahead > 0 ? { first: today, last: end } : { first: end, last: today }
}

function readMonth(text: string, today: number): Days | null {
  const { which, month, year } = MONTH.exec(text)?.groups ?? {}
  if (month === undefined) return null
  const [number, present] = [MONTHS.indexOf(month) + 1, partsOf(today)]
  const away = number - present.month
  const nearest = away > 6 ? present.year - 1 : away < -6 ? present.year + 1 : present.year
  const ahead = which === 'next' ? (away <= 0 ? 1 : 0) : which === 'last' ? (away >= 0 ? -1 : 0) : null
  const of = year !== undefined ? Number(year) : ahead !== null ? present.year + ahead : nearest
  const first = dayOf(of, number, 1)
  return { first, last: first + daysInMonth(of, number) - 1 }
}
