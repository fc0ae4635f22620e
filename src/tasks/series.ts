import { ApiError, invalid } from '../http/api-error'
import { toDay } from '../lib/civil/day'
import { findFirstOccurrence, type Series } from '../lib/recurrence/expand'
import { parseRule } from '../lib/recurrence/parse'
import type { ReadRule } from '../lib/recurrence/rule'
import { type RecurrenceRule, RuleError, writeRecurrenceRule } from '../lib/recurrence/rule'
import type { Recurrence, RecurrenceChanged, TaskDate } from './schema'
import type { TaskRow } from './store'
import { parseTimeOfDay, readTaskDate } from './when'

/** How a task repeats: its `recurrence` member, and its series of dates. */

/** Rules are parsed once: an agenda asks for thousands of series, and most are alike. */
const parsed = new Map<string, ReadRule>()
const REMEMBERED = 2000

/** Parses a rule. Throws RuleError. */
export function ruleOf(rrule: string): ReadRule {
  let read = parsed.get(rrule)
  if (!read) {
    read = parseRule(rrule)
    if (parsed.size >= REMEMBERED) parsed.clear()
    parsed.set(rrule, read)
  }
  return read
}

/**
 * The recurrence after a merge patch. The anchor is the due date unless it is given or there already.
 * @throws ApiError invalid_request, unsupported_recurrence, recurrence_never_occurs
 */
export function changedRecurrence(
  old: Recurrence | null,
  patch: RecurrenceChanged | null | undefined,
  due: TaskDate | null,
): Recurrence | null {
  const next = patch === undefined ? old : patch
  if (next === null) return null
  if (due === null) throw invalid('/recurrence', 'needs_due', 'recurrence needs a due date')
  if (!patch) return old
  const recurrence = checkedRecurrence({ ...old, ...patch }, due)
  if (patch.skip !== undefined && patch.skip !== recurrence.skip)
    throw invalid('/recurrence/skip', 'differs_from_rule', 'skip must not differ from the SKIP of the rule')
  return recurrence
}

function checkedRecurrence(asked: RecurrenceChanged, due: TaskDate): Recurrence {
  const recurrence = readRecurrence(asked, due)
  if (findFirstOccurrence(seriesOf(recurrence, due)) === null)
    throw new ApiError('recurrence_never_occurs', 'The rule has no date between its anchor and 2200-12-31.')
  return recurrence
}

/** A recurrence as it is stored, though it may have no date left. Throws invalid_request, unsupported_recurrence. */
export function readRecurrence(asked: RecurrenceChanged, due: Pick<TaskDate, 'date'>): Recurrence {
  if (asked.rrule === undefined) throw invalid('/recurrence/rrule', 'required', 'recurrence needs an rrule')
  const { rule, skip } = readRule(asked.rrule)
  const exdates = (asked.exdates ?? []).map((date, i) => readTaskDate(date, `/recurrence/exdates/${i}`))
  return {
    // What RFC 7529 adds to the rule is the member `skip` here.
    rrule: skip === undefined ? asked.rrule : writeRecurrenceRule(rule),
    mode: asked.mode ?? 'schedule',
    skip: skip ?? asked.skip ?? 'backward',
    anchor: readTaskDate(asked.anchor ?? due.date, '/recurrence/anchor'),
    exdates: [...new Set(exdates)].sort(),
  }
}

function readRule(rrule: string): ReadRule {
  try {
    return ruleOf(rrule)
  } catch (error) {
    if (!(error instanceof RuleError)) throw error
    if (error.code === 'invalid_recurrence') throw invalid('/recurrence/rrule', error.code, error.message)
    throw new ApiError('unsupported_recurrence', error.message)
  }
}

/** The series of dates of a recurrence, at the time of day of `due`. */
export function seriesOf(
  { rrule, skip, anchor, exdates }: Recurrence,
  due: Pick<TaskDate, 'time' | 'time_zone'>,
): Series {
  return {
    rule: ruleOf(rrule).rule,
    anchor: toDay(anchor),
    skip,
    exdates: exdates.length === 0 ? NO_DAYS : new Set(exdates.map(toDay)),
    time: due.time === null ? null : parseTimeOfDay(due.time),
    zone: due.time_zone,
  }
}

const NO_DAYS: ReadonlySet<number> = new Set()

export function recurrenceOf(
  row: Pick<TaskRow, 'rrule' | 'recurrence_mode' | 'recurrence_skip' | 'anchor' | 'exdates'>,
) {
  if (row.rrule === null) return null
  const recurrence: Recurrence = {
    rrule: row.rrule,
    mode: row.recurrence_mode ?? 'schedule',
    skip: row.recurrence_skip ?? 'backward',
    anchor: row.anchor ?? '',
    exdates: JSON.parse(row.exdates),
  }
  return recurrence
}

/** The rule with one occurrence less; null if there was but one. A rule without COUNT stays. */
export function countedDown(rrule: string): string | null {
  const { rule } = ruleOf(rrule)
  if (rule.count === null) return rrule
  const rest: RecurrenceRule = { ...rule, count: rule.count - 1 }
  return rest.count === 0 ? null : writeRecurrenceRule(rest)
}
