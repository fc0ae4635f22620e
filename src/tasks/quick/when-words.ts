import { fromDay } from '../../lib/civil/day'
import { civilOf } from '../../lib/civil/zone'
import { parseQuick } from './quick'

/**
 * The day that words name and nothing else, such as `next friday at 9am`, as quick add reads it. Null where they name
 * none or say more; a repetition is more. `now` is in milliseconds since 1970, `tz` an IANA name.
 */
export function readWhen(words: string, now: number, tz: string): { date: string; time: string | null } | null {
  const { day, minutes } = civilOf(now, tz)
  const { title, draft } = parseQuick(words.slice(0, 200), {
    today: fromDay(day),
    minutes,
    tz,
    dateOrder: null,
    projectId: null,
    createMissing: false,
    findProject: () => null,
    findSection: () => null,
    firstOccurrence: () => null,
  })
  const { due, ...others } = draft
  if (!due || title !== '' || Object.keys(others).length > 0) return null
  return { date: due.date, time: due.time }
}
