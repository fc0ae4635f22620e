import type { Queries, WorkspaceId } from '../db/database'
import { byIndex, valuesIn } from '../db/dialect'

/** A row of `study_cards`: instants are milliseconds, days whole days since 1970-01-01; see the migration for the rest. */
export interface CardRow {
  readonly key: number
  readonly id: string
  readonly revision: number
  readonly created_at: number
  readonly updated_at: number
  readonly deleted_at: number | null
  /** The keys of its fact and of that one's deck, and their ids. */
  readonly fact: number
  readonly fact_id: string
  readonly deck: number
  readonly deck_id: string
  readonly ordinal: number
  readonly state: 'new' | 'learning' | 'review' | 'relearning'
  readonly due_at: number | null
  readonly due_day: number | null
  readonly stability: number | null
  readonly difficulty: number | null
  readonly scheduled_days: number
  readonly step: number
  readonly reps: number
  readonly lapses: number
  readonly last_reviewed_at: number | null
  /** 0 or 1, as is `leech`. */
  readonly suspended: number
  readonly buried_until: number | null
  readonly flag: number
  readonly leech: number
  readonly position: number
}

/** A card that has no row yet. */
export type CardDraft = Omit<CardRow, 'key' | 'fact_id' | 'deck_id'>

/** The columns that a write may change. */
const WRITTEN = [
  'revision',
  'created_at',
  'updated_at',
  'deleted_at',
  'deck',
  'state',
  'due_at',
  'due_day',
  'stability',
  'difficulty',
  'scheduled_days',
  'step',
  'reps',
  'lapses',
  'last_reviewed_at',
  'suspended',
  'buried_until',
  'flag',
  'leech',
  'position',
] as const satisfies (keyof CardDraft)[]

/** The columns of a new row, but for its key and its workspace. */
export const INSERTED_CARD = ['id', 'fact', 'ordinal', ...WRITTEN] as const satisfies (keyof CardDraft)[]

/** The columns of a card, in SQL that joins whatever else to `study_cards`. */
export const CARD = [...['key', ...INSERTED_CARD].map((column) => `study_cards.${column}`)]
  .concat('(SELECT id FROM study_facts WHERE key = study_cards.fact) AS fact_id')
  .concat('(SELECT id FROM study_decks WHERE key = study_cards.deck) AS deck_id')
  .join(', ')

const INSERT = `INSERT INTO study_cards (workspace, ${INSERTED_CARD.join(', ')})
  VALUES ($1, ${INSERTED_CARD.map((_, i) => `$${i + 2}`).join(', ')}) RETURNING ${CARD}`

/** Stores a new card. */
export async function insertCard(db: Queries, workspace: WorkspaceId, card: CardDraft): Promise<CardRow> {
  return written(await db.get<CardRow>(INSERT, [workspace, ...INSERTED_CARD.map((column) => card[column])]))
}

/**
 * Writes what differs from `old`, or else all that can change: each index that holds a column of an UPDATE is written,
 * also where the column stays as it was.
 */
export async function updateCard(
  db: Queries,
  workspace: WorkspaceId,
  card: CardRow,
  old: CardRow | null = null,
): Promise<CardRow> {
  const columns = WRITTEN.filter((column) => card[column] !== old?.[column])
  const sql = `UPDATE study_cards SET ${columns.map((column, i) => `${column} = $${i + 3}`).join(', ')}
    WHERE workspace = $1 AND key = $2 RETURNING ${CARD}`
  return written(await db.get<CardRow>(sql, [workspace, card.key, ...columns.map((column) => card[column])]))
}

/** Writes memory alone, which is in one index: for many cards at once that is several times as quick. */
export async function updateMemory(db: Queries, workspace: WorkspaceId, card: CardRow): Promise<void> {
  const sql = `UPDATE study_cards SET revision = $3, updated_at = $4, stability = $5, difficulty = $6
    WHERE +workspace = $1 AND key = $2`
  await db.run(sql, [workspace, card.key, card.revision, card.updated_at, card.stability, card.difficulty])
}

function written(row: CardRow | null): CardRow {
  if (!row) throw new Error('RETURNING gave no row')
  return row
}

/** The card, living or in the trash. */
export function getCard(db: Queries, workspace: WorkspaceId, id: string): Promise<CardRow | null> {
  return db.get<CardRow>(`SELECT ${CARD} FROM study_cards WHERE workspace = $1 AND id = $2`, [workspace, id])
}

