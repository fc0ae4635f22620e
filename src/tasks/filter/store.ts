import type { Bindings } from '../../db/database'
import { elementsIn } from '../../db/dialect'
import { fromDay, type TimeLanguage } from '../../lib/civil/day'
import { civilOf, clockTime, startOfDay } from '../../lib/civil/zone'
import type { ResolvedFilter, ResolvedTerm } from './resolve'
import { clampComparedDay, type DateField, type PlainTerm } from './syntax'

/**
 * Filters in SQL. No condition is ever NULL: a comparison with null is false, and its negation true. Days are those of
 * the reader's zone: a time in a zone falls on the day of its instant there; whole days and floating times keep their
 * date.
 */

/** The instant and the zone that a filter is evaluated in, and how its dates are read. */
export interface AsOf {
  /** Milliseconds since 1970. */
  readonly now: number
  /** A zone that isZone takes. */
  readonly time_zone: string
  /** Default: that of the workspace. English is read beside every other language. */
  readonly language?: TimeLanguage | null
  /** Default: null, so that `03/04` is not read. */
  readonly dateOrder?: 'dmy' | 'mdy' | null
}

/** Whether tasks of archived projects are left out (`false`), or all others (`true`), or none (`any`). */
export type Archived = 'true' | 'false' | 'any'

export interface TaskFilter extends AsOf {
  /** As it was written; null matches every task. */
  readonly text: string | null
  readonly filter: ResolvedFilter | null
  /** The values of `closed` that are shown; empty if nothing can match. */
  readonly closed: readonly (0 | 1)[]
  readonly archived: Archived
}

/** A range of days since 1970: `from` is included, `to` is not; null is unbounded. */
export interface OpenDayRange {
  readonly from: number | null
  readonly to: number | null
}

/** The most days between the dates of one instant in two zones: the outermost zones are 26 hours apart. */
const MAX_ZONE_GAP_DAYS = 2

const STATES = {
  // Tasks without a date have the key `~`, after all dates: the end of an index that a list may be read from.
  undated: "tasks.due_key = '~'",
  recurring: 'tasks.rrule IS NOT NULL',
  blocked: 'tasks.blockers > 0',
  blocking: 'tasks.held_up > 0',
  subtask: 'tasks.parent_id IS NOT NULL',
  inbox: 'tasks.project_id IS NULL',
  open: "tasks.status = 'open'",
  in_progress: "tasks.status = 'in_progress'",
  done: "tasks.status = 'done'",
  cancelled: "tasks.status = 'cancelled'",
} as const

const HAS = {
  notes: "tasks.notes <> ''",
  due: 'tasks.due_date IS NOT NULL',
  start: 'tasks.start_date IS NOT NULL',
  reminder: "tasks.reminders <> '[]'",
  duration: 'tasks.duration_minutes IS NOT NULL',
  label: "tasks.labels <> '[]'",
  note: "tasks.note_ids <> '[]'",
} as const

const NUMBERS = { priority: 'tasks.priority', duration: 'tasks.duration_minutes' } as const

/** Never NULL; `$1` is the workspace. The archived projects are read once for a statement, not once for a task. */
const OUTSIDE_ARCHIVED = `(tasks.project_id IS NULL OR tasks.project_id NOT IN
  (SELECT id FROM task_projects WHERE workspace = $1 AND archived_at IS NOT NULL))`

/** The conditions for each `archived`, each beginning with AND; see Archived. */
export const WHERE_ARCHIVED = {
  false: `AND ${OUTSIDE_ARCHIVED}`,
  true: `AND NOT ${OUTSIDE_ARCHIVED}`,
  any: '',
} as const

/** Builds the conditions of a filter on `tasks`, each beginning with AND. `$1` of the statement is the workspace. */
export function buildTaskFilterConditions(taskFilter: TaskFilter, bind: Bindings): string {
  const closed = taskFilter.closed.length === 2 ? '' : `AND ${buildClosedCondition(taskFilter.closed)}`
  const shown = `${closed} ${WHERE_ARCHIVED[taskFilter.archived]}`
  return taskFilter.filter === null ? shown : `${shown} AND ${buildMatchCondition(taskFilter.filter, taskFilter, bind)}`
}

