import { FIRST_DATE, fromDay, LAST_DATE, toDay, weekdayOf } from '../civil/day'
import { instantOf, parseTimeOfDay } from '../civil/zone'
import { parseRule } from '../recurrence/parse'
import { WEEKDAY_CODES } from '../recurrence/rule'
import { listSlotsOfRule, seriesOfRule, toSlot } from '../recurrence/slots'
import { isAtOtherTime, minutesBetween, nameItemOccurrence, readMoments } from './dates'
import {
  type CheckedRule,
  type CheckRule,
  type ItemMoment,
  type ItemRecurrence,
  MAX_EXDATES,
  MAX_RRULE_UNITS,
  type Property,
  type Warn,
} from './item'
import { writeIcsInstant } from './text'
import type { Zones } from './zones'

// Converts rules between Satchel and other programs, which count from DTSTART and know little of RFC 7529.

type Parts = Map<string, string>
type Rule = Pick<ItemRecurrence, 'rrule' | 'skip' | 'anchor' | 'mode'>

/** The parts that name the days of a month or year; without any of them the anchor does. */
const DAY_PARTS = ['BYMONTHDAY', 'BYDAY', 'BYYEARDAY', 'BYWEEKNO']

/**
 * Writes the value of an RRULE in the plainest form, which every program reads. Others count from DTSTART, which is the
 * due date, so a day that only the anchor names is written out, and COUNT is what is left of it. That days move backward,
 * only Satchel reads, in X-SATCHEL-SKIP: few programs know the SKIP of RFC 7529, and several misread BYSETPOS over days of a
 * month. For them the 31st is the last of the month, and the 30th leaves out February.
 */
export function writeRule(rule: Rule, due: ItemMoment): string {
  const parts = readParts(rule.rrule)
  const until = parts.get('UNTIL')
  if (until !== undefined) parts.set('UNTIL', convertUntil(until, due))
  if (parts.has('COUNT') && rule.mode !== 'completion') parts.set('COUNT', String(countLeft(rule, due)))
  const [anchor, time] = [rule.anchor.slice(0, 10), rule.anchor.slice(11)]
  if (anchor !== due.date) addAnchor(parts, anchor)
  if (time !== '' && time !== due.time) addAnchorTime(parts, time, due.time ?? '')
  if (parts.get('FREQ') === 'MONTHLY' && parts.has('BYMONTH')) simplifyMonths(parts, anchor)
  if (rule.skip === 'backward') nameLastDay(parts, anchor)
  nameFixedDay(parts)
  return writeParts(parts)
}

/** Names the months that an interval meets, in their order, which ical.js reads alone. */
function simplifyMonths(parts: Parts, anchor: string): void {
  const months = (parts.get('BYMONTH')?.split(',') ?? []).map(Number).sort((a, b) => a - b)
  const interval = Number(parts.get('INTERVAL') ?? 1)
  const met = months.filter((month) => (month - Number(anchor.slice(5, 7))) % interval === 0)
  const isSameEachYear = MONTHS_PER_YEAR % interval === 0 && met.length > 0
  parts.set('BYMONTH', (isSameEachYear ? met : months).join())
  if (isSameEachYear) parts.delete('INTERVAL')
}
const MONTHS_PER_YEAR = 12

/** Counts the dates of a rule with COUNT from the due date on; at least that one. */
function countLeft({ rrule, skip, anchor }: Rule, due: ItemMoment): number {
  const { rule } = parseRule(rrule)
  const time = due.time === null ? null : parseTimeOfDay(due.time)
  const series = seriesOfRule(rule, anchor, skip, time)
  const count = rule.count ?? 1
  return Math.max(1, count - listSlotsOfRule(series, { to: toSlot(due) - 1, limit: count }).length)
}

