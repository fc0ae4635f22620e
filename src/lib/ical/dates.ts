import { FIRST_DATE, FIRST_DAY, fromDay, isDate, LAST_DATE, LAST_DAY, MINUTES_PER_DAY, toDay } from '../civil/day'
import { civilOf, clockTime, instantOf, parseTimeOfDay } from '../civil/zone'
import { toSlot } from '../recurrence/slots'
import type { ItemMoment, Property, Warn } from './item'
import { readListValue } from './properties'
import type { Zones } from './zones'

// Dates and times of calendar files: `20260301` and `20260301T090000Z`. Some programs leave out VALUE=DATE, or write it
// for a time: what is there counts.

/** What follows a time, such as milliseconds, is passed over. */
const VALUE = /^(\d{4})(\d\d)(\d\d)(?:T([01]\d|2[0-3])([0-5]\d)([0-5]\d|60)(Z)?.*)?$/

interface Parts {
  readonly date: string
  readonly time: string | null
  readonly seconds: number
  readonly utc: boolean
}

/** With an unknown TZID the time floats; years that no task can have, as for "never", are dropped; with a warning. */
export function readMoment({ name, params, raw }: Property, zones: Zones, warn: Warn): ItemMoment | null {
  return toMoment(name, raw, params.tzid, zones, warn)
}

/** Reads all values of a list such as an EXDATE; unreadable ones are dropped with a warning. */
export function readMoments(property: Property, zones: Zones, warn: Warn): ItemMoment[] {
  const { name, params } = property
  return readListValue(property).flatMap((value) => toMoment(name, value, params.tzid, zones, warn) ?? [])
}

/** Reads an instant as milliseconds since 1970. A floating time counts as UTC, since RFC 5545 allows only UTC here. */
export function readIcalInstant({ name, params, raw }: Property, zones: Zones, warn: Warn): number | null {
  const parts = readParts(raw)
  if (!parts) return warnUnreadable(name, raw, warn)
  const zone = (parts.utc || params.tzid === undefined ? null : zones(params.tzid)) ?? 'UTC'
  return instantOf(toDay(parts.date), parseTimeOfDay(parts.time ?? '00:00'), zone) + Math.min(parts.seconds, 59) * 1000
}

export function writeItemInstant(at: number): string {
  return new Date(at).toISOString()
}

/** Returns the date and time of a moment in the zone of another: zoned times are converted, all others stay. */
function toClockOf(moment: ItemMoment, other: ItemMoment): ItemMoment {
  if (moment.time === null || moment.tz === null || other.time === null || other.tz === null) return moment
  if (moment.tz === other.tz) return moment
  const { day, minutes } = civilOf(toItemInstant(moment), other.tz)
  return { date: fromDay(day), time: clockTime(minutes), tz: other.tz }
}

/**
 * Returns what the occurrence of a series at a moment is called: the date in the zone of the series, and in a series by
 * time the date and time, `2026-03-01T08:00`. A moment without a time is that whole day.
 */
export function nameItemOccurrence(moment: ItemMoment, due: ItemMoment, timed: boolean): string {
  const { date, time } = toClockOf(moment, due)
  return timed && time !== null ? `${date}T${time}` : date
}

/** Whether a moment has a time, and another one than the due date in its zone. */
export function isAtOtherTime(moment: ItemMoment, due: ItemMoment): boolean {
  return moment.time !== null && due.time !== null && toClockOf(moment, due).time !== due.time
}

/** Returns the moment of an occurrence by its name; one by date is at the time of the due date. */
export function readItemOccurrence(name: string, due: ItemMoment): ItemMoment {
  return { ...due, date: name.slice(0, 10), time: name.length > 10 ? name.slice(11) : due.time }
}