/** Builds the condition that `closed` is one of these values. */
export function buildClosedCondition(closed: readonly (0 | 1)[]): string {
  const [only] = closed
  if (only === undefined) return 'FALSE'
  return closed.length === 2 ? 'tasks.closed IN (0, 1)' : `tasks.closed = ${only}`
}

/** Builds the condition of a filter without its restriction to open tasks. */
function buildMatchCondition(filter: ResolvedFilter, asOf: AsOf, bind: Bindings): string {
  if (filter.kind === 'not') return `NOT ${buildMatchCondition(filter.part, asOf, bind)}`
  if (filter.kind !== 'and' && filter.kind !== 'or') return `(${buildTermCondition(filter, asOf, bind)})`
  const parts = filter.parts.map((part) => buildMatchCondition(part, asOf, bind))
  return `(${parts.join(filter.kind === 'and' ? ' AND ' : ' OR ')})`
}

function buildTermCondition(term: ResolvedTerm, asOf: AsOf, bind: Bindings): string {
  switch (term.kind) {
    case 'state':
      return buildStateCondition(term.state, asOf, bind)
    case 'has':
      return HAS[term.what]
    case 'text':
      return `tasks.key IN (${selectValues(term.keys, bind, 'bigint')})`
    case 'date':
      return buildDateCondition(term, asOf, bind)
    case 'number':
      return buildNumberCondition(term, bind)
    case 'label':
      // Looked up for each task: lists read the tasks in steps, and each would make the whole list of a label.
      return `EXISTS (SELECT 1 FROM task_label_uses WHERE label IN (${selectValues(term.keys, bind, 'bigint')}) AND task = tasks.key)`
    case 'task':
      return `tasks.id IN (${selectValues(term.ids, bind)})`
    case 'section': {
      // An index of a sort has the project, but not the section: the row of a task in another project is not read.
      const ids = selectValues(term.ids, bind)
      return `tasks.section_id IS NOT NULL AND tasks.section_id IN (${ids}) AND tasks.project_id IN
        (SELECT project_id FROM task_sections WHERE workspace = $1 AND id IN (${ids}))`
    }
    default:
      return `tasks.${term.kind}_id IS NOT NULL AND tasks.${term.kind}_id IN (${selectValues(term.ids, bind)})`
  }
}

export function selectValues(values: readonly (string | number)[], bind: Bindings, type = 'text'): string {
  return `SELECT CAST(value AS ${type}) AS value FROM ${elementsIn(bind.add(JSON.stringify(values)))} AS given`
}

function buildStateCondition(state: (PlainTerm & { kind: 'state' })['state'], asOf: AsOf, bind: Bindings): string {
  if (state === 'overdue') return buildOverdueCondition(asOf, bind)
  if (state === 'today' || state === 'tomorrow')
    return buildDayRangeCondition('due', getDaysOfState(state, asOf), asOf, bind)
  return STATES[state]
}

/** Returns the days on which tasks with a state are due. */
export function getDaysOfState(state: 'today' | 'tomorrow' | 'overdue', { now, time_zone }: AsOf): OpenDayRange {
  const today = civilOf(now, time_zone).day
  if (state === 'overdue') return { from: null, to: clampComparedDay(today) + 1 }
  const day = clampComparedDay(state === 'today' ? today : today + 1)
  return { from: day, to: day + 1 }
}

/** The condition that an open task's instant is past, or else its time in the reader's zone, or its whole day. */
function buildOverdueCondition(asOf: AsOf, bind: Bindings): string {
  const { now, time_zone } = asOf
  const today = clampComparedDay(civilOf(now, time_zone).day)
  // A time of day is past once the clock shows more than it, so the current minute is rounded up.
  const { day: clockDay, minutes } = civilOf(Math.ceil(now / 60_000) * 60_000, time_zone)
  return `tasks.closed = 0 AND ${buildDateKeyCondition('due', getDaysOfState('overdue', asOf), bind, NO_INDEX)} AND CASE
    WHEN tasks.due_at IS NOT NULL THEN tasks.due_at < ${bind.add(now)}
    WHEN tasks.due_time IS NOT NULL THEN tasks.due_key < ${bind.add(`${fromDay(clampComparedDay(clockDay))}T${clockTime(minutes)}`)}
    ELSE tasks.due_date < ${bind.add(fromDay(today))} END`
}

