import type { Queries, WorkspaceId } from '../../db/database'

/** A row of `study_decks`: instants are milliseconds. */
export interface DeckRow {
  readonly key: number
  readonly id: string
  readonly revision: number
  readonly created_at: number
  readonly updated_at: number
  readonly trashed_at: number | null
  readonly trashed_with: string | null
  /** The key of the deck above it, and its id. */
  readonly parent: number | null
  readonly parent_id: string | null
  readonly name: string
  /** The name as names are compared. */
  readonly name_key: string
  readonly description: string
  /** JSON: the settings that it overrides. */
  readonly settings: string
  readonly size_bytes: number
}

/** A deck that has no row yet. */
export type DeckDraft = Omit<DeckRow, 'key' | 'parent_id'>

/** The columns that a write may change. */
const WRITTEN = [
  'revision',
  'updated_at',
  'trashed_at',
  'trashed_with',
  'parent',
  'name',
  'name_key',
  'description',
  'settings',
  'size_bytes',
] as const satisfies (keyof DeckDraft)[]

const INSERTED = ['id', 'created_at', ...WRITTEN] as const satisfies (keyof DeckDraft)[]

const DECK = [...['key', ...INSERTED].map((column) => `study_decks.${column}`)]
  .concat('(SELECT id FROM study_decks AS above WHERE above.key = study_decks.parent) AS parent_id')
  .join(', ')

const INSERT = `INSERT INTO study_decks (workspace, ${INSERTED.join(', ')})
  VALUES ($1, ${INSERTED.map((_, i) => `$${i + 2}`).join(', ')})
  ON CONFLICT (workspace, id) DO NOTHING RETURNING ${DECK}`

const UPDATE = `UPDATE study_decks SET ${WRITTEN.map((column, i) => `${column} = $${i + 3}`).join(', ')}
  WHERE workspace = $1 AND key = $2 RETURNING ${DECK}`

/** Stores a new deck; null if its id is taken in this workspace. */
export function insertDeck(db: Queries, workspace: WorkspaceId, deck: DeckDraft): Promise<DeckRow | null> {
  return db.get<DeckRow>(INSERT, [workspace, ...INSERTED.map((column) => deck[column])])
}

/** Writes every member that can change. */
export async function updateDeck(db: Queries, workspace: WorkspaceId, deck: DeckRow): Promise<DeckRow> {
  const row = await db.get<DeckRow>(UPDATE, [workspace, deck.key, ...WRITTEN.map((column) => deck[column])])
  if (!row) throw new Error('RETURNING gave no row')
  return row
}

/** Erases the deck; nothing may stand in it. */
export async function eraseDeck(db: Queries, workspace: WorkspaceId, key: number): Promise<void> {
  await db.run('DELETE FROM study_decks WHERE workspace = $1 AND key = $2', [workspace, key])
}

/** The deck, living or in the trash. */
export function getDeck(db: Queries, workspace: WorkspaceId, id: string): Promise<DeckRow | null> {
  return db.get<DeckRow>(`SELECT ${DECK} FROM study_decks WHERE workspace = $1 AND id = $2`, [workspace, id])
}
