import type { Session } from '../../db/database'
import { Bindings } from '../../db/database'
import type { ResolvedFilter, ResolvedTerm } from './resolve'
import {
  buildClosedCondition,
  buildDateKeyCondition,
  buildNumberCondition,
  buildRangeCondition,
  getComparedDays,
  getDaysOfState,
  type OpenDayRange,
  selectValues,
  type TaskFilter,
  toGlobPattern,
  toInstantRange,
} from './store'
import type { PlainTerm } from './syntax'

/**
 * The choice between two ways to list tasks: a few candidates are fastest read by key, many are fastest read in the
 * order of the list. How many tasks a term matches cannot be guessed, so they are counted up to a limit, from an index.
 */

/** The most candidates that are read by key. */
const MAX_CANDIDATES = 2000
/** The most alternatives whose tasks are counted. */
const MAX_COUNTED_ALTERNATIVES = 6

/** The relative costs of finding the tasks of a term; a text opens the index of the search. */
const COST = { text: 2, date: 1, number: 1 } as const

/**
 * Returns at most `limit` keys of tasks outside the trash that include all tasks whose title or notes contain a text;
 * null if there are more, or if that is not known.
 */
export type FindByText = (session: Session, text: string, limit: number) => Promise<number[] | null>

/**
 * Returns a few keys that include those of all matching tasks outside the trash; null if there are many, or no index
 * helps. Some of the keys may be of tasks that do not match, or are in the trash.
 */
export async function findCandidates(
  session: Session,
  taskFilter: TaskFilter,
  findByText: FindByText,
): Promise<number[] | null> {
  const { db, workspace } = session
  if (taskFilter.filter === null) return null
  if (taskFilter.closed.length === 0) return []
  const alternatives = listAlternatives(taskFilter.filter, taskFilter).sort((a, b) => getCost(a) - getCost(b))
  for (const terms of alternatives.slice(0, MAX_COUNTED_ALTERNATIVES)) {
    const bind = new Bindings(workspace.id)
    const held = await findTextMatches(session, terms, findByText)
    if (!held) continue
    const selects = terms.map((term) => `SELECT * FROM (${selectKeys(term, taskFilter, bind, held)})`)
    const limit = bind.add(MAX_CANDIDATES + 1)
    const rows = await db.all<{ key: number }>(`${selects.join(' UNION ALL ')} LIMIT ${limit}`, bind.values)
    if (rows.length <= MAX_CANDIDATES) return rows.map(({ key }) => key)
  }
  return null
}

/** Returns the tasks that may contain each text among the terms; null if one text has too many. */
async function findTextMatches(
  session: Session,
  terms: readonly ResolvedTerm[],
  findByText: FindByText,
): Promise<TextMatches | null> {
  const held = new Map<ResolvedTerm, readonly number[]>()
  for (const term of terms) {
    if (term.kind !== 'text') continue
    const keys = await findByText(session, term.text, MAX_CANDIDATES)
    if (!keys) return null
    held.set(term, keys)
  }
  return held
}

type TextMatches = ReadonlyMap<ResolvedTerm, readonly number[]>

/** Lists alternatives: sets of terms with indexes, each of which alone includes all matching tasks. */
function listAlternatives(filter: ResolvedFilter, taskFilter: TaskFilter): ResolvedTerm[][] {
  if (filter.kind === 'not') return []
  if (filter.kind === 'and') return filter.parts.flatMap((part) => listAlternatives(part, taskFilter))
  if (filter.kind !== 'or') return selectKeys(filter, taskFilter, new Bindings()) === null ? [] : [[filter]]
  const cheapest = filter.parts.map(
    (part) => listAlternatives(part, taskFilter).sort((a, b) => getCost(a) - getCost(b))[0],
  )
  return cheapest.every((terms) => terms !== undefined) ? [cheapest.flat()] : []
}

function getCost(terms: readonly ResolvedTerm[]): number {
  return Math.max(...terms.map(({ kind }) => COST[kind as keyof typeof COST] ?? 0))
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
function selectKeys(
  term: ResolvedTerm,
  taskFilter: TaskFilter,
  bind: Bindings,
  held: TextMatches = new Map(),
): string | null {
  switch (term.kind) {
    case 'label':
      return `SELECT task AS key FROM task_label_uses WHERE label IN (${selectValues(term.keys, bind)})`
    case 'project':
    case 'section':
      return selectKeysByIndex(
        `tasks_by_${term.kind}`,
        `${term.kind}_id IN (${selectValues(term.ids, bind)}) AND ${buildClosedCondition(taskFilter.closed)}`,
      )
    case 'parent':
      return selectKeysByIndex('tasks_by_parent', `parent_id IN (${selectValues(term.ids, bind)})`)
    case 'task':
      return `SELECT key FROM tasks WHERE workspace = $1 AND id IN (${selectValues(term.ids, bind)})`
    case 'text':
      // The index of the search may not contain all of a text that has its own row in task_texts.
      return `SELECT value AS key FROM (${selectValues(held.get(term) ?? [], bind)})
        UNION ALL SELECT task FROM task_texts WHERE workspace = $1 AND text GLOB ${bind.add(toGlobPattern(term.text))}`
    case 'state':
      return selectKeysOfState(term.state, taskFilter, bind)
    case 'date':
      return selectKeysOfDate(term, taskFilter, bind)
    case 'number':
      return selectKeysOfNumber(term, taskFilter, bind)
    case 'has':
      return term.what === 'note' ? 'SELECT task AS key FROM task_note_uses WHERE workspace = $1' : null
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

function selectKeysOfDate(term: PlainTerm & { kind: 'date' }, taskFilter: TaskFilter, bind: Bindings): string | null {
  const days: OpenDayRange | null = getComparedDays(term, taskFilter)
  if (!days) return null
  if (term.field === 'due' || term.field === 'start')
    return selectKeysBySort(term.field, buildDateKeyCondition(term.field, days, bind), taskFilter)
  const column = `${term.field}_at`
  const range = buildRangeCondition(column, toInstantRange(days, taskFilter.time_zone), bind)
  if (term.field === 'completed') return selectKeysByIndex('tasks_by_completed', `completed_at IS NOT NULL ${range}`)
  return selectKeysBySort(term.field, `TRUE ${range}`, taskFilter)
}

function selectKeysOfNumber(
  term: PlainTerm & { kind: 'number' },
  taskFilter: TaskFilter,
  bind: Bindings,
): string | null {
  if (term.field === 'duration') return selectKeysByIndex('tasks_by_duration', buildNumberCondition(term, bind))
  // Tasks without a priority are many, and so are those that a comparison matches.
  const few = term.operator === '=' && term.value > 0
  return few ? selectKeysBySort('urgency', `urgency = ${bind.add(term.value)}`, taskFilter) : null
}

/** Returns SQL that reads the index of a sort, which contains only tasks outside the trash. */
function selectKeysBySort(sort: string, condition: string, { closed }: TaskFilter): string {
  return selectKeysByIndex(
    `tasks_by_${sort}`,
    `deleted_at IS NULL AND ${buildClosedCondition(closed)} AND ${condition}`,
  )
}

function selectKeysByIndex(index: string, condition: string): string {
  return `SELECT key FROM tasks INDEXED BY ${index} WHERE workspace = $1 AND ${condition}`
}
