import { dayOf, partsOf, startOfWeek, startOfWeekYear, weekdayOf } from '../civil/day'
import { Cache } from '../steps'
import { createMonthDays, type MonthBits, type MonthDays } from './month-days'
import type { RecurrenceRule, Skip } from './rule'

/** The periods that FREQ and INTERVAL step through, such as months. Consecutive periods have consecutive numbers. */
interface Periods {
  readonly numberOf: (day: number) => number
  readonly startOf: (period: number) => number
  /** The days of a period that the rule allows, in order, before BYSETPOS. */
  readonly daysOf: (period: number) => readonly number[]
}

/**
 * Generates the periods of a rule, each with all of its days, also those before `from` or the anchor and after `to`:
 * BYSETPOS counts in these. The last period begins on `to` or before. However far `from` is from the anchor, only the
 * periods between `from` and `to` are computed.
 */
export function* generatePeriods(
  rule: RecurrenceRule,
  anchor: number,
  skip: Skip,
  from: number,
  to: number,
): Generator<readonly number[]> {
  const { startOf, daysOf } = getPeriods(rule, anchor, skip)
  const first = findPeriod(rule, anchor, skip, Math.max(from, anchor))
  for (let period = first; startOf(period) <= to; period += rule.interval) yield daysOf(period)
}

/** Finds the last period of the rule that begins on a day or before it; the period of the anchor is the first. */
function findPeriod(rule: RecurrenceRule, anchor: number, skip: Skip, day: number): number {
  const { numberOf } = getPeriods(rule, anchor, skip)
  const base = numberOf(anchor)
  return base + Math.floor((numberOf(day) - base) / rule.interval) * rule.interval
}

/** The cached periods of rules: most series of a workspace are alike, and an agenda expands thousands of them. */
let cache = new WeakMap<RecurrenceRule, Map<number, Periods>>()
let cachedRules = 0
const MAX_CACHED_RULES = 5000

function getPeriods(rule: RecurrenceRule, anchor: number, skip: Skip): Periods {
  const ofRule = cache.get(rule) ?? new Map<number, Periods>()
  // A rule takes at most the day of the year, or of the week, from its anchor.
  const { month, day } = partsOf(anchor)
  const left = rule.freq === 'WEEKLY' || rule.byWeekNo.length > 0 ? weekdayOf(anchor) : month * 32 + day
  const name = skip === 'backward' ? left : -1 - left
  const known = ofRule.get(name)
  if (known) return known
  if (++cachedRules > MAX_CACHED_RULES) [cache, cachedRules] = [new WeakMap(), 1]
  const periods = cachePeriods(createPeriods(completeRule(rule, anchor), skip))
  cache.set(rule, ofRule.set(name, periods))
  return periods
}

/** Cached periods of one rule, as many as a month or two have: an agenda needs them for all series that are alike. */
const MAX_CACHED_PERIODS = 8

function cachePeriods({ numberOf, startOf, daysOf }: Periods): Periods {
  const kept = new Cache<number, readonly number[]>(MAX_CACHED_PERIODS)
  return {
    numberOf,
    startOf,
    daysOf: (period) => kept.get(period) ?? kept.keep(period, daysOf(period)),
  }
}

/** Completes a rule with the parts that it takes from the anchor (RFC 5545: information derived from the start). */
function completeRule(rule: RecurrenceRule, anchor: number): RecurrenceRule {
  const { freq, byMonth, byWeekNo, byYearDay, byMonthDay, byDay } = rule
  const isDaily = freq === 'DAILY' || freq === 'HOURLY'
  if (isDaily || [byYearDay, byMonthDay, byDay].some((part) => part.length > 0)) return rule
  if (freq === 'WEEKLY' || byWeekNo.length > 0) return { ...rule, byDay: [{ weekday: weekdayOf(anchor), nth: 0 }] }
  const { month, day } = partsOf(anchor)
  return { ...rule, byMonthDay: [day], byMonth: freq === 'YEARLY' && byMonth.length === 0 ? [month] : byMonth }
}

function createPeriods(rule: RecurrenceRule, skip: Skip): Periods {
  const monthDays = createMonthDays(rule, skip)
  switch (rule.freq) {
    // Rules by the hour step through the hours of these days: see slots.ts.
    case 'HOURLY':
    case 'DAILY':
      return createDays(monthDays)
    case 'WEEKLY':
      return createWeeks(rule, monthDays)
    case 'MONTHLY':
      return createMonths(monthDays)
    case 'YEARLY':
      return rule.byWeekNo.length > 0 ? createWeekYears(rule, monthDays) : createYears(monthDays)
  }
}

function createDays(monthDays: MonthDays): Periods {
  const same = (day: number) => day
  return { numberOf: same, startOf: same, daysOf: (day) => listAllowed(monthDays, day, 1) }
}

function createWeeks({ weekStart }: RecurrenceRule, monthDays: MonthDays): Periods {
  // Any first day of a week.
  const zero = startOfWeek(0, weekStart)
  const startOf = (week: number) => zero + week * 7
  return {
    numberOf: (day) => Math.floor((day - zero) / 7),
    startOf,
    daysOf: (week) => listAllowed(monthDays, startOf(week), 7),
  }
}

function createMonths(monthDays: MonthDays): Periods {
  const split = (period: number): [year: number, month: number] => [Math.floor(period / 12), (period % 12) + 1]
  return {
    numberOf: (day) => {
      const { year, month } = partsOf(day)
      return year * 12 + month - 1
    },
    startOf: (period) => dayOf(...split(period), 1),
    daysOf: (period) => listDaysIn(...split(period), monthDays),
  }
}

function createYears(monthDays: MonthDays): Periods {
  return {
    numberOf: (day) => partsOf(day).year,
    startOf: (year) => dayOf(year, 1, 1),
    daysOf: (year) => {
      const found: number[] = []
      for (let month = 1; month <= 12; month++) found.push(...listDaysIn(year, month, monthDays))
      return found
    },
  }
}

/**
 * Creates years of whole weeks, as BYWEEKNO counts them: week 1 has 4 January, so such a year can begin in December and
 * end in January (as in libical; INTERVAL and BYSETPOS count these years).
 */
function createWeekYears({ byWeekNo, weekStart }: RecurrenceRule, monthDays: MonthDays): Periods {
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
        .flatMap((week) => listAllowed(monthDays, start + (week - 1) * 7, 7))
    },
  }
}

/** Lists the allowed days among `length` days from `start` on. */
function listAllowed(monthDays: MonthDays, start: number, length: number): number[] {
  const found: number[] = []
  for (let at = start; at < start + length; at++) {
    const { year, month, day } = partsOf(at)
    if (hasBit(monthDays(year, month), day - 1)) found.push(at)
  }
  return found
}

function listDaysIn(year: number, month: number, monthDays: MonthDays): number[] {
  const found: number[] = []
  const bits = monthDays(year, month)
  if (bits === 0) return found
  const first = dayOf(year, month, 1)
  for (let index = 0; index < 31; index++) if (hasBit(bits, index)) found.push(first + index)
  return found
}

function hasBit(bits: MonthBits, index: number): boolean {
  return ((bits >>> index) & 1) === 1
}
