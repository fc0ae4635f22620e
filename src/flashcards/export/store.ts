import type { ReadQueries } from '../../archive/archived-type'
import type { WorkspaceId } from '../../db/database'
import { integersIn } from '../../db/dialect'
import { CARD, type CardRow } from '../card-store'
import { DECK, type DeckRow } from '../deck-store'
import type { ReviewRow } from '../review-store'

// The queries of exports, which run on one snapshot.

/** Without the trash, by name. */
export function listExportedDecks(read: ReadQueries, workspace: WorkspaceId): Promise<DeckRow[]> {
  const sql = `SELECT ${DECK} FROM study_decks WHERE workspace = $1 AND deleted_at IS NULL ORDER BY name_key, id`
  return read.all<DeckRow>(sql, [workspace])
}

/** Without the trash, by ordinal. */
export function listExportedCards(
  read: ReadQueries,
  workspace: WorkspaceId,
  facts: readonly number[],
): Promise<CardRow[]> {
  const sql = `SELECT ${CARD} FROM study_cards
    WHERE +workspace = $1 AND fact IN ${integersIn('$2')} AND deleted_at IS NULL ORDER BY fact, ordinal`
  return read.all<CardRow>(sql, [workspace, JSON.stringify(facts)])
}

/** Returns the next reviews of a card, in order of arrival. */
export function listLogOfCard(
  read: ReadQueries,
  workspace: WorkspaceId,
  card: number,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<ReviewRow[]> {
  return read.all<ReviewRow>(
    `SELECT key, id, revision, created_at, updated_at, card, kind, rating, reviewed_at, study_day, duration_ms,
       elapsed_days, predicted_retrievability, params_id, was_new, interval_days, before, after, undone_at, fingerprint
     FROM study_reviews WHERE +workspace = $1 AND card = $2 AND key > $3 ORDER BY key LIMIT $4`,
    [workspace, card, after, limit],
  )
}
