import { invalid } from '../http/api-error'
import { listSlots } from '../lib/recurrence/slots'
import type { Recurrence, RecurrenceChanged, TaskDate } from './schema'
import { type OccurrenceDate, parseOccurrence, toSlot } from './task-date'
import { findMoved, nameOccurrence, toSeries } from './task-recurrence'

/** Occurrences of a series that are due on another date than the rule has: each keeps its slot. */

/**
 * Returns the recurrence after a change with moved occurrences that fit it. Moving the due date moves the current
 * occurrence, unless the new date is another date of the series.
 * @param patch the change of the recurrence, if there is one
 * @throws ApiError invalid_request
 */
export function settleMoved(
  old: { readonly recurrence: Recurrence | null; readonly due: TaskDate | null },
  next: Recurrence | null,
  due: TaskDate | null,
  patch: RecurrenceChanged | null | undefined,
): Recurrence | null {
  if (next === null || due === null) return next
  if (patch?.moved !== undefined) return checkMoved(next, due, findCurrent(old))
  if (next.mode === 'completion') return { ...next, moved: [] }
  if (patch) {
    const isDate = isOccurrenceOf(next, due)
    return { ...next, moved: next.moved.filter((entry) => isDate(entry.occurrence) && !isDate(entry.moved_to)) }
  }
  return old.due && old.recurrence ? moveCurrent(next, old.due, due) : next
}

/** Returns the recurrence after the due date of a task was changed alone. */
function moveCurrent(recurrence: Recurrence, old: OccurrenceDate, due: TaskDate): Recurrence {
  const [from, to] = [nameOccurrence(recurrence.rrule, old), nameOccurrence(recurrence.rrule, due)]
  if (from === to) return recurrence
  const occurrence = findMoved(recurrence.moved, from)?.occurrence ?? from
  const others = recurrence.moved.filter((entry) => entry.occurrence > occurrence)
  if (others.some(({ moved_to }) => moved_to === to))
    throw invalid('/due/date', 'date_taken', 'another occurrence was moved to this date')
  const isDate = isOccurrenceOf(recurrence, due)
  const isMove = isDate(occurrence) && !isDate(to)
  return { ...recurrence, moved: isMove ? [{ occurrence, moved_to: to }, ...others] : others }
}

/** Returns the due date and the occurrence that it is for, both as names; null without a recurrence. */
function findCurrent({ recurrence, due }: { readonly recurrence: Recurrence | null; readonly due: TaskDate | null }) {
  if (!recurrence || !due) return null
  const present = nameOccurrence(recurrence.rrule, due)
  return { present, occurrence: findMoved(recurrence.moved, present)?.occurrence ?? present }
}

/**
 * Throws invalid_request for what is no move of the current or a later occurrence. No date may be that of two
 * occurrences: by it the current one is known.
 */
function checkMoved(recurrence: Recurrence, due: TaskDate, old: ReturnType<typeof findCurrent>): Recurrence {
  const { moved, mode, rrule } = recurrence
  const refuse = (i: number, code: string, detail: string) => invalid(`/recurrence/moved/${i}`, code, detail)
  if (moved.length > 0 && mode === 'completion')
    throw refuse(0, 'invalid_value', 'dates that count from completions cannot be moved')
  const present = nameOccurrence(rrule, due)
  const kept = old?.present === present ? old.occurrence : null
  const current = kept ?? findMoved(moved, present)?.occurrence ?? present
  const isDate = isOccurrenceOf(recurrence, due)
  for (const [i, { occurrence, moved_to }] of moved.entries()) {
    if (!isDate(occurrence)) throw refuse(i, 'not_an_occurrence', `${occurrence} is no date of the rule`)
    if (occurrence < current) throw refuse(i, 'occurrence_passed', `${occurrence} is before the current occurrence`)
    if (occurrence === current && moved_to !== present)
      throw refuse(i, 'moves_due', 'the current occurrence is moved by changing due')
    if (isDate(moved_to) || (moved_to === present && occurrence !== current))
      throw refuse(i, 'date_taken', `${moved_to} is the date of another occurrence`)
    const twin = moved.findIndex((other) => other.occurrence === occurrence || other.moved_to === moved_to)
    if (twin !== i) throw refuse(i, 'repeated', 'each occurrence is moved once, and each to a date of its own')
  }
  return { ...recurrence, moved: moved.toSorted((a, b) => (a.occurrence < b.occurrence ? -1 : 1)) }
}

/** Tells which names are those of occurrences. */
function isOccurrenceOf(recurrence: Recurrence, due: TaskDate): (name: string) => boolean {
  const series = toSeries(recurrence, due)
  const slotOf = (name: string) => {
    const { date, time } = parseOccurrence(name)
    return toSlot({ date, time: time ?? due.time })
  }
  // With COUNT each question counts from the anchor: it is asked once.
  let counted: ReadonlySet<number> | null = null
  return (occurrence) => {
    const slot = slotOf(occurrence)
    if (series.rule.count === null) return listSlots(series, { from: slot, to: slot, limit: 1 }).length > 0
    counted ??= new Set(listSlots(series, { limit: series.rule.count + (series.rdates?.length ?? 0) }))
    return counted.has(slot)
  }
}
