import { Bindings, type Session } from '../../db/database'
import { byIndex } from '../../db/dialect'
import { getPossibleStatuses, moveNegations, type ResolvedFilter, type ResolvedTerm } from './resolve'
import {
  type AsOf,
  buildClosedCondition,
  buildDateKeyCondition,
  buildNumberCondition,
  buildRangeCondition,
  getComparedDays,
  getDaysOfState,
  getSortKeyRange,
  type OpenDayRange,
  selectValues,
  type TaskFilter,
  toInstantRange,
  WHERE_ARCHIVED,
} from './store'
import { DATE_FIELDS, type DateField, type PlainTerm } from './syntax'

/**
 * The choice between two ways to list tasks: a few candidates are fastest read by key, many are fastest read in the
 * order of the list. How many tasks a term matches cannot be guessed, so they are counted up to a limit, from an index.
 */

/** The most candidates that are read by key. */
const MAX_CANDIDATES = 2000
/** Candidates that are so few that no other alternative is tried: the first count of each stops here. */
const FEW_CANDIDATES = 64
const MAX_COUNTED_ALTERNATIVES = 6

/**
 * Returns a few keys that include those of all matching tasks outside the trash; null if there are many, or no index
 * helps. Some of the keys may be of tasks that do not match, or are in the trash.
 */
export async function findCandidates(session: Session, taskFilter: TaskFilter): Promise<number[] | null> {
  if (taskFilter.filter === null) return null
  if (taskFilter.closed.length === 0) return []
  const alternatives = listAllAlternatives(taskFilter.filter, taskFilter).sort((a, b) => getCost(a) - getCost(b))
  for (const terms of alternatives) {
    const keys = await listKeys(session, terms, taskFilter, FEW_CANDIDATES)
    if (keys) return keys
  }
  for (const terms of alternatives.slice(0, MAX_COUNTED_ALTERNATIVES)) {
    const keys = await listKeys(session, terms, taskFilter, MAX_CANDIDATES)
    if (keys) return keys
  }
  return null
}

/** Lists the keys of the tasks of any of the terms; null if there are more than `limit`. */
async function listKeys(
  { db, workspace }: Session,
  terms: Alternative,
  taskFilter: TaskFilter,
  limit: number,
): Promise<number[] | null> {
  const bind = new Bindings(workspace.id)
  const selects = terms.map((term) => `SELECT * FROM (${selectKeys(term, taskFilter, bind)}) AS found`)
  const rows = await db.all<{ key: number }>(`${selects.join(' UNION ALL ')} LIMIT ${bind.add(limit + 1)}`, bind.values)
  return rows.length <= limit ? rows.map(({ key }) => key) : null
}

/** A term, its negation, or what several terms say together of a date or of the priority. */
type Literal =
  | ResolvedTerm
  | { readonly kind: 'not'; readonly part: ResolvedTerm }
  | { readonly kind: 'days'; readonly field: DateField; readonly days: OpenDayRange }
  | { readonly kind: 'urgency'; readonly values: readonly number[] }

/** Terms with indexes, whose tasks together include all matching tasks. */
type Alternative = readonly Literal[]

function listAllAlternatives(filter: ResolvedFilter, taskFilter: TaskFilter): Alternative[] {
  const alternatives = listAlternatives(moveNegations(filter), taskFilter)
  const states = getPossibleStatuses(filter).map((state): Literal => ({ kind: 'state', state }))
  if (states.every((term) => hasIndex(term, taskFilter))) alternatives.unshift(states)
  for (const field of DATE_FIELDS) {
    const days = getDayRange(filter, field, taskFilter)
    if (days) alternatives.push([{ kind: 'days', field, days }])
  }
  const values = getUrgencies(filter)
  if (values.length < MAX_URGENCIES) alternatives.push([{ kind: 'urgency', values }])
  return alternatives
}

/** With as many of the five urgencies, or more, the tasks are not counted. */
const MAX_URGENCIES = 5

