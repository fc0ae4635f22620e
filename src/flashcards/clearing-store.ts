import { type Wipe, wipeTables } from '../db/erasing'

const wipeContents = wipeTables(['study_facts', 'study_media', 'study_blobs'])

/** Erases facts with their cards and reviews, media, settings, and in the end the decks: they refer to each other. */
export const wipeFlashcards: Wipe = async (db, workspace, limit) => {
  if (await wipeContents(db, workspace, limit)) return true
  for (const table of ['study_decks', 'study_settings'])
    await db.run(`DELETE FROM ${table} WHERE workspace = $1`, [workspace])
  return false
}
