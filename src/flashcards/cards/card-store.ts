import type { Reader, Session } from '../../db/database'
import { byIndex, integersIn, valuesIn } from '../../db/dialect'
import { createTable, type DraftOf, derived, fixed, int, type RowOf, real, STORED, text } from '../../db/table'
import type { CardSnapshot } from '../scheduling/snapshot'

/** What a card counts towards the quota. */
export const CARD_BYTES = 100

/** The table of cards: instants are milliseconds, days whole days since 1970-01-01; see the schema for the rest. */
export const cardTable = createTable('study_cards', {
  ...STORED,
  deleted_at: int<number | null>(),
  /** The keys and ids of its fact and of its deck, which is that of the fact. */
  fact: fixed(int()),
  fact_id: derived<string>('(SELECT id FROM study_facts WHERE key = study_cards.fact)'),
  deck: int(),
  deck_id: derived<string>('(SELECT id FROM study_decks WHERE key = study_cards.deck)'),
  ordinal: fixed(int()),
  state: text<CardSnapshot['state']>(),
  due_at: int<number | null>(),
  due_day: int<number | null>(),
  stability: real<number | null>(),
  difficulty: real<number | null>(),
  scheduled_days: int(),
  step: int(),
  reps: int(),
  lapses: int(),
  last_reviewed_at: int<number | null>(),
  /** 0 or 1, like `leech`. */
  suspended: int(),
  leech: int(),
  buried_until: int<number | null>(),
  flag: int(),
  position: int(),
})

export type CardRow = RowOf<typeof cardTable>
export type CardDraft = DraftOf<typeof cardTable>

export const CARD = cardTable.columns

/** Also from the trash. */
export const getCard = cardTable.get

/** Writes stability and difficulty only. They are in one index, so this is several times as fast as a full update. */
export async function updateMemory({ db, workspace }: Session, card: CardRow): Promise<void> {
  const sql = `UPDATE study_cards SET revision = $3, updated_at = $4, stability = $5, difficulty = $6
    WHERE +workspace = $1 AND key = $2`
  await db.run(sql, [workspace.id, card.key, card.revision, card.updated_at, card.stability, card.difficulty])
}

/** Also from the trash, in no order. */
export const getCardsByKeys = cardTable.getByKeys

/** Returns the cards with these ids that are not in the trash, in no order. */
export function getCardsByIds({ db, workspace }: Session, ids: readonly string[]): Promise<CardRow[]> {
  const sql = `SELECT ${CARD} FROM study_cards
    WHERE workspace = $1 AND id IN ${valuesIn('$2')} AND deleted_at IS NULL`
  return db.all<CardRow>(sql, [workspace.id, JSON.stringify(ids)])
}

export function listCardsOfFact({ db, workspace }: Reader, fact: number): Promise<CardRow[]> {
  const sql = `SELECT ${CARD} FROM study_cards WHERE +workspace = $1 AND fact = $2 ORDER BY ordinal`
  return db.all<CardRow>(sql, [workspace.id, fact])
}

/** Returns the states of the cards of these facts that are not in the trash, by ordinal. */
export function listCardStates(
  { db, workspace }: Session,
  facts: readonly number[],
): Promise<Pick<CardRow, 'id' | 'fact' | 'state'>[]> {
  const sql = `SELECT id, fact, state FROM study_cards WHERE +workspace = $1 AND fact IN ${integersIn('$2')}
    AND deleted_at IS NULL ORDER BY fact, ordinal`
  return db.all(sql, [workspace.id, JSON.stringify(facts)])
}

/** Returns the cards of these facts that have memory, also from the trash. */
export function listCardsWithMemory({ db, workspace }: Reader, facts: readonly number[]): Promise<CardRow[]> {
  const sql = `SELECT ${CARD} FROM study_cards WHERE +workspace = $1 AND stability IS NOT NULL
    AND fact IN ${integersIn('$2')} ORDER BY fact, ordinal`
  return db.all<CardRow>(sql, [workspace.id, JSON.stringify(facts)])
}

export async function getLastPosition({ db, workspace }: Session): Promise<number | null> {
  const sql = 'SELECT max(position) AS position FROM study_cards WHERE workspace = $1'
  return (await db.get<{ position: number | null }>(sql, [workspace.id]))?.position ?? null
}

/** By id, also from the trash. */
export const listCardsAfter = cardTable.listAfter

export function getTrashedCard(
  { db, workspace }: Session,
  id: string,
): Promise<Pick<CardRow, 'key' | 'id' | 'revision'> | null> {
  return db.get(
    'SELECT key, id, revision FROM study_cards WHERE workspace = $1 AND id = $2 AND deleted_at IS NOT NULL',
    [workspace.id, id],
  )
}

/** Counts of cards; suspended ones are counted only in `suspended` and `total`. */
export interface CardCounts {
  readonly new: number
  readonly learning: number
  readonly review: number
  readonly suspended: number
  readonly total: number
  readonly due_today: number
}

/** When cards are due: today as whole days since 1970-01-01, and the instant at which today ends. */
interface DueBy {
  readonly today: number
  readonly dayEndsAt: number
}

/** The columns of CardCounts, and where they are counted: $2 is the decks, $3 and $4 are DueBy. Reads only an index. */
const COUNTS = `count(*) FILTER (WHERE suspended = 0 AND state = 'new') AS new,
    count(*) FILTER (WHERE suspended = 0 AND state IN ('learning', 'relearning')) AS learning,
    count(*) FILTER (WHERE suspended = 0 AND state = 'review') AS review,
    count(*) FILTER (WHERE suspended = 1) AS suspended,
    count(*) AS total,
    count(*) FILTER (WHERE suspended = 0 AND (due_day <= $3 OR due_at < $4) AND coalesce(buried_until, $3) <= $3)
      AS due_today
  FROM study_cards ${byIndex('study_cards_by_deck')}
  WHERE workspace = $1 AND deleted_at IS NULL AND deck IN ${integersIn('$2')}`

/** Counts the cards of each of these decks that are not in the trash; decks without any are left out. */
export function countCardsByDeck(
  { db, workspace }: Reader,
  decks: readonly number[],
  { today, dayEndsAt }: DueBy,
): Promise<(CardCounts & { readonly deck: number })[]> {
  const values = [workspace.id, JSON.stringify(decks), today, dayEndsAt]
  return db.all(`SELECT deck, ${COUNTS} GROUP BY deck`, values)
}
