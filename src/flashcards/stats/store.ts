import { Bindings, type Reader, type Session } from '../../db/database'
import { byIndex, integersIn } from '../../db/dialect'
import { yieldTurn } from '../../lib/steps'
import type { OffsetFrom, StudyDayRange } from './days'

/**
 * The queries of statistics. They count answers that were not undone, including imported ones; manual changes of a
 * schedule have no rating and are not answers. They read an index in its order, and no rows: `study_reviews_by_day`, or
 * for a deck `study_reviews_by_card`.
 */

/** Before the answers to a card on a study day. */
interface LogStart {
  readonly day: number
  readonly card: number
}

/** A part of the log that is counted at a time. All answers to a card on a day are in the same part. */
type LogPart = PartOfDays | PartOfDeck

interface PartOfDays {
  readonly from: LogStart
  /** Not in it. */
  readonly to: LogStart
  /** Keys; null: all decks. */
  readonly decks: readonly number[] | null
}

/** The answers of these days to the cards of a deck after a key, up to and including another (null: to the last). */
interface PartOfDeck {
  readonly deck: number
  readonly after: number
  readonly upTo: number | null
  readonly days: StudyDayRange
}

/** The most time that is counted for an answer: the rest was a break. */
const MAX_COUNTED_MS = 60_000
/** The interval from which a card is mature. */
const MATURE_DAYS = 21
const DURATION = `CASE WHEN duration_ms > ${MAX_COUNTED_MS} THEN ${MAX_COUNTED_MS} ELSE duration_ms END`

/** Where a part of so many answers ends; null if there are fewer up to the last day. */
function findEndOfPart(
  { db, workspace }: Session,
  from: LogStart,
  { lastDay, size }: { readonly lastDay: number; readonly size: number },
): Promise<LogStart | null> {
  return db.get<LogStart>(
    `SELECT study_day AS day, card FROM study_reviews ${byIndex('study_reviews_by_day')}
     WHERE workspace = $1 AND undone_at IS NULL AND (study_day, card) >= ($2, $3) AND study_day <= $4
     ORDER BY study_day, card LIMIT 1 OFFSET $5`,
    [workspace.id, from.day, from.card, lastDay, size],
  )
}

/** Returns the key of the last of `size` cards of a deck after another, also from the trash; null if there are fewer. */
async function findEndOfDeckPart(
  { db, workspace }: Session,
  { deck, after }: Pick<PartOfDeck, 'deck' | 'after'>,
  size: number,
): Promise<number | null> {
  const sql = `SELECT key FROM study_cards ${byIndex('study_cards_of_deck')}
    WHERE deck = (SELECT key FROM study_decks WHERE workspace = $1 AND key = $2) AND key > $3
    ORDER BY key LIMIT 1 OFFSET $4`
  return (await db.get<{ key: number }>(sql, [workspace.id, deck, after, size - 1]))?.key ?? null
}

function answers(part: LogPart, bind: Bindings): string {
  const from = 'deck' in part ? ofDeck(part, bind) : ofDays(part, bind)
  return `${from} AND undone_at IS NULL AND rating IS NOT NULL`
}

/** The log is read first, in its order: of some decks, the cards say whose an answer is. */
function ofDays({ from, to, decks }: PartOfDays, bind: Bindings): string {
  const [day, card, endDay, endCard] = [from.day, from.card, to.day, to.card].map((value) => bind.add(value))
  const inDecks = () => `CROSS JOIN study_cards ${byIndex('study_cards_deck_of')}
    ON study_cards.key = card AND +deck IN ${integersIn(bind.add(JSON.stringify(decks)))}`
  return `FROM study_reviews ${byIndex('study_reviews_by_day')} ${decks === null ? '' : inDecks()}
    WHERE study_reviews.workspace = $1
      AND (study_day, card) >= (${day}, ${card}) AND (study_day, card) < (${endDay}, ${endCard})`
}

/** The cards are read first. The workspace is that of the deck: an index of each would be twice as long with it. */
function ofDeck({ deck, after, upTo, days }: PartOfDeck, bind: Bindings): string {
  const [key, first, last] = [deck, after, upTo ?? Number.MAX_SAFE_INTEGER].map((value) => bind.add(value))
  const [from, to] = [bind.add(days.from), bind.add(days.to)]
  return `FROM study_cards ${byIndex('study_cards_of_deck')}
    CROSS JOIN study_reviews ${byIndex('study_reviews_by_card')} ON card = study_cards.key
    WHERE deck = (SELECT key FROM study_decks WHERE workspace = $1 AND key = ${key})
      AND study_cards.key > ${first} AND study_cards.key <= ${last} AND study_day >= ${from} AND study_day <= ${to}`
}

export interface AnswerCounts {
  readonly answered: number
  readonly again: number
  readonly duration_ms: number
  /** Cards that were new, each once a day. */
  readonly new_seen: number
}

export async function countAnswers({ db, workspace }: Session, part: LogPart): Promise<AnswerCounts> {
  const bind = new Bindings(workspace.id)
  const sql = `SELECT count(*) AS answered, count(*) FILTER (WHERE rating = 1) AS again,
    coalesce(sum(${DURATION}), 0) AS duration_ms, count(DISTINCT card) FILTER (WHERE was_new = 1) AS new_seen
    ${answers(part, bind)}`
  const counts = await db.get<AnswerCounts>(sql, bind.values)
  if (!counts) throw new Error('a count gave no row')
  return counts
}

