import type { DayRange } from '../task-date'
import type { TaskTitle } from './store'

/** A due date or a start on a day of an agenda. */
export interface AgendaEntry {
  readonly task: TaskTitle
  readonly kind: 'due' | 'start'
  readonly projected: boolean
  /** Milliseconds since 1970; null is all day. */
  readonly at: number | null
}

/**
 * Collects the entries of an agenda, in any order. When more than `limit` entries are added, whole days are dropped
 * from the end; of the first day the first entries are kept, so no more than twice the limit is held. The result does not depend on the order of insertion, since a dropped day never
 * comes back.
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

  /** The last day that has not been dropped. */
  get last(): number {
    return this.#last
  }

  /** Adds an entry, unless its day is outside the request or was dropped. */
  add(day: number, entry: AgendaEntry): void {
    if (day < this.days.from || day > this.#last) return
    this.#days[day - this.days.from]?.push(entry)
    this.#count += 1
    while (this.#count > this.limit && this.#last > this.days.from) {
      this.#count -= this.#days.pop()?.length ?? 0
      this.#last -= 1
    }
    const [first = []] = this.#days
    if (first.length > 2 * this.limit) this.#count -= first.sort(compareByTime).splice(this.limit + 1).length
  }

  /** Returns the remaining days, each sorted by time: whole days first, starts before due dates, older tasks first. */
  sorted(): { day: number; entries: AgendaEntry[]; more: boolean }[] {
    return this.#days.map((entries, i) => ({
      day: this.days.from + i,
      entries: entries.sort(compareByTime).slice(0, this.limit),
      more: entries.length > this.limit,
    }))
  }
}

function compareByTime(a: AgendaEntry, b: AgendaEntry): number {
  if (a.at !== b.at) return (a.at ?? Number.NEGATIVE_INFINITY) - (b.at ?? Number.NEGATIVE_INFINITY)
  if (a.kind !== b.kind) return a.kind === 'start' ? -1 : 1
  return a.task.key - b.task.key
}
