/** Repeats of tasks in words. The phrases of a repeat have the same order in all languages of the app. */
import { fromDay } from '../../src/lib/civil/day'
import { parseRule } from '../../src/lib/recurrence/parse'
import { type Freq, type RecurrenceRule, type RuleDay, RuleError, type Until } from '../../src/lib/recurrence/rule'
import type { Recurrence } from '../api/types'
import { language, locale, say } from '../words/say'
import { dayMonthYear, timeInWords } from './dates'
import { AMOUNTS, listOf } from './reminder-words'

const STEPS: Readonly<Record<Freq, (count: number) => string>> = {
  HOURLY: (count) => (count === 1 ? say`every hour` : say`every ${count} hours`),
  DAILY: (count) => (count === 1 ? say`every day` : say`every ${count} days`),
  WEEKLY: (count) => (count === 1 ? say`every week` : say`every ${count} weeks`),
  MONTHLY: (count) => (count === 1 ? say`every month` : say`every ${count} months`),
  YEARLY: (count) => (count === 1 ? say`every year` : say`every ${count} years`),
}
const UNITS = { HOURLY: 'hour', DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month', YEARLY: 'year' } as const
const PERIODS: Readonly<Record<Freq, string>> = {
  HOURLY: say`hour`,
  DAILY: say`day`,
  WEEKLY: say`week`,
  MONTHLY: say`month`,
  YEARLY: say`year`,
}
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
    return say`by a rule of its own`
  }
}

function ruleInWords(rule: RecurrenceRule, mode: Recurrence['mode'], skip: Recurrence['skip']): string {
  const { freq, interval } = rule
  const step = STEPS[freq](interval)
  const repeat = joined([daysInWords(rule, skip), timesInWords(rule)])
  const end = endInWords(rule)
  const whole =
    mode === 'schedule'
      ? repeat
      : repeat === step
        ? say`${AMOUNTS[UNITS[freq]](interval)} after it is done`
        : say`${repeat}, counted from the day it is done`
  return end === '' ? whole : `${whole}, ${end}`
}

const joined = (parts: readonly string[]) => parts.filter((part) => part !== '').join(' ')

/** The days of a rule: “every month on the 31st, or the last day”. */
function daysInWords(rule: RecurrenceRule, skip: Recurrence['skip']): string {
  const plain = plainWeekdays(rule)
  const isShort = plain !== null && rule.interval === 1 && (rule.freq === 'WEEKLY' || rule.freq === 'DAILY')
  const positioned = positionedDay(rule)
  const date = dateInYear(rule)
  return joined([
    isShort ? say`every ${listOf(plain)}` : STEPS[rule.freq](rule.interval),
    positioned ?? '',
    date ?? monthDaysInWords(rule, skip),
    yearDaysInWords(rule.byYearDay),
    weeksInWords(rule.byWeekNo),
    isShort || positioned !== null ? '' : weekdaysInWords(rule),
    date === null && rule.byMonth.length > 0 ? say`in ${listOf(rule.byMonth.map(monthName))}` : '',
    weekStartInWords(rule),
    positioned === null ? positionsInWords(rule) : '',
  ])
}

/** Weekdays without numbers: “weekday” for Monday to Friday, else their names; null if there are none, or others. */
function plainWeekdays({ byDay }: Pick<RecurrenceRule, 'byDay'>): readonly string[] | null {
  if (byDay.length === 0 || byDay.some(({ nth }) => nth !== 0)) return null
  const days = ascending(byDay.map(({ weekday }) => weekday))
  return days.join() === '0,1,2,3,4' ? [say`weekday`] : days.map(weekdayName)
}

/** “on the last weekday”, for a rule that chooses from the weekdays of a month or a year; null for any other. */
function positionedDay(rule: RecurrenceRule): string | null {
  const { freq, bySetPos, byMonthDay, byYearDay, byWeekNo, byHour, byMinute } = rule
  const others = [byMonthDay, byYearDay, byWeekNo, byHour, byMinute]
  const plain = plainWeekdays(rule)
  if (bySetPos.length === 0 || plain === null || others.some((part) => part.length > 0)) return null
  if ((freq !== 'MONTHLY' && freq !== 'YEARLY') || plain.length > 1) return null
  return say`on the ${listOfThe(inOrder(bySetPos).map(ordinal))} ${plain[0] ?? ''}`
}

