import { toDay } from '../../lib/civil/day'
import type { FirstOccurrence } from '../../lib/civil/words/work-out'
import { listSlots } from '../../lib/recurrence/slots'
import { fromSlot, parseOccurrence, parseTimeOfDay, toSlot } from '../task-date'
import { nameOccurrence, parseRuleCached } from '../task-recurrence'

/** Finds the first date of a rule that words name; see FirstOccurrence. */
export const findFirstDate: FirstOccurrence = (rrule, from) => {
  const earliest = parseOccurrence(from)
  const series = {
    rule: parseRuleCached(rrule).rule,
    anchor: toDay(earliest.date),
    ...(earliest.time !== null && { anchorTime: parseTimeOfDay(earliest.time) }),
    skip: 'backward',
    exdates: new Set<number>(),
  } as const
  const [slot] = listSlots(series, { from: toSlot(earliest), limit: 1 })
  return slot === undefined ? null : nameOccurrence(rrule, fromSlot(slot, earliest.time === null))
}
