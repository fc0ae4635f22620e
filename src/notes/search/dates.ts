import { type Offset, startOfDay } from './zone'

/** A stretch of time, half-open, in milliseconds since 1970; null is open. */
export interface Period {
  readonly from: number | null
  readonly to: number | null
}

/** What dates of a query are read against. */
export interface Calendar {
  /** The present instant in milliseconds. */
  readonly now: number
  readonly offset: Offset
}

const DAY = 86_400_000

/**
 * Reads `2026`, `2026-03`, `2026-03-01`, two of them with `..` between, one after `>=`, `>`, `<=` or `<`, or `7d` (the
 * seven times 24 hours up to now). Null if it is none of these, or no real date.
 */
export function readPeriod(text: string, calendar: Calendar): Period | null {
  const days = /^([1-9]\d{0,4})d$/.exec(text)
  if (days) return { from: calendar.now - Number(days[1]) * DAY, to: null }
  const [, sign = '', first = '', last = first] = /^(>=?|<=?)?([\d-]+)(?:\.\.([\d-]+))?$/.exec(text) ?? []
  const [begin, end] = [civil(first, calendar), civil(last, calendar)]
  if (!begin || !end || (sign !== '' && last !== first)) return null
  return bounded(sign, begin.from, begin.to, end.to)
}

function bounded(sign: string, start: number, end: number, last: number): Period {
  switch (sign) {
    case '>=':
      return { from: start, to: null }
    case '>':
      return { from: end, to: null }
    case '<':
      return { from: null, to: start }
    case '<=':
      return { from: null, to: end }
    default:
      return { from: start, to: last }
  }
}

/** A year, month or day of the civil calendar. */
function civil(text: string, { offset }: Calendar): { from: number; to: number } | null {
  const [, year, month, day] = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/.exec(text) ?? []
  if (year === undefined) return null
  const first = new Date(`${year}-${month ?? '01'}-${day ?? '01'}T00:00:00Z`)
  // 30 February becomes a day in March, and the 13th month no date at all.
  if (Number.isNaN(first.getTime()) || (day !== undefined && first.getUTCDate() !== Number(day))) return null
  const next = new Date(first)
  if (day !== undefined) next.setUTCDate(next.getUTCDate() + 1)
  else if (month !== undefined) next.setUTCMonth(next.getUTCMonth() + 1)
  else next.setUTCFullYear(next.getUTCFullYear() + 1)
  return { from: startOfDay(first.getTime(), offset), to: startOfDay(next.getTime(), offset) }
}
