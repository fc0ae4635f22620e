import { dayOf, isDate } from '../civil/day'
import {
  type Freq,
  namesDays,
  type ReadRule,
  type RecurrenceRule,
  type RuleDay,
  RuleError,
  type Until,
  WEEKDAY_CODES,
} from './rule'

/** Refuses parts that RFC 5545, section 3.3.10, does not combine. Throws RuleError (invalid_recurrence). */
function refuseMisfits(rule: RecurrenceRule): void {
  const misfit = MISFITS.find(([applies]) => applies(rule))
  if (misfit) throw new RuleError('invalid_recurrence', misfit[1])
}

const MISFITS: readonly [applies: (rule: RecurrenceRule) => boolean, message: string][] = [
  [({ count, until }) => count !== null && until !== null, 'COUNT and UNTIL cannot be combined'],
  [({ freq, byWeekNo }) => freq !== 'YEARLY' && byWeekNo.length > 0, 'BYWEEKNO needs FREQ=YEARLY'],
  [
    ({ freq, byYearDay }) => (freq === 'DAILY' || freq === 'WEEKLY' || freq === 'MONTHLY') && byYearDay.length > 0,
    'BYYEARDAY needs FREQ=YEARLY or HOURLY',
  ],
  [
    ({ freq, byMonthDay }) => freq === 'WEEKLY' && byMonthDay.length > 0,
    'BYMONTHDAY cannot be combined with FREQ=WEEKLY',
  ],
  [
    (rule) => rule.freq !== 'MONTHLY' && rule.freq !== 'YEARLY' && hasNumberedWeekdays(rule),
    'BYDAY with a number, such as 1MO, needs FREQ=MONTHLY or FREQ=YEARLY',
  ],
  [
    (rule) => rule.byWeekNo.length > 0 && hasNumberedWeekdays(rule),
    'BYDAY with a number, such as 1MO, cannot be combined with BYWEEKNO',
  ],
  [
    (rule) => rule.bySetPos.length > 0 && !namesDays(rule) && !rule.byHour.length && !rule.byMinute.length,
    'BYSETPOS needs another BY… part to choose from',
  ],
]

function hasNumberedWeekdays({ byDay }: RecurrenceRule): boolean {
  return byDay.some(({ nth }) => nth !== 0)
}