/** @param filter in which only terms are negated */
function listAlternatives(filter: ResolvedFilter, taskFilter: TaskFilter): Alternative[] {
  if (filter.kind === 'and') return filter.parts.flatMap((part) => listAlternatives(part, taskFilter))
  if (filter.kind !== 'or') return hasIndex(filter as Literal, taskFilter) ? [[filter as Literal]] : []
  const cheapest = filter.parts.map(
    (part) => listAlternatives(part, taskFilter).sort((a, b) => getCost(a) - getCost(b))[0],
  )
  return cheapest.every((terms) => terms !== undefined) ? [cheapest.flat()] : []
}

function hasIndex(term: Literal, taskFilter: TaskFilter): boolean {
  return selectKeys(term, taskFilter, new Bindings()) !== null
}

/** Returns the relative cost of finding the tasks of an alternative. */
function getCost(terms: Alternative): number {
  return terms.some(({ kind }) => kind === 'date' || kind === 'number') ? 1 : 0
}

const STATES = {
  recurring: ['tasks_repeating', 'rrule IS NOT NULL AND deleted_at IS NULL AND closed = 0'],
  blocked: ['tasks_blocked', 'blockers > 0'],
  blocking: ['tasks_blocking', 'held_up > 0'],
  subtask: ['tasks_by_parent', 'parent_id IS NOT NULL'],
  cancelled: ['tasks_cancelled', "status = 'cancelled'"],
  in_progress: ['tasks_in_progress', "status = 'in_progress'"],
} as const

/** Returns SQL that selects the keys of a term's tasks, and maybe others, from an index; null if no index helps. */
function selectKeys(term: Literal, taskFilter: TaskFilter, bind: Bindings): string | null {
  switch (term.kind) {
    case 'not':
      return selectKeysOfNegation(term.part, taskFilter, bind)
    case 'label':
      return `SELECT task AS key FROM task_label_uses WHERE label IN (${selectValues(term.keys, bind, 'bigint')})`
    case 'project':
    case 'section': {
      // Which projects are archived is in the index of projects: none of the tasks of one may be wanted.
      const archived = term.kind === 'project' ? WHERE_ARCHIVED[taskFilter.archived] : ''
      return selectKeysByIndex(
        `tasks_by_${term.kind}`,
        `${term.kind}_id IN (${selectValues(term.ids, bind)}) AND ${buildClosedCondition(taskFilter.closed)} ${archived}`,
      )
    }
    case 'parent':
      return selectKeysByIndex('tasks_by_parent', `parent_id IN (${selectValues(term.ids, bind)})`)
    case 'task':
      return `SELECT key FROM tasks WHERE workspace = $1 AND id IN (${selectValues(term.ids, bind)})`
    case 'text':
      return `SELECT value AS key FROM (${selectValues(term.keys, bind, 'bigint')}) AS held`
    case 'state':
      return selectKeysOfState(term.state, taskFilter, bind)
    case 'date':
      return selectKeysOfDays(term.field, getComparedDays(term) ?? ANY_DAY, taskFilter, bind)
    case 'days':
      return selectKeysOfDays(term.field, term.days, taskFilter, bind)
    case 'urgency':
      return selectKeysBySort('urgency', `urgency IN (${selectValues(term.values, bind, 'bigint')})`, taskFilter)
    case 'number':
      return selectKeysOfNumber(term, taskFilter, bind)
    case 'has':
      return selectKeysOfMember(term.what, taskFilter)
    default:
      return null
  }
}

