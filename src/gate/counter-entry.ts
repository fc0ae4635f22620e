/** One counter in the present hour, as the meter holds it in memory. */
import type { Count } from './counter-store'
import type { Charge } from './tiers'

export interface Entry {
  readonly hour: number
  /** Policy and subject, as in its charge. One string and few members: a hundred thousand of these live in memory. */
  readonly counter: string
  /** Used in the earlier hours of a 24 hour window. */
  readonly before: number
  used: number
  refused: number
  /** Gained since the last commit. */
  newUsed: number
  newRefused: number
  /** The counts of earlier hours, read when first asked for. */
  past: Past | null
}

/** Counts hour by hour, the oldest first; the last place is kept for the present hour. */
export interface Past {
  readonly used: number[]
  readonly refused: number[]
}

/** The entry for a charge from its rows: those of its window, the present `hour` included. */
export function entryOf({ counter }: Charge, hour: number, rows: readonly Count[]): Entry {
  const present = rows.find((row) => row.hour === hour)
  const used = present?.used ?? 0
  const before = rows.reduce((sum, row) => sum + row.used, -used)
  return { hour, counter, before, used, refused: present?.refused ?? 0, newUsed: 0, newRefused: 0, past: null }
}

/** The counts of `hours` hours from hour `first` on, from the rows there are. */
export function pastOf(first: number, hours: number, rows: readonly Count[]): Past {
  const past = { used: new Array<number>(hours).fill(0), refused: new Array<number>(hours).fill(0) }
  for (const row of rows) {
    past.used[row.hour - first] = row.used
    past.refused[row.hour - first] = row.refused
  }
  return past
}

/** What `charge` has left; a changed limit counts at once. */
export function leftOf(entry: Entry, charge: Charge): number {
  return Math.max(0, charge.limit - entry.before - entry.used)
}

/** Whether there is nothing of it to commit. */
export function isCommitted(entry: Entry): boolean {
  return entry.newUsed === 0 && entry.newRefused === 0
}
