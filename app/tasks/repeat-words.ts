/** Repeats of tasks in words. */
import { fromDay } from '../../src/lib/civil/day'
import { parseRule } from '../../src/lib/recurrence/parse'
import { type Freq, type RecurrenceRule, type RuleDay, RuleError, type Until } from '../../src/lib/recurrence/rule'
import type { Recurrence } from '../api/types'
import { dayMonthYear } from './dates'

const UNITS: Readonly<Record<Freq, string>> = {
  HOURLY: 'hour',
  DAILY: 'day',
  WEEKLY: 'week',
  MONTHLY: 'month',
  YEARLY: 'year',
}
const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
]
/** The most times of day that are listed one by one. */
const MAX_TIMES = 6

/**
 * Tells how a task repeats, such as “every 2 weeks on Monday and Friday” or “3 days after it is done”. A rule that cannot
 * be read, of a newer server, is “by a rule of its own”.
 */
export function repeatInWords(rrule: string, mode: Recurrence['mode'], skip: Recurrence['skip'] = 'backward'): string {
  try {
    const read = parseRule(rrule)
    return ruleInWords(read.rule, mode, read.skip ?? skip).replace(/,(?=,|$)/g, '')
  } catch (error) {
    if (!(error instanceof RuleError)) throw error
    return 'by a rule of its own'
  }
}

function ruleInWords(rule: RecurrenceRule, mode: Recurrence['mode'], skip: Recurrence['skip']): string {
  const days = daysInWords(rule, skip)
  const times = timesInWords(rule)
  const end = endInWords(rule)
  if (mode === 'schedule') return `${days}${times}${end}`
  if (`${days}${times}` === stepInWords(rule))
    return `${rule.interval === 1 ? article(rule.freq) : rule.interval} ${unitOf(rule)} after it is done${end}`
  return `${days}${times}, counted from the day it is done${end}`
}

const article = (freq: Freq) => (freq === 'HOURLY' ? 'an' : 'a')
const unitOf = ({ freq, interval }: RecurrenceRule) => `${UNITS[freq]}${interval === 1 ? '' : 's'}`
const stepInWords = (rule: RecurrenceRule) => `every ${rule.interval === 1 ? '' : `${rule.interval} `}${unitOf(rule)}`

/** The days of a rule: “every month on the 31st, or the last day”. */
function daysInWords(rule: RecurrenceRule, skip: Recurrence['skip']): string {
  const step = stepInWords(rule)
  const plain = plainWeekdays(rule)
  const shortForm = plain !== null && rule.interval === 1 && (rule.freq === 'WEEKLY' || rule.freq === 'DAILY')
  const chosen = shortForm || positionedDay(rule) !== null ? '' : weekdaysInWords(rule)
  const parts = [
    shortForm ? `every ${plain}` : step,
    positionedDay(rule) ?? '',
    dateInYear(rule) ?? monthDaysInWords(rule, skip),
    rule.byYearDay.length > 0 ? `on ${counted(rule.byYearDay, 'day')} of the year` : '',
    rule.byWeekNo.length > 0 ? `in ${counted(rule.byWeekNo, 'week')} of the year` : '',
    chosen,
    dateInYear(rule) === null && rule.byMonth.length > 0 ? `in ${and(rule.byMonth.map(monthName))}` : '',
    weekStartInWords(rule),
    positionedDay(rule) === null ? positionsInWords(rule) : '',
  ]
  return parts.filter((part) => part !== '').join(' ')
}

/** Weekdays without numbers: “weekday” for Monday to Friday, else their names; null if there are none, or others. */
function plainWeekdays({ byDay }: RecurrenceRule): string | null {
  if (byDay.length === 0 || byDay.some(({ nth }) => nth !== 0)) return null
  const days = ascending(byDay.map(({ weekday }) => weekday))
  return days.join() === '0,1,2,3,4' ? 'weekday' : and(days.map(weekdayName))
}

/** “on the last weekday”, for a rule that chooses from the weekdays of a month or a year; null for any other. */
function positionedDay(rule: RecurrenceRule): string | null {
  const { freq, bySetPos, byMonthDay, byYearDay, byWeekNo, byHour, byMinute } = rule
  const others = [byMonthDay, byYearDay, byWeekNo, byHour, byMinute]
  const plain = plainWeekdays(rule)
  if (bySetPos.length === 0 || plain === null || others.some((part) => part.length > 0)) return null
  if ((freq !== 'MONTHLY' && freq !== 'YEARLY') || plain.includes(' ')) return null
  return `on the ${and(inOrder(bySetPos).map(ordinal))} ${plain}`
}

/** “on 3 May”, for a rule of a year that names one day of one month; null for any other. */
function dateInYear({ freq, byMonth, byMonthDay, byDay }: RecurrenceRule): string | null {
  const [month, day] = [byMonth[0], byMonthDay[0]]
  if (freq !== 'YEARLY' || byMonth.length !== 1 || byMonthDay.length !== 1 || byDay.length > 0) return null
  if (month === undefined || day === undefined || day < 0) return null
  return `on ${day} ${monthName(month)}`
}

/** Whether some month that has a rule's days lacks the last of them. */
const mayBeLacking = ({ byMonth, byMonthDay }: RecurrenceRule): boolean => {
  const last = Math.max(...byMonthDay)
  return (
    byMonth.length > 0
      ? byMonth
      : MONTHS.keys()
          .map((month) => month + 1)
          .toArray()
  ).some((month) => last > (month === 2 ? 28 : [4, 6, 9, 11].includes(month) ? 30 : 31))
}

