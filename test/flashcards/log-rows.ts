import { Bindings, type Queries, type Value } from '../../src/db/database'
import type { CardRow } from '../../src/flashcards/cards/card-store'
import type { ReviewRow } from '../../src/flashcards/reviews/review-store'
import { ON_POSTGRES, useDatabase } from '../support/database'

/** Rows of cards and of the log as they lie in the database: what statistics and training are asked about. */

type Own = 'key' | 'id' | 'revision' | 'created_at' | 'updated_at'
export type CardColumns = Omit<
  CardRow,
  Own | 'fact' | 'fact_id' | 'deck' | 'deck_id' | 'ordinal' | 'step' | 'lapses' | 'flag' | 'leech' | 'position'
>

export interface ReviewColumns
  extends Omit<ReviewRow, Own | 'card_id' | 'params_id' | 'fingerprint' | 'before' | 'after'> {
  /** The place of its card among those that are made with it. */
  readonly card: number
  readonly before: object
  readonly after: object
}

export const NEW_CARD: CardColumns = {
  state: 'new',
  due_at: null,
  due_day: null,
  stability: null,
  difficulty: null,
  scheduled_days: 0,
  reps: 0,
  last_reviewed_at: null,
  suspended: 0,
  buried_until: null,
  deleted_at: null,
}

const SNAPSHOT = { stability: null, difficulty: null }

export const ANSWER: Omit<ReviewColumns, 'card' | 'reviewed_at' | 'study_day'> = {
  kind: 'review',
  rating: 3,
  duration_ms: 1000,
  elapsed_days: 1,
  predicted_retrievability: 0.9,
  was_new: 0,
  interval_days: 1,
  undone_at: null,
  before: SNAPSHOT,
  after: SNAPSHOT,
}

let ids = 0
const id = () => `018f0000-0000-7000-8000-${(++ids).toString(16).padStart(12, '0')}`

/** Puts facts with a card each into a deck, and their log; what was made is in the order given. */
export function fill(folder: string, deck: string, cards: readonly CardColumns[], reviews: Iterable<ReviewColumns>) {
  return useDatabase(folder, async (db) => {
    await db.transaction((tx) => fillDeck(tx, deck, cards, reviews))
    // As autovacuum does by itself in a minute.
    if (ON_POSTGRES) await db.run('ANALYZE')
  })
}

async function fillDeck(
  tx: Queries,
  deck: string,
  cards: readonly CardColumns[],
  reviews: Iterable<ReviewColumns>,
): Promise<{ id: string; key: number }[]> {
  const owner = await tx.get<{ key: number; workspace: string }>(
    'SELECT key, workspace FROM study_decks WHERE id = $1',
    [deck],
  )
  if (!owner) throw new Error(`no deck ${deck}`)
  const common = { workspace: owner.workspace, revision: 1, created_at: 0, updated_at: 0 }
  const facts = await insertAll(
    tx,
    'study_facts',
    cards.map(({ deleted_at }) => ({ ...common, ...FACT, id: id(), deleted_at, deck: owner.key })),
  )
  const made = await insertAll(
    tx,
    'study_cards',
    cards.map((card, i) => ({ ...common, ...card, ...CARD, id: id(), fact: facts[i]?.key ?? null, deck: owner.key })),
  )
  const rows = Array.from(reviews, ({ before, after, card, ...review }) => {
    const texts = { before: JSON.stringify(before), after: JSON.stringify(after) }
    return { ...common, id: id(), ...review, ...texts, card: made[card]?.key ?? null }
  })
  await insertAll(tx, 'study_reviews', rows)
  return made
}

const FACT = {
  type: 'basic',
  front: 'f',
  back: 'b',
  accepted: '[]',
  tags: '[]',
  note_ids: '[]',
  size_bytes: 1,
  duplicate_key: '',
}
const CARD = { ordinal: 0, step: 0, lapses: 0, flag: 0, leech: 0, position: 0 }

/** Rows of a statement: SQLite takes at most 32,766 parameters. */
const ROWS_AT_ONCE = 500

/** Inserts rows that have the same members, in order of their ids. Returns what was made in that order. */
async function insertAll(tx: Queries, table: string, rows: readonly Readonly<Record<string, Value>>[]) {
  const made: { id: string; key: number }[] = []
  const names = Object.keys(rows[0] ?? {})
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const bindings = new Bindings()
    const values = rows
      .slice(at, at + ROWS_AT_ONCE)
      .map((row) => `(${names.map((name) => bindings.add(row[name] ?? null))})`)
    const sql = `INSERT INTO ${table} (${names}) VALUES ${values} RETURNING id, key`
    const inserted = await tx.all<{ id: string; key: number }>(sql, bindings.values)
    made.push(...inserted.sort((a, b) => (a.id < b.id ? -1 : 1)))
  }
  return made
}
