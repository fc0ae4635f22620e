import { dayOf, partsOf, startOfWeek, startOfWeekYear, weekdayOf } from '../civil/day'
import { createMonthDays, type MonthBits, type MonthDays } from './month-days'
import type { RecurrenceRule, Skip } from './rule'

/** What FREQ and INTERVAL step through: months, for example. Numbers of periods that follow each other do so too. */
interface Periods {
  readonly numberOf: (day: number) => number
  readonly startOf: (period: number) => number
  /** The days of a period that the rule allows, in order. */
  readonly daysOf: (period: number) => readonly number[]
}

/**
 * The days that a rule gives from `from` to `to`, in order, none twice; COUNT and UNTIL are the caller's. However far
 * `from` is from the anchor, only the periods between `from` and `to` are looked at.
 */
export function* daysOfRule(
  rule: RecurrenceRule,
  anchor: number,
  skip: Skip,
  from: number,
  to: number,
): Generator<number> {
  const first = Math.max(from, anchor)
  const { startOf, daysOf } = preparedPeriods(rule, anchor, skip)
  for (let period = firstPeriod(rule, anchor, skip, first); startOf(period) <= to; period += rule.interval)
    for (const day of daysOf(period)) {
      if (day > to) return
      if (day >= first) yield day
    }
}

/**
 * The same by periods, each with all of its days, also those before `from` or the anchor and behind `to`: what BYSETPOS
 * counts in. The last period begins on `to` or before.
 */
export function* periodsOfRule(
  rule: RecurrenceRule,
  anchor: number,
  skip: Skip,
  from: number,
  to: number,
): Generator<readonly number[]> {
  const { startOf, daysOf } = preparedPeriods(rule, anchor, skip)
  const first = firstPeriod(rule, anchor, skip, Math.max(from, anchor))
  for (let period = first; startOf(period) <= to; period += rule.interval) yield daysOf(period)
}

/** The last period that the rule steps on and that begins on a day or before it; the anchor's is the first of all. */
function firstPeriod(rule: RecurrenceRule, anchor: number, skip: Skip, day: number): number {
  const { numberOf } = preparedPeriods(rule, anchor, skip)
  const base = numberOf(anchor)
  return base + Math.floor((numberOf(day) - base) / rule.interval) * rule.interval
}

/** What is prepared of rules: most series of a workspace are alike, and an agenda expands thousands of them. */
let prepared = new WeakMap<RecurrenceRule, Map<number, Periods>>()
let remembered = 0
const MOST_REMEMBERED = 5000

function preparedPeriods(rule: RecurrenceRule, anchor: number, skip: Skip): Periods {
  const ofRule = prepared.get(rule) ?? new Map<number, Periods>()
  // All that a rule can leave to its anchor is the day of the year, or of a week.
  const { month, day } = partsOf(anchor)
  const left = rule.freq === 'WEEKLY' || rule.byWeekNo.length > 0 ? weekdayOf(anchor) : month * 32 + day
  const name = skip === 'backward' ? left : -1 - left
  const known = ofRule.get(name)
  if (known) return known
  if (++remembered > MOST_REMEMBERED) [prepared, remembered] = [new WeakMap(), 1]
  const periods = remembering(periodsOf(completed(rule, anchor), skip), rule)
  prepared.set(rule, ofRule.set(name, periods))
  return periods
}

/** The periods that a month or two of one rule have: an agenda asks for the same of every series that is alike. */
const PERIODS_KEPT = 8

/** The same periods with BYSETPOS, the days of the last few of them kept. */
function remembering({ numberOf, startOf, daysOf }: Periods, { bySetPos }: RecurrenceRule): Periods {
  const kept = new Map<number, readonly number[]>()
  return {
    numberOf,
    startOf,
    daysOf: (period) => {
      const known = kept.get(period)
      if (known) return known
      const days = chosen(daysOf(period), bySetPos)
      if (kept.size >= PERIODS_KEPT) kept.clear()
      kept.set(period, days)
      return days
    },
  }
}

/** The rule with what it leaves to the anchor (RFC 5545: information necessary … derived from the start). */
function completed(rule: RecurrenceRule, anchor: number): RecurrenceRule {
  const { freq, byMonth, byWeekNo, byYearDay, byMonthDay, byDay } = rule
  const isDaily = freq === 'DAILY' || freq === 'HOURLY' || freq === 'MINUTELY'
  if (isDaily || [byYearDay, byMonthDay, byDay].some((part) => part.length > 0)) return rule
  if (freq === 'WEEKLY' || byWeekNo.length > 0) return { ...rule, byDay: [{ weekday: weekdayOf(anchor), nth: 0 }] }
  const { month, day } = partsOf(anchor)
  return { ...rule, byMonthDay: [day], byMonth: freq === 'YEARLY' && byMonth.length === 0 ? [month] : byMonth }
}

