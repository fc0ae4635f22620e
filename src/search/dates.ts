import { dayOf, daysInMonth, isDate } from '../lib/civil/day'
import { startOfDay } from '../lib/civil/zone'

/** A half-open period of time, in milliseconds since 1970; null leaves an end open. */
export interface Period {
  readonly from: number | null
  readonly to: number | null
}

/** The time and zone that the dates of a query are relative to. */
export interface Calendar {
  /** The present instant in milliseconds. */
  readonly now: number
  /** The zone in which days begin; an IANA name. */
  readonly zone: string
}

const DAY_MS = 86_400_000

/**
 * Reads `2026`, `2026-03`, `2026-03-01`, two of these with `..` between, one after `>=`, `>`, `<=` or `<`, or `7d` (the
 * last seven times 24 hours). Returns null for any other text, and for dates that do not exist.
 */
export function readPeriod(text: string, calendar: Calendar): Period | null {
  const days = /^([1-9]\d{0,4})d$/.exec(text)
  if (days) return { from: calendar.now - Number(days[1]) * DAY_MS, to: null }
  const [, sign = '', first = '', last = first] = /^(>=?|<=?)?([\d-]+)(?:\.\.([\d-]+))?$/.exec(text) ?? []
  const [begin, end] = [readCivil(first, calendar), readCivil(last, calendar)]
  if (!begin || !end || (sign !== '' && last !== first)) return null
  const periods: Readonly<Record<string, Period>> = {
    '>=': { from: begin.from, to: null },
    '>': { from: begin.to, to: null },
    '<': { from: null, to: begin.from },
    '<=': { from: null, to: begin.to },
  }
  return periods[sign] ?? { from: begin.from, to: end.to }
}

/** Reads a year, month or day of the civil calendar. */
function readCivil(text: string, { zone }: Calendar): { from: number; to: number } | null {
  const [, year, month, day] = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/.exec(text) ?? []
  if (year === undefined) return null
  const parts = { year: Number(year), month: Number(month ?? 1), day: Number(day ?? 1) }
  if (!isDate(parts)) return null
  const { year: y, month: m, day: d } = parts
  const last =
    month === undefined ? dayOf(y, 12, 31) : day === undefined ? dayOf(y, m, daysInMonth(y, m)) : dayOf(y, m, d)
  return { from: startOfDay(dayOf(y, m, d), zone), to: startOfDay(last + 1, zone) }
}