function monthDaysInWords(rule: RecurrenceRule, skip: Recurrence['skip']): string {
  if (rule.byMonthDay.length === 0) return ''
  const days = inOrder(rule.byMonthDay).map((day) => (day < 0 ? `${ordinal(day)} day` : ordinal(day)))
  const movesBack = skip === 'backward' && (rule.freq === 'MONTHLY' || rule.freq === 'YEARLY') && mayBeLacking(rule)
  const ofMonth = rule.freq === 'MONTHLY' ? '' : ' of the month'
  return `on the ${and(days)}${ofMonth}${movesBack ? ', or the last day,' : ''}`
}

function weekdaysInWords(rule: RecurrenceRule): string {
  if (rule.byDay.length === 0) return ''
  const numbered = rule.byDay.filter(({ nth }) => nth !== 0)
  const plain = plainWeekdays({ ...rule, byDay: rule.byDay.filter(({ nth }) => nth === 0) })
  const within = rule.freq === 'YEARLY' && rule.byMonth.length === 0 && numbered.length > 0 ? ' of the year' : ''
  if (plain !== null && numbered.length === 0) {
    // Beside other parts, weekdays only limit them.
    if (rule.byMonthDay.length > 0 || rule.byYearDay.length > 0)
      return `if it is a ${plain.replaceAll(' and ', ' or ')}`
    return rule.freq === 'WEEKLY' ? `on ${plain === 'weekday' ? 'every weekday' : plain}` : `on every ${plain}`
  }
  const names = numbered.map((day: RuleDay) => `the ${ordinal(day.nth)} ${weekdayName(day.weekday)}`)
  return `on ${and(plain === null ? names : [...names, `every ${plain}`])}${within}`
}

/** The weekday that weeks begin on, where that changes the dates. */
function weekStartInWords({ weekStart, freq, interval, byWeekNo }: RecurrenceRule): string {
  const matters = weekStart !== 0 && ((freq === 'WEEKLY' && interval > 1) || byWeekNo.length > 0)
  return matters ? `with weeks that begin on ${weekdayName(weekStart)}` : ''
}

function positionsInWords({ bySetPos, freq }: RecurrenceRule): string {
  if (bySetPos.length === 0) return ''
  return `(only the ${and(inOrder(bySetPos).map(ordinal))} of these in each ${UNITS[freq]})`
}

/** “ at 09:00 and 17:00”; a rule of hours is limited to them. */
function timesInWords({ freq, byHour, byMinute }: RecurrenceRule): string {
  const [hours, minutes] = [ascending(byHour), ascending(byMinute)]
  const steps = freq === 'HOURLY'
  if (!steps && hours.length > 0 && minutes.length > 0 && hours.length * minutes.length <= MAX_TIMES)
    return ` at ${and(hours.flatMap((hour) => minutes.map((minute) => `${two(hour)}:${two(minute)}`)))}`
  const inMinutes = minutes.length > 0 ? ` at minute ${and(minutes.map(String))}` : ''
  const inHours = hours.length > 0 ? ` in the ${hours.length === 1 ? 'hour' : 'hours'} of ${and(runs(hours))}` : ''
  return inMinutes === '' ? inHours : `${inMinutes}${inHours === '' ? ' of the hour' : inHours}`
}

/** Consecutive hours as “9 to 17”. */
function runs(hours: readonly number[]): string[] {
  const begins = hours.filter((hour) => !hours.includes(hour - 1))
  return begins.map((begin) => {
    let end = begin
    while (hours.includes(end + 1)) end += 1
    return end === begin ? String(begin) : end === begin + 1 ? `${begin} and ${end}` : `${begin} to ${end}`
  })
}

function endInWords({ count, until }: RecurrenceRule): string {
  if (count !== null) return count === 1 ? ', once' : `, ${count} times`
  return until === null ? '' : `, until ${untilInWords(until)}`
}

function untilInWords({ day, seconds, utc }: Until): string {
  const date = dayMonthYear(fromDay(day))
  if (seconds === null) return date
  const time = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, ...(seconds % 60 > 0 ? [seconds % 60] : [])]
  return `${date}, ${time.map(two).join(':')}${utc ? ' UTC' : ''}`
}

const counted = (numbers: readonly number[], what: string) =>
  numbers.every((number) => number > 0)
    ? `${what} ${and(ascending(numbers).map(String))}`
    : `the ${and(inOrder(numbers).map(ordinal))} ${what}`

/** “1st”, “last”, “2nd to last”. */
function ordinal(number: number): string {
  if (number === -1) return 'last'
  if (number < 0) return `${ordinal(-number)} to last`
  const teen = number % 100 > 10 && number % 100 < 14
  return `${number}${teen ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th')}`
}

const weekdayName = (weekday: number) => WEEKDAYS[weekday] ?? ''
const monthName = (month: number) => MONTHS[month - 1] ?? ''
const two = (number: number) => String(number).padStart(2, '0')
const ascending = (numbers: readonly number[]) => [...new Set(numbers)].sort((a, b) => a - b)
/** From the first on; those that count from the end come last. */
const inOrder = (numbers: readonly number[]) => {
  const all = ascending(numbers)
  return [...all.filter((number) => number > 0), ...all.filter((number) => number < 0)]
}

/** “a, b and c”. */
function and(parts: readonly string[]): string {
  const all = [...new Set(parts)]
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`
}
