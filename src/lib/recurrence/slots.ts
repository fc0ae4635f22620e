import { daysInMonth, FIRST_DAY, fromDay, LAST_DAY, MINUTES_PER_DAY, modulo, partsOf, toDay } from '../civil/day'
import { clockTime, instantOf, parseTimeOfDay } from '../civil/zone'
import { Cache } from '../steps'
import { createMonthDays } from './month-days'
import { parseRule } from './parse'
import { generatePeriods } from './periods'
import { isTimedRule, type RecurrenceRule, type Skip, stepsByTime } from './rule'

/**
 * Occurrences as slots: civil minutes, whole days since 1970-01-01 times 1,440 and the minutes after midnight. A series
 * by date has one slot a day, at its time (0 for all day); one by the hour or the minute has those that its rule names.
 * Slots are what a clock shows: where it skips some, or shows them twice, they are counted all the same and once.
 */

export interface Series {
  readonly rule: RecurrenceRule
  /** The day (lib/civil/day.ts) from which the rule counts. It is an occurrence only if it fits the rule. */
  readonly anchor: number
  /** Minutes after midnight of the anchor: what a rule by time (isTimedRule) counts from. Absent is 0. */
  readonly anchorTime?: number
  readonly skip: Skip
  /** Days that are not occurrences, though COUNT counts them. */
  readonly exdates: ReadonlySet<number>
  /** Slots that are not occurrences of a rule by time. */
  readonly exslots?: ReadonlySet<number>
  /** Slots that are occurrences beside those of the rule, ascending; COUNT does not count them. */
  readonly rdates?: readonly number[]
  /** Minutes after midnight; null or absent for all day. With `zone`, it is compared with an UNTIL that has a time. */
  readonly time?: number | null
  /** A zone that `isZone` accepts; null or absent for floating. */
  readonly zone?: string | null
}

/** A series of a rule alone. @param anchor a date, or a date and a time; @param time as in Series */
export function seriesOfRule(rule: RecurrenceRule, anchor: string, skip: Skip, time: number | null): Series {
  const anchorTime = anchor.length > 10 ? parseTimeOfDay(anchor.slice(11)) : (time ?? 0)
  return { rule, skip, time, anchor: toDay(anchor), anchorTime, exdates: NONE }
}

const NONE: ReadonlySet<number> = new Set()
const [HOUR, HOURS_PER_DAY] = [60, 24]
const FIRST_SLOT = FIRST_DAY * MINUTES_PER_DAY
const LAST_SLOT = (LAST_DAY + 1) * MINUTES_PER_DAY - 1

/** A date and its time of day, `HH:MM`; null is all day. */
export interface SlotDate {
  readonly date: string
  readonly time: string | null
}

/** Returns the slot of a date. A whole day has its first. */
export function toSlot({ date, time }: SlotDate): number {
  return toDay(date) * MINUTES_PER_DAY + (time === null ? 0 : parseTimeOfDay(time))
}

/** Returns the date of a slot; whole days have no time. */
export function fromSlot(slot: number, isAllDay: boolean): SlotDate {
  return { date: fromDay(dayOfSlot(slot)), time: isAllDay ? null : clockTime(modulo(slot, MINUTES_PER_DAY)) }
}

interface SlotWindow {
  readonly from?: number
  readonly to?: number
  readonly limit: number
}

/** In order, none twice. No more is looked at than the days of the window (with COUNT from the anchor on). */
export function listSlots(series: Series, window: SlotWindow): number[] {
  return addRdates(series, listSlotsOfRule(series, window), window)
}

/**
 * Adds the dates that are not of the rule to the first slots of a window.
 * @param slots those of the rule; without those behind the limit
 */
export function addRdates(series: Series, slots: number[], { from = FIRST_SLOT, to = LAST_SLOT, limit }: SlotWindow) {
  const { rdates = [], exdates, exslots } = series
  const isLeftOut = (slot: number) => exslots?.has(slot) || exdates.has(Math.floor(slot / MINUTES_PER_DAY))
  const added = rdates.filter((slot) => slot >= from && slot <= to && !isLeftOut(slot))
  return added.length === 0 ? slots : toAscending([...slots, ...added]).slice(0, limit)
}

