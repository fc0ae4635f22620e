import type { Session } from '../../db/database'
import { fromDay } from '../../lib/civil/day'
import { studyDay } from '../scheduling/study-day'
import type { Study } from '../settings/study'
import { countDue, type DueCount } from './card-store'
import { listDays, type StudyDayRange } from './days'
import { eachCards } from './parts'

/** When cards come up that are neither new nor suspended; what was due before today is the backlog. */
export async function forecastOf(session: Session, study: Study, days: StudyDayRange, decks: readonly number[] | null) {
  const due = new Map<number, number>()
  let [backlog, daily_load] = [0, 0]
  await eachCards(session, decks, async (part) => {
    for (const found of await countDue(session.db, session.workspace.id, part)) {
      const day = dayOf(found, study)
      daily_load += found.load
      if (day < study.today) backlog += found.count
      else due.set(day, (due.get(day) ?? 0) + found.count)
    }
  })
  return { backlog, daily_load, days: listDays(days).map((day) => ({ day: fromDay(day), count: due.get(day) ?? 0 })) }
}

/** A buried card comes up when it is no longer hidden. */
function dayOf({ due_day, due_at, buried_until }: DueCount, { clock, today }: Study): number {
  const day = due_day ?? (due_at === null ? today : studyDay(due_at, clock))
  return Math.max(day, buried_until ?? day)
}
