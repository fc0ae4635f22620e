import { toDay } from '../../lib/civil/day'
import { instantOf } from '../../lib/civil/zone'
import { icsInstant } from './ical-values'
import type { ItemMoment, ItemRecurrence } from './item'

/** The rule of a task as other programs understand it: counted from the due date, and with what they know of RFC 7529. */

type Parts = Map<string, string>
type Rule = Pick<ItemRecurrence, 'rrule' | 'skip' | 'anchor'>

/** What says on which days of a month or year a rule falls; without any of them its anchor does. */
const DAY_PARTS = ['BYMONTHDAY', 'BYDAY', 'BYYEARDAY', 'BYWEEKNO']

/**
 * The value of the RRULE to write. Others count from DTSTART, which is the due date: a day that only the anchor tells is
 * written out. One day that some months lack, moved backward, is written in plain RFC 5545; several need RSCALE.
 */
export function writtenRule(rule: Rule, due: ItemMoment): string {
  const parts = partsOf(rule.rrule)
  const until = parts.get('UNTIL')
  if (until !== undefined) parts.set('UNTIL', untilLike(until, due))
  if (rule.anchor !== due.date) tellAnchor(parts, rule.anchor)
  return rule.skip === 'backward' ? backward(parts, rule.anchor) : print(parts)
}

function backward(parts: Parts, anchor: string): string {
  const freq = parts.get('FREQ')
  if (freq !== 'MONTHLY' && freq !== 'YEARLY') return print(parts)
  const days = parts.get('BYMONTHDAY')?.split(',') ?? (tellsDay(parts) ? [] : [String(Number(anchor.slice(8)))])
  const beyond = days.some((day) => Number(day) > 28)
  if (!beyond && !parts.has('BYYEARDAY')) return print(parts)
  const [day = ''] = days
  if (!isOneDay(parts, days)) return `RSCALE=GREGORIAN;SKIP=BACKWARD;${print(parts)}`
  if (freq === 'YEARLY' && !parts.has('BYMONTH')) parts.set('BYMONTH', String(Number(anchor.slice(5, 7))))
  parts.set('BYMONTHDAY', ['28', '29', '30', '31'].slice(0, Number(day) - 27).join())
  return print(parts.set('BYSETPOS', '-1'))
}

/** Whether at most one day of each set that BYSETPOS counts is meant: then "the last of 28 to 31" says the same. */
function isOneDay(parts: Parts, days: readonly string[]): boolean {
  if (days.length !== 1 || ['BYDAY', 'BYSETPOS', 'BYYEARDAY', 'BYWEEKNO'].some((part) => parts.has(part))) return false
  const months = parts.get('BYMONTH')?.split(',').length
  // A rule by year with BYMONTHDAY and no BYMONTH means that day of every month.
  return parts.get('FREQ') === 'MONTHLY' || months === 1 || (months === undefined && !parts.has('BYMONTHDAY'))
}

function tellAnchor(parts: Parts, anchor: string): void {
  const freq = parts.get('FREQ')
  if (tellsDay(parts) || freq === 'DAILY') return
  if (freq === 'WEEKLY') parts.set('BYDAY', weekdayOf(anchor))
  else {
    if (freq === 'YEARLY' && !parts.has('BYMONTH')) parts.set('BYMONTH', String(Number(anchor.slice(5, 7))))
    parts.set('BYMONTHDAY', String(Number(anchor.slice(8))))
  }
}

function tellsDay(parts: Parts): boolean {
  return DAY_PARTS.some((part) => parts.has(part))
}

function weekdayOf(date: string): string {
  return ['TH', 'FR', 'SA', 'SU', 'MO', 'TU', 'WE'][((toDay(date) % 7) + 7) % 7] ?? ''
}

/** UNTIL must be of the kind that DTSTART is: a date, a floating time, or an instant. */
function untilLike(until: string, due: ItemMoment): string {
  const [date, time] = [until.slice(0, 8), until.slice(9, 15)]
  if (due.time === null) return date
  if (due.tz === null) return `${date}T${time || '235959'}`
  if (time) return `${date}T${time}Z`
  const day = toDay(`${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`)
  return icsInstant(new Date(instantOf(day + 1, 0, due.tz) - 1000).toISOString())
}

function partsOf(rrule: string): Parts {
  const pairs = rrule
    .toUpperCase()
    .split(';')
    .filter((part) => part.includes('='))
  return new Map(pairs.map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]))
}

function print(parts: Parts): string {
  return [...parts].map(([name, value]) => `${name}=${value}`).join(';')
}