/** The most days that each month has. */
const DAYS_OF_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Names the day that moves backward as the last of its months, if it is that in each of them. */
function nameLastDay(parts: Parts, anchor: string): void {
  const freq = parts.get('FREQ')
  if (freq !== 'MONTHLY' && freq !== 'YEARLY') return
  const days = parts.get('BYMONTHDAY')?.split(',') ?? (namesDay(parts) ? [] : [String(Number(anchor.slice(8)))])
  if (!isOneDay(parts, days)) return
  const month = String(Number(anchor.slice(5, 7)))
  const months =
    parts.get('BYMONTH')?.split(',') ?? (freq === 'YEARLY' ? [month] : DAYS_OF_MONTHS.map((_, at) => at + 1))
  if (!months.every((one) => Number(days[0]) >= (DAYS_OF_MONTHS[Number(one) - 1] ?? 31))) return
  if (freq === 'YEARLY' && !parts.has('BYMONTH')) parts.set('BYMONTH', month)
  parts.set('BYMONTHDAY', '-1')
}

/** Names the last day of one month of a year by its number, as far as that is the same each year. */
function nameFixedDay(parts: Parts): void {
  const last = DAYS_OF_MONTHS[Number(parts.get('BYMONTH')) - 1]
  if (parts.get('FREQ') !== 'YEARLY' || parts.get('BYMONTHDAY') !== '-1') return
  if (last !== undefined && last !== 29) parts.set('BYMONTHDAY', String(last))
}

/** Whether a rule names one day of its months, and nothing else that chooses days. */
function isOneDay(parts: Parts, days: readonly string[]): boolean {
  if (days.length !== 1 || ['BYDAY', 'BYSETPOS', 'BYYEARDAY', 'BYWEEKNO'].some((part) => parts.has(part))) return false
  const months = parts.get('BYMONTH')?.split(',').length
  // A yearly rule with BYMONTHDAY and without BYMONTH means that day of every month.
  return parts.get('FREQ') === 'MONTHLY' || months === 1 || (months === undefined && !parts.has('BYMONTHDAY'))
}

function addAnchor(parts: Parts, anchor: string): void {
  const freq = parts.get('FREQ')
  if (namesDay(parts) || freq === 'DAILY' || freq === 'HOURLY') return
  if (freq === 'WEEKLY') parts.set('BYDAY', writeWeekday(anchor))
  else {
    if (freq === 'YEARLY' && !parts.has('BYMONTH')) parts.set('BYMONTH', String(Number(anchor.slice(5, 7))))
    parts.set('BYMONTHDAY', String(Number(anchor.slice(8))))
  }
}

/** Adds the hour and the minute that only the anchor names, where the due date has others. */
function addAnchorTime(parts: Parts, time: string, dueTime: string): void {
  const freq = parts.get('FREQ')
  const [hour, minute] = [time.slice(0, 2), time.slice(3)]
  if (freq !== 'HOURLY' && !parts.has('BYHOUR') && hour !== dueTime.slice(0, 2))
    parts.set('BYHOUR', String(Number(hour)))
  if (!parts.has('BYMINUTE') && minute !== dueTime.slice(3)) parts.set('BYMINUTE', String(Number(minute)))
}

function namesDay(parts: Parts): boolean {
  return DAY_PARTS.some((part) => parts.has(part))
}

function writeWeekday(date: string): string {
  return WEEKDAY_CODES[weekdayOf(toDay(date))] ?? ''
}

/** Converts UNTIL to the kind of DTSTART: a date, a floating time, or an instant. */
function convertUntil(until: string, due: ItemMoment): string {
  const [date, time] = [until.slice(0, 8), until.slice(9, 15)]
  if (due.time === null) return date
  if (due.tz === null) return `${date}T${time || '235959'}`
  if (time) return `${date}T${time}Z`
  const day = toDay(`${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`)
  return writeIcsInstant(new Date(instantOf(day + 1, 0, due.tz) - 1000).toISOString())
}

function readParts(rrule: string): Parts {
  const pairs = rrule
    .toUpperCase()
    .split(';')
    .filter((part) => part.includes('='))
  return new Map(pairs.map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]))
}

function writeParts(parts: Parts): string {
  return [...parts].map(([name, value]) => `${name}=${value}`).join(';')
}