function periodsOf(rule: RecurrenceRule, skip: Skip): Periods {
  const monthDays = createMonthDays(rule, skip)
  switch (rule.freq) {
    // Rules by the hour step through the hours of these days: see slots.ts.
    case 'MINUTELY':
    case 'HOURLY':
    case 'DAILY':
      return days(monthDays)
    case 'WEEKLY':
      return weeks(rule, monthDays)
    case 'MONTHLY':
      return months(monthDays)
    case 'YEARLY':
      return rule.byWeekNo.length > 0 ? weekYears(rule, monthDays) : years(monthDays)
  }
}

function days(monthDays: MonthDays): Periods {
  const same = (day: number) => day
  return { numberOf: same, startOf: same, daysOf: (day) => allowed(monthDays, day, 1) }
}

function weeks({ weekStart }: RecurrenceRule, monthDays: MonthDays): Periods {
  // Any day that weeks begin on.
  const zero = startOfWeek(0, weekStart)
  const startOf = (week: number) => zero + week * 7
  return {
    numberOf: (day) => Math.floor((day - zero) / 7),
    startOf,
    daysOf: (week) => allowed(monthDays, startOf(week), 7),
  }
}

function months(monthDays: MonthDays): Periods {
  const split = (period: number): [year: number, month: number] => [Math.floor(period / 12), (period % 12) + 1]
  return {
    numberOf: (day) => {
      const { year, month } = partsOf(day)
      return year * 12 + month - 1
    },
    startOf: (period) => dayOf(...split(period), 1),
    daysOf: (period) => daysIn(...split(period), monthDays),
  }
}

function years(monthDays: MonthDays): Periods {
  return {
    numberOf: (day) => partsOf(day).year,
    startOf: (year) => dayOf(year, 1, 1),
    daysOf: (year) => {
      const found: number[] = []
      for (let month = 1; month <= 12; month++) found.push(...daysIn(year, month, monthDays))
      return found
    },
  }
}

/**
 * Years of whole weeks, as BYWEEKNO counts them: week 1 holds 4 January, so a year of weeks can begin in December and
 * end in January (as libical has it; INTERVAL and BYSETPOS count these years).
 */
function weekYears({ byWeekNo, weekStart }: RecurrenceRule, monthDays: MonthDays): Periods {
  const startOf = (year: number) => startOfWeekYear(year, weekStart)
  return {
    startOf,
    numberOf: (day) => {
      const { year } = partsOf(day)
      if (day >= startOf(year + 1)) return year + 1
      return day < startOf(year) ? year - 1 : year
    },
    daysOf: (year) => {
      const start = startOf(year)
      const weeksOfYear = (startOf(year + 1) - start) / 7
      const numbers = new Set(byWeekNo.map((week) => (week > 0 ? week : weeksOfYear + week + 1)))
      return [...numbers]
        .filter((week) => week >= 1 && week <= weeksOfYear)
        .sort((a, b) => a - b)
        .flatMap((week) => allowed(monthDays, start + (week - 1) * 7, 7))
    },
  }
}

/** Those of `length` days from `start` on that the months they are in allow. */
function allowed(monthDays: MonthDays, start: number, length: number): number[] {
  const found: number[] = []
  for (let at = start; at < start + length; at++) {
    const { year, month, day } = partsOf(at)
    if (has(monthDays(year, month), day - 1)) found.push(at)
  }
  return found
}

function daysIn(year: number, month: number, monthDays: MonthDays): number[] {
  const found: number[] = []
  const bits = monthDays(year, month)
  if (bits === 0) return found
  const first = dayOf(year, month, 1)
  for (let index = 0; index < 31; index++) if (has(bits, index)) found.push(first + index)
  return found
}

function has(bits: MonthBits, index: number): boolean {
  return ((bits >>> index) & 1) === 1
}

/** BYSETPOS: positions count within one period, -1 is the last; one that the period lacks is left out. */
function chosen(days: readonly number[], bySetPos: readonly number[]): readonly number[] {
  if (bySetPos.length === 0 || days.length === 0) return days
  const existing = bySetPos.filter((position) => Math.abs(position) <= days.length)
  const places = new Set(existing.map((position) => (position > 0 ? position - 1 : days.length + position)))
  return days.filter((_, place) => places.has(place))
}
