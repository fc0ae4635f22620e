import { Database, type Statement } from 'bun:sqlite'
import { join } from 'node:path'

/** Rows of cards and of the log as they lie in the database: what statistics and training are asked about. */

export interface CardColumns {
  readonly state: 'new' | 'learning' | 'review' | 'relearning'
  readonly due_at: number | null
  readonly due_day: number | null
  readonly stability: number | null
  readonly difficulty: number | null
  readonly scheduled_days: number
  readonly reps: number
  readonly last_reviewed_at: number | null
  readonly suspended: number
  readonly buried_until: number | null
  readonly deleted_at: number | null
}

export interface ReviewColumns {
  /** The place of its card among those that are made with it. */
  readonly card: number
  readonly kind: 'learning' | 'review' | 'relearning' | 'manual' | 'import'
  readonly rating: number | null
  readonly reviewed_at: number
  readonly study_day: number
  readonly duration_ms: number
  readonly elapsed_days: number
  readonly predicted_retrievability: number | null
  readonly was_new: number
  readonly interval_days: number
  readonly undone_at: number | null
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

/** Puts facts with a card each into a deck, and their log; `key` of what was made is in the order given. */
export function fill(folder: string, deck: string, cards: readonly CardColumns[], reviews: Iterable<ReviewColumns>) {
  const db = new Database(join(folder, 'satchel.db'), { strict: true })
  const owner = db
    .query<{ key: number; workspace: string }, [string]>('SELECT key, workspace FROM study_decks WHERE id = ?')
    .get(deck)
  if (!owner) throw new Error(`no deck ${deck}`)
  const common = { workspace: owner.workspace, revision: 1, created_at: 0, updated_at: 0 }
  const statements = new Map<string, Statement>()
  /** All rows of a table have the same members. */
  const insert = (table: string, row: object): number => {
    let statement = statements.get(table)
    if (!statement) {
      const names = Object.keys(row)
      const values = names.map((name) => `$${name}`)
      statement = db.query(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${values.join(', ')})`)
      statements.set(table, statement)
    }
    return Number(statement.run(row as Record<string, string>).lastInsertRowid)
  }
  const made = db.transaction(() => {
    const keys = cards.map((card) => {
      const fact = { type: 'basic', front: 'f', back: 'b', accepted: '[]', tags: '[]', size_bytes: 1 }
      const deleted_at = card.deleted_at
      const key = insert('study_facts', {
        ...common,
        id: id(),
        deleted_at,
        deck: owner.key,
        ...fact,
        duplicate_key: '',
      })
      const own = {
        ...card,
        fact: key,
        deck: owner.key,
        ordinal: 0,
        step: 0,
        lapses: 0,
        flag: 0,
        leech: 0,
        position: 0,
      }
      const cardId = id()
      return { id: cardId, key: insert('study_cards', { ...common, id: cardId, ...own }) }
    })
    for (const { before, after, card, ...review } of reviews) {
      const texts = { before: JSON.stringify(before), after: JSON.stringify(after) }
      insert('study_reviews', { ...common, id: id(), ...review, ...texts, card: keys[card]?.key ?? null })
    }
    return keys
  })()
  db.close()
  return made
}
