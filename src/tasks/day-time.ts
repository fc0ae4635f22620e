import { MINUTES_PER_DAY, toDay } from '../lib/civil/day'
import { instantOf, parseTimeOfDay, startOfDay } from '../lib/civil/zone'
import { addRdates, listSlots, listSlotsOfRule, type Series } from '../lib/recurrence/slots'
import { Cache } from '../lib/steps'
import type { Recurrence } from './schema'
import type { TaskRow } from './store'
import { slotOfName } from './task-date'
import { createSeries, toRecurrence } from './task-recurrence'

/** Due dates and starts as day numbers, for arithmetic, and the later dates of a series. */

/** The most days between the dates of two zones at one instant, including a day that one of them skips. */
export const MAX_ZONE_GAP_DAYS = 3

/** A due date or a start: a day, with or without a time of day and its zone. */
export interface DayTime {
  readonly day: number
  /** Minutes after midnight; null is all day. */
  readonly minutes: number | null
  /** Null is floating. */
  readonly time_zone: string | null
}

/** Reads the columns `due_key` and `due_tz`, or those of the start; null if the task has no such date. */
export function readDayTime(key: string, time_zone: string | null): DayTime | null {
  if (key < '0' || key > '9999') return null
  return { day: toDay(key), minutes: key.length > 10 ? parseTimeOfDay(key.slice(11)) : null, time_zone }
}

/** Milliseconds since 1970. A whole day starts when `day` starts in `zone`; a floating time is read in `zone`. */
export function toInstantIn({ day, minutes, time_zone }: DayTime, zone: string): number {
  return minutes === null ? startOfDay(day, zone) : instantOf(day, minutes, time_zone ?? zone)
}

export type SeriesRow = Pick<
  TaskRow,
  'rrule' | 'recurrence_mode' | 'recurrence_skip' | 'anchor' | 'exdates' | 'rdates' | 'moved'
>

/** Which later dates: days from one to another, both included, and how many at most. */
interface DayWindow {
  readonly from: number
  readonly to: number
  readonly limit: number
}

/**
 * Lists the slots (src/lib/recurrence/slots.ts) of due dates after the current one. In completion mode there are none,
 * since the next one depends on when this one is completed.
 */
export function listLaterSlots(row: SeriesRow, due: DayTime, days: DayWindow): number[] {
  if (row.moved === '[]') return listSlotsAfter(row, due, getSlot(due), days)
  const toSlotOf = (name: string) => slotOfName(name, due.minutes)
  const entries = (JSON.parse(row.moved) as Recurrence['moved']).map((entry) => ({
    slot: toSlotOf(entry.occurrence),
    target: toSlotOf(entry.moved_to),
  }))
  const current = entries.find(({ target }) => target === getSlot(due))?.slot ?? getSlot(due)
  const moved = new Set(entries.map(({ slot }) => slot))
  const window = { from: days.from * MINUTES_PER_DAY, to: (days.to + 1) * MINUTES_PER_DAY - 1 }
  const targets = entries.flatMap(({ slot, target }) =>
    slot > current && target >= window.from && target <= window.to ? [target] : [],
  )
  const others = listSlotsAfter(row, due, current, { ...days, limit: days.limit + entries.length })
  const all = new Set([...others.filter((slot) => !moved.has(slot)), ...targets])
  return [...all].sort((a, b) => a - b).slice(0, days.limit)
}

function listSlotsAfter(row: SeriesRow, due: DayTime, after: number, { from, to, limit }: DayWindow): number[] {
  const begin = Math.max(from * MINUTES_PER_DAY, after + 1)
  const end = to * MINUTES_PER_DAY + MINUTES_PER_DAY - 1
  const recurrence = begin > end ? null : toRecurrence(row)
  if (!recurrence || recurrence.mode === 'completion') return []
  const series = createSeries(recurrence, due.minutes, due.time_zone)
  if (series.rule.count === null) return listSlots(series, { from: begin, to: end, limit })
  const last = Math.min(end, findLastCounted(series, recurrence))
  const counted = listSlotsOfRule(series, { from: begin, to: last, limit }, null)
  return addRdates(series, counted, { from: begin, to: end, limit })
}

/** Returns where a due date or a start is once the task, which is due at `due`, is due at a slot. */
export function moveToSlot(dayTime: DayTime, due: DayTime, slot: number): DayTime {
  const day = Math.floor(slot / MINUTES_PER_DAY)
  if (dayTime.minutes === null) return { ...dayTime, day: dayTime.day + day - due.day }
  const moved = getSlot(dayTime) + slot - getSlot(due)
  const movedDay = Math.floor(moved / MINUTES_PER_DAY)
  return { ...dayTime, day: movedDay, minutes: moved - movedDay * MINUTES_PER_DAY }
}

/** Returns the slot of a date. A whole day has its first. */
export function getSlot({ day, minutes }: DayTime): number {
  return day * MINUTES_PER_DAY + (minutes ?? 0)
}

/** The last slots of series with COUNT. Finding one means counting from the anchor, up to 10,000 dates. */
const lastSlotCache = new Cache<string, number>(20_000)

/** Returns the last slot that COUNT allows. Caches it. */
function findLastCounted(series: Series, { rrule, anchor, skip }: Recurrence): number {
  const name = `${rrule} ${anchor} ${skip} ${series.time}`
  const known = lastSlotCache.get(name)
  if (known !== undefined) return known
  const whole = { ...series, exdates: NO_SLOTS, exslots: NO_SLOTS }
  const last = listSlotsOfRule(whole, { limit: series.rule.count ?? 0 }).at(-1)
  return lastSlotCache.keep(name, last ?? series.anchor * MINUTES_PER_DAY)
}

const NO_SLOTS: ReadonlySet<number> = new Set()
