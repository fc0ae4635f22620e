import type { Session } from '../../db/database'
import { Bindings } from '../../db/database'
import type { ResolvedFilter, ResolvedTerm } from './resolve'
import {
  closedIn,
  comparedDays,
  daysOfState,
  dueBetween,
  globPattern,
  instantsOf,
  listValues,
  numberCondition,
  type OpenDayRange,
  rangeCondition,
  type TaskFilter,
} from './store'
import type { PlainTerm } from './syntax'

/**
 * Few tasks are quicker looked at one by one than found in the order of a list, and many the other way. How many a term
 * means cannot be guessed, so they are counted, up to a bound: that costs no more than reading so many entries of an index.
 */

/** So many tasks are few. */
const FEW = 2000
/** How many terms are counted at most. */
const PROBES = 6

/** How much it costs to ask for a term's tasks: for those of a text the index of search is opened. */
const COST = { text: 2, date: 1, number: 1 } as const

/**
 * Gives the keys of at most `limit` living tasks among which are all whose title or notes hold a text; null if there are
 * more, or if that is not known.
 */
export type MayHold = (session: Session, text: string, limit: number) => Promise<number[] | null>

/**
 * The keys of few living tasks among which are all that match; null if there are many, or no index tells. Some of them
 * may not match, or lie in the trash.
 */
export async function candidates(session: Session, asked: TaskFilter, mayHold: MayHold): Promise<number[] | null> {
  const { db, workspace } = session
  if (asked.filter === null) return null
  if (asked.closed.length === 0) return []
  const alternatives = unions(asked.filter, asked).sort((a, b) => costOf(a) - costOf(b))
  for (const terms of alternatives.slice(0, PROBES)) {
    const bind = new Bindings(workspace.id)
    const held = await textsOf(session, terms, mayHold)
    if (!held) continue
    const selects = terms.map((term) => `SELECT * FROM (${keysOf(term, asked, bind, held)})`)
    const limit = bind.add(FEW + 1)
    const rows = await db.all<{ key: number }>(`${selects.join(' UNION ALL ')} LIMIT ${limit}`, bind.values)
    if (rows.length <= FEW) return rows.map(({ key }) => key)
  }
  return null
}

/** For each text among the terms the tasks that may hold it; null if those of one are many. */
async function textsOf(session: Session, terms: readonly ResolvedTerm[], mayHold: MayHold): Promise<Held | null> {
  const held = new Map<ResolvedTerm, readonly number[]>()
  for (const term of terms) {
    if (term.kind !== 'text') continue
    const keys = await mayHold(session, term.text, FEW)
    if (!keys) return null
    held.set(term, keys)
  }
  return held
}

type Held = ReadonlyMap<ResolvedTerm, readonly number[]>

/** Sets of terms of which an index tells; each alone means all tasks that match. */
function unions(filter: ResolvedFilter, asked: TaskFilter): ResolvedTerm[][] {
  if (filter.kind === 'not') return []
  if (filter.kind === 'and') return filter.parts.flatMap((part) => unions(part, asked))
  if (filter.kind !== 'or') return keysOf(filter, asked, new Bindings()) === null ? [] : [[filter]]
  const cheapest = filter.parts.map((part) => unions(part, asked).sort((a, b) => costOf(a) - costOf(b))[0])
  return cheapest.every((terms) => terms !== undefined) ? [cheapest.flat()] : []
}

function costOf(terms: readonly ResolvedTerm[]): number {
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

/** The keys of a term's tasks and perhaps of others, in SQL that reads nothing but an index; null if there is none. */
function keysOf(term: ResolvedTerm, asked: TaskFilter, bind: Bindings, held: Held = new Map()): string | null {
  switch (term.kind) {
    case 'label':
      return `SELECT task AS key FROM task_label_uses WHERE label IN (${listValues(term.keys, bind)})`
    case 'project':
    case 'section':
      return keysBy(
        `tasks_by_${term.kind}`,
        `${term.kind}_id IN (${listValues(term.ids, bind)}) AND ${closedIn(asked.closed)}`,
      )
    case 'text':
      // The index of search may know less of a text that is stored beside its task.
      return `SELECT value AS key FROM (${listValues(held.get(term) ?? [], bind)})
        UNION ALL SELECT task FROM task_texts WHERE workspace = $1 AND text GLOB ${bind.add(globPattern(term.text))}`
    case 'state':
      return keysOfState(term.state, asked, bind)
    case 'date':
      return keysOfDate(term, asked, bind)
    case 'number':
      return keysOfNumber(term, asked, bind)
    case 'has':
      return term.what === 'note' ? 'SELECT task AS key FROM task_note_uses WHERE workspace = $1' : null
    default:
      return null
  }
}

function keysOfState(
  state: (PlainTerm & { kind: 'state' })['state'],
  asked: TaskFilter,
  bind: Bindings,
): string | null {
  if (state === 'today' || state === 'tomorrow' || state === 'overdue')
    return keysSorted('due', dueBetween('due', daysOfState(state, asked), bind), asked)
  if (state === 'undated') return keysSorted('due', "due_key = '~'", asked)
  // The index of what repeats leaves out what is closed.
  if (state === 'recurring' && asked.closed.includes(1)) return null
  const [index, condition] = state in STATES ? STATES[state as keyof typeof STATES] : []
  return index === undefined ? null : keysBy(index, condition)
}

function keysOfDate(term: PlainTerm & { kind: 'date' }, asked: TaskFilter, bind: Bindings): string | null {
  const days: OpenDayRange | null = comparedDays(term, asked)
  if (!days) return null
  if (term.field === 'due' || term.field === 'start')
    return keysSorted(term.field, dueBetween(term.field, days, bind), asked)
  const column = `${term.field}_at`
  const range = rangeCondition(column, instantsOf(days, asked.time_zone), bind)
  if (term.field === 'completed') return keysBy('tasks_by_completed', `completed_at IS NOT NULL ${range}`)
  return keysSorted(term.field, `TRUE ${range}`, asked)
}

function keysOfNumber(term: PlainTerm & { kind: 'number' }, asked: TaskFilter, bind: Bindings): string | null {
  if (term.field === 'duration') return keysBy('tasks_by_duration', numberCondition(term, bind))
  // Those without a priority are many, and so is what a comparison means.
  const few = term.operator === '=' && term.value > 0
  return few ? keysSorted('urgency', `urgency = ${bind.add(term.value)}`, asked) : null
}

/** From the index of a sort, which holds living tasks alone. */
function keysSorted(sort: string, condition: string, { closed }: TaskFilter): string {
  return keysBy(`tasks_by_${sort}`, `deleted_at IS NULL AND ${closedIn(closed)} AND ${condition}`)
}

function keysBy(index: string, condition: string): string {
  return `SELECT key FROM tasks INDEXED BY ${index} WHERE workspace = $1 AND ${condition}`
}