function selectKeysOfState(
  state: (PlainTerm & { kind: 'state' })['state'],
  taskFilter: TaskFilter,
  bind: Bindings,
): string | null {
  if (state === 'today' || state === 'tomorrow' || state === 'overdue')
    return selectKeysBySort('due', buildDateKeyCondition('due', getDaysOfState(state, taskFilter), bind), taskFilter)
  if (state === 'undated') return selectKeysBySort('due', "due_key = '~'", taskFilter)
  // The index of recurring tasks contains only open ones.
  if (state === 'recurring' && taskFilter.closed.includes(1)) return null
  const [index, condition] = state in STATES ? STATES[state as keyof typeof STATES] : []
  return index === undefined ? null : selectKeysByIndex(index, condition)
}

function selectKeysOfMember(what: (PlainTerm & { kind: 'has' })['what'], taskFilter: TaskFilter): string | null {
  switch (what) {
    case 'note':
      return 'SELECT task AS key FROM task_note_uses WHERE workspace = $1'
    case 'label':
      return `SELECT task AS key FROM task_labels CROSS JOIN task_label_uses ON label = task_labels.key
        WHERE task_labels.workspace = $1`
    case 'due':
    case 'start':
      return selectKeysBySort(what, `${what}_key < '~'`, taskFilter)
    case 'duration':
      return selectKeysByIndex('tasks_by_duration', 'duration_minutes IS NOT NULL')
    case 'reminder':
      // Its index contains only open tasks.
      return taskFilter.closed.includes(1)
        ? null
        : selectKeysByIndex('tasks_reminding', "reminders <> '[]' AND deleted_at IS NULL AND closed = 0")
    case 'notes':
      return selectKeysByIndex('tasks_with_notes', "notes <> ''")
  }
}

/** Returns SQL that selects the keys of the tasks that a term does not match, and maybe others; null if no index helps. */
function selectKeysOfNegation(term: ResolvedTerm, taskFilter: TaskFilter, bind: Bindings): string | null {
  if (term.kind === 'state' && term.state === 'inbox')
    return selectKeysByIndex('tasks_by_project', 'project_id IS NOT NULL')
  if (term.kind === 'state' && term.state === 'undated') return selectKeysOfMember('due', taskFilter)
  if (term.kind === 'has' && (term.what === 'due' || term.what === 'start'))
    return selectKeysBySort(term.what, `${term.what}_key = '~'`, taskFilter)
  if (term.kind === 'number' && term.field === 'priority')
    return selectKeysOfNumber({ ...term, operator: OPPOSITES[term.operator] }, taskFilter, bind)
  if (term.kind !== 'date' || term.field === 'completed') return null
  const days = getComparedDays({ ...term, operator: OPPOSITES[term.operator] }) ?? ANY_DAY
  const matching = selectKeysOfDays(term.field, days, taskFilter, bind)
  if (matching === null || (term.field !== 'due' && term.field !== 'start')) return matching
  return `${matching} UNION ALL ${selectKeysBySort(term.field, `${term.field}_key = '~'`, taskFilter)}`
}

/** The comparison that is true where another is false, of values that are not null. */
const OPPOSITES = { '<': '>=', '<=': '>', '=': '!=', '!=': '=', '>=': '<', '>': '<=' } as const

function selectKeysOfDays(field: DateField, days: OpenDayRange, taskFilter: TaskFilter, bind: Bindings): string | null {
  if (field === 'due' || field === 'start')
    return selectKeysBySort(field, buildDateKeyCondition(field, days, bind), taskFilter)
  const column = `${field}_at`
  const range = buildRangeCondition(column, toInstantRange(days, taskFilter.time_zone), bind)
  if (field === 'completed') return selectKeysByIndex('tasks_by_completed', `completed_at IS NOT NULL ${range}`)
  return selectKeysBySort(field, `TRUE ${range}`, taskFilter)
}

const ANY_DAY: OpenDayRange = { from: null, to: null }

function selectKeysOfNumber(term: PlainTerm & { kind: 'number' }, taskFilter: TaskFilter, bind: Bindings): string {
  if (term.field === 'duration') return selectKeysByIndex('tasks_by_duration', buildNumberCondition(term, bind))
  return selectKeysBySort('urgency', `urgency IN (${selectValues(getUrgencies(term), bind, 'bigint')})`, taskFilter)
}