/** COUNT counts from the anchor: only with it the search starts there. @param count instead of that of the rule */
export function listSlotsOfRule(
  series: Series,
  { from = FIRST_SLOT, to = LAST_SLOT, limit }: SlotWindow,
  count = series.rule.count,
): number[] {
  const found: number[] = []
  const { rule, exdates, exslots } = series
  const end = rule.until ? (rule.until.day + DAYS_PAST_UNTIL) * MINUTES_PER_DAY : LAST_SLOT
  const [first, last] = [Math.max(from, FIRST_SLOT), Math.min(to, end, LAST_SLOT)]
  if (limit <= 0 || last < first) return found
  const isBeforeEnd = endOf(series)
  let left = count ?? Number.POSITIVE_INFINITY
  for (const slot of slotsOfRule(series, count === null ? first : FIRST_SLOT, last)) {
    const isLeftOut = exslots?.has(slot) || exdates.has(Math.floor(slot / MINUTES_PER_DAY)) || !isBeforeEnd(slot)
    if (slot >= first && !isLeftOut && found.push(slot) >= limit) break
    left -= 1
    if (left === 0) break
  }
  return found
}

/** The first slot after another, or null if there is none up to LAST_DAY. */
export function nextSlot(series: Series, after: number): number | null {
  return listSlots(series, { from: after + 1, limit: 1 })[0] ?? null
}

/** The slots that the rule gives from one to another, both included, before COUNT, UNTIL and what is left out. */
function* slotsOfRule(series: Series, from: number, to: number): Generator<number> {
  const { rule, anchor, anchorTime, time } = series
  const start = anchor * MINUTES_PER_DAY + ((isTimedRule(rule) ? anchorTime : time) ?? 0)
  const first = Math.max(from, start)
  const timesOn = timesOf(rule, start)
  if (timesOn === NEVER) return
  const [firstDay, lastDay] = [dayOfSlot(first), dayOfSlot(to)]
  const slots = stepsByTime(rule)
    ? slotsByHour(rule, timesOn, firstDay, lastDay)
    : slotsByPeriod(series, timesOn(anchor), firstDay, lastDay)
  for (const slot of slots) {
    if (slot > to) return
    if (slot >= first) yield slot
  }
}

function* slotsByHour(rule: RecurrenceRule, timesOn: TimesOn, from: number, to: number): Generator<number> {
  for (const day of daysAllowed(rule, from, to)) for (const time of timesOn(day)) yield day * MINUTES_PER_DAY + time
}

/** BYSETPOS counts the slots of one period, which are its days times the times of a day. */
function* slotsByPeriod(
  { rule, anchor, skip }: Series,
  times: readonly number[],
  from: number,
  to: number,
): Generator<number> {
  const places = placesOf(rule.bySetPos)
  for (const days of generatePeriods(rule, anchor, skip, from, to))
    if (rule.bySetPos.length > 0)
      for (const place of places(days.length * times.length))
        yield (days[Math.floor(place / times.length)] ?? 0) * MINUTES_PER_DAY + (times[place % times.length] ?? 0)
    else for (const day of days) if (day >= from) for (const time of times) yield day * MINUTES_PER_DAY + time
}

/** The days that are not ruled out by a rule that steps by time: BYMONTHDAY and BYYEARDAY only limit, and move none. */
function* daysAllowed(rule: RecurrenceRule, from: number, to: number): Generator<number> {
  const monthDays = createMonthDays(rule, 'omit')
  for (let day = from; day <= to; ) {
    const { year, month, day: ofMonth } = partsOf(day)
    const bits = monthDays(year, month)
    const first = day - ofMonth + 1
    const end = Math.min(to, first + daysInMonth(year, month) - 1)
    if (bits === 0) day = end + 1
    else for (; day <= end; day++) if (((bits >>> (day - first)) & 1) === 1) yield day
  }
}

/** The places, from 0 and ascending, that BYSETPOS chooses in a set of so many. */
function placesOf(bySetPos: readonly number[]): (length: number) => readonly number[] {
  const known = new Map<number, readonly number[]>()
  return (length) => {
    let places = known.get(length)
    if (!places) {
      const all = bySetPos.map((position) => (position > 0 ? position - 1 : length + position))
      places = toAscending(all.filter((place) => place >= 0 && place < length))
      known.set(length, places)
    }
    return places
  }
}

/** The times of a day, in minutes after midnight and ascending. */
type TimesOn = (day: number) => readonly number[]

/** What is prepared of rules, by what they leave to the anchor; up to MOST_PREPARED for each. */
const prepared = new WeakMap<RecurrenceRule, Cache<number, TimesOn>>()
const MOST_PREPARED = 60