/** Adds days on the calendar, then seconds on the clock (RFC 5545, section 3.3.6). Null if no task can have it. */
export function addDuration(
  moment: ItemMoment,
  { days, seconds }: { days: number; seconds: number },
): ItemMoment | null {
  const day = toDay(moment.date) + days
  const minutes = moment.time === null ? Math.trunc(seconds / 86_400) * MINUTES_PER_DAY : Math.round(seconds / 60)
  if (!isTaskDay(day)) return null
  const at = toItemInstant({ ...moment, date: fromDay(day) }) + minutes * 60_000
  if (Math.abs(at) > MAX_INSTANT_MS) return null
  const end = civilOf(at, moment.tz ?? 'UTC')
  if (!isTaskDay(end.day)) return null
  return { ...moment, date: fromDay(end.day), time: moment.time === null ? null : clockTime(end.minutes) }
}

/** Later instants have no civil time in a zone. */
const MAX_INSTANT_MS = 8e15

function isTaskDay(day: number): boolean {
  return day >= FIRST_DAY && day <= LAST_DAY
}

/** Whether one moment is after another: compared as instants if both have a zone, else as civil times. */
export function isMomentAfter(a: ItemMoment, b: ItemMoment): boolean {
  if (a.time !== null && a.tz !== null && b.time !== null && b.tz !== null) return toItemInstant(a) > toItemInstant(b)
  if (a.date !== b.date || a.time === null || b.time === null) return a.date > b.date
  return a.time > b.time
}

/**
 * Returns a start as RFC 5545 wants it beside a due date: both as days, or both as times that float or that have a zone.
 * A whole day begins at 00:00 of the due date's clock.
 */
export function toKindOf(start: ItemMoment, due: ItemMoment): ItemMoment {
  if (due.time === null) return { date: start.date, time: null, tz: null }
  const hasZones = start.tz !== null && due.tz !== null
  return { date: start.date, time: start.time ?? '00:00', tz: hasZones ? start.tz : due.tz }
}

export function isSameMoment(a: ItemMoment, b: ItemMoment): boolean {
  return a.date === b.date && a.time === b.time && a.tz === b.tz
}

/** Returns the minutes from one moment to another as civil times; all day counts as 00:00. */
export function minutesBetween(from: ItemMoment, to: ItemMoment): number {
  return toSlot(to) - toSlot(from)
}

function toMoment(name: string, value: string, tzid: string | undefined, zones: Zones, warn: Warn): ItemMoment | null {
  const parts = readParts(value)
  if (!parts) return warnUnreadable(name, value, warn)
  const { date, time, utc } = parts
  if (date < FIRST_DATE || date > LAST_DATE) return warnOutOfRange(name, date, warn)
  if (time === null) return { date, time, tz: null }
  if (utc) return { date, time, tz: 'UTC' }
  if (tzid === undefined) return { date, time, tz: null }
  const tz = zones(tzid)
  if (tz === null) warn('unknown_zone', `The zone ${tzid.slice(0, 100)} of ${name} is not known: the time floats.`)
  return { date, time, tz }
}

function warnUnreadable(name: string, value: string, warn: Warn): null {
  warn('unreadable_property', `${name}:${value.slice(0, 100)} is not a date or time.`)
  return null
}

function warnOutOfRange(name: string, date: string, warn: Warn): null {
  warn('date_dropped', `${name}: ${date} is not from ${FIRST_DATE} to ${LAST_DATE}.`)
  return null
}

function readParts(value: string): Parts | null {
  const [, year = '0000', month, day, hours, minutes, seconds, zone] = VALUE.exec(value.trim()) ?? []
  if (year === '0000' || !isDate({ year: Number(year), month: Number(month), day: Number(day) })) return null
  const time = hours === undefined ? null : `${hours}:${minutes}`
  return { date: `${year}-${month}-${day}`, time, seconds: Number(seconds ?? 0), utc: zone === 'Z' }
}

/** Returns a moment in milliseconds since 1970; one that floats, or is a whole day, as one of UTC. */
export function toItemInstant({ date, time, tz }: ItemMoment): number {
  return instantOf(toDay(date), time === null ? 0 : parseTimeOfDay(time), tz ?? 'UTC')
}
