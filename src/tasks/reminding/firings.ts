import { civilOf } from '../../lib/civil/zone'
import { DATES_APART, instantIn, laterDates, type Moment, momentOf } from '../moment'
import type { Reminder } from '../schema'
import type { RemindingRow } from './store'

/** When the reminders of a task fire. */

const MINUTE = 60_000

/** Instants in milliseconds since 1970; the end is not in it. */
export interface InstantRange {
  readonly from: number
  readonly to: number
}

export interface Firing {
  readonly at: number
  /** Place of the reminder among those of its task. */
  readonly place: number
  /** The day (src/civil/day.ts) of the due date that it is for, without one of the start; 0 for an instant. */
  readonly due: number
}

/**
 * What a task fires in a window, in no order. What counts from a date fires for each later date of a series as well;
 * whole days begin at 00:00 and floating times are on the clock of `zone`. An instant fires once.
 */
export function firingsOf(row: RemindingRow, reminders: readonly Reminder[], window: InstantRange, zone: string): Firing[] {
  const found: Firing[] = []
  const due = momentOf(row.due_key, row.due_tz)
  const add = (at: number, place: number, day: number) => {
    if (at >= window.from && at < window.to) found.push({ at, place, due: day })
  }
  for (const [place, reminder] of reminders.entries()) {
    const moment = reminder.from === 'start' ? momentOf(row.start_key, row.start_tz) : due
    if (reminder.at !== null) add(Date.parse(reminder.at), place, 0)
    else if (moment) {
      const offset = (reminder.offset_minutes ?? 0) * MINUTE
      // A task that only starts is counted by that day.
      const last = due ?? moment
      const lead = last.day - moment.day
      const { from, to } = daysAround(window, offset, moment, zone)
      for (const day of [last.day, ...laterDates(row, last, from + lead, to + lead)])
        add(instantIn(moment, day - lead, zone) + offset, place, day)
    }
  }
  return found
}

/** The dates of a moment at which an offset from it can fall into a window. */
function daysAround({ from, to }: InstantRange, offset: number, { tz }: Moment, zone: string): { from: number; to: number } {
  const dayAt = (at: number) => civilOf(at - offset, tz ?? zone).day
  return { from: dayAt(from) - DATES_APART, to: dayAt(to) + DATES_APART }
}
