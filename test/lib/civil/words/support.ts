import { readTime, type TimeContext } from '../../../../src/lib/civil/words/read'
import type { TimeReading } from '../../../../src/lib/civil/words/reading'
import { findFirstDate } from '../../../../src/lib/recurrence/slots'

/** Monday, 2 March 2026, 10:00 in Berlin; the first day of a rule by the real expander. */
export function makeContext(changes: Partial<TimeContext> = {}): TimeContext {
  return {
    now: Date.parse('2026-03-02T09:00:00Z'),
    time_zone: 'Europe/Berlin',
    dateOrder: null,
    firstOccurrence: findFirstDate,
    ...changes,
  }
}

/** A line of a table: what is read, and what comes of it in one line. */
interface Example<Context> {
  readonly text: string
  readonly expected: string
  readonly context: Context
}

/** The lines `text => expected` of a table; a heading may have JSON with what is different in its context. */
export function readExamples<Context>(table: string, make: (changes: object) => Context): Example<Context>[] {
  let context = make({})
  return table.split('\n').flatMap((line) => {
    if (line.startsWith('## ')) context = make(JSON.parse(line.match(/\{.*/)?.[0] ?? '{}'))
    const [text, expected] = line.startsWith('# ') ? [] : line.split(' => ')
    return text !== undefined && expected !== undefined ? [{ text, expected, context }] : []
  })
}

/** What is left of a text, then all that was understood, then the warnings. */
export function describeReading(text: string, context: TimeContext): string {
  const reading = readTime(text, context)
  const { due, start, recurrence, duration_minutes, reminders, warnings } = reading
  const zone = due?.time_zone && due.time_zone !== context.time_zone ? [due.time_zone] : []
  return [
    restOf(text, reading),
    ...(due ? [`due ${[due.date, due.time, ...zone].filter(Boolean).join(' ')}`] : []),
    ...(start ? [`start ${[start.date, start.time].filter(Boolean).join(' ')}`] : []),
    ...(recurrence ? [`${recurrence.mode === 'completion' ? 'completion' : 'rule'} ${recurrence.rrule}`] : []),
    ...(duration_minutes === null ? [] : [`for ${duration_minutes}`]),
    ...reminders.map(({ offset_minutes }) => `remind ${offset_minutes}`),
    ...warnings.map(({ code, start: from, end }) => `${code} ${text.slice(from, end)}`),
  ].join(' | ')
}

/** The text without its spans. */
export function restOf(text: string, { spans }: TimeReading): string {
  const left = spans.reduceRight((rest, { start, end }) => `${rest.slice(0, start)} ${rest.slice(end)}`, text)
  return left.replace(/\s+/g, ' ').trim()
}
