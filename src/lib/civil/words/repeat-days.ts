import { WEEKDAY_CODES } from '../../recurrence/rule'
import { nextMonthDay } from './calendar'
import { WordCursor } from './cursor'
import { readDayNumber } from './dates'
import { readNthNumber } from './periods'

/** Reads the days of a rule: of the week, of the month and of the year, as BY parts. */

/** As many as a month has days. */
const MAX_LISTED = 31
export const WORKDAYS = 'BYDAY=MO,TU,WE,TH,FR'

function readWeekdayName(c: WordCursor): number | null {
  return c.number('weekday') ?? c.number('shaky') ?? c.number('weekdays')
}

/** Reads the `tu` in `tu/th`. */
function readDayCode(c: WordCursor): number | null {
  const { tokens } = c.line
  const code = c.number('day_code')
  return tokens[c.at]?.key === '/' || tokens[c.at - 2]?.key === '/' ? code : null
}

export function readWeekdayList(c: WordCursor): string | null {
  const days = readDayList(c, readWeekdays, true)?.flat()
  return days ? `BYDAY=${WEEKDAY_CODES.filter((_, day) => days.includes(day)).join()}` : null
}

function readWeekdays(c: WordCursor): number[] | null {
  const first = readWeekdayName(c) ?? c.attempt(() => readDayCode(c))
  if (first === null) return null
  const last = c.attempt(() => (c.sign('-–') || c.has('to') ? readWeekdayName(c) : null))
  const length = last === null ? 1 : ((last - first + 7) % 7) + 1
  return Array.from({ length }, (_, i) => (first + i) % 7)
}

/** Reads a list separated by commas, `and` or similar; if `loose`, also by spaces. */
export function readDayList<Item>(c: WordCursor, read: (c: WordCursor) => Item | null, loose = false): Item[] | null {
  const first = read(c)
  if (first === null) return null
  const items = [first]
  while (items.length < MAX_LISTED) {
    const next = c.attempt(() => {
      const apart = c.sign(',/&') || c.sign('+')
      const and = c.has('and')
      c.has('article')
      return apart || and || loose ? read(c) : null
    })
    if (next === null) return items
    items.push(next)
  }
  return items
}

export function readOfMonth(c: WordCursor): true | null {
  c.has('of')
  c.has('article') || c.has('every')
  return c.value('unit') === 'month' ? true : null
}

/** Reads `2nd tuesday`, or `1st and 15th`. @param bare whether a number alone is a day */
export function readDaysOfMonth(c: WordCursor, bare: boolean): string | null {
  return c.longest([readNthWeekdays, (each) => readMonthDays(each, bare)])
}

/** Reads `first and third monday`, `last workday`: BYDAY with ordinals. */
function readNthWeekdays(c: WordCursor): string | null {
  const nths = readDayList(c, readNthNumber)
  if (!nths || nths.some((nth) => Math.abs(nth) > 31)) return null
  const workday = c.attempt(() => (c.value('unit') === 'workday' ? true : null))
  if (workday) return nths.some((nth) => nth > 23) ? null : `${WORKDAYS};BYSETPOS=${unique(nths)}`
  const weekday = readWeekdayName(c)
  if (weekday === null || nths.some((nth) => nth > 5)) return null
  return `BYDAY=${unique(nths.map((nth) => `${nth}${WEEKDAY_CODES[weekday]}`))}`
}

/** Reads `1st and 15th`, `last day`; bare numbers behind `on` or in a list. */
export function readMonthDays(c: WordCursor, bare: boolean): string | null {
  const days = readDayList(c, (each) => readMonthDayOf(each, bare))
  return days ? `BYMONTHDAY=${unique(days)}` : null
}

function readMonthDayOf(c: WordCursor, bare: boolean): number | null {
  if (c.has('end')) return -1
  const word = c.sees('ordinal')
  const nth = c.attempt(() => readNthNumber(c))
  if (nth !== null && (word || nth < 0)) {
    const day = c.attempt(() => (c.value('unit') === 'day' ? true : null))
    // `last` without `day` is not a day, and of the words before others only `first` is one.
    return nth < 0
      ? day || nth < -1
        ? nth
        : null
      : nth === 1 || (!day && (c.token?.kind !== 'word' || seesOfMonth(c)))
        ? nth
        : null
  }
  if (nth !== null) return nth
  const number = readDayNumber(c)
  return number && (number.ordinal || bare) ? number.day : null
}

function seesOfMonth({ line, moment, at }: WordCursor): boolean {
  return readOfMonth(new WordCursor(line, moment, at)) !== null
}

/** Reads `last monday of may`, `4th thursday in november`. */
export function readNthOfMonth(c: WordCursor): string | null {
  const by = readNthWeekdays(c)
  if (by === null) return null
  c.has('of')
  const month = c.number('month')
  return month === null ? null : `BYMONTH=${month};${by}`
}

interface DayOfYear {
  readonly month: number
  readonly day: number
}

export function readMonthDay(c: WordCursor): DayOfYear | null {
  return c.longest<DayOfYear>([
    (each) => {
      const day = readDayNumber(each)?.day ?? null
      each.has('of')
      return real(each.number('month'), day)
    },
    (each) => {
      const month = each.number('month')
      each.has('article')
      return real(month, readDayNumber(each)?.day ?? null)
    },
  ])
}

/** Returns null for a date that no year has. */
function real(month: number | null, day: number | null): DayOfYear | null {
  return month !== null && day !== null && nextMonthDay(0, month, day) !== null ? { month, day } : null
}

export function readYearDay(c: WordCursor): string | null {
  const date = readMonthDay(c)
  return date && `BYMONTH=${date.month};BYMONTHDAY=${date.day}`
}

export function unique(items: readonly (string | number)[]): string {
  return [...new Set(items)].join()
}