function timesOf(rule: RecurrenceRule, anchor: number): TimesOn {
  // A rule by hours steps from its anchor; of any other only the time of day is left to that.
  const name = stepsByTime(rule) && rule.interval > 1 ? anchor : modulo(anchor, MINUTES_PER_DAY)
  const ofRule = prepared.getOrInsertComputed(rule, () => new Cache(MOST_PREPARED))
  return ofRule.get(name) ?? ofRule.keep(name, prepareTimes(rule, anchor))
}

function prepareTimes(rule: RecurrenceRule, anchor: number): TimesOn {
  const { freq, byHour, byMinute } = rule
  const minutes = byMinute.length > 0 ? toAscending(byMinute) : [modulo(anchor, HOUR)]
  if (freq === 'HOURLY') {
    const places = rule.bySetPos.length > 0 ? placesOf(rule.bySetPos)(minutes.length) : minutes.keys().toArray()
    return byHours(
      rule,
      anchor,
      places.flatMap((place) => minutes[place] ?? []),
    )
  }
  const hours = byHour.length > 0 ? toAscending(byHour) : [Math.floor(modulo(anchor, MINUTES_PER_DAY) / HOUR)]
  const times = hours.flatMap((hour) => minutes.map((minute) => hour * HOUR + minute))
  return () => times
}

/**
 * Times of a rule that steps by hours. The steps that fall on a day are those with one remainder of INTERVAL, so that the
 * times of every remainder are found once, however rarely the steps meet BYHOUR.
 * @param minutes after the beginning of each hour
 */
function byHours({ interval, byHour }: RecurrenceRule, anchor: number, minutes: readonly number[]): TimesOn {
  const base = Math.floor(anchor / HOUR)
  const common = commonDivisor(HOURS_PER_DAY, interval)
  const byRemainder = new Map<number, number[]>()
  for (let hour = 0; hour < HOURS_PER_DAY; hour++) {
    // No day has this one.
    if (modulo(hour - base, common) !== 0) continue
    if (byHour.length > 0 && !byHour.includes(hour)) continue
    const times = byRemainder.get(hour % interval) ?? []
    for (const minute of minutes) times.push(hour * HOUR + minute)
    byRemainder.set(hour % interval, times)
  }
  if ([...byRemainder.values()].every((times) => times.length === 0)) return NEVER
  return (day) => byRemainder.get(modulo(base - day * HOURS_PER_DAY, interval)) ?? NO_TIMES
}

const NO_TIMES: readonly number[] = []
/** Times of a rule whose steps meet no time that it names. */
const NEVER: TimesOn = () => NO_TIMES

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b)
}

/** Clocks are less than two days from UTC, whichever way they jump: what is later than this is after UNTIL. */
const DAYS_PAST_UNTIL = 3

/** Tells which slots are not yet after UNTIL. */
function endOf({ rule: { until }, zone }: Series): (slot: number) => boolean {
  if (until === null) return () => true
  if (until.seconds === null) return (slot) => dayOfSlot(slot) <= until.day
  const end = until.day * 86_400 + until.seconds
  if (!until.utc || !zone) return (slot) => slot * 60 <= end
  return (slot) => {
    const apart = slot * 60 - end
    if (Math.abs(apart) > (DAYS_PAST_UNTIL - 1) * 86_400) return apart < 0
    return instantOf(dayOfSlot(slot), modulo(slot, MINUTES_PER_DAY), zone) <= end * 1000
  }
}

function dayOfSlot(slot: number): number {
  return Math.floor(slot / MINUTES_PER_DAY)
}

function toAscending(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].sort((a, b) => a - b)
}

/**
 * Finds the first date of a rule, of those that it has if its anchor is `from`: a date, or of a rule by time a date and a
 * time, which it counts from. Null if there is none. A day that a month lacks is its last day. Throws RuleError.
 */
export function findFirstDate(rrule: string, from: string): string | null {
  const { rule } = parseRule(rrule)
  const series = seriesOfRule(rule, from, 'backward', null)
  const [slot] = listSlots(series, { from: series.anchor * MINUTES_PER_DAY + (series.anchorTime ?? 0), limit: 1 })
  if (slot === undefined) return null
  const { date, time } = fromSlot(slot, from.length === 10)
  return isTimedRule(rule) ? `${date}T${time}` : date
}
