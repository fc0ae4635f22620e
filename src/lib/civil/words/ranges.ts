import { modulo, partsOf, weekdayOf } from '../day'
import { nextWeekday } from './calendar'
import type { WordCursor } from './cursor'
import { type DayRead, dayRead, readDayAndMonth } from './dates'
import { readOneDay } from './days'

/** Reads a day or a range of days, without a preposition before it; null if there is none. */
export function readDayOrRange(c: WordCursor): DayRead | null {
  const first = c.attempt(() => readOneDay(c))
  if (!first) return c.attempt(() => readGluedRange(c))
  return c.attempt(() => readLastDay(c, first, false)) ?? first
}

/** Reads `mon-fri`, `5.5.-7.5.`; the weekdays at the end, since `Monday-Friday schedule` is no date. */
function readGluedRange(c: WordCursor): DayRead | null {
  const weekday = c.number('weekday') ?? c.number('shaky')
  const first = weekday === null ? readDayAndMonth(c) : dayRead(nextWeekday(c.moment.today, weekday), { weekday })
  if (first === null || c.token?.gap !== false) return null
  const range = readLastDay(c, first, false)
  return range && (weekday === null ? range : { ...range, place: 'end' })
}

/** Reads a range of days after `from` or `between`. */
export function readFromRange(c: WordCursor): DayRead | null {
  const between = c.has('between')
  if (!between && !c.has('from')) return null
  const first = readOneDay(c)
  return first && c.attempt(() => readLastDay(c, first, between))
}

/** Reads the last day of a range; `and` joins one only after `between`. */
function readLastDay(c: WordCursor, first: DayRead, between: boolean): DayRead | null {
  if (first.day === null || first.last !== null) return null
  const clock = c.sees('at')
  if (!(between ? c.has('and') : c.sign('-–') || c.has('to'))) return null
  c.has('by')
  const second = readOneDay(c)
  // `el sábado a las 10` is a day and a time.
  if (clock && second?.place === 'end') return null
  if (!second || second.day === null || second.last !== null || !c.clean) return null
  const last = second.weekday === null ? second.day : nextWeekday(first.day + 1, second.weekday)
  // In `monday to wednesday next week` both days are next week.
  const shared = first.weekday !== null && c.line.hit(c.at - 1, 'unit')?.end === c.at
  // In `monday 13 to friday 17 july` the month is that of both.
  if (first.place === 'whole' || first.place === 'end') return sameMonth(first.day, last)
  const day = shared ? last - modulo(weekdayOf(last) - (first.weekday ?? 0), 7) : first.day
  const weekday = second.weekday === null ? null : first.weekday
  return last > day ? { ...first, day, last, weekday, place: 'any' } : null
}

/** Returns the range from the last day of this number before another day; without a day if its weekday differs. */
function sameMonth(first: number, last: number): DayRead {
  for (let day = last - 1; day >= last - 31; day--)
    if (partsOf(day).day === partsOf(first).day)
      return weekdayOf(day) === weekdayOf(first) ? dayRead(day, { last }) : dayRead(null)
  return dayRead(null)
}
