import type { Queries, WorkspaceId } from '../db/database'
import { type Wipe, wipeTables } from '../db/erasing'
import type { CardRow } from './cards/store'

const wipeContents = wipeTables(['study_facts', 'study_media', 'study_blobs'])

/** Erases facts with their cards and reviews, media, settings, and in the end the decks: they refer to each other. */
export const wipeFlashcards: Wipe = async (db, workspace, limit) => {
  if (await wipeContents(db, workspace, limit)) return true
  for (const table of ['study_decks', 'study_settings'])
    await db.run(`DELETE FROM ${table} WHERE workspace = $1`, [workspace])
  return false
}

/** A card, as far as its end is told. */
export function trashedCard(
  db: Queries,
  workspace: WorkspaceId,
  id: string,
): Promise<Pick<CardRow, 'key' | 'id' | 'revision'> | null> {
  return db.get(
    'SELECT key, id, revision FROM study_cards WHERE workspace = $1 AND id = $2 AND trashed_at IS NOT NULL',
    [workspace, id],
  )
}
