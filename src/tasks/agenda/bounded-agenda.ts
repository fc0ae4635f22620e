import type { DayRange } from '../task-date'
import type { TaskTitle } from './store'

/** One item of a day of an agenda. */
export interface AgendaEntry {
  readonly task: TaskTitle
  readonly kind: 'due' | 'start'
  readonly projected: boolean
  /** Milliseconds since 1970; null is all day. */
  readonly at: number | null
}

/**
 * The days of an agenda while they fill up, in any order. Once they hold more than `limit` entries, the last day is given
 * up, then the one before it; the first day stays whatever it holds. What is left in the end does not depend on the
 * order of the entries, since a day that is given up once could never be had again.
 */
export class BoundedAgenda {
  #last: number
  #count = 0
  readonly #days: AgendaEntry[][]

  constructor(
    readonly days: DayRange,
    readonly limit: number,
  ) {
    this.#last = days.to
    this.#days = Array.from({ length: days.to - days.from + 1 }, () => [])
  }

  /** The last day that is not given up. */
  get last(): number {
    return this.#last
  }

  /** Adds an entry, unless its day is outside of the request or given up. */
  add(day: number, entry: AgendaEntry): void {
    if (day < this.days.from || day > this.#last) return
    this.#days[day - this.days.from]?.push(entry)
    this.#count += 1
    while (this.#count > this.limit && this.#last > this.days.from) {
      this.#count -= this.#days.pop()?.length ?? 0
      this.#last -= 1
    }
  }

  /** The days that are left, each in the order of time: whole days first, what starts before what is due, older tasks first. */
  sorted(): { day: number; entries: AgendaEntry[]; more: boolean }[] {
    return this.#days.map((entries, i) => ({
      day: this.days.from + i,
      entries: entries.sort(compareByTime).slice(0, this.limit),
      more: entries.length > this.limit,
    }))
  }
}

function compareByTime(one: AgendaEntry, other: AgendaEntry): number {
  if (one.at !== other.at) return (one.at ?? Number.NEGATIVE_INFINITY) - (other.at ?? Number.NEGATIVE_INFINITY)
  if (one.kind !== other.kind) return one.kind === 'start' ? -1 : 1
  return one.task.key - other.task.key
}
