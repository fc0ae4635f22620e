import { fromDay } from '../../src/lib/civil/day'
import type { TaskDate } from '../../src/tasks/schema'
import { listOccurrences, seriesOf } from '../lib/recurrence/support'

/** What models know of a task. */
export interface Modelled {
  readonly title: string
  readonly due: TaskDate | null
  readonly start: TaskDate | null
  readonly recurrence?: { readonly rrule: string; readonly mode: string; readonly exdates?: readonly string[] } | null
}

/** The due dates of a task up to a day, the present one first, one after the other from the rule's beginning. */
export function dueDates({ due, recurrence }: Modelled, to: string): string[] {
  if (!due) return []
  if (!recurrence || recurrence.mode === 'completion') return [due.date]
  const time = due.time === null ? null : Number(due.time.slice(0, 2)) * 60 + Number(due.time.slice(3))
  const series = seriesOf(recurrence.rrule, due.date, 'backward', { time, zone: due.time_zone })
  const all = listOccurrences(series, { limit: 20_000 }).map(fromDay)
  const later = all.filter((date) => date > due.date && date <= to && !recurrence.exdates?.includes(date))
  return [due.date, ...later]
}

const clocks = new Map<string, Intl.DateTimeFormat>()

/** To make one takes many times as long as to use it. */
function clockOf(timeZone: string): Intl.DateTimeFormat {
  const clock =
    clocks.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })
  clocks.set(timeZone, clock)
  return clock
}

/** What the clocks of a zone show at an instant, as Intl has it: `YYYY-MM-DD` and `HH:MM`. */
export function shownAt(at: number, timeZone: string): { date: string; time: string } {
  const parts = clockOf(timeZone).format(at)
  return { date: parts.slice(0, 10), time: parts.slice(11) }
}

/** The first instant, on a whole quarter of an hour, at which the clocks of a zone show a time or one behind it. */
export function instantShown(date: string, time: string, zone: string): number {
  const wanted = `${date} ${time}`
  const start = Date.parse(`${date}T${time}:00.000Z`)
  for (let at = start - 16 * 3_600_000; ; at += 900_000) {
    const shown = shownAt(at, zone)
    if (`${shown.date} ${shown.time}` >= wanted) return at
  }
}
