import type { Change, RecordChanges } from '../db/change-feed'
import type { Context, Session } from '../db/database'
import { integersIn } from '../db/dialect'
import { keysOf } from '../db/table'
import { changeOf, changeOfErased } from '../http/resource'
import { CARD_BYTES, type CardDraft, type CardRow, cardTable } from './cards/card-store'
import { type UnsizedFact, withDerivedColumns } from './fact-writer'
import { factTagKey, listOrdinals } from './facts/fact'
import { type FactRow, factTable, insertNames } from './facts/fact-store'
import { eraseUnusedNoteTypes } from './facts/note-type-store'
import { listReviewsOfCards, REVIEW_BYTES } from './reviews/review-store'

// Writes many rows at once: the contents of a deck are trashed, restored and moved with it, and imports add hundreds of
// facts.

type Kind = 'fact' | 'card'

interface Which {
  readonly by?: 'key' | 'fact'
  readonly keys: readonly number[]
}

type ChangedColumns = Partial<Pick<FactRow, 'deck' | 'deleted_at' | 'trashed_with'>>

/** Sets columns at the next revision. Returns what the change feed records. */
function updateRows(
  { db, workspace }: Session,
  kind: Kind,
  { by = 'key', keys }: Which,
  at: number,
  set: ChangedColumns,
): Promise<Pick<FactRow, 'id' | 'revision' | 'deleted_at'>[]> {
  const columns = Object.keys(set).map((column, i) => `${column} = $${i + 4}`)
  return db.all(
    `UPDATE study_${kind}s SET revision = revision + 1, updated_at = $3, ${columns.join(', ')}
     WHERE +workspace = $1 AND ${by} IN ${integersIn('$2')} RETURNING id, revision, deleted_at`,
    [workspace.id, JSON.stringify(keys), at, ...Object.values(set)],
  )
}

/** Returns the columns of the cards of these facts that decide which are trashed or restored, by fact and ordinal. */
function listCardsOfFacts(
  { db, workspace }: Session,
  facts: readonly number[],
): Promise<Pick<CardRow, 'key' | 'id' | 'revision' | 'fact' | 'ordinal' | 'deleted_at'>[]> {
  return db.all(
    `SELECT key, id, revision, fact, ordinal, deleted_at FROM study_cards
     WHERE +workspace = $1 AND fact IN ${integersIn('$2')} ORDER BY fact, ordinal`,
    [workspace.id, JSON.stringify(facts)],
  )
}

/** Erases rows and all that belongs to them: cards with their reviews; facts also with their tags, notes and texts. */
async function eraseRows({ db, workspace }: Session, kind: Kind, keys: readonly number[]): Promise<void> {
  await db.run(`DELETE FROM study_${kind}s WHERE +workspace = $1 AND key IN ${integersIn('$2')}`, [
    workspace.id,
    JSON.stringify(keys),
  ])
}

interface Deps extends Pick<Context, 'now'> {
  readonly recordAll: RecordChanges
}

type ErasedCard = Pick<CardRow, 'key' | 'id' | 'revision'>

/** A new fact. Its id and its source must be free. */
export interface NewFact {
  readonly fact: UnsizedFact
  /** One for each side or number of the fact. */
  readonly cards: readonly Omit<CardDraft, 'fact' | 'deck'>[]
}

export type FactBulkWriter = ReturnType<typeof createFactBulkWriter>

