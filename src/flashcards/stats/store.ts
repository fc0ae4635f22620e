import { Bindings, type Queries, type WorkspaceId } from '../../db/database'
import { byIndex, integersIn } from '../../db/dialect'
import { MIN_CHANCE } from '../optimizing/metrics'
import type { OffsetFrom, StudyDayRange } from './days'
import type { HabitCount, ReturnCount } from './habits'

/**
 * The queries of statistics. They count answers that were not undone, including imported ones; manual changes of a
 * schedule have no rating and are not answers. They read an index in its order, and no rows: `study_reviews_by_day`, or
 * for a deck `study_reviews_by_card`.
 */

/** Before the answers to a card on a study day. */
export interface LogStart {
  readonly day: number
  readonly card: number
}

/** A part of the log that is counted at a time. All answers to a card on a day are in the same part. */
export type LogPart = PartOfDays | PartOfDeck

interface PartOfDays {
  readonly from: LogStart
  /** Not in it. */
  readonly to: LogStart
  /** Keys; null: all decks. */
  readonly decks: readonly number[] | null
}

/**
 * The answers of these days to the cards of a deck after a key, up to and including another (null: to the last).
 */
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
/** The smaller of `duration_ms` and MAX_COUNTED_MS, in SQL. */
const DURATION = `CASE WHEN duration_ms > ${MAX_COUNTED_MS} THEN ${MAX_COUNTED_MS} ELSE duration_ms END`

/** Where a part of so many answers ends; null if there are fewer up to the last day. */
export function findEndOfPart(
  db: Queries,
  workspace: WorkspaceId,
  from: LogStart,
  { lastDay, size }: { readonly lastDay: number; readonly size: number },
): Promise<LogStart | null> {
  return db.get<LogStart>(
    `SELECT study_day AS day, card FROM study_reviews ${byIndex('study_reviews_by_day')}
     WHERE workspace = $1 AND undone_at IS NULL AND (study_day, card) >= ($2, $3) AND study_day <= $4
     ORDER BY study_day, card LIMIT 1 OFFSET $5`,
    [workspace, from.day, from.card, lastDay, size],
  )
}

/** Returns the key of the last of `size` cards of a deck after another, also from the trash; null if there are fewer. */
export async function findEndOfDeckPart(
  db: Queries,
  workspace: WorkspaceId,
  { deck, after }: Pick<PartOfDeck, 'deck' | 'after'>,
  size: number,
): Promise<number | null> {
  const sql = `SELECT key FROM study_cards ${byIndex('study_cards_of_deck')}
    WHERE deck = (SELECT key FROM study_decks WHERE workspace = $1 AND key = $2) AND key > $3
    ORDER BY key LIMIT 1 OFFSET $4`
  return (await db.get<{ key: number }>(sql, [workspace, deck, after, size - 1]))?.key ?? null
}

