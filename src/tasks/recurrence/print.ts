import { fromDay } from '../../lib/civil/day'
import { type RecurrenceRule, type RuleDay, type Until, WEEKDAY_CODES } from './rule'

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
