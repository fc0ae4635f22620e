import type { Reader, Session } from '../../db/database'
import { integersIn } from '../../db/dialect'
import { createTable, derived, int, keysOf, type RowOf, STORED, text } from '../../db/table'
import { type Wipe, wipeTables } from '../../db/trash'

/** The table of decks. Instants are milliseconds since 1970. */
export const deckTable = createTable('study_decks', {
  ...STORED,
  deleted_at: int<number | null>(),
  trashed_with: text<string | null>(),
  parent: int<number | null>(),
  parent_id: derived<string | null>('(SELECT id FROM study_decks AS above WHERE above.key = study_decks.parent)'),
  name: text(),
  /** The name in the form in which names are compared. */
  name_key: text(),
  description: text(),
  /** JSON: the settings that it overrides. */
  settings: text(),
  size_bytes: int(),
})

export type DeckRow = RowOf<typeof deckTable>

export const DECK = deckTable.columns

/** Also from the trash. */
export const getDeck = deckTable.get

/** Returns the id of the untrashed deck with this name and parent (null: at the top), or null. */
export async function findSiblingId(
  { db, workspace }: Session,
  { parent, name_key }: Pick<DeckRow, 'parent' | 'name_key'>,
): Promise<string | null> {
  const sql = `SELECT id FROM study_decks
    WHERE workspace = $1 AND coalesce(parent, 0) = $2 AND name_key = $3 AND deleted_at IS NULL`
  return (await db.get<{ id: string }>(sql, [workspace.id, parent ?? 0, name_key]))?.id ?? null
}

export type LinkedDeck = Pick<DeckRow, 'key' | 'id' | 'parent' | 'settings'>

const DECKS_UPWARDS = `WITH RECURSIVE up (key, parent) AS (
    SELECT key, parent FROM study_decks WHERE +workspace = $1 AND key IN ${integersIn('$2')}
    UNION SELECT study_decks.key, study_decks.parent FROM study_decks JOIN up ON study_decks.key = up.parent)
  SELECT key, id, parent, settings FROM study_decks WHERE key IN (SELECT key FROM up)`

/** Returns these decks and all their ancestors, in no order. */
export function listDecksUpwards({ db, workspace }: Session, keys: readonly number[]): Promise<LinkedDeck[]> {
  return db.all<LinkedDeck>(DECKS_UPWARDS, [workspace.id, JSON.stringify(keys)])
}

/** Returns the deck and its descendants, also from the trash, each after its parent. */
export function listDecksDownwards({ db, workspace }: Session, key: number): Promise<DeckRow[]> {
  return db.all<DeckRow>(
    `WITH RECURSIVE down (key, level) AS (
       SELECT key, 1 FROM study_decks WHERE +workspace = $1 AND key = $2
       UNION ALL SELECT study_decks.key, level + 1 FROM study_decks JOIN down ON study_decks.parent = down.key)
     SELECT ${DECK} FROM study_decks JOIN down ON down.key = study_decks.key ORDER BY level, study_decks.id`,
    [workspace.id, key],
  )
}

/** Returns these decks with each of their descendants, also from the trash: one row for each pair. */
export function listPairsDownwards(
  { db, workspace }: Session,
  keys: readonly number[],
): Promise<{ readonly top: number; readonly key: number }[]> {
  return db.all(
    `WITH RECURSIVE down (top, key) AS (
       SELECT key, key FROM study_decks WHERE +workspace = $1 AND key IN ${integersIn('$2')}
       UNION ALL SELECT top, study_decks.key FROM study_decks JOIN down ON study_decks.parent = down.key)
     SELECT top, key FROM down`,
    [workspace.id, JSON.stringify(keys)],
  )
}

/** Returns the decks that were trashed with a deck, each after its parent. */
export async function listDecksTrashedWith(session: Session, deck: DeckRow): Promise<DeckRow[]> {
  const below = await listDecksDownwards(session, deck.key)
  return below.filter(({ trashed_with }) => trashed_with === deck.id)
}

export async function listKeysOfDecks({ db, workspace }: Session): Promise<number[]> {
  const rows = await db.all<{ key: number }>('SELECT key FROM study_decks WHERE workspace = $1', [workspace.id])
  return keysOf(rows)
}

/** Returns the keys of all decks by level, then by id. */
export async function listDeckKeysByLevel({ db, workspace }: Reader): Promise<number[]> {
  const rows = await db.all<{ key: number }>(
    `WITH RECURSIVE down (key, level, id) AS (
       SELECT key, 1, id FROM study_decks WHERE workspace = $1 AND parent IS NULL
       UNION ALL SELECT below.key, level + 1, below.id FROM study_decks AS below JOIN down ON below.parent = down.key)
     SELECT key FROM down ORDER BY level, id`,
    [workspace.id],
  )
  return keysOf(rows)
}

export const getDecksByKeys = deckTable.getByKeys

/** Counts reviews, and cards without any, in these decks, also in the trash; stops at `most`. */
export async function countRowsInDecks({ db, workspace }: Session, decks: readonly number[], most: number) {
  const sql = `SELECT count(*) AS found FROM (SELECT 1 FROM study_cards
    LEFT JOIN study_reviews ON study_reviews.card = study_cards.key
    WHERE +study_cards.workspace = $1 AND study_cards.deck IN ${integersIn('$2')} LIMIT $3) AS listed`
  return (await db.get<{ found: number }>(sql, [workspace.id, JSON.stringify(decks), most]))?.found ?? 0
}

const wipeContents = wipeTables(['study_facts', 'study_media'])

/** Erases facts with their cards and reviews, then media; settings and decks last, since decks refer to each other. */
export const wipeFlashcards: Wipe = async (db, workspace, limit) => {
  if (await wipeContents(db, workspace, limit)) return true
  for (const table of ['study_decks', 'flashcard_note_types', 'study_settings', 'study_reschedules'])
    await db.run(`DELETE FROM ${table} WHERE workspace = $1`, [workspace])
  return false
}