/** A statement for each kind of row: a deck may hold all that a workspace may. `session.db` must be a transaction. */
export function createFactBulkWriter({ now, recordAll }: Deps) {
  async function update(session: Session, kind: Kind, which: Which, at: number, set: ChangedColumns): Promise<void> {
    const rows = await updateRows(session, kind, which, at, set)
    await recordAll(
      session,
      rows.map((row) => changeOf(kind, { ...row, updated_at: at }, 0, 0)),
    )
  }

  return {
    /** Stores new facts with these cards. Returns the keys of the cards by id. */
    async insert(session: Session, given: readonly NewFact[]): Promise<ReadonlyMap<string, number>> {
      const facts = given.map(({ fact }) => withDerivedColumns(fact))
      const keys = await factTable.insertAll(session, facts)
      const keyOf = ({ id }: UnsizedFact) => keys.get(id) ?? Number.NaN
      const tagsOf = (fact: UnsizedFact) => ({ fact: keyOf(fact), names: JSON.parse(fact.tags).map(factTagKey) })
      await insertNames(session, 'tags', facts.map(tagsOf))
      const notesOf = (fact: UnsizedFact) => ({ fact: keyOf(fact), names: JSON.parse(fact.note_ids) })
      await insertNames(session, 'notes', facts.map(notesOf))
      const cards = given.flatMap(({ fact, cards: own }) =>
        own.map((card) => ({ ...card, fact: keyOf(fact), deck: fact.deck })),
      )
      const cardKeys = await cardTable.insertAll(session, cards)
      await recordAll(session, [
        ...facts.map((fact) => changeOf('fact', fact, 1, fact.size_bytes)),
        ...cards.map((card) => changeOf('card', card, 0, CARD_BYTES)),
      ])
      return cardKeys
    },

    /** Trashes facts with the deck that has this id. */
    async trash(session: Session, facts: readonly FactRow[], deck: string): Promise<void> {
      const [at, keys] = [now(), keysOf(facts)]
      const living = (await listCardsOfFacts(session, keys)).filter(({ deleted_at }) => deleted_at === null)
      await update(session, 'fact', { keys }, at, { deleted_at: at, trashed_with: deck })
      await update(session, 'card', { keys: keysOf(living) }, at, { deleted_at: at })
    },

    /** Restores facts with the cards whose side or number they still have. */
    async restore(session: Session, facts: readonly FactRow[]): Promise<void> {
      const [at, keys] = [now(), keysOf(facts)]
      const has = new Map(facts.map((fact) => [fact.key, new Set(listOrdinals(fact))]))
      const cards = await listCardsOfFacts(session, keys)
      const back = cards.filter(({ fact, ordinal }) => has.get(fact)?.has(ordinal))
      await update(session, 'fact', { keys }, at, { deleted_at: null, trashed_with: null })
      await update(session, 'card', { keys: keysOf(back) }, at, { deleted_at: null })
    },

    /** Moves facts, also from the trash, into another deck. */
    async move(session: Session, facts: readonly FactRow[], deck: number): Promise<void> {
      const [at, keys] = [now(), keysOf(facts)]
      await update(session, 'fact', { keys }, at, { deck })
      await update(session, 'card', { keys, by: 'fact' }, at, { deck })
    },

    /** Erases facts with their cards and reviews, and the note types that no other fact has. */
    async erase(session: Session, facts: readonly FactRow[]): Promise<void> {
      const [at, keys] = [now(), keysOf(facts)]
      await recordAll(session, [
        ...(await listErasureChanges(session, await listCardsOfFacts(session, keys), at)),
        ...facts.map((fact) => changeOfErased('fact', fact, at, fact.size_bytes)),
      ])
      await eraseRows(session, 'fact', keys)
      const noteTypes = new Set(facts.flatMap(({ note_type }) => note_type ?? []))
      const unused = noteTypes.size > 0 ? await eraseUnusedNoteTypes(session, [...noteTypes]) : []
      await recordAll(
        session,
        unused.map((row) => changeOfErased('note_type', row, at, row.size_bytes, 0)),
      )
    },

    /** Erases cards with their reviews. Their facts must no longer have their sides or numbers. */
    async eraseCards(session: Session, cards: readonly ErasedCard[]): Promise<void> {
      await recordAll(session, await listErasureChanges(session, cards, now()))
      await eraseRows(session, 'card', keysOf(cards))
    },
  }
}

async function listErasureChanges(session: Session, cards: readonly ErasedCard[], at: number): Promise<Change[]> {
  const reviews = await listReviewsOfCards(session, keysOf(cards))
  return [
    ...reviews.map((review) => changeOfErased('review', review, at, REVIEW_BYTES, 0)),
    ...cards.map((card) => changeOfErased('card', card, at, CARD_BYTES, 0)),
  ]
}
