import { fromDay } from '../civil/day'

/** Thrown for a rule that is invalid or not supported; the message names the part. */
export class RuleError extends Error {
  override readonly name = 'RuleError'
  constructor(
    readonly code: 'invalid_recurrence' | 'unsupported_recurrence',
    message: string,
  ) {
    super(message)
  }
}

export type Freq = 'HOURLY' | 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY'

/**
 * The treatment of a day that a month lacks: it moves to the last of the month (RFC 7529), or is omitted (RFC 5545).
 */
export type Skip = 'backward' | 'omit'

/** A weekday, 0 (Monday) to 6 (Sunday), and its number: 1 the first, -1 the last, 0 all. */
export interface RuleDay {
  readonly weekday: number
  readonly nth: number
}

/** The end of a rule, included. Without a time, `seconds` is null, and the whole day is included. */
export interface Until {
  /** Whole days since 1970-01-01. */
  readonly day: number
  /** Seconds after midnight. */
  readonly seconds: number | null
  /** Whether it ends in Z; a time without it is in the zone of the task. */
  readonly utc: boolean
}

/** A recurrence rule down to the hour (RFC 5545, section 3.3.10). An empty list means that the rule does not have the part. */
export interface RecurrenceRule {
  readonly freq: Freq
  /** 1 to 1,000. */
  readonly interval: number
  /** 1 to 10,000; never together with `until`. */
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

/** A parsed rule, with the SKIP of RFC 7529 if it has RSCALE. */
export interface ReadRule {
  readonly rule: RecurrenceRule
  readonly skip?: Skip
}

/** Whether INTERVAL counts hours. */
export function stepsByTime({ freq }: Pick<RecurrenceRule, 'freq'>): boolean {
  return freq === 'HOURLY'
}

/** Whether a rule has times of day: then an occurrence is a day with a time. */
export function isTimedRule({ freq, byHour, byMinute }: RecurrenceRule): boolean {
  return freq === 'HOURLY' || byHour.length > 0 || byMinute.length > 0
}

/** Whether a rule says on which days it falls; otherwise its anchor does. */
export function namesDays({ byMonth, byWeekNo, byYearDay, byMonthDay, byDay }: RecurrenceRule): boolean {
  return [byMonth, byWeekNo, byYearDay, byMonthDay, byDay].some((part) => part.length > 0)
}

/** The names of weekdays in rules, by number. */
export const WEEKDAY_CODES: readonly string[] = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']

/** Writes a rule in the order of RFC 5545, without defaults. `parseRule` reads the same rule from it. */
export function writeRecurrenceRule(rule: RecurrenceRule): string {
  const parts: [name: string, value: string][] = [
    ['FREQ', rule.freq],
    ['UNTIL', rule.until ? writeUntil(rule.until) : ''],
    ['COUNT', rule.count === null ? '' : String(rule.count)],
    ['INTERVAL', rule.interval === 1 ? '' : String(rule.interval)],
    ['BYMONTH', rule.byMonth.join()],
    ['BYWEEKNO', rule.byWeekNo.join()],
    ['BYYEARDAY', rule.byYearDay.join()],
    ['BYMONTHDAY', rule.byMonthDay.join()],
    ['BYDAY', rule.byDay.map(writeDay).join()],
    ['BYHOUR', rule.byHour.join()],
    ['BYMINUTE', rule.byMinute.join()],
    ['BYSETPOS', rule.bySetPos.join()],
    ['WKST', rule.weekStart === 0 ? '' : (WEEKDAY_CODES[rule.weekStart] ?? '')],
  ]
  return parts.flatMap(([name, value]) => (value === '' ? [] : [`${name}=${value}`])).join(';')
}

function writeDay({ weekday, nth }: RuleDay): string {
  return `${nth === 0 ? '' : nth}${WEEKDAY_CODES[weekday]}`
}

function writeUntil({ day, seconds, utc }: Until): string {
  const date = fromDay(day).replaceAll('-', '')
  if (seconds === null) return date
  const time = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  return `${date}T${time.map((part) => String(part).padStart(2, '0')).join('')}${utc ? 'Z' : ''}`
}
