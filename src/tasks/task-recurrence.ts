import { ApiError, invalid } from '../http/api-error'
import { toDay } from '../lib/civil/day'
import { parseTimeOfDay } from '../lib/civil/zone'
import { parseRule } from '../lib/recurrence/parse'
import { isTimedRule, type ReadRule, type RecurrenceRule, RuleError, writeRecurrenceRule } from '../lib/recurrence/rule'
import { findFirstDate, listSlots, type Series, type SlotDate, seriesOfRule } from '../lib/recurrence/slots'
import { Cache } from '../lib/steps'
import type { Recurrence, RecurrenceChanged, TaskDate } from './schema'
import type { TaskRow } from './store'
import { readDateInRange, readOccurrence, slotOfName } from './task-date'

/** The recurrence of a task: its `recurrence` member and its series of dates. */

/** The parsed rules: an agenda expands thousands of series, and most have equal rules. */
const ruleCache = new Cache<string, ReadRule>(2000)

/** Parses a rule, or returns the cached one. Throws RuleError. */
export function parseRuleCached(rrule: string): ReadRule {
  return ruleCache.get(rrule) ?? ruleCache.keep(rrule, parseRule(rrule))
}

/**
 * Returns the recurrence after a merge patch. The anchor defaults to the old one; a new rule starts at its first date from
 * the due date on, so that COUNT counts from there, and what was before stays.
 * @throws ApiError invalid_request, unsupported_recurrence, recurrence_never_occurs
 */
export function patchRecurrence(
  old: Recurrence | null,
  patch: RecurrenceChanged | null | undefined,
  due: TaskDate | null,
): Recurrence | null {
  const next = patch === undefined ? old : patch
  if (next === null) return null
  if (due === null) throw invalid('/recurrence', 'needs_due', 'recurrence needs a due date')
  if (!patch) {
    if (old && isTimed(old.rrule)) requireTime(due)
    return old
  }
  const newRule = old && patch.rrule !== old.rrule ? patch.rrule : undefined
  const start = newRule === undefined ? {} : { anchor: startOf(newRule, due) }
  const input = { ...adaptToRule(old, patch.rrule), ...start, ...patch }
  const recurrence = readOccurringRecurrence(input, due)
  if (patch.skip !== undefined && patch.skip !== recurrence.skip)
    throw invalid('/recurrence/skip', 'differs_from_rule', 'skip must not differ from the SKIP of the rule')
  return recurrence
}

/** Returns the first date of a rule from a due date on; null if there is none. @throws as readInputRule */
function startOf(rrule: string, due: TaskDate): string | null {
  return findFirstDate(rrule, isTimedRule(readInputRule(rrule).rule) ? readTimedAnchor(null, due) : due.date)
}

/** Reads a recurrence that has at least one date. Throws invalid_request, unsupported_recurrence and as below. */
function readOccurringRecurrence(input: RecurrenceChanged, due: TaskDate): Recurrence {
  const recurrence = readRecurrence(input, due)
  if (listSlots(toSeries(recurrence, due), { limit: 1 }).length === 0)
    throw new ApiError('recurrence_never_occurs', 'The rule has no date between its anchor and 2200-12-31.')
  return recurrence
}

/** Whether the dates of a rule have times: see isTimedRule. */
export function isTimed(rrule: string): boolean {
  return isTimedRule(parseRuleCached(rrule).rule)
}

/** Returns what stays of a recurrence under another rule: times go if the new rule has none. */
function adaptToRule(old: Recurrence | null, rrule: string | undefined): Recurrence | null {
  if (!old || rrule === undefined || !isTimed(old.rrule) || isTimedRule(readInputRule(rrule).rule)) return old
  const isDate = (name: string) => name.length === 10
  const { exdates, rdates } = old
  return {
    ...old,
    anchor: old.anchor.slice(0, 10),
    exdates: exdates.filter(isDate),
    rdates: (rdates ?? []).filter(isDate),
    moved: [],
  }
}

/** Throws unsupported_recurrence. */
function requireTime({ time }: SlotDate): string {
  if (time !== null) return time
  throw new ApiError(
    'unsupported_recurrence',
    'Not supported: a rule with hours or minutes needs a due date with a time, not a whole day',
  )
}

/** Reads a recurrence, without checking that it has any date. Throws invalid_request, unsupported_recurrence. */
export function readRecurrence(input: RecurrenceChanged, due: SlotDate): Recurrence {
  if (input.rrule === undefined) throw invalid('/recurrence/rrule', 'required', 'recurrence needs an rrule')
  const { rule, skip } = readInputRule(input.rrule)
  const timed = isTimedRule(rule)
  const readDates = (name: 'exdates' | 'rdates') => {
    const read = timed ? readOccurrence : readDateInRange
    const dates = (input[name] ?? []).map((date, i) => read(date, `/recurrence/${name}/${i}`))
    return [...new Set(dates)].sort()
  }
  const rdates = readDates('rdates')
  const moved = (input.moved ?? []).map((entry, i) => ({
    occurrence: (timed ? readOccurrence : readDateInRange)(entry.occurrence, `/recurrence/moved/${i}/occurrence`),
    moved_to: (timed ? readOccurrence : readDateInRange)(entry.moved_to, `/recurrence/moved/${i}/moved_to`),
  }))
  if (timed) {
    requireTimes(rdates, '/recurrence/rdates')
    requireTimes(
      moved.flatMap((entry) => [entry.occurrence, entry.moved_to]),
      '/recurrence/moved',
    )
  }
  return {
    // SKIP, which RFC 7529 adds to rules, is stored as the member `skip`.
    rrule: skip === undefined && !/COUNT=0(?:;|$)/i.test(input.rrule) ? input.rrule : writeRecurrenceRule(rule),
    mode: input.mode ?? 'schedule',
    skip: skip ?? input.skip ?? 'backward',
    anchor: timed
      ? readTimedAnchor(input.anchor, due)
      : readDateInRange(input.anchor ?? due.date, '/recurrence/anchor'),
    exdates: readDates('exdates'),
    rdates,
    moved,
  }
}