export function buildNumberCondition(
  { field, operator, value }: PlainTerm & { kind: 'number' },
  bind: Bindings,
): string {
  return `${NUMBERS[field]} IS NOT NULL AND ${NUMBERS[field]} ${operator === '!=' ? '<>' : operator} ${bind.add(value)}`
}

function buildDateCondition(term: PlainTerm & { kind: 'date' }, asOf: AsOf, bind: Bindings): string {
  const { day } = term
  const days = getComparedDays(term)
  if (days) return buildDayRangeCondition(term.field, days, asOf, bind)
  const column = term.field === 'due' || term.field === 'start' ? `${term.field}_date` : `${term.field}_at`
  return `tasks.${column} IS NOT NULL AND NOT (${buildDayRangeCondition(term.field, { from: day, to: day + 1 }, asOf, bind)})`
}

/** Returns the days that a comparison matches; null if they are not one range (`!=`). */
export function getComparedDays({ operator, day }: PlainTerm & { kind: 'date' }): OpenDayRange | null {
  switch (operator) {
    case '<':
      return { from: null, to: day }
    case '<=':
      return { from: null, to: day + 1 }
    case '>=':
      return { from: day, to: null }
    case '>':
      return { from: day + 1, to: null }
    case '=':
      return { from: day, to: day + 1 }
    default:
      return null
  }
}

function buildDayRangeCondition(field: DateField, days: OpenDayRange, { time_zone }: AsOf, bind: Bindings): string {
  const instants = { from: toDayStart(days.from, time_zone), to: toDayStart(days.to, time_zone) }
  if (field !== 'due' && field !== 'start')
    return `tasks.${field}_at IS NOT NULL ${buildRangeCondition(`${NO_INDEX}tasks.${field}_at`, instants, bind)}`
  const dates = { from: toDate(days.from), to: toDate(days.to) }
  return `${buildDateKeyCondition(field, days, bind, NO_INDEX)} AND CASE
    WHEN tasks.${field}_at IS NULL THEN TRUE ${buildRangeCondition(`tasks.${field}_date`, dates, bind)}
    ELSE TRUE ${buildRangeCondition(`tasks.${field}_at`, instants, bind)} END`
}

/**
 * Put before a column, it keeps SQLite from reading an index by it. A list reads the index of its sort in steps, and
 * SQLite would bound the steps by the days of the filter instead.
 */
const NO_INDEX = '+'

/** Builds the index range of tasks that are due, or start, on some days in any zone. Excludes tasks without a date. */
export function buildDateKeyCondition(
  field: 'due' | 'start',
  { from, to }: OpenDayRange,
  bind: Bindings,
  sign = '',
): string {
  return `TRUE ${buildRangeCondition(`${sign}tasks.${field}_key`, getDateKeyRange({ from, to }), bind)}`
}

/** Returns the range of the column that a list is sorted by, for the days of its field; `to` is not included. */
export function getSortKeyRange(
  field: DateField,
  { from, to }: OpenDayRange,
  { time_zone }: AsOf,
): { from: string | number | null; to: string | number | null } {
  return field === 'due' || field === 'start' ? getDateKeyRange({ from, to }) : toInstantRange({ from, to }, time_zone)
}

/** Returns the range of `due_key` or `start_key` on some days in any zone. Excludes tasks without a date. */
function getDateKeyRange({ from, to }: OpenDayRange): { from: string | null; to: string } {
  return {
    from: from === null ? null : fromDay(from - MAX_ZONE_GAP_DAYS),
    to: to === null ? '~' : fromDay(to + MAX_ZONE_GAP_DAYS),
  }
}

export function toInstantRange(
  { from, to }: OpenDayRange,
  time_zone: string,
): { from: number | null; to: number | null } {
  return { from: toDayStart(from, time_zone), to: toDayStart(to, time_zone) }
}

function toDayStart(day: number | null, time_zone: string): number | null {
  return day === null ? null : startOfDay(day, time_zone)
}

function toDate(day: number | null): string | null {
  return day === null ? null : fromDay(day)
}

/** Builds the bounds of a column, each beginning with AND: `from` is included, `to` is not. */
export function buildRangeCondition(
  column: string,
  { from, to }: { readonly from: string | number | null; readonly to: string | number | null },
  bind: Bindings,
): string {
  const first = from === null ? '' : `AND ${column} >= ${bind.add(from)}`
  return to === null ? first : `${first} AND ${column} < ${bind.add(to)}`
}
