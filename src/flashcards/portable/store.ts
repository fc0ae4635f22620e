import type { WorkspaceId } from '../../db/database'
import type { Reading } from '../../db/portable'
import { CARD, type CardRow } from '../cards/store'
import { DECK, type DeckRow } from '../decks/store'
import { FACT, type FactRow } from '../facts/store'
import { MEDIA, type MediaRow } from '../media/store'
import { REVIEW, type ReviewRow } from '../reviews/store'

/** All that a workspace holds of each kind, living and in the trash, some at a time. */

/** The keys of all decks, those of each level behind those above, by their ids. */
export async function deckKeys(db: Reading, workspace: WorkspaceId): Promise<number[]> {
  const rows = await db.all<{ key: number }>(
    `WITH RECURSIVE down (key, level, id) AS (
       SELECT key, 1, id FROM study_decks WHERE workspace = $1 AND parent IS NULL
       UNION ALL SELECT below.key, level + 1, below.id FROM study_decks AS below JOIN down ON below.parent = down.key)
     SELECT key FROM down ORDER BY level, id`,
    [workspace],
  )
  return rows.map(({ key }) => key)
}

/** In no order. */
export function decksByKeys(db: Reading, workspace: WorkspaceId, keys: readonly number[]): Promise<DeckRow[]> {
  const sql = `SELECT ${DECK} FROM study_decks WHERE +workspace = $1 AND key IN (SELECT value FROM json_each($2))`
  return db.all<DeckRow>(sql, [workspace, JSON.stringify(keys)])
}

export function getMediaById(db: Reading, workspace: WorkspaceId, id: string): Promise<MediaRow | null> {
  return db.get<MediaRow>(`SELECT ${MEDIA} FROM study_media WHERE workspace = $1 AND id = $2`, [workspace, id])
}

/** By name. */
export function mediaFrom(db: Reading, workspace: WorkspaceId, after: string, limit: number): Promise<MediaRow[]> {
  const sql = `SELECT ${MEDIA} FROM study_media WHERE workspace = $1 AND name > $2 ORDER BY name LIMIT $3`
  return db.all<MediaRow>(sql, [workspace, after, limit])
}

/** By id. */
export function factsFrom(db: Reading, workspace: WorkspaceId, after: string, limit: number): Promise<FactRow[]> {
  const sql = `SELECT ${FACT} FROM study_facts WHERE workspace = $1 AND id > $2 ORDER BY id LIMIT $3`
  return db.all<FactRow>(sql, [workspace, after, limit])
}

/** By id. */
export function cardsFrom(db: Reading, workspace: WorkspaceId, after: string, limit: number): Promise<CardRow[]> {
  const sql = `SELECT ${CARD} FROM study_cards WHERE workspace = $1 AND id > $2 ORDER BY id LIMIT $3`
  return db.all<CardRow>(sql, [workspace, after, limit])
}

/** The keys of the next reviews to have arrived. They are looked for in one index, without any row. */
export async function reviewKeysAfter(
  db: Reading,
  workspace: WorkspaceId,
  after: number,
  limit: number,
): Promise<number[]> {
  const sql = `SELECT key FROM study_reviews INDEXED BY study_reviews_by_time
    WHERE workspace = $1 AND key > $2 ORDER BY key LIMIT $3`
  return (await db.all<{ key: number }>(sql, [workspace, after, limit])).map(({ key }) => key)
}

/** A review, and which revision its card has now, since when. */
export type LoggedReview = ReviewRow & { readonly card_revision: number; readonly card_updated_at: number }

/** In the order of arrival. */
export function reviewsByKeys(db: Reading, workspace: WorkspaceId, keys: readonly number[]): Promise<LoggedReview[]> {
  const sql = `SELECT ${REVIEW}, study_cards.revision AS card_revision, study_cards.updated_at AS card_updated_at
    FROM study_reviews JOIN study_cards ON study_cards.key = study_reviews.card
    WHERE +study_reviews.workspace = $1 AND study_reviews.key IN (SELECT value FROM json_each($2))
    ORDER BY study_reviews.key`
  return db.all<LoggedReview>(sql, [workspace, JSON.stringify(keys)])
}
