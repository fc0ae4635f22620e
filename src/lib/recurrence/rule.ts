import { fromDay } from '../civil/day'

/** Why a rule cannot be taken; the message tells where. */
export class RuleError extends Error {
  override readonly name = 'RuleError'
  constructor(
    readonly code: 'invalid_recurrence' | 'unsupported_recurrence',
    message: string,
  ) {
    super(message)
  }
}

export type Freq = 'MINUTELY' | 'HOURLY' | 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY'

/** What happens to a day that a month lacks: it moves to the month's last (RFC 7529), or is left out (RFC 5545). */
export type Skip = 'backward' | 'omit'

/** A weekday, 0 (Monday) to 6 (Sunday), and which of them: 1 the first, -1 the last, 0 all. */
export interface RuleDay {
  readonly weekday: number
  readonly nth: number
}

/** The end of a rule, included. Without a time `seconds` is null, and the day counts whole. */
export interface Until {
  /** Whole days since 1970-01-01. */
  readonly day: number
  /** Seconds after midnight. */
  readonly seconds: number | null
  /** Whether it ends in Z; a time without it is on the task's own clock. */
  readonly utc: boolean
}

/** A recurrence rule of RFC 5545, section 3.3.10, down to the minute. An empty list is not in the rule. */
export interface RecurrenceRule {
  readonly freq: Freq
  /** 1..1,000 */
  readonly interval: number
  /** 1..10,000; never together with `until`. */
  readonly count: number | null
  readonly until: Until | null
  readonly byMonth: readonly number[]
  readonly byWeekNo: readonly number[]
  readonly byYearDay: readonly number[]
  readonly byMonthDay: readonly number[]
  readonly byDay: readonly RuleDay[]
  /** 0..23 */
  readonly byHour: readonly number[]
  /** 0..59 */
  readonly byMinute: readonly number[]
  readonly bySetPos: readonly number[]
  /** The weekday that weeks begin on, 0 (Monday) to 6. */
  readonly weekStart: number
}

/** A rule as read, and the SKIP of RFC 7529 if it has RSCALE. */
export interface ReadRule {
  readonly rule: RecurrenceRule
  readonly skip?: Skip
}

/** Whether a rule tells times of day, and not days alone: then a date of the series is a day with a time. */
export function isTimedRule({ freq, byHour, byMinute }: RecurrenceRule): boolean {
  return freq === 'HOURLY' || freq === 'MINUTELY' || byHour.length > 0 || byMinute.length > 0
}

/** The weekdays as rules name them, by their number. */
export const WEEKDAY_CODES: readonly string[] = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']

/** A rule as text, in the order of RFC 5545; what is default is left out. parseRule reads the same rule from it. */
export function printRule(rule: RecurrenceRule): string {
  const parts: [name: string, value: string][] = [
    ['FREQ', rule.freq],
    ['UNTIL', rule.until ? printUntil(rule.until) : ''],
    ['COUNT', rule.count === null ? '' : String(rule.count)],
    ['INTERVAL', rule.interval === 1 ? '' : String(rule.interval)],
    ['BYMONTH', rule.byMonth.join()],
    ['BYWEEKNO', rule.byWeekNo.join()],
    ['BYYEARDAY', rule.byYearDay.join()],
    ['BYMONTHDAY', rule.byMonthDay.join()],
    ['BYDAY', rule.byDay.map(printDay).join()],
    ['BYHOUR', rule.byHour.join()],
    ['BYMINUTE', rule.byMinute.join()],
    ['BYSETPOS', rule.bySetPos.join()],
    ['WKST', rule.weekStart === 0 ? '' : (WEEKDAY_CODES[rule.weekStart] ?? '')],
  ]
  return parts.flatMap(([name, value]) => (value === '' ? [] : [`${name}=${value}`])).join(';')
}

function printDay({ weekday, nth }: RuleDay): string {
  return `${nth === 0 ? '' : nth}${WEEKDAY_CODES[weekday]}`
}

function printUntil({ day, seconds, utc }: Until): string {
  const date = fromDay(day).replaceAll('-', '')
  if (seconds === null) return date
  const time = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  return `${date}T${time.map((part) => String(part).padStart(2, '0')).join('')}${utc ? 'Z' : ''}`
}