/** Returns the FROM and WHERE of a count. */
export function answers(part: LogPart, bind: Bindings): string {
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

export async function countAnswers(db: Queries, workspace: WorkspaceId, part: LogPart): Promise<AnswerCounts> {
  const bind = new Bindings(workspace)
  const sql = `SELECT count(*) AS answered, count(*) FILTER (WHERE rating = 1) AS again,
    coalesce(sum(${DURATION}), 0) AS duration_ms, count(DISTINCT card) FILTER (WHERE was_new = 1) AS new_seen
    ${answers(part, bind)}`
  const counts = await db.get<AnswerCounts>(sql, bind.values)
  if (!counts) throw new Error('a count gave no row')
  return counts
}

interface DayCount {
  readonly day: number
  readonly count: number
  readonly duration_ms: number
}

/** Counts the answers of each study day that has any. */
export function countByDay(db: Queries, workspace: WorkspaceId, part: LogPart): Promise<DayCount[]> {
  const bind = new Bindings(workspace)
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
export function countByHour(
  db: Queries,
  workspace: WorkspaceId,
  part: LogPart,
  offsets: readonly OffsetFrom[],
): Promise<HourCount[]> {
  const bind = new Bindings(workspace)
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
export function countRetention(db: Queries, workspace: WorkspaceId, part: LogPart): Promise<RetentionCount[]> {
  const bind = new Bindings(workspace)
  const sql = `SELECT CASE WHEN interval_days >= ${MATURE_DAYS} THEN 1 ELSE 0 END AS mature, count(*) AS count,
      count(*) FILTER (WHERE rating > 1) AS correct, count(predicted_retrievability) AS predicted,
      coalesce(sum(predicted_retrievability), 0) AS predicted_sum
    FROM (SELECT min(reviewed_at), interval_days, rating, predicted_retrievability
      ${answers(part, bind)} AND kind IN ('review', 'import') AND interval_days >= 1 GROUP BY study_day, card) AS first
    GROUP BY 1`
  return db.all<RetentionCount>(sql, bind.values)
}

/** The bins of predictions, each as wide as the others. */
export const BINS = 20

export interface BinCount {
  /** 0..19: predictions from bin / 20 up to (bin + 1) / 20; 1 is in the last. */
  readonly bin: number
  readonly count: number
  readonly predicted_sum: number
  readonly recalled: number
  /** The sum of −ln of the chance that was given to what came. */
  readonly loss: number
}

/** Returns predicted and observed recall, over answers a day or more after the one before. */
export function countCalibration(db: Queries, workspace: WorkspaceId, part: LogPart): Promise<BinCount[]> {
  const bind = new Bindings(workspace)
  const given = 'CASE WHEN rating > 1 THEN predicted_retrievability ELSE 1 - predicted_retrievability END'
  const sql = `SELECT CASE WHEN predicted_retrievability >= 1 THEN ${BINS - 1}
        ELSE CAST(floor(predicted_retrievability * ${BINS}) AS INTEGER) END AS bin,
      count(*) AS count, sum(predicted_retrievability) AS predicted_sum,
      count(*) FILTER (WHERE rating > 1) AS recalled,
      sum(-ln(CASE WHEN ${given} > ${MIN_CHANCE} THEN ${given} ELSE ${MIN_CHANCE} END)) AS loss
    ${answers(part, bind)} AND elapsed_days >= 1 AND predicted_retrievability IS NOT NULL GROUP BY 1`
  return db.all<BinCount>(sql, bind.values)
}

// The queries of cards that are not in the trash, a part at a time.

/** The cards after an id, up to and including another; null: from the first, or to the last. */
export interface CardPart {
  readonly after: string | null
  readonly upTo: string | null
  /** Keys; null: all decks. */
  readonly decks: readonly number[] | null
}

/** Returns the id of the last of `size` cards after another, also from the trash; null if there are fewer. */
export async function findEndOfCards(
  db: Queries,
  workspace: WorkspaceId,
  after: string | null,
  size: number,
): Promise<string | null> {
  const sql = 'SELECT id FROM study_cards WHERE workspace = $1 AND id > $2 ORDER BY id LIMIT 1 OFFSET $3'
  return (await db.get<{ id: string }>(sql, [workspace, after ?? '', size - 1]))?.id ?? null
}

function cards({ after, upTo, decks }: CardPart, bind: Bindings): string {
  const conditions = [
    `id > ${bind.add(after ?? '')}`,
    ...(upTo === null ? [] : [`id <= ${bind.add(upTo)}`]),
    ...(decks === null ? [] : [`+deck IN ${integersIn(bind.add(JSON.stringify(decks)))}`]),
  ]
  return `FROM study_cards WHERE workspace = $1 AND +deleted_at IS NULL AND ${conditions.join(' AND ')}`
}

/** Cards that become due at the same time: on a study day, or in learning at an instant. */
export interface DueCount {
  readonly due_day: number | null
  readonly due_at: number | null
  readonly buried_until: number | null
  readonly count: number
  /** Σ 1 / interval in days, of those in review. */
  readonly load: number
}

/** Counts when cards become due, without new and suspended ones. */
export function countDue(db: Queries, workspace: WorkspaceId, part: CardPart): Promise<DueCount[]> {
  const bind = new Bindings(workspace)
  const sql = `SELECT due_day, due_at, buried_until, count(*) AS count,
      sum(CASE WHEN state <> 'review' THEN 0.0 WHEN scheduled_days > 1
        THEN CAST(1 AS double precision) / scheduled_days ELSE 1.0 END) AS load
    ${cards(part, bind)} AND +suspended = 0 AND +state <> 'new' GROUP BY 1, 2, 3`
  return db.all<DueCount>(sql, bind.values)
}

/** The columns of a card that was answered, as simulations read them. */
interface StudiedCard {
  readonly key: number
  readonly fact: number
  readonly deck: number
  readonly state: 'learning' | 'review' | 'relearning'
  readonly due_day: number | null
  readonly due_at: number | null
  readonly buried_until: number | null
  readonly stability: number | null
  readonly difficulty: number | null
  readonly step: number
  readonly lapses: number
  readonly last_reviewed_at: number | null
}

/** Facts are sampled by a hash of their places among those that are read: keys would tell how much others have stored. */
export const PLACE_HASHES = 2 ** 32
export const PLACE_HASH_FACTOR = 2_654_435_761

/** Computes the same hash of a place, from 1 on, as listStudied does. */
export function hashPlace(place: number): number {
  return Math.imul(place, PLACE_HASH_FACTOR) >>> 0
}

/** Returns the cards in learning and review that are not suspended, of the facts of a part whose hash is below `hashes`. */
export function listStudied(
  db: Queries,
  workspace: WorkspaceId,
  part: CardPart,
  hashes: number,
): Promise<StudiedCard[]> {
  const bind = new Bindings(workspace)
  const columns = `key, fact, deck, state, due_day, due_at, buried_until, stability, difficulty, step, lapses,
      last_reviewed_at`
  const studied = `${cards(part, bind)} AND +suspended = 0 AND +state <> 'new'`
  const sql =
    hashes >= PLACE_HASHES
      ? `SELECT ${columns} ${studied}`
      : `SELECT ${columns} FROM (SELECT ${columns}, dense_rank() OVER (ORDER BY fact) AS place ${studied}) AS placed
         WHERE place * ${PLACE_HASH_FACTOR} % ${PLACE_HASHES} < ${bind.add(hashes)}`
  return db.all<StudiedCard>(sql, bind.values)
}

/** A place in the order of new cards. */
export interface NewPlace {
  readonly position: number
  readonly id: string
}

/** Returns the next new cards of a deck after a place, by position; not those that are buried today. */
export function listNewAfter(
  db: Queries,
  workspace: WorkspaceId,
  {
    today,
    deck,
    after,
    limit,
  }: {
    readonly today: number
    readonly deck: number
    readonly after: NewPlace
    readonly limit: number
  },
): Promise<(NewPlace & Pick<StudiedCard, 'key' | 'fact' | 'deck'>)[]> {
  const sql = `SELECT key, id, fact, deck, position FROM study_cards ${byIndex('study_cards_new')}
    WHERE workspace = $1 AND deleted_at IS NULL AND suspended = 0 AND state = 'new'
      AND coalesce(buried_until, $2) <= $2 AND deck = $3 AND (position, id) > ($4, $5)
    ORDER BY position, id LIMIT $6`
  return db.all(sql, [workspace, today, deck, after.position, after.id, limit])
}

/** Counts the newest `limit` answers up to a day by phase and rating. */
export function countHabits(
  db: Queries,
  workspace: WorkspaceId,
  { today, limit }: { readonly today: number; readonly limit: number },
): Promise<HabitCount[]> {
  const sql = `SELECT CASE WHEN was_new = 1 THEN 'first' WHEN kind = 'relearning' THEN 'relearning'
        WHEN kind = 'review' OR kind = 'import' AND interval_days >= 1 THEN 'review' ELSE 'learning' END AS phase,
      rating, count(*) AS count, count(*) FILTER (WHERE duration_ms > 0) AS timed,
      sum(${DURATION}) AS duration_ms, count(predicted_retrievability) AS predicted,
      coalesce(sum(predicted_retrievability), 0) AS predicted_sum
    FROM (SELECT kind, was_new, rating, interval_days, duration_ms, predicted_retrievability
      FROM study_reviews ${byIndex('study_reviews_by_day')}
      WHERE workspace = $1 AND study_day <= $2 AND undone_at IS NULL AND rating IS NOT NULL
      ORDER BY study_day DESC LIMIT $3) AS newest
    GROUP BY 1, 2`
  return db.all<HabitCount>(sql, [workspace, today, limit])
}

/** Counts the newest `limit` answers in steps up to a day by how long the card had to wait, of those that waited longer. */
export function countReturns(
  db: Queries,
  workspace: WorkspaceId,
  { today, longerThan, limit }: { readonly today: number; readonly longerThan: number; readonly limit: number },
): Promise<ReturnCount[]> {
  const sql = `SELECT minutes, count(*) AS count, count(*) FILTER (WHERE elapsed_days = 0) AS same_day
    FROM (SELECT (CAST(before ->> 'due_at' AS bigint) - CAST(before ->> 'last_reviewed_at' AS bigint)) / 60000 AS minutes, elapsed_days
      FROM study_reviews ${byIndex('study_reviews_by_day')}
      WHERE workspace = $1 AND study_day <= $2 AND undone_at IS NULL AND rating IS NOT NULL
        AND kind IN ('learning', 'relearning') AND was_new = 0
      ORDER BY study_day DESC LIMIT $3) AS newest
    WHERE minutes > $4 GROUP BY 1`
  return db.all<ReturnCount>(sql, [workspace, today, limit, longerThan])
}

interface RememberedCard {
  readonly deck: number
  readonly state: 'learning' | 'review' | 'relearning'
  readonly stability: number
  readonly difficulty: number
  readonly scheduled_days: number
  readonly last_reviewed_at: number | null
}

/** Returns the cards that have memory. */
export function listRemembered(db: Queries, workspace: WorkspaceId, part: CardPart): Promise<RememberedCard[]> {
  const bind = new Bindings(workspace)
  const sql = `SELECT deck, state, stability, difficulty, scheduled_days, last_reviewed_at
    ${cards(part, bind)} AND stability IS NOT NULL AND difficulty IS NOT NULL`
  return db.all<RememberedCard>(sql, bind.values)
}
