import type { WorkspaceId } from '../../../db/database'
import type { Reading } from '../../../db/portable'
import { CARD, type CardRow } from '../../cards/store'
import type { DeckRow } from '../../decks/store'
import type { ReviewRow } from '../../reviews/store'

/** What an export reads, all of it from one snapshot. */

export type ExportedDeckRow = Pick<DeckRow, 'key' | 'id' | 'parent' | 'name' | 'description' | 'settings'>

/** All living decks, by name. */
export function livingDecks(read: Reading, workspace: WorkspaceId): Promise<ExportedDeckRow[]> {
  const sql = `SELECT key, id, parent, name, description, settings FROM study_decks
    WHERE workspace = $1 AND trashed_at IS NULL ORDER BY name_key, id`
  return read.all<ExportedDeckRow>(sql, [workspace])
}

/** The living cards of these facts, by ordinal. */
export function livingCards(read: Reading, workspace: WorkspaceId, facts: readonly number[]): Promise<CardRow[]> {
  const sql = `SELECT ${CARD} FROM study_cards
    WHERE +workspace = $1 AND fact IN (SELECT value FROM json_each($2)) AND trashed_at IS NULL ORDER BY fact, ordinal`
  return read.all<CardRow>(sql, [workspace, JSON.stringify(facts)])
}

/** The next rows of the log of a card, in order of arrival. */
export function logOfCard(
  read: Reading,
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

/** The next media, by name. */
export function mediaAfter(
  read: Reading,
  workspace: WorkspaceId,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<{ name: string; sha256: string; size_bytes: number }[]> {
  const sql =
    'SELECT name, sha256, size_bytes FROM study_media WHERE workspace = $1 AND name > $2 ORDER BY name LIMIT $3'
  return read.all(sql, [workspace, after, limit])
}