/** Returns SQL that reads the index of a sort, which contains only tasks outside the trash. */
function selectKeysBySort(sort: string, condition: string, { closed }: TaskFilter): string {
  return selectKeysByIndex(
    `tasks_by_${sort}`,
    `deleted_at IS NULL AND ${buildClosedCondition(closed)} AND ${condition}`,
  )
}

function selectKeysByIndex(index: string, condition: string): string {
  return `SELECT key FROM tasks ${byIndex(index)} WHERE workspace = $1 AND ${condition}`
}

/** Lists the parts that are true of every matching task: together they bound a column, as `due >= mon & due < fri`. */
function listConjuncts(filter: ResolvedFilter): readonly ResolvedFilter[] {
  const moved = moveNegations(filter)
  const list = (part: ResolvedFilter): readonly ResolvedFilter[] =>
    part.kind === 'and' ? part.parts.flatMap(list) : [part]
  return list(moved)
}

/** Returns the days on which a date of all matching tasks is, in the zone of `asOf`; null if no term restricts them. */
function getDayRange(filter: ResolvedFilter, field: DateField, asOf: AsOf): OpenDayRange | null {
  const ranges = listConjuncts(filter).flatMap((part) => getDaysOfTerm(part, field, asOf) ?? [])
  const bounds = (key: 'from' | 'to') => ranges.flatMap(({ [key]: day }) => day ?? [])
  const [froms, tos] = [bounds('from'), bounds('to')]
  if (ranges.length === 0) return null
  return {
    from: froms.length > 0 ? Math.max(...froms) : null,
    to: tos.length > 0 ? Math.min(...tos) : null,
  }
}

/** Returns the sort keys between which a date of all matching tasks is; null if no term restricts them. */
export function getSortKeysOf(
  filter: ResolvedFilter,
  field: DateField,
  asOf: AsOf,
): ReturnType<typeof getSortKeyRange> | null {
  const days = getDayRange(filter, field, asOf)
  if (days) return getSortKeyRange(field, days, asOf)
  const isUndated = (part: ResolvedFilter) =>
    part.kind === 'not'
      ? part.part.kind === 'has' && part.part.what === field
      : part.kind === 'state' && part.state === 'undated' && field === 'due'
  return listConjuncts(filter).some(isUndated) ? { from: '~', to: null } : null
}

function getDaysOfTerm(part: ResolvedFilter, field: DateField, asOf: AsOf): OpenDayRange | null {
  if (part.kind === 'date' && part.field === field) return getComparedDays(part)
  if (part.kind !== 'state' || field !== 'due') return null
  const { state } = part
  return state === 'today' || state === 'tomorrow' || state === 'overdue' ? getDaysOfState(state, asOf) : null
}

/** All priorities, in the order of their urgency. */
const PRIORITIES = [1, 2, 3, 4, 0]

function getUrgencies(filter: ResolvedFilter): number[] {
  const terms = listConjuncts(filter)
  return PRIORITIES.flatMap((priority, i) => (terms.every((part) => allowsPriority(part, priority)) ? [i + 1] : []))
}

function allowsPriority(part: ResolvedFilter, priority: number): boolean {
  if (part.kind === 'not') return !isPriorityTerm(part.part) || !isCompared(priority, part.part)
  return !isPriorityTerm(part) || isCompared(priority, part)
}

type NumberTerm = PlainTerm & { kind: 'number' }

function isPriorityTerm(part: ResolvedFilter | ResolvedTerm): part is NumberTerm {
  return part.kind === 'number' && part.field === 'priority'
}

function isCompared(one: number, { operator, value }: NumberTerm): boolean {
  const isEqual = one === value
  if (operator === '=' || operator === '!=') return isEqual === (operator === '=')
  return (isEqual && operator.length === 2) || (operator.startsWith('<') ? one < value : one > value)
}
