import { daysInMonth, MINUTES_PER_DAY, modulo, partsOf } from '../civil/day'
import { instantOf } from '../civil/zone'
import { FIRST_DAY, LAST_DAY, listOccurrences, type Series } from './expand'
import { createMonthDays } from './month-days'
import { generateDays, generatePeriods } from './periods'
import { isTimedRule, type RecurrenceRule, stepsByTime } from './rule'

/**
 * Occurrences as slots: civil minutes, whole days since 1970-01-01 times 1,440 and the minutes after midnight. A series
 * by date has one slot a day, at its time (0 for all day); one by the hour or the minute has those that its rule names.
 * Slots are what a clock shows: where it skips some, or shows them twice, they are counted all the same and once.
 */

const [HOUR, HOURS_PER_DAY] = [60, 24]
const FIRST_SLOT = FIRST_DAY * MINUTES_PER_DAY
const LAST_SLOT = (LAST_DAY + 1) * MINUTES_PER_DAY - 1

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

export function listSlotsOfRule(series: Series, window: SlotWindow): number[] {
  const { from = FIRST_SLOT, to = LAST_SLOT, limit } = window
  if (!isTimedRule(series.rule)) return slotsByDay(series, from, to, limit)
  const found: number[] = []
  const { rule, exdates, exslots } = series
  const end = rule.until ? (rule.until.day + DAYS_PAST_UNTIL) * MINUTES_PER_DAY : LAST_SLOT
  const [first, last] = [Math.max(from, FIRST_SLOT), Math.min(to, end, LAST_SLOT)]
  if (limit <= 0 || last < first) return found
  const isBeforeEnd = endOf(series)
  let left = rule.count ?? Number.POSITIVE_INFINITY
  for (const slot of slotsOfRule(series, rule.count === null ? first : FIRST_SLOT, last)) {
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

function slotsByDay(series: Series, from: number, to: number, limit: number): number[] {
  const time = series.time ?? 0
  const days = {
    from: Math.ceil((from - time) / MINUTES_PER_DAY),
    to: Math.floor((to - time) / MINUTES_PER_DAY),
    limit,
  }
  return listOccurrences(series, days).map((day) => day * MINUTES_PER_DAY + time)
}

/** The slots that the rule gives from one to another, both included, before COUNT, UNTIL and what is left out. */
function* slotsOfRule(series: Series, from: number, to: number): Generator<number> {
  const anchor = series.anchor * MINUTES_PER_DAY + (series.anchorTime ?? 0)
  const first = Math.max(from, anchor)
  for (const slot of series.rule.bySetPos.length > 0 && !stepsByTime(series.rule) ? chosen(series, first, to) : all()) {
    if (slot > to) return
    if (slot >= first) yield slot
  }

  function* all(): Generator<number> {
    const { rule, skip } = series
    const timesOn = timesOf(rule, anchor)
    if (timesOn === NEVER) return
    const [firstDay, lastDay] = [dayOfSlot(first), dayOfSlot(to)]
    const days = stepsByTime(rule)
      ? daysAllowed(rule, firstDay, lastDay)
      : generateDays(rule, series.anchor, skip, firstDay, lastDay)
    for (const day of days) for (const time of timesOn(day)) yield day * MINUTES_PER_DAY + time
  }
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

/** The rule that BYSETPOS chooses from. */
function withoutPositions(rule: RecurrenceRule): RecurrenceRule {
  const known = whole.get(rule) ?? { ...rule, bySetPos: [] }
  whole.set(rule, known)
  return known
}

const whole = new WeakMap<RecurrenceRule, RecurrenceRule>()

/** BYSETPOS over days: positions count the slots of one period, which are its days times the times of a day. */
function* chosen({ rule, anchor, anchorTime, skip }: Series, first: number, to: number): Generator<number> {
  const times = timesOf(rule, anchor * MINUTES_PER_DAY + (anchorTime ?? 0))(anchor)
  const places = placesOf(rule.bySetPos)
  for (const days of generatePeriods(withoutPositions(rule), anchor, skip, dayOfSlot(first), dayOfSlot(to)))
    for (const place of places(days.length * times.length))
      yield (days[Math.floor(place / times.length)] ?? 0) * MINUTES_PER_DAY + (times[place % times.length] ?? 0)
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
const prepared = new WeakMap<RecurrenceRule, Map<number, TimesOn>>()
const MOST_PREPARED = 60

function timesOf(rule: RecurrenceRule, anchor: number): TimesOn {
  // A rule by hours steps from its anchor; of any other only the time of day is left to that.
  const name = stepsByTime(rule) && rule.interval > 1 ? anchor : modulo(anchor, MINUTES_PER_DAY)
  const ofRule = prepared.get(rule) ?? new Map<number, TimesOn>()
  let times = ofRule.get(name)
  if (!times) {
    times = prepareTimes(rule, anchor)
    if (ofRule.size >= MOST_PREPARED) ofRule.clear()
    prepared.set(rule, ofRule.set(name, times))
  }
  return times
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
