import { fromDay, toDay } from '../../lib/civil/day'
import { readTime, type TimeContext } from '../../lib/civil/words/read'
import type { TimeReading } from '../../lib/civil/words/reading'
import type { FirstOccurrence } from '../../lib/civil/words/work-out'
import { findFirstOccurrence } from '../../lib/recurrence/expand'
import { parseRule } from '../../lib/recurrence/parse'

const firstOccurrence: FirstOccurrence = (rrule, from) => {
  const series = {
    rule: parseRule(rrule).rule,
    anchor: toDay(from),
    skip: 'backward',
    exdates: new Set<number>(),
  } as const
  const first = findFirstOccurrence(series)
  return first === null ? null : fromDay(first)
}

/**
 * Reads a text that says nothing but when a task is due, how often, how long and when to remind. Returns null if any part
 * of it was not understood, or if it names no date.
 */
export function readWhen(
  text: string,
  context: Pick<TimeContext, 'now' | 'time_zone' | 'language'>,
): (TimeReading & { readonly due: NonNullable<TimeReading['due']> }) | null {
  const reading = readTime(text, { ...context, dateOrder: null, past: true, firstOccurrence })
  const { due, spans, warnings } = reading
  const rest = spans.reduceRight((left, { start, end }) => `${left.slice(0, start)} ${left.slice(end)}`, text)
  return due && warnings.length === 0 && !/[^\s\p{P}]/u.test(rest) ? { ...reading, due } : null
}
