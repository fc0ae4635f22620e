import type { Queries, WorkspaceId } from '../../db/database'
import { byIndex, elementsIn } from '../../db/dialect'
import type { ReviewRow } from '../review-store'

// The queries of training. They read answers that were not undone, also of cards in the trash, in small parts.

/** An answer or a manual change, and the present deck of its card. */
export interface ReviewPlace extends Pick<ReviewRow, 'key' | 'card' | 'rating'> {
  readonly deck: number
}

/** Returns the last reviews that arrived before another (null: the latest ones), the latest first. */
export function listReviewsBefore(
  db: Queries,
  workspace: WorkspaceId,
  before: number | null,
  limit: number,
): Promise<ReviewPlace[]> {
  // The log is scanned in its order. The cards are only needed for their decks.
  const sql = `SELECT study_reviews.key, card, rating, deck
    FROM study_reviews ${byIndex('study_reviews_by_arrival')}
    CROSS JOIN study_cards ${byIndex('study_cards_deck_of')} ON study_cards.key = card
    WHERE study_reviews.workspace = $1 AND undone_at IS NULL AND study_reviews.key < $2
    ORDER BY study_reviews.key DESC LIMIT $3`
  return db.all<ReviewPlace>(sql, [workspace, before ?? Number.MAX_SAFE_INTEGER, limit])
}

/** Returns those of the cards whose whole log arrived from this key on. */
export async function listCardsStartedSince(
  db: Queries,
  workspace: WorkspaceId,
  cards: readonly number[],
  from: number,
): Promise<number[]> {
  const sql = `SELECT CAST(value AS bigint) AS card FROM ${elementsIn('$2')} WHERE NOT EXISTS (
    SELECT 1 FROM study_reviews WHERE +workspace = $1 AND card = CAST(value AS bigint) AND key < $3 AND undone_at IS NULL)`
  const rows = await db.all<{ card: number }>(sql, [workspace, JSON.stringify(cards), from])
  return rows.map(({ card }) => card)
}
