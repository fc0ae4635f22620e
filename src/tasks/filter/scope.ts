import type { ResolvedFilter, ResolvedTerm } from './resolve'

/** Which statuses a filter lets through. */

const STATUSES = ['open', 'in_progress', 'done', 'cancelled'] as const

type Status = (typeof STATUSES)[number]

/** Whether a filter says something about status: else it shows what is still to be done. */
export function namesStatus(filter: ResolvedFilter): boolean {
  if (filter.kind === 'and' || filter.kind === 'or') return filter.parts.some(namesStatus)
  if (filter.kind === 'not') return namesStatus(filter.part)
  // What was completed is done: on open tasks alone the comparison would never be true.
  if (filter.kind === 'date') return filter.field === 'completed'
  return filter.kind === 'state' && STATUSES.some((status) => status === filter.state)
}

/** The values of the column `closed` that what matches can have; null asks for nothing. */
export function closedOf(filter: ResolvedFilter | null): (0 | 1)[] {
  if (filter === null) return [0, 1]
  const possible = STATUSES.filter((status) => verdicts(filter, status).yes)
  const closed: (0 | 1)[] = []
  if (possible.some((status) => status === 'open' || status === 'in_progress')) closed.push(0)
  if (possible.some((status) => status === 'done' || status === 'cancelled')) closed.push(1)
  return closed
}

/** Whether a filter may be true of a task of some status, and whether it may be false. */
interface Verdicts {
  readonly yes: boolean
  readonly no: boolean
}

function verdicts(filter: ResolvedFilter, status: Status): Verdicts {
  switch (filter.kind) {
    case 'not': {
      const { yes, no } = verdicts(filter.part, status)
      return { yes: no, no: yes }
    }
    case 'and': {
      const parts = filter.parts.map((part) => verdicts(part, status))
      return { yes: parts.every(({ yes }) => yes), no: parts.some(({ no }) => no) }
    }
    case 'or': {
      const parts = filter.parts.map((part) => verdicts(part, status))
      return { yes: parts.some(({ yes }) => yes), no: parts.every(({ no }) => no) }
    }
    default:
      return ofTerm(filter, status)
  }
}

function ofTerm(term: ResolvedTerm, status: Status): Verdicts {
  if (term.kind !== 'state') return { yes: true, no: true }
  if (term.state === 'overdue') return { yes: status === 'open' || status === 'in_progress', no: true }
  if (!STATUSES.some((one) => one === term.state)) return { yes: true, no: true }
  return { yes: term.state === status, no: term.state !== status }
}
