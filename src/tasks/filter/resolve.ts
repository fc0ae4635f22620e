import { titleKey } from '../../lib/text'
import type { GroupMatch, GroupNames } from './names-store'
import { type Filter, FilterError, type Formula, type NameTerm, type PlainTerm } from './syntax'

/**
 * A term ready for SQL: names are replaced by ids or keys, and a text by the keys of the tasks that hold its words.
 * Several sections can share a name. `task` and `parent` have no word: only parameters of a list name tasks.
 */
export type ResolvedTerm =
  | Exclude<PlainTerm, { kind: 'text' }>
  | { readonly kind: 'project' | 'section' | 'task' | 'parent'; readonly ids: readonly string[] }
  | { readonly kind: 'label' | 'text'; readonly keys: readonly number[] }

export type ResolvedFilter = Formula<ResolvedTerm>

function listTerms<Term extends { readonly kind: string }>(filter: Formula<Term>): Term[] {
  if ('parts' in filter) return filter.parts.flatMap((part) => listTerms(part))
  return 'part' in filter ? listTerms(filter.part) : [filter]
}

export function collectNames(filter: Filter): GroupNames {
  const names: Record<keyof GroupNames, string[]> = { project: [], section: [], label: [] }
  for (const term of listTerms(filter)) if (isName(term)) names[term.kind].push(titleKey(term.name))
  return names
}

/** Lists the texts of a filter, each once. */
export function listTexts(filter: Filter): ReadonlySet<string> {
  return new Set(listTerms(filter).flatMap((term) => (term.kind === 'text' ? term.text : [])))
}

/** The tasks that hold the words of each text of a filter. */
type TextMatches = ReadonlyMap<string, readonly number[]>

/** Replaces names by ids or keys, and texts by keys. Throws FilterError at the first unknown name. */
export function resolveFilter(filter: Filter, found: readonly GroupMatch[], held: TextMatches): ResolvedFilter {
  if (filter.kind === 'and' || filter.kind === 'or')
    return { kind: filter.kind, parts: filter.parts.map((part) => resolveFilter(part, found, held)) }
  if (filter.kind === 'not') {
    const part = resolveFilter(filter.part, found, held)
    // There is an index for undated tasks, but none for negations.
    return part.kind === 'has' && part.what === 'due' ? { kind: 'state', state: 'undated' } : { kind: 'not', part }
  }
  if (isName(filter)) return resolveName(filter, found)
  return filter.kind === 'text' ? { kind: 'text', keys: held.get(filter.text) ?? [] } : filter
}

function resolveName(term: NameTerm, found: readonly GroupMatch[]): ResolvedTerm {
  const key = titleKey(term.name)
  const rows = found.filter(({ kind, name_key }) => kind === term.kind && name_key === key)
  if (rows.length === 0)
    throw new FilterError(term, `unknown_${term.kind}`, `there is no ${term.kind} named ${term.name}`)
  if (term.kind === 'label') return { kind: 'label', keys: rows.map((row) => row.key) }
  return { kind: term.kind, ids: rows.map((row) => row.id) }
}

function isName(term: PlainTerm | NameTerm): term is NameTerm {
  return term.kind === 'project' || term.kind === 'section' || term.kind === 'label'
}

const STATUSES = ['open', 'in_progress', 'done', 'cancelled'] as const

type Status = (typeof STATUSES)[number]

/** Whether a filter has a term about status. Without one, it matches only open tasks. */
export function hasStatusTerm(filter: ResolvedFilter): boolean {
  // Completed tasks are done: among open tasks the comparison would never be true.
  const isAboutStatus = (term: ResolvedTerm) =>
    term.kind === 'date'
      ? term.field === 'completed'
      : term.kind === 'state' && STATUSES.some((status) => status === term.state)
  return listTerms(filter).some(isAboutStatus)
}

export function getPossibleStatuses(filter: ResolvedFilter): Status[] {
  return STATUSES.filter((status) => evaluateStatus(filter, status).yes)
}

/** Returns the values of the column `closed` that matching tasks can have; a null filter matches every task. */
export function getClosedValues(filter: ResolvedFilter | null): (0 | 1)[] {
  if (filter === null) return [0, 1]
  const possible = getPossibleStatuses(filter)
  const closed: (0 | 1)[] = []
  if (possible.some((status) => status === 'open' || status === 'in_progress')) closed.push(0)
  if (possible.some((status) => status === 'done' || status === 'cancelled')) closed.push(1)
  return closed
}

/** Moves negations to the terms, by De Morgan's laws: in the result only terms are negated. */
export function moveNegations(filter: ResolvedFilter, negated = false): ResolvedFilter {
  if (filter.kind === 'not') return moveNegations(filter.part, !negated)
  if (filter.kind !== 'and' && filter.kind !== 'or') return negated ? { kind: 'not', part: filter } : filter
  const isAnd = (filter.kind === 'and') !== negated
  return { kind: isAnd ? 'and' : 'or', parts: filter.parts.map((part) => moveNegations(part, negated)) }
}

interface Verdicts {
  readonly yes: boolean
  readonly no: boolean
}

function evaluateStatus(filter: ResolvedFilter, status: Status): Verdicts {
  switch (filter.kind) {
    case 'not': {
      const { yes, no } = evaluateStatus(filter.part, status)
      return { yes: no, no: yes }
    }
    case 'and': {
      const parts = filter.parts.map((part) => evaluateStatus(part, status))
      return { yes: parts.every(({ yes }) => yes), no: parts.some(({ no }) => no) }
    }
    case 'or': {
      const parts = filter.parts.map((part) => evaluateStatus(part, status))
      return { yes: parts.some(({ yes }) => yes), no: parts.every(({ no }) => no) }
    }
    default:
      return evaluateTerm(filter, status)
  }
}

function evaluateTerm(term: ResolvedTerm, status: Status): Verdicts {
  if (term.kind !== 'state') return { yes: true, no: true }
  if (term.state === 'overdue') return { yes: status === 'open' || status === 'in_progress', no: true }
  if (!STATUSES.some((one) => one === term.state)) return { yes: true, no: true }
  return { yes: term.state === status, no: term.state !== status }
}