interface RepeatLines {
  readonly rules: readonly Property[]
  readonly rdates: readonly Property[]
  readonly exrules: readonly Property[]
  readonly exdates: readonly Property[]
  /** X-SATCHEL-RRULE, -SKIP, -MODE and -ANCHOR, by the name after X-SATCHEL-. */
  readonly ours: ReadonlyMap<string, Property>
}

/** The result for a rule that Satchel does not support: its lines are kept as they are. */
interface NoRepeat {
  readonly recurrence: null
  readonly kept: readonly string[]
}

interface Repeat {
  readonly recurrence: ItemRecurrence
  readonly kept: readonly []
}

/**
 * Reads the recurrence of a task. An RRULE of another program omits days that a month lacks, unless RSCALE says
 * otherwise.
 * @param start DTSTART as written, from which other programs count; the rule of the task counts from `due`
 */
export function readRepeat(
  lines: RepeatLines,
  due: ItemMoment | null,
  start: ItemMoment | null,
  { zones, check, warn }: { readonly zones: Zones; readonly check: CheckRule; readonly warn: Warn },
): Repeat | NoRepeat {
  const { rdates } = lines
  const [rule = rdates.length > 0 ? ONCE : undefined, ...more] = lines.rules
  const all = [...lines.rules, ...rdates, ...lines.exrules, ...lines.exdates].map(({ line }) => line)
  const refuse = (code: string, detail: string): NoRepeat => {
    warn(code, `${detail} The task does not repeat; the rule is kept for the next export.`)
    return { recurrence: null, kept: all }
  }
  if (!rule && lines.exrules.length === 0) return { recurrence: null, kept: all }
  if (!rule || more.length > 0 || lines.exrules.length > 0)
    return refuse('unsupported_recurrence', 'Satchel supports one RRULE, without EXRULE.')
  if (rdates.some(({ raw }) => raw.includes('/')))
    return refuse('unsupported_recurrence', 'Satchel does not support RDATE with periods.')
  if (!due) return refuse('recurrence_without_date', 'An RRULE needs a date to count from.')
  const stated =
    rule.raw.length > MAX_RRULE_UNITS ? { problem: `It is over ${MAX_RRULE_UNITS} characters.` } : check(rule.raw)
  if ('problem' in stated) return refuse('unsupported_recurrence', `${rule.raw.slice(0, 100)}: ${stated.problem}`)
  const { timed } = stated
  if (timed && due.time === null)
    return refuse('unsupported_recurrence', `${rule.raw.slice(0, 100)} has times, and the task is due on a whole day.`)
  const differs = start && (start.date !== due.date || (timed && start.time !== due.time))
  const hasDates = rdates.length + lines.exdates.length > 0
  const raw = differs ? countFromDue(rule.raw, start, due, hasDates) : rule.raw
  const checked = raw === rule.raw || raw === null ? stated : check(raw)
  if (raw === null || 'problem' in checked)
    return refuse('recurrence_from_start', 'The rule names the days of the start, and Satchel repeats by the due date.')
  const mode = readOwnValue(lines, 'MODE') === 'COMPLETION' ? 'completion' : 'schedule'
  const anchorLine = lines.ours.get('ANCHOR')
  const [moment = due] = anchorLine ? readMoments(anchorLine, zones, warn) : []
  const anchor = nameItemOccurrence({ ...moment, time: moment.time ?? due.time }, due, timed)
  const own = readOwnRule(lines, { raw, anchor, due, mode }, check, checked)
  // Others name an occurrence by its start.
  const days = differs ? toDay(due.date) - toDay(start.date) : 0
  const shift = (name: string) => (days === 0 ? name : fromDay(toDay(name) + days) + name.slice(10))
  const read = (property: readonly Property[]) => readOccurrences(property, due, timed, { zones, warn }).map(shift)
  const added = read(rdates).map((name) => (timed && name.length === 10 ? `${name}T${due.time}` : name))
  return {
    recurrence: { ...own, mode, exdates: read(lines.exdates), ...(added.length > 0 && { rdates: added }) },
    kept: [],
  }
}