export interface DayCount {
  readonly day: number
  readonly count: number
  readonly duration_ms: number
}

/** Counts the answers of each study day that has any. */
export function countByDay({ db, workspace }: Reader, part: LogPart): Promise<DayCount[]> {
  const bind = new Bindings(workspace.id)
  const sql = `SELECT study_day AS day, count(*) AS count, sum(${DURATION}) AS duration_ms
    ${answers(part, bind)} GROUP BY study_day`
  return db.all<DayCount>(sql, bind.values)
}

interface HourCount {
  /** 0..23. */
  readonly hour: number
  readonly count: number
  readonly correct: number
}

/**
 * The answers of each hour of the day that has any.
 * @param offsets ascending; the first one holds before it, too
 */
export function countByHour({ db, workspace }: Reader, part: LogPart, offsets: readonly OffsetFrom[]) {
  const bind = new Bindings(workspace.id)
  const cases = offsets.slice(1).map(({ from }, i) => {
    const [before, offset] = [bind.add(from), bind.add(offsets[i]?.offset ?? 0)]
    return `WHEN reviewed_at < ${before} THEN ${offset}`
  })
  const last = bind.add(offsets.at(-1)?.offset ?? 0)
  const offset = cases.length === 0 ? last : `CASE ${cases.join(' ')} ELSE ${last} END`
  // Instants before 1970 have a negative remainder.
  const sql = `SELECT ((reviewed_at + ${offset}) % 86400000 + 86400000) % 86400000 / 3600000 AS hour,
      count(*) AS count, count(*) FILTER (WHERE rating > 1) AS correct
    ${answers(part, bind)} GROUP BY 1`
  return db.all<HourCount>(sql, bind.values)
}

export interface RetentionCount {
  /** 0 or 1. */
  readonly mature: number
  readonly count: number
  readonly correct: number
  /** Of how many a prediction was stored, and their sum. */
  readonly predicted: number
  readonly predicted_sum: number
}

/**
 * The first answer to each card on each day whose interval was a day or more, young and mature. Beside a lone min(),
 * SQLite takes the other columns from the row that has it; the index has the groups in order, so that nothing is
 * sorted.
 */
export function countRetention({ db, workspace }: Reader, part: LogPart): Promise<RetentionCount[]> {
  const bind = new Bindings(workspace.id)
  const sql = `SELECT CASE WHEN interval_days >= ${MATURE_DAYS} THEN 1 ELSE 0 END AS mature, count(*) AS count,
      count(*) FILTER (WHERE rating > 1) AS correct, count(predicted_retrievability) AS predicted,
      coalesce(sum(predicted_retrievability), 0) AS predicted_sum
    FROM (SELECT min(reviewed_at), interval_days, rating, predicted_retrievability
      ${answers(part, bind)} AND kind IN ('review', 'import') AND interval_days >= 1 GROUP BY study_day, card) AS first
    GROUP BY 1`
  return db.all<RetentionCount>(sql, bind.values)
}

/** Cards that become due at the same time: on a study day, or in learning at an instant. */
interface DueCount {
  readonly due_day: number | null
  readonly due_at: number | null
  readonly buried_until: number | null
  readonly count: number
}

/** Counts when the cards of a deck become due, without new and suspended ones. Reads an index, and no rows. */
export function countDue({ db, workspace }: Reader, deck: number): Promise<DueCount[]> {
  const sql = `SELECT due_day, due_at, buried_until, count(*) AS count
    FROM study_cards ${byIndex('study_cards_by_deck')}
    WHERE workspace = $1 AND deleted_at IS NULL AND deck = $2
      AND state IN ('learning', 'relearning', 'review') AND suspended = 0
    GROUP BY 1, 2, 3`
  return db.all<DueCount>(sql, [workspace.id, deck])
}

/**
 * Logs are counted in parts. Between two parts, other requests have their turn, so that no count blocks the event loop
 * for long. Rows that are written during a count may be included or not, but are never counted twice.
 */

const ANSWERS_PER_TURN = 10_000

/** The most days for which the log of all decks is read to count some: this is faster than reading all of their cards. */
const FEW_DAYS = 31
/** Answered ten times a year, they have as many answers as another part. */
const CARDS_PER_PART = 1000

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
  session: Session,
  days: StudyDayRange,
  decks: readonly number[] | null,
  work: (part: LogPart) => Promise<void>,
): Promise<void> {
  const size = { lastDay: days.to, size: ANSWERS_PER_TURN }
  let from: LogStart | null = { day: days.from, card: 0 }
  while (from) {
    const found = await findEndOfPart(session, from, size)
    const end: LogStart | null = found && behind(from, found)
    await work({ from, to: end ?? { day: days.to + 1, card: 0 }, decks })
    from = end
    if (from) await yieldTurn()
  }
}

async function forEachPartOfDecks(
  session: Session,
  days: StudyDayRange,
  decks: readonly number[],
  work: (part: LogPart) => Promise<void>,
): Promise<void> {
  for (const deck of decks) {
    let after: number | null = 0
    while (after !== null) {
      const upTo: number | null = await findEndOfDeckPart(session, { deck, after }, CARDS_PER_PART)
      await work({ deck, after, upTo, days })
      after = upTo
      await yieldTurn()
    }
  }
}

/** A card that was answered more often in a day than a part holds is a part alone. */
function behind(from: LogStart, end: LogStart): LogStart {
  return end.day === from.day && end.card === from.card ? { day: end.day, card: end.card + 1 } : end
}
