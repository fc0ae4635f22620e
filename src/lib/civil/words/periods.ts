import { dayOf, partsOf, weekdayOf } from '../day'
import {
  addMonths,
  type CalendarPeriod,
  isWorkday,
  nextDayOfMonth,
  nextMonthDay,
  nthDay,
  type PeriodUnit,
  periodOf,
} from './calendar'
import type { WordCursor } from './cursor'
import { type DayRead, dayRead, forward, readDayNumber, readDayWord, readSuffix, readYear } from './dates'

/** A period that words name. */
export interface NamedPeriod extends CalendarPeriod {
  /** How many periods after the current one: 1 for `next month`, 2 for `the month after next`. */
  readonly next: number
  /** How many periods later the next such one is: 12 for `april`; 0 if the words name exactly one. */
  readonly step: number
}

/** Reads `the month`, `this week`, `next quarter`, `le mois prochain`, `april`, `april 2027`. */
export function readNamedPeriod(c: WordCursor): NamedPeriod | null {
  return c.attempt(() => readUnitPeriod(c)) ?? c.attempt(() => readNamedMonth(c))
}

function readUnitPeriod(c: WordCursor): NamedPeriod | null {
  c.has('article')
  const pinned = c.has('this')
  const before = readNext(c)
  const unit = c.value('unit')
  if (!isPeriodUnit(unit)) return null
  const next = before || (c.attempt(() => readNextBehind(c)) ?? 0)
  return { ...periodOf(unit, c.moment.today, next), next, step: next > 0 || pinned ? 0 : 1 }
}

function readNext(c: WordCursor): number {
  if (c.has('after_next')) return 2
  return c.has('coming') || c.has('next') ? 1 : 0
}

/** Reads the word after a unit in `mois prochain`. */
function readNextBehind(c: WordCursor): number | null {
  const next = readNext(c)
  return next > 0 && c.clean ? next : null
}

export function isPeriodUnit(unit: unknown): unit is PeriodUnit {
  return unit === 'week' || unit === 'month' || unit === 'quarter' || unit === 'year'
}

function readNamedMonth(c: WordCursor): NamedPeriod | null {
  const next = c.has('next')
  const month = c.number('month')
  if (month === null) return null
  const { year } = partsOf(c.moment.today)
  const given = next ? null : readYear(c)
  const period = periodOf('month', dayOf(given ?? year, month, 1))
  if (given !== null) return { ...period, next: 0, step: 0 }
  return period.last < c.moment.today || (next && period.first <= c.moment.today)
    ? { ...periodOf('month', period.first, 12), next: 0, step: 12 }
    : { ...period, next: 0, step: 12 }
}

/** Picks a day of the period; if it is past, of the next such period. Null if there is none. */
export function nextOf(
  period: NamedPeriod,
  today: number,
  pick: (period: NamedPeriod) => number | null,
): number | null {
  const day = pick(period)
  if (day === null || day >= today || period.step === 0) return day
  return pick({ ...period, ...periodOf(period.unit, period.first, period.step) })
}

/** Returns the last, the first or a middle day of a period. */
export function edgeOf({ unit, first, last }: NamedPeriod, edge: 'end' | 'middle' | 'begin'): number {
  if (edge === 'end') return last
  if (edge === 'begin') return first
  return unit === 'week' ? first + 2 : unit === 'month' ? first + 14 : addMonths(first, 6)
}

/** Reads `last friday of the month`, `first monday of april`, `2nd tuesday`, `first workday of the month`. */
export function readNth(c: WordCursor): DayRead | null {
  c.has('article')
  const nth = readNthNumber(c)
  const fits = nth === null ? null : readFitting(c)
  if (nth === null || !fits) return null
  const period = c.attempt(() => {
    c.has('of')
    const found = readNamedPeriod(c)
    return c.clean ? found : null
  })
  const { today } = c.moment
  if (period) {
    const day = nextOf(period, today, (each) => nthDay(each, nth, fits))
    return forward(day, c.moment, { open: true })
  }
  // `last friday` is past, and `first day` of what is unknown.
  if (nth < 0 || fits === anyDay || !c.clean) return null
  const month = { ...periodOf('month', today), next: 0, step: 1 }
  return dayRead(
    nextOf(month, today, (each) => nthDay(each, nth, fits)),
    { place: 'whole', open: true },
  )
}

/** Reads `2nd`, `second`, `last`, `4th last`: 1 to 31, or from the end -1 to -31. */
export function readNthNumber(c: WordCursor): number | null {
  const nth = c.number('ordinal') ?? c.attempt(() => readDigitOrdinal(c))
  return nth !== null && nth > 0 && c.has('from_end') ? -nth : nth
}

function readDigitOrdinal(c: WordCursor): number | null {
  const number = c.digits(2)
  return number !== null && number >= 1 && number <= 31 && readSuffix(c) ? number : null
}

const anyDay = () => true

function readFitting(c: WordCursor): ((day: number) => boolean) | null {
  const weekday = c.number('weekday') ?? c.number('shaky')
  if (weekday !== null) return (day) => weekdayOf(day) === weekday
  const unit = c.value('unit')
  if (unit === 'workday') return isWorkday
  return unit === 'day' ? anyDay : null
}

/** Reads `27th`, `the 3rd`, `le 3`, and `the 5th of next month`: at the end or next to a time, since it may count anything. */
export function readNumberDay(c: WordCursor): DayRead | null {
  const article = c.number('article') ?? articleBefore(c)
  const word = c.sees('ordinal')
  const number = readDayNumber(c) ?? c.attempt(() => readDayWord(c))
  if (!number) return null
  const period = c.attempt(() => {
    const of = c.has('of')
    const found = readNamedPeriod(c)
    return found?.unit === 'month' && c.clean && (of || number.ordinal) ? found : null
  })
  // `the second` may be anything; `20 of next month` is a day.
  if (!period && (word || !(number.ordinal || (article === 1 && c.lexicon.articleDays)))) return null
  if (!period) return dayRead(nextDayOfMonth(c.moment.today, number.day), { place: 'end', open: true })
  const day = nextOf(period, c.moment.today, ({ first, last }) => {
    return first + number.day - 1 > last ? null : first + number.day - 1
  })
  return dayRead(day, { open: true })
}

/** Returns the article at the end of a preposition: `para el 3`. */
function articleBefore({ line, at }: WordCursor): number | null {
  const hit = line.hit(at - 1, 'article')
  return hit?.end === at ? Number(hit.value) : null
}

/** Reads `christmas`; a day only after a preposition. */
export function readHoliday(c: WordCursor): DayRead | null {
  const at = c.has('at')
  const date = c.number('holiday')
  if (date === null) return null
  const day = nextMonthDay(c.moment.today, Math.floor(date / 100), date % 100)
  return dayRead(day, { place: at ? 'anchored' : 'preposition' })
}