/**
 * Returns a rule that others count from the start as one that counts from the due date, which is another day: without the
 * parts that only say again which day the start is. Null if that is another rule.
 * @param hasDates whether single dates are left out or added: only days and weeks are as long everywhere
 */
function countFromDue(raw: string, start: ItemMoment, due: ItemMoment, hasDates: boolean): string | null {
  const parts = readParts(raw)
  if (hasDates && !/^(DAILY|WEEKLY)$/.test(parts.get('FREQ') ?? '')) return null
  if (!/;BY/i.test(raw)) return raw
  const [freq, month, day] = [parts.get('FREQ'), Number(start.date.slice(5, 7)), Number(start.date.slice(8))]
  const drop = (name: string, value: string | number) => parts.get(name) === String(value) && parts.delete(name)
  if (freq === 'WEEKLY') drop('BYDAY', writeWeekday(start.date))
  // Only days that every month has are as far apart in each.
  const isInAllMonths = day <= 28 && Number(due.date.slice(8)) <= 28
  if (isInAllMonths && freq === 'MONTHLY') drop('BYMONTHDAY', day)
  if (isInAllMonths && freq === 'YEARLY' && drop('BYMONTH', month)) drop('BYMONTHDAY', day)
  const isSame = !parts.has('UNTIL') && ![...parts.keys()].some((name) => name.startsWith('BY'))
  return isSame ? writeParts(parts) : null
}

/** The rule of a series that has RDATE alone: the due date itself. */
const ONCE: Pick<Property, 'raw'> = { raw: 'FREQ=DAILY;COUNT=1' }

/** Returns Satchel's own rule if writing it gives the RRULE of the file; else another program changed the RRULE. */
function readOwnRule(
  lines: RepeatLines,
  { raw, due, ...ours }: Pick<Rule, 'anchor' | 'mode'> & { readonly raw: string; readonly due: ItemMoment },
  check: CheckRule,
  checked: CheckedRule,
): Pick<ItemRecurrence, 'rrule' | 'skip' | 'anchor'> {
  const own = (lines.ours.get('RRULE')?.raw ?? raw).slice(0, MAX_RRULE_UNITS)
  const skip = readOwnValue(lines, 'SKIP') === 'BACKWARD' ? 'backward' : checked.skip
  const read = check(own)
  const unchanged = !('problem' in read) && writeRule({ rrule: own, skip, ...ours }, due) === raw.toUpperCase()
  if (unchanged) return { rrule: read.rrule, skip, anchor: ours.anchor }
  return { rrule: checked.rrule, skip, anchor: nameItemOccurrence(due, due, checked.timed) }
}

function readOwnValue({ ours }: RepeatLines, name: string): string | undefined {
  return ours.get(name)?.raw.toUpperCase()
}

/** Reads EXDATE or RDATE. In a series by date, times are those of the due date. */
function readOccurrences(
  lines: readonly Property[],
  due: ItemMoment,
  timed: boolean,
  { zones, warn }: { readonly zones: Zones; readonly warn: Warn },
): string[] {
  const moments = lines.flatMap((line) => readMoments(line, zones, warn))
  if (!timed && lines[0]?.name === 'RDATE' && moments.some((moment) => isAtOtherTime(moment, due)))
    warn('rdate_time_dropped', 'Dates of RDATE have other times: the task is due at its own time on them.')
  const days = moments
    .map((moment) => nameItemOccurrence(moment, due, timed))
    .filter((name) => name >= FIRST_DATE && name.slice(0, 10) <= LAST_DATE)
  const dates = [...new Set(days)].sort()
  if (dates.length > MAX_EXDATES)
    warn('exdates_dropped', `Of ${dates.length} dates of ${lines[0]?.name} the latest ${MAX_EXDATES} were taken.`)
  return dates.slice(-MAX_EXDATES)
}

/** Returns the start of a repeating task; null if DTSTART is the due date, from which the rule counts. */
export function keepOwnStart(due: ItemMoment, start: ItemMoment | null): ItemMoment | null {
  if (!start) return null
  const same = (start.time === null) === (due.time === null) && start.tz === due.tz && minutesBetween(start, due) === 0
  return same ? null : start
}
