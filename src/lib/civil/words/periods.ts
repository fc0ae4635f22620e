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
import { readCount, type WordCursor, type WordLine } from './cursor'
import { type DayRead, dayRead, forward, readDayNumber, readDayWord, readSuffix, readYear } from './dates'
import type { WordKind } from './lexicon'

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
  // `early march`, said in March, is hardly a year away.
  if (period.step === 12 && period.last >= today) return null
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
  return forward(day, c.moment, { open: true })
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

/** Words that name a time or a part of one. */
export const CORE: readonly WordKind[] = [
  ...(['weekday', 'weekdays', 'weekday_part', 'month', 'unit', 'day', 'today_part', 'clock', 'adverb'] as const),
  ...(['holiday', 'vague', 'feast', 'end_unit', 'occasion', 'to_hour', 'alternate', 'half'] as const),
]
/** Returns the end of words of one of these kinds; single letters are none. */
export function endOf(line: WordLine, at: number, kinds: readonly WordKind[]): number | null {
  if (line.tokens[at]?.key.length === 1) return null
  const ends = kinds.flatMap((kind) => line.hit(at, kind)?.end ?? [])
  return ends.length === 0 ? null : Math.max(...ends)
}

/** What begins words of time outside of a phrase. */
const LEADS: readonly WordKind[] = [
  ...([
    'in',
    'by',
    'until',
    'starting',
    'before',
    'after',
    'next',
    'this',
    'late',
    'at',
    'on',
    'due',
    'coming',
  ] as const),
  ...(['end', 'begin', 'middle', 'of', 'from'] as const),
]
/** Behind these a number alone is an hour or a day. */
const NUMBER_LEADS: readonly WordKind[] = ['in', 'on', 'at', 'after']
/** What may be between them, and what names a time by its number. */
const FILLS: readonly WordKind[] = ['article', 'some', 'of', 'this', 'next', 'begin', 'late', 'around', 'ordinal']
const NUMBERED: readonly WordKind[] = ['month', 'week_number', 'quarter_number']
const LOOSE: readonly WordKind[] = [
  ...CORE.filter((kind) => kind !== 'day' && kind !== 'today_part' && kind !== 'clock' && kind !== 'half'),
  ...(['week_number', 'after_completion', 'from_now', 'ish', 'near'] as const),
]

/** Whether a text ends at the cursor, or goes on behind a stop or a part that was read. */
export function atEnd({ token }: WordCursor): boolean {
  return !token || token.kind === 'covered' || (token.kind === 'sign' && ',.;:!?)'.includes(token.key))
}

/** Reads words of time to their end, at which the text must end: `in early june`, `by q3`, `in a few days`, `at 9.15`. */
export function readRun(c: WordCursor): boolean {
  const isNumberLed = NUMBER_LEADS.some((kind) => c.sees(kind))
  const led = LEADS.some((kind) => c.has(kind))
  const unit = c.line.hit(c.at, 'unit')?.value
  const named = NUMBERED.some((kind) => c.sees(kind)) || unit === 'week'
  let cores = 0
  let numbers = 0
  for (let from = -1; from !== c.at; ) {
    from = c.at
    while (FILLS.some((kind) => c.has(kind)));
    if (c.has('quarter_number')) cores += 1
    // `le quinze`
    if (c.token?.kind === 'number' || (c.lexicon.articleDays && isNumberLed && c.sees('number'))) numbers += 1
    readCount(c)
    readSuffix(c)
    const core = endOf(c.line, c.at, LOOSE)
    if (core !== null) {
      c.at = core
      cores += 1
    }
    if (from !== c.at) c.sign('-–/&:.') || c.has('to') || c.has('and')
  }
  const isNumber = numbers > 1 || (numbers > 0 && isNumberLed)
  return (led ? cores > 0 || isNumber : cores > 1 || (named && numbers > 0)) && atEnd(c)
}

/** Reads `every 0 days`, `every few weeks`, `every 2-3 days`, `every full moon`. */
export function readUnclearEvery(c: WordCursor): true | null {
  if (!c.has('every')) return null
  c.sign('!', { glued: true })
  c.sign('-')
  c.has('other') || c.has('some')
  const counted = readCount(c) !== null
  readSuffix(c)
  if (counted && (c.sign('-–') || c.has('to') || c.has('or'))) readCount(c)
  const core = endOf(c.line, c.at, CORE)
  if (core !== null) c.at = core
  const isAlone = c.token?.kind !== 'word' || LEADS.some((kind) => c.sees(kind))
  return core !== null || (counted && isAlone) ? true : null
}

/** Reads `twice a week`, `3 times per day`: no rule expresses it. */
export function readOften(c: WordCursor): true | null {
  if (!c.has('often') && !(readCount(c) !== null && c.has('times'))) return null
  c.has('per')
  return c.value('unit') !== null || c.value('adverb') !== null ? true : null
}

/** Reads `tue/thu`. */
export function readCodes(c: WordCursor): true | null {
  const weekday = () => c.has('day') || c.has('weekday') || c.has('shaky') || c.has('day_code')
  return weekday() && c.sign('/&', { glued: true }) && weekday() ? true : null
}