/** “on 3 May”, for a rule of a year that names one day of one month; null for any other. */
function dateInYear({ freq, byMonth, byMonthDay, byDay }: RecurrenceRule): string | null {
  const [month, day] = [byMonth[0], byMonthDay[0]]
  if (freq !== 'YEARLY' || byMonth.length !== 1 || byMonthDay.length !== 1 || byDay.length > 0) return null
  if (month === undefined || day === undefined || day < 0) return null
  // A leap year, which has all of them.
  return say`on ${dayAndMonth.format(Date.UTC(2028, month - 1, day))}`
}

/** Whether some month that has a rule's days lacks the last of them. */
function mayBeLacking({ byMonth, byMonthDay }: RecurrenceRule): boolean {
  const last = Math.max(...byMonthDay)
  const isShort = (month: number) => last > (month === 2 ? 28 : [4, 6, 9, 11].includes(month) ? 30 : 31)
  return byMonth.length > 0 ? byMonth.some(isShort) : isShort(2)
}

function monthDaysInWords(rule: RecurrenceRule, skip: Recurrence['skip']): string {
  if (rule.byMonthDay.length === 0) return ''
  const days = listOfThe(inOrder(rule.byMonthDay).map((day) => (day < 0 ? say`${ordinal(day)} day` : dayOfMonth(day))))
  const movesBack = skip === 'backward' && (rule.freq === 'MONTHLY' || rule.freq === 'YEARLY') && mayBeLacking(rule)
  if (rule.freq === 'MONTHLY') return movesBack ? say`on the ${days}, or the last day,` : say`on the ${days}`
  return movesBack ? say`on the ${days} of the month, or the last day,` : say`on the ${days} of the month`
}

function yearDaysInWords(days: readonly number[]): string {
  if (days.length === 0) return ''
  if (days.every((day) => day > 0)) return say`on day ${listOf(ascending(days).map(String))} of the year`
  return say`on the ${listOfThe(inOrder(days).map(ordinal))} day of the year`
}

function weeksInWords(weeks: readonly number[]): string {
  if (weeks.length === 0) return ''
  if (weeks.every((week) => week > 0)) return say`in week ${listOf(ascending(weeks).map(String))} of the year`
  return say`in the ${listOf(inOrder(weeks).map(ordinalOfWeek))} week of the year`
}

function weekdaysInWords(rule: RecurrenceRule): string {
  if (rule.byDay.length === 0) return ''
  const numbered = rule.byDay.filter(({ nth }) => nth !== 0)
  const plain = plainWeekdays({ byDay: rule.byDay.filter(({ nth }) => nth === 0) })
  if (plain !== null && numbered.length === 0) {
    // Beside other parts, weekdays only limit them.
    if (rule.byMonthDay.length > 0 || rule.byYearDay.length > 0) return say`if it is a ${either.format(plain)}`
    return rule.freq === 'WEEKLY' && plain[0] !== say`weekday`
      ? say`on ${listOfThe(plain)}`
      : say`on every ${listOf(plain)}`
  }
  const named = ({ nth, weekday }: RuleDay) => say`the ${ordinal(nth)} ${weekdayName(weekday)}`
  const days = say`on ${listOfThe(numbered.map(named))}`
  const all = plain === null ? days : listOf([days, say`every ${listOf(plain)}`])
  return rule.freq === 'YEARLY' && rule.byMonth.length === 0 ? say`${all} of the year` : all
}

/** The weekday that weeks begin on, where that changes the dates. */
function weekStartInWords({ weekStart, freq, interval, byWeekNo }: RecurrenceRule): string {
  const matters = weekStart !== 0 && ((freq === 'WEEKLY' && interval > 1) || byWeekNo.length > 0)
  return matters ? say`with weeks that begin on ${weekdayName(weekStart)}` : ''
}

function positionsInWords({ bySetPos, freq }: RecurrenceRule): string {
  if (bySetPos.length === 0) return ''
  return say`(only the ${listOfThe(inOrder(bySetPos).map(ordinal))} of these in each ${PERIODS[freq]})`
}

