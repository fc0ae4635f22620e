import { FIRST_DAY, fromDay, LAST_DAY, MINUTES_PER_DAY, toDay } from '../../../src/lib/civil/day'
import { parseRule } from '../../../src/lib/recurrence/parse'
import type { Skip } from '../../../src/lib/recurrence/rule'
import { listSlots, type Series } from '../../../src/lib/recurrence/slots'

/** The series of a rule; what RSCALE=GREGORIAN;SKIP says in it goes before `skip`. */
export function seriesOf(text: string, anchor: string, skip: Skip = 'omit', more: Partial<Series> = {}): Series {
  const read = parseRule(text)
  return { rule: read.rule, anchor: toDay(anchor), skip: read.skip ?? skip, exdates: new Set(), ...more }
}

/** The days of a series from one to another, both included. */
export function listOccurrences(series: Series, { from = FIRST_DAY, to = LAST_DAY, limit = 0 }): number[] {
  const window = { from: from * MINUTES_PER_DAY, to: (to + 1) * MINUTES_PER_DAY - 1, limit }
  return listSlots(series, window).map((slot) => Math.floor(slot / MINUTES_PER_DAY))
}

/** The first dates of a rule. */
export function datesOf(text: string, anchor: string, limit: number, skip: Skip = 'omit'): string[] {
  return listOccurrences(seriesOf(text, anchor, skip), { limit }).map(fromDay)
}

/** Days after each other as the oracle writes them: from the anchor to the first, then from each to the next. */
export interface Row {
  readonly rule: string
  readonly anchor: string
  readonly steps: readonly number[]
}

/** Reads what test/slow/recurrence-oracle.py wrote; a line that is a string alone is a remark. */
export function readRows(lines: string): Row[] {
  return lines
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
    .filter((row) => Array.isArray(row))
    .map(([rule, anchor, ...steps]) => ({ rule, anchor, steps }))
}

/** The days of a row. */
export function daysOf({ anchor, steps }: Row): number[] {
  let day = toDay(anchor)
  return steps.map((step) => {
    day += step
    return day
  })
}

/** The rules of which our first 50 days are others than those of the rows. */
export function differing(rows: readonly Row[], skip: Skip): Row[] {
  return rows.filter((row) => datesOf(row.rule, row.anchor, 50, skip).join() !== daysOf(row).map(fromDay).join())
}
