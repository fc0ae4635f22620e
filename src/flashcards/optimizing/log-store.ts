import type { Session } from '../../db/database'
import { byIndex, elementsIn } from '../../db/dialect'
import { yieldTurn } from '../../lib/steps'
import { toLogEntries } from '../reviews/review'
import { type LoggedRow, listLogOfCards, type ReviewRow } from '../reviews/review-store'
import { type HistoryStep, splitHistories } from './history'

// The queries of training. They read answers that were not undone, also of cards in the trash, in small parts.

/** An answer or a manual change, and the present deck of its card. */
interface ReviewPlace extends Pick<ReviewRow, 'key' | 'card' | 'rating'> {
  readonly deck: number
}

/** Returns the last reviews that arrived before another (null: the latest ones), the latest first. */
function listReviewsBefore({ db, workspace }: Session, before: number | null, limit: number) {
  // The log is scanned in its order. The cards are only needed for their decks.
  const sql = `SELECT study_reviews.key, card, rating, deck
    FROM study_reviews ${byIndex('study_reviews_by_arrival')}
    CROSS JOIN study_cards ${byIndex('study_cards_deck_of')} ON study_cards.key = card
    WHERE study_reviews.workspace = $1 AND undone_at IS NULL AND study_reviews.key < $2
    ORDER BY study_reviews.key DESC LIMIT $3`
  return db.all<ReviewPlace>(sql, [workspace.id, before ?? Number.MAX_SAFE_INTEGER, limit])
}

/** Returns those of the cards whose whole log arrived from this key on. */
async function listCardsStartedSince({ db, workspace }: Session, cards: readonly number[], from: number) {
  const sql = `SELECT CAST(value AS bigint) AS card FROM ${elementsIn('$2')} WHERE NOT EXISTS (
    SELECT 1 FROM study_reviews WHERE +workspace = $1 AND card = CAST(value AS bigint) AND key < $3 AND undone_at IS NULL)`
  const rows = await db.all<{ card: number }>(sql, [workspace.id, JSON.stringify(cards), from])
  return rows.map(({ card }) => card)
}

/** Reviews that are read at a time. Between two batches, other requests are served. */
const REVIEWS_PER_TURN = 2000

/** The data of a training, and how many answers were read for it. */
interface ReadLog {
  readonly reviews: number
  readonly histories: readonly (readonly HistoryStep[])[]
}

/**
 * Reads the histories in the newest answers to the cards of decks. Cards whose log begins before these answers are left
 * out, since their memory depends on older answers. Reviews that are written during the reading may be included or not.
 * @param options.most the most answers to read
 * @throws the reason of `signal` once that is aborted
 */
export async function readHistories(
  session: Session,
  decks: ReadonlySet<number>,
  { most, signal }: { readonly most: number; readonly signal: AbortSignal },
): Promise<ReadLog> {
  const turn = async () => {
    await yieldTurn()
    signal.throwIfAborted()
  }
  const { reviews, from, counts } = await findNewestAnswers(session, decks, most, turn)
  const found: HistoryStep[][] = []
  for (const cards of inTurns(counts)) {
    const rows = await listLogOfCards(session, await listCardsStartedSince(session, cards, from))
    for (const log of Map.groupBy(rows, ({ card }: LoggedRow) => card).values())
      found.push(...splitHistories(toLogEntries(log)))
    await turn()
  }
  return { reviews, histories: found }
}

/** Finds where the newest answers begin in the log, and how many reviews of each card are among them. */
async function findNewestAnswers(
  session: Session,
  decks: ReadonlySet<number>,
  most: number,
  turn: () => Promise<void>,
) {
  const counts = new Map<number, number>()
  let [reviews, from] = [0, Number.MAX_SAFE_INTEGER]
  for (;;) {
    const rows = await listReviewsBefore(session, from, REVIEWS_PER_TURN)
    for (const { key, card, rating, deck } of rows) {
      if (reviews === most) return { reviews, from, counts }
      from = key
      if (!decks.has(deck)) continue
      counts.set(card, (counts.get(card) ?? 0) + 1)
      if (rating !== null) reviews++
    }
    if (rows.length < REVIEWS_PER_TURN) return { reviews, from, counts }
    await turn()
  }
}

/** Yields the cards by key, in groups whose logs are read at a time. */
function* inTurns(counts: ReadonlyMap<number, number>): Generator<number[]> {
  let [cards, size]: [number[], number] = [[], 0]
  for (const [card, count] of [...counts].toSorted(([one], [other]) => one - other)) {
    cards.push(card)
    size += count
    if (size < REVIEWS_PER_TURN) continue
    yield cards
    cards = []
    size = 0
  }
  if (cards.length > 0) yield cards
}
