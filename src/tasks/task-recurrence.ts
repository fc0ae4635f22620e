import { ApiError, invalid } from '../http/api-error'
import { toDay } from '../lib/civil/day'
import { firstOccurrence, type Series } from '../lib/recurrence/expand'
import { parseRule } from '../lib/recurrence/parse'
import type { ReadRule } from '../lib/recurrence/rule'
import { printRule, type RecurrenceRule, RuleError } from '../lib/recurrence/rule'
import type { Recurrence, RecurrenceChanged, TaskDate } from './schema'
import type { TaskRow } from './store'
import { parseTimeOfDay, readDateInRange } from './task-date'

/** The recurrence of a task: its `recurrence` member and its series of dates. */

/** The parsed rules: an agenda expands thousands of series, and most have equal rules. */
const ruleCache = new Map<string, ReadRule>()
const MAX_CACHED_RULES = 2000

/** Parses a rule, or returns the cached one. Throws RuleError. */
export function parseRuleCached(rrule: string): ReadRule {
  let parsed = ruleCache.get(rrule)
  if (!parsed) {
    parsed = parseRule(rrule)
    if (ruleCache.size >= MAX_CACHED_RULES) ruleCache.clear()
    ruleCache.set(rrule, parsed)
  }
  return parsed
}

/**
 * Returns the recurrence after a merge patch. The anchor defaults to the old one, or else to the due date.
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
  if (!patch) return old
  const recurrence = readOccurringRecurrence({ ...old, ...patch }, due)
  if (patch.skip !== undefined && patch.skip !== recurrence.skip)
    throw invalid('/recurrence/skip', 'differs_from_rule', 'skip must not differ from the SKIP of the rule')
  return recurrence
}

/** Reads a recurrence that has at least one date. Throws invalid_request, unsupported_recurrence and as below. */
function readOccurringRecurrence(input: RecurrenceChanged, due: TaskDate): Recurrence {
  const recurrence = readRecurrence(input, due)
  if (firstOccurrence(toSeries(recurrence, due)) === null)
    throw new ApiError('recurrence_never_occurs', 'The rule has no date between its anchor and 2200-12-31.')
  return recurrence
}

/** Reads a recurrence, without checking that it has any date. Throws invalid_request, unsupported_recurrence. */
export function readRecurrence(input: RecurrenceChanged, due: Pick<TaskDate, 'date'>): Recurrence {
  if (input.rrule === undefined) throw invalid('/recurrence/rrule', 'required', 'recurrence needs an rrule')
  const { rule, skip } = readInputRule(input.rrule)
  const exdates = (input.exdates ?? []).map((date, i) => readDateInRange(date, `/recurrence/exdates/${i}`))
  return {
    // SKIP, which RFC 7529 adds to rules, is stored as the member `skip`.
    rrule: skip === undefined ? input.rrule : printRule(rule),
    mode: input.mode ?? 'schedule',
    skip: skip ?? input.skip ?? 'backward',
    anchor: readDateInRange(input.anchor ?? due.date, '/recurrence/anchor'),
    exdates: [...new Set(exdates)].sort(),
  }
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

/** Returns the series of dates of a recurrence, at the time of day of `due`. */
export function toSeries(
  { rrule, skip, anchor, exdates }: Recurrence,
  due: Pick<TaskDate, 'time' | 'time_zone'>,
): Series {
  return {
    rule: parseRuleCached(rrule).rule,
    anchor: toDay(anchor),
    skip,
    exdates: exdates.length === 0 ? NO_DAYS : new Set(exdates.map(toDay)),
    time: due.time === null ? null : parseTimeOfDay(due.time),
    zone: due.time_zone,
  }
}

const NO_DAYS: ReadonlySet<number> = new Set()

/** Returns the `recurrence` member of a row; null if the task does not repeat. */
export function toRecurrence(
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

/** Returns the rule with COUNT lowered by one; null if COUNT was 1. A rule without COUNT stays as it is. */
export function decrementCount(rrule: string): string | null {
  const { rule } = parseRuleCached(rrule)
  if (rule.count === null) return rrule
  const rest: RecurrenceRule = { ...rule, count: rule.count - 1 }
  return rest.count === 0 ? null : printRule(rest)
}