/** Those of the cards that there are, living or in the trash, in no order. */
export function getCardsByKeys(db: Queries, workspace: WorkspaceId, keys: readonly number[]): Promise<CardRow[]> {
  const sql = `SELECT ${CARD} FROM study_cards WHERE +workspace = $1 AND key IN ${valuesIn('$2')}`
  return db.all<CardRow>(sql, [workspace, JSON.stringify(keys)])
}

/** The living ones of the cards with these ids, in no order. */
export function getCardsByIds(db: Queries, workspace: WorkspaceId, ids: readonly string[]): Promise<CardRow[]> {
  const sql = `SELECT ${CARD} FROM study_cards
    WHERE workspace = $1 AND id IN ${valuesIn('$2')} AND deleted_at IS NULL`
  return db.all<CardRow>(sql, [workspace, JSON.stringify(ids)])
}

/** The cards of a fact, living and in the trash, by ordinal. */
export function listCardsOfFact(db: Queries, workspace: WorkspaceId, fact: number): Promise<CardRow[]> {
  const sql = `SELECT ${CARD} FROM study_cards WHERE +workspace = $1 AND fact = $2 ORDER BY ordinal`
  return db.all<CardRow>(sql, [workspace, fact])
}

/** The cards of these facts that have memory, living and in the trash. */
export function listCardsWithMemory(db: Queries, workspace: WorkspaceId, facts: readonly number[]): Promise<CardRow[]> {
  const sql = `SELECT ${CARD} FROM study_cards WHERE +workspace = $1 AND stability IS NOT NULL
    AND fact IN ${valuesIn('$2')} ORDER BY fact, ordinal`
  return db.all<CardRow>(sql, [workspace, JSON.stringify(facts)])
}

/** The highest position of all cards; null if there are none. */
export async function getLastPosition(db: Queries, workspace: WorkspaceId): Promise<number | null> {
  const sql = 'SELECT max(position) AS position FROM study_cards WHERE workspace = $1'
  return (await db.get<{ position: number | null }>(sql, [workspace]))?.position ?? null
}

/** The next cards of the workspace, living and in the trash, by id. */
export function listCardsAfter(
  db: Pick<Queries, 'all'>,
  workspace: WorkspaceId,
  after: string,
  limit: number,
): Promise<CardRow[]> {
  const sql = `SELECT ${CARD} FROM study_cards WHERE workspace = $1 AND id > $2 ORDER BY id LIMIT $3`
  return db.all<CardRow>(sql, [workspace, after, limit])
}

/** A card in the trash, with what its erasure records. */
export function getCardInTrash(
  db: Queries,
  workspace: WorkspaceId,
  id: string,
): Promise<Pick<CardRow, 'key' | 'id' | 'revision'> | null> {
  return db.get(
    'SELECT key, id, revision FROM study_cards WHERE workspace = $1 AND id = $2 AND deleted_at IS NOT NULL',
    [workspace, id],
  )
}

interface CardCounts {
  readonly new: number
  readonly learning: number
  readonly review: number
  readonly suspended: number
  readonly total: number
  readonly due_today: number
}

/** What is due when: whole days since 1970-01-01, and the instant at which the day ends. */
interface DueBy {
  readonly today: number
  readonly dayEndsAt: number
}

/** Counts the living cards of these decks. It reads an index alone. */
export async function countCards(
  db: Queries,
  workspace: WorkspaceId,
  decks: readonly number[],
  { today, dayEndsAt }: DueBy,
): Promise<CardCounts> {
  const counts = await db.get<CardCounts>(
    `SELECT count(*) FILTER (WHERE suspended = 0 AND state = 'new') AS new,
       count(*) FILTER (WHERE suspended = 0 AND state IN ('learning', 'relearning')) AS learning,
       count(*) FILTER (WHERE suspended = 0 AND state = 'review') AS review,
       count(*) FILTER (WHERE suspended = 1) AS suspended,
       count(*) AS total,
       count(*) FILTER (WHERE suspended = 0 AND (due_day <= $3 OR due_at < $4) AND coalesce(buried_until, $3) <= $3)
         AS due_today
     FROM study_cards ${byIndex('study_cards_by_deck')}
     WHERE workspace = $1 AND deleted_at IS NULL AND deck IN ${valuesIn('$2')}`,
    [workspace, JSON.stringify(decks), today, dayEndsAt],
  )
  if (!counts) throw new Error('a count gave no row')
  return counts
}
