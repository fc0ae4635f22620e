import { MINUTES_PER_DAY } from '../civil/day'
import { parseTimeOfDay } from '../civil/zone'
import { parseRule } from './parse'
import { isTimedRule } from './rule'
import { fromSlot, listSlots, seriesOfRule } from './slots'

/**
 * Finds the first date of a rule, of those that it has if its anchor is `from`: a date, or of a rule by time a date and a
 * time, which it counts from. Null if there is none. A day that a month lacks is its last day. Throws RuleError.
 */
export function findFirstDate(rrule: string, from: string): string | null {
  const { rule } = parseRule(rrule)
  const series = seriesOfRule(rule, from, 'backward', null)
  const first = series.anchor * MINUTES_PER_DAY + (from.length > 10 ? parseTimeOfDay(from.slice(11)) : 0)
  const [slot] = listSlots(series, { from: first, limit: 1 })
  if (slot === undefined) return null
  const { date, time } = fromSlot(slot, from.length === 10)
  return isTimedRule(rule) ? `${date}T${time}` : date
}