const FREQUENCIES: readonly string[] = ['HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] satisfies Freq[]
const NAMES = new Set([
  ...['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'WKST', 'RSCALE', 'SKIP'],
  ...['BYMONTH', 'BYWEEKNO', 'BYYEARDAY', 'BYMONTHDAY', 'BYDAY', 'BYSETPOS', 'BYHOUR', 'BYMINUTE'],
])

type Parts = ReadonlyMap<string, string>

/**
 * Parses the value of an RRULE, such as `FREQ=MONTHLY;BYMONTHDAY=31`, in any letter case, with or without a `;` at the
 * end. `RSCALE=GREGORIAN` with SKIP (RFC 7529) is not part of the rule but becomes `skip`. Throws RuleError:
 * unsupported_recurrence for parts of RFC 5545 and 7529 that are not supported, else invalid_recurrence.
 */
export function parseRule(text: string): ReadRule {
  const parts = readParts(text)
  // First, since numbers of other calendars have other ranges.
  const skip = readSkip(parts)
  const rule: RecurrenceRule = {
    freq: readFreq(parts.get('FREQ')),
    interval: readWhole(parts, 'INTERVAL', 1000) ?? 1,
    // Other programs write 0 for a series without an end.
    count: parts.get('COUNT') === '0' ? null : readWhole(parts, 'COUNT', 10_000),
    until: readUntil(parts.get('UNTIL')),
    byMonth: readNumbers(parts, 'BYMONTH', 12, 'positive'),
    byHour: readTimes(parts, 'BYHOUR', 23),
    byMinute: readTimes(parts, 'BYMINUTE', 59),
    byWeekNo: readNumbers(parts, 'BYWEEKNO', 53),
    byYearDay: readNumbers(parts, 'BYYEARDAY', 366),
    byMonthDay: readNumbers(parts, 'BYMONTHDAY', 31),
    byDay: readList(parts, 'BYDAY').map(readRuleDay),
    bySetPos: readNumbers(parts, 'BYSETPOS', 366),
    weekStart: readWeekday(parts.get('WKST') ?? 'MO', 'WKST'),
  }
  refuseMisfits(rule)
  return { rule, ...skip }
}

function readParts(text: string): Parts {
  if (/[\r\n]|^(RDATE|EXRULE)\b/i.test(text)) throw unsupported('there can be one rule, without RDATE and EXRULE')
  const parts = new Map<string, string>()
  for (const part of text.toUpperCase().replace(/;$/, '').split(';')) {
    const [, name = '', value = ''] = /^([A-Z]+)=(.+)$/.exec(part) ?? []
    // Times have no seconds, so a rule for the full minute is one without them.
    if (part === 'BYSECOND=0') continue
    if (name === 'BYSECOND') throw unsupported('BYSECOND: a time has no seconds')
    if (!NAMES.has(name)) throw invalid(`${quote(part)} is not a part of a rule, such as FREQ=DAILY`)
    if (parts.has(name)) throw invalid(`${name} is there twice`)
    parts.set(name, value)
  }
  return parts
}

function readFreq(value: string | undefined): Freq {
  if (value === undefined) throw invalid('FREQ is missing')
  if (value === 'SECONDLY' || value === 'MINUTELY')
    throw unsupported(`FREQ=${value}: a task repeats by the hour at most`)
  if (!isFreq(value)) throw invalid('FREQ must be HOURLY, DAILY, WEEKLY, MONTHLY or YEARLY')
  return value
}

function isFreq(value: string): value is Freq {
  return FREQUENCIES.includes(value)
}

function readSkip(parts: Parts): Pick<ReadRule, 'skip'> {
  const [scale, skip] = [parts.get('RSCALE'), parts.get('SKIP')]
  if (scale !== undefined && scale !== 'GREGORIAN') throw unsupported('RSCALE: the calendar is the Gregorian one')
  if (skip === 'FORWARD') throw unsupported('SKIP=FORWARD')
  if (scale === undefined && skip !== undefined) throw invalid('SKIP needs RSCALE=GREGORIAN')
  if (skip === 'BACKWARD') return { skip: 'backward' }
  if (skip !== undefined && skip !== 'OMIT') throw invalid('SKIP must be OMIT or BACKWARD')
  return scale === undefined ? {} : { skip: 'omit' }
}

function readWhole(parts: Parts, name: string, max: number): number | null {
  const value = parts.get(name)
  if (value === undefined) return null
  const number = /^\d{1,9}$/.test(value) ? Number(value) : 0
  if (number < 1 || number > max) throw invalid(`${name} must be 1 to ${max}`)
  return number
}

function readList(parts: Parts, name: string): string[] {
  return parts.get(name)?.split(',') ?? []
}

function readNumbers(parts: Parts, name: string, max: number, sign: 'positive' | 'any' = 'any'): number[] {
  return readList(parts, name).map((item) => {
    const number = /^[+-]?\d{1,3}$/.test(item) ? Number(item) : 0
    if (number === 0 || Math.abs(number) > max || (sign === 'positive' && number < 0))
      throw invalid(`${name} must be 1 to ${max}${sign === 'any' ? ` or -${max} to -1` : ''}, not ${quote(item)}`)
    return number
  })
}

/** Reads BYHOUR or BYMINUTE, whose numbers begin with 0. */
function readTimes(parts: Parts, name: string, max: number): number[] {
  return readList(parts, name).map((item) => {
    const number = /^\d{1,2}$/.test(item) ? Number(item) : -1
    if (number < 0 || number > max) throw invalid(`${name} must be 0 to ${max}, not ${quote(item)}`)
    return number
  })
}

function readRuleDay(item: string): RuleDay {
  const [, nth = '0', name = item] = /^([+-]?\d{1,2})([A-Z]{2})$/.exec(item) ?? []
  const number = Number(nth)
  if (Math.abs(number) > 53 || (number === 0 && name !== item))
    throw invalid(`BYDAY counts weekdays from 1 to 53 or -53 to -1, not ${quote(item)}`)
  return { weekday: readWeekday(name, 'BYDAY'), nth: number }
}

function readWeekday(name: string, part: string): number {
  const number = WEEKDAY_CODES.indexOf(name)
  if (number < 0) throw invalid(`${part} names weekdays MO, TU, WE, TH, FR, SA and SU, not ${quote(name)}`)
  return number
}

function readUntil(value: string | undefined): Until | null {
  if (value === undefined) return null
  const [, date = '', time, zone] = /^(\d{8})(?:T(\d{6})(Z)?)?$/.exec(value) ?? []
  const parts = { year: Number(date.slice(0, 4)), month: Number(date.slice(4, 6)), day: Number(date.slice(6)) }
  if (!isDate(parts)) throw invalid('UNTIL must be a real date such as 20260301 or an instant such as 20260301T080000Z')
  const day = dayOf(parts.year, parts.month, parts.day)
  return { day, seconds: time === undefined ? null : readSeconds(time), utc: zone === 'Z' }
}

/** Converts `HHMMSS` to seconds after midnight. A leap second counts as the one before it. */
function readSeconds(time: string): number {
  const [hours, minutes, seconds] = [Number(time.slice(0, 2)), Number(time.slice(2, 4)), Number(time.slice(4))]
  if (hours > 23 || minutes > 59 || seconds > 60) throw invalid('UNTIL must have a real time such as 080000')
  return (hours * 60 + minutes) * 60 + Math.min(seconds, 59)
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 40))
}

function invalid(message: string): RuleError {
  return new RuleError('invalid_recurrence', message)
}

function unsupported(message: string): RuleError {
  return new RuleError('unsupported_recurrence', `Not supported: ${message}`)
}
