import { setImmediate } from 'node:timers/promises'
import type { Session } from '../../db/database'
import type { StudyDayRange } from './days'
import { findEndOfDeckPart, findEndOfPart, type LogPart, type LogStart } from './store'

/**
 * Logs are counted in parts. Between two parts, other requests have their turn, so that no count blocks the event loop
 * for long. Rows that are written during a count may be included or not, but are never counted twice.
 */

const ANSWERS_PER_TURN = 10_000

/** The most days for which the log of all decks is read to count some: this is faster than reading all of their cards. */
const FEW_DAYS = 31
/** Answered ten times a year, they have as many answers as another part. */
const CARDS_PER_PART = 1000

/** Calls `work` with each part of the log of these days. */
export function forEachLogPart(
  session: Session,
  days: StudyDayRange,
  decks: readonly number[] | null,
  work: (part: LogPart) => Promise<void>,
): Promise<void> {
  if (decks === null || days.to - days.from < FEW_DAYS) return forEachPartOfDays(session, days, decks, work)
  return forEachPartOfDecks(session, days, decks, work)
}

async function forEachPartOfDays(
  { db, workspace }: Session,
  days: StudyDayRange,
  decks: readonly number[] | null,
  work: (part: LogPart) => Promise<void>,
): Promise<void> {
  const size = { lastDay: days.to, size: ANSWERS_PER_TURN }
  let from: LogStart | null = { day: days.from, card: 0 }
  while (from) {
    const found = await findEndOfPart(db, workspace.id, from, size)
    const end: LogStart | null = found && behind(from, found)
    await work({ from, to: end ?? { day: days.to + 1, card: 0 }, decks })
    from = end
    if (from) await setImmediate()
  }
}

async function forEachPartOfDecks(
  { db, workspace }: Session,
  days: StudyDayRange,
  decks: readonly number[],
  work: (part: LogPart) => Promise<void>,
): Promise<void> {
  for (const deck of decks) {
    let after: number | null = 0
    while (after !== null) {
      const upTo: number | null = await findEndOfDeckPart(db, workspace.id, { deck, after }, CARDS_PER_PART)
      await work({ deck, after, upTo, days })
      after = upTo
      await setImmediate()
    }
  }
}

/** A card that was answered more often in a day than a part holds is a part alone. */
function behind(from: LogStart, end: LogStart): LogStart {
  return end.day === from.day && end.card === from.card ? { day: end.day, card: end.card + 1 } : end
}
