import { Bindings, type Queries, type WorkspaceId } from '../../db/database'
import { byIndex, integersIn } from '../../db/dialect'
import type { ReviewRow } from '../review-store'
import { answers, type LogPart, PLACE_HASH_FACTOR, PLACE_HASHES } from './store'

// The queries of predictions, which are judged card by card. They read indexes, and no rows of the log.

/** Returns the keys of the cards of a part whose answers were predicted. */
export async function listPredictedCards(db: Queries, workspace: WorkspaceId, part: LogPart): Promise<number[]> {
  const bind = new Bindings(workspace)
  const sql = `SELECT DISTINCT card ${answers(part, bind)}
    AND elapsed_days >= 1 AND predicted_retrievability IS NOT NULL`
  return (await db.all<{ card: number }>(sql, bind.values)).map(({ card }) => card)
}

/** The cards of decks, also from the trash. */
const OF_DECKS = `FROM study_cards ${byIndex('study_cards_of_deck')}
  WHERE deck IN (SELECT key FROM study_decks WHERE workspace = $1 AND key IN ${integersIn('$2')})`

/** Returns about `most` of the keys of the cards of decks, drawn by their places; all if there are no more. */
export async function sampleCards(
  db: Queries,
  workspace: WorkspaceId,
  decks: readonly number[],
  most: number,
): Promise<number[]> {
  const keys = JSON.stringify(decks)
  const total = await db.get<{ count: number }>(`SELECT count(*) AS count ${OF_DECKS}`, [workspace, keys])
  const hashes = Math.ceil((PLACE_HASHES * most) / Math.max(most, total?.count ?? 0))
  const sql = `SELECT key FROM (SELECT key, row_number() OVER (ORDER BY deck, key) AS place ${OF_DECKS}) AS placed
    WHERE place * ${PLACE_HASH_FACTOR} % ${PLACE_HASHES} < $3`
  return (await db.all<{ key: number }>(sql, [workspace, keys, hashes])).map(({ key }) => key)
}

/** A review as predictions are judged by it. */
export type PredictedRow = Pick<
  ReviewRow,
  'card' | 'kind' | 'rating' | 'study_day' | 'elapsed_days' | 'predicted_retrievability' | 'was_new'
>

/** Returns the logs of cards without undone reviews, card by card in the order of time. */
export function listPredictions(
  db: Queries,
  workspace: WorkspaceId,
  cards: readonly number[],
): Promise<PredictedRow[]> {
  const sql = `SELECT card, kind, rating, study_day, elapsed_days, predicted_retrievability, was_new
    FROM study_cards CROSS JOIN study_reviews ${byIndex('study_reviews_by_card')} ON card = study_cards.key
    WHERE +study_cards.workspace = $1 AND study_cards.key IN ${integersIn('$2')} AND undone_at IS NULL
    ORDER BY card, reviewed_at, kind <> 'import', study_reviews.key`
  return db.all<PredictedRow>(sql, [workspace, JSON.stringify(cards)])
}
