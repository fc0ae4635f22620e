import { moveNegations, type ResolvedFilter, type ResolvedTerm } from './resolve'
import { type AsOf, getComparedDays, getDaysOfState, type OpenDayRange } from './store'
import type { DateField, PlainTerm } from './syntax'

/** What the terms of a filter that must all be true say together of one column, such as `due >= mon & due < fri`. */

/** Lists the parts that are true of every matching task. */
function listConjuncts(filter: ResolvedFilter): readonly ResolvedFilter[] {
  const moved = moveNegations(filter)
  const list = (part: ResolvedFilter): readonly ResolvedFilter[] =>
    part.kind === 'and' ? part.parts.flatMap(list) : [part]
  return list(moved)
}

/** Returns the days on which a date of all matching tasks is, in the zone of `asOf`; null if no term restricts them. */
export function getDayRange(filter: ResolvedFilter, field: DateField, asOf: AsOf): OpenDayRange | null {
  const ranges = listConjuncts(filter).flatMap((part) => getDaysOfTerm(part, field, asOf) ?? [])
  const bounds = (key: 'from' | 'to') => ranges.flatMap(({ [key]: day }) => day ?? [])
  const [froms, tos] = [bounds('from'), bounds('to')]
  if (ranges.length === 0) return null
  return {
    from: froms.length > 0 ? Math.max(...froms) : null,
    to: tos.length > 0 ? Math.min(...tos) : null,
  }
}

function getDaysOfTerm(part: ResolvedFilter, field: DateField, asOf: AsOf): OpenDayRange | null {
  if (part.kind === 'date' && part.field === field) return getComparedDays(part)
  if (part.kind !== 'state' || field !== 'due') return null
  const { state } = part
  return state === 'today' || state === 'tomorrow' || state === 'overdue' ? getDaysOfState(state, asOf) : null
}

/** All priorities, in the order of their urgency. */
const PRIORITIES = [1, 2, 3, 4, 0]

/** Returns the urgencies that matching tasks can have. */
export function getUrgencies(filter: ResolvedFilter): number[] {
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