/** “at 09:00 and 17:00”; a rule of hours is limited to them. */
function timesInWords({ freq, byHour, byMinute }: RecurrenceRule): string {
  const [hours, minutes] = [ascending(byHour), ascending(byMinute)]
  const isFew = hours.length > 0 && minutes.length > 0 && hours.length * minutes.length <= MAX_TIMES
  if (freq !== 'HOURLY' && isFew)
    return say`at ${listOf(hours.flatMap((hour) => minutes.map((minute) => timeInWords(clock(hour, minute)))))}`
  const hoursOf = listOf(runs(hours))
  const inHours =
    hours.length === 0 ? '' : hours.length === 1 ? say`in the hour of ${hoursOf}` : say`in the hours of ${hoursOf}`
  if (minutes.length === 0) return inHours
  const at = listOf(minutes.map(String))
  return inHours === '' ? say`at minute ${at} of the hour` : joined([say`at minute ${at}`, inHours])
}

/** Consecutive hours as “9 to 17”. */
function runs(hours: readonly number[]): string[] {
  const begins = hours.filter((hour) => !hours.includes(hour - 1))
  return begins.flatMap((begin) => {
    let end = begin
    while (hours.includes(end + 1)) end += 1
    return end > begin + 1 ? [say`${begin} to ${end}`] : end > begin ? [`${begin}`, `${end}`] : [`${begin}`]
  })
}

function endInWords({ count, until }: RecurrenceRule): string {
  if (count !== null) return count === 1 ? say`once` : say`${count} times`
  return until === null ? '' : say`until ${untilInWords(until)}`
}

function untilInWords({ day, seconds, utc }: Until): string {
  const date = dayMonthYear(fromDay(day))
  if (seconds === null) return date
  const rest = seconds % 60
  const time = timeInWords(clock(Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60))
  return `${date}, ${time}${rest > 0 ? `:${two(rest)}` : ''}${utc ? ' UTC' : ''}`
}

const weekday = new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' })
const month = new Intl.DateTimeFormat(locale, { month: 'long', timeZone: 'UTC' })
const dayAndMonth = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', timeZone: 'UTC' })
const either = new Intl.ListFormat(locale, { type: 'disjunction' })
/** 0 is Monday. The first day of 2024 was one. */
const weekdayName = (day: number) => weekday.format(Date.UTC(2024, 0, 1 + day))
const monthName = (number: number) => month.format(Date.UTC(2024, number - 1))

const two = (number: number) => String(number).padStart(2, '0')
const clock = (hour: number, minute: number) => `${two(hour)}:${two(minute)}`
const ascending = (numbers: readonly number[]) => [...new Set(numbers)].sort((a, b) => a - b)
/** From the first on; those that count from the end come last. */
const inOrder = (numbers: readonly number[]) => {
  const all = ascending(numbers)
  return [...all.filter((number) => number > 0), ...all.filter((number) => number < 0)]
}

/** A list after “the”: “1st and last”, “1er et le dernier”. */
const listOfThe = (parts: readonly string[]) => listOf(parts, { en: '', de: '', fr: 'le ', es: 'el ' }[language])

/** “2nd”, “last”, “2nd to last”, before a weekday or a day. */
function ordinal(number: number): string {
  if (number === -1) return say`last`
  if (number === -2) return say`2nd to last`
  return number < 0 ? say`${nth(-number)} to last` : nth(number)
}

const ordinalOfWeek = (number: number) =>
  number === -1 ? say`last{# week, which is feminine}` : number < 0 ? say`${nth(-number)} to last` : nth(number)

function nth(number: number): string {
  if (language === 'de') return `${number}.`
  if (language === 'fr') return number === 1 ? '1er' : `${number}e`
  if (language === 'es') return `${number}${number === 1 || number === 3 ? '.er' : '.º'}`
  const teen = number % 100 > 10 && number % 100 < 14
  return `${number}${teen ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th')}`
}

/** A day of a month: French counts from the second on, and Spanish counts all. */
const dayOfMonth = (day: number) => (language === 'es' || (language === 'fr' && day > 1) ? String(day) : nth(day))