/** Throws invalid_request if an occurrence has no time. */
function requireTimes(names: readonly string[], pointer: string): void {
  const untimed = names.find((name) => name.length === 10)
  if (untimed !== undefined)
    throw invalid(pointer, 'invalid_date', `${pointer.slice(1)} need times: ${untimed} has none`)
}

/** Reads the anchor of a rule by time. One without a time has that of the due date. */
function readTimedAnchor(input: string | null | undefined, due: SlotDate): string {
  const time = requireTime(due)
  const anchor = readOccurrence(input ?? due.date, '/recurrence/anchor')
  return anchor.length > 10 ? anchor : `${anchor}T${time}`
}

function readInputRule(rrule: string): ReadRule {
  try {
    return parseRuleCached(rrule)
  } catch (error) {
    if (!(error instanceof RuleError)) throw error
    if (error.code === 'invalid_recurrence') throw invalid('/recurrence/rrule', error.code, error.message)
    throw new ApiError('unsupported_recurrence', error.message)
  }
}

export function toSeries(recurrence: Recurrence, due: Pick<TaskDate, 'time' | 'time_zone'>): Series {
  const time = due.time === null ? null : parseTimeOfDay(due.time)
  return createSeries(recurrence, time, due.time_zone)
}

/** @param time minutes after midnight at which dates of a rule by date are; null is all day */
export function createSeries(
  { rrule, skip, anchor, exdates, rdates }: Recurrence,
  time: number | null,
  zone: string | null,
): Series {
  return {
    ...seriesOfRule(parseRuleCached(rrule).rule, anchor, skip, time),
    exdates: toSet(exdates.filter((date) => date.length === 10).map(toDay)),
    exslots: toSet(exdates.filter((date) => date.length > 10).map((date) => slotOfName(date, null))),
    rdates: rdates.map((date) => slotOfName(date, time)),
    zone,
  }
}

function toSet(numbers: readonly number[]): ReadonlySet<number> {
  return numbers.length === 0 ? NONE : new Set(numbers)
}

const NONE: ReadonlySet<number> = new Set()

/** Returns the name of an occurrence of a rule: its date, and its time if the dates of the rule have times. */
export function nameOccurrence(rrule: string, { date, time }: SlotDate): string {
  return isTimed(rrule) ? `${date}T${time}` : date
}

/** Returns the name of the occurrence that a task is due for, also where it was moved; null without a due date. */
export function getDueOccurrence({
  rrule,
  due_date,
  due_time,
  moved,
}: Pick<TaskRow, 'rrule' | 'due_date' | 'due_time' | 'moved'>) {
  if (due_date === null || rrule === null) return due_date
  const name = nameOccurrence(rrule, { date: due_date, time: due_time })
  return moved === '[]' ? name : (findMoved(JSON.parse(moved), name)?.occurrence ?? name)
}

/** Finds the occurrence that was moved to a date, by the name that an occurrence has there. */
export function findMoved(moved: Recurrence['moved'], name: string): Recurrence['moved'][number] | undefined {
  return moved.find(({ moved_to }) => moved_to === name)
}

/** Returns the `recurrence` member of a row; null if the task does not repeat. */
export function toRecurrence(
  row: Pick<TaskRow, 'rrule' | 'recurrence_mode' | 'recurrence_skip' | 'anchor' | 'exdates' | 'rdates' | 'moved'>,
) {
  if (row.rrule === null) return null
  const recurrence: Recurrence = {
    rrule: row.rrule,
    mode: row.recurrence_mode ?? 'schedule',
    skip: row.recurrence_skip ?? 'backward',
    anchor: row.anchor ?? '',
    exdates: JSON.parse(row.exdates),
    rdates: JSON.parse(row.rdates),
    moved: JSON.parse(row.moved),
  }
  return recurrence
}

/** Returns the rule with COUNT lowered by one; null if COUNT was 1. A rule without COUNT stays as it is. */
export function decrementCount(rrule: string): string | null {
  const { rule } = parseRuleCached(rrule)
  if (rule.count === null) return rrule
  const rest: RecurrenceRule = { ...rule, count: rule.count - 1 }
  return rest.count === 0 ? null : writeRecurrenceRule(rest)
}

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

function moveCurrent(recurrence: Recurrence, old: SlotDate, due: TaskDate): Recurrence {
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

function isOccurrenceOf(recurrence: Recurrence, due: TaskDate): (name: string) => boolean {
  const series = toSeries(recurrence, due)
  // With COUNT each question counts from the anchor: it is asked once.
  let counted: ReadonlySet<number> | null = null
  return (occurrence) => {
    const slot = slotOfName(occurrence, series.time)
    if (series.rule.count === null) return listSlots(series, { from: slot, to: slot, limit: 1 }).length > 0
    counted ??= new Set(listSlots(series, { limit: series.rule.count + (series.rdates?.length ?? 0) }))
    return counted.has(slot)
  }
}
