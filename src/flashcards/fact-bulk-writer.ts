import type { Change, RecordChanges } from '../db/change-feed'
import type { Context } from '../db/context'
import type { Session } from '../db/database'
import { changeOf, changeOfErased } from '../http/resource'
import type { CardDraft, CardRow } from './card-store'
import { CARD_BYTES } from './card-writer'
import { factTagKey, listOrdinals } from './fact'
import {
  type ChangedRow,
  eraseCards,
  eraseFacts,
  insertCards,
  insertFacts,
  insertNames,
  listCardsOfFacts,
  moveCards,
  moveFacts,
  trashCards,
  trashFacts,
} from './fact-bulk-store'
import type { FactRow } from './fact-store'
import { toSearchText, type UnsizedFact, withDerivedColumns } from './fact-writer'
import { eraseUnusedNoteTypes } from './note-type-store'
import { listReviewsOfCards, REVIEW_BYTES } from './review-store'

interface Deps extends Pick<Context, 'now'> {
  readonly recordAll: RecordChanges
}

/**
 * Writes many facts with their cards, a statement for each kind of row: a deck may hold all that a workspace may.
 * `session.db` must be a transaction.
 */
export interface FactBulkWriter {
  /** Stores new facts with these cards. Returns the keys of the cards by id. */
  insert(session: Session, facts: readonly NewFact[]): Promise<ReadonlyMap<string, number>>
  /** Trashes facts with the deck that has this id. */
  trash(session: Session, facts: readonly FactRow[], deck: string): Promise<void>
  /** Restores facts with the cards whose side or number they still have. */
  restore(session: Session, facts: readonly FactRow[]): Promise<void>
  /** Moves facts, also from the trash, into another deck. */
  move(session: Session, facts: readonly FactRow[], deck: number): Promise<void>
  /** Erases facts with their cards and reviews, and the note types that no other fact has. */
  erase(session: Session, facts: readonly FactRow[]): Promise<void>
  /** Erases cards with their reviews. Their facts must no longer have their sides or numbers. */
  eraseCards(session: Session, cards: readonly ErasedCard[]): Promise<void>
}

type ErasedCard = Pick<CardRow, 'key' | 'id' | 'revision'>

/** A new fact. Its id and its source must be free. */
export interface NewFact {
  readonly fact: UnsizedFact
  /** One for each side or number of the fact. */
  readonly cards: readonly Omit<CardDraft, 'fact' | 'deck'>[]
}

export function createFactBulkWriter({ now, recordAll }: Deps): FactBulkWriter {
  function recordRows(session: Session, type: Change['type'], at: number, rows: readonly ChangedRow[]): Promise<void> {
    return recordAll(
      session,
      rows.map((row) => changeOf(type, { ...row, updated_at: at }, 0, 0)),
    )
  }

  return {
    async insert(session, given) {
      const { db, workspace } = session
      const facts = given.map(({ fact }) => withDerivedColumns(fact))
      const keys = await insertFacts(db, workspace.id, facts)
      const keyOf = ({ id }: UnsizedFact) => keys.get(id) ?? Number.NaN
      const names = facts.map((fact) => ({
        key: keyOf(fact),
        tag_keys: JSON.parse(fact.tags).map(factTagKey),
        note_ids: JSON.parse(fact.note_ids),
        text: toSearchText(fact),
      }))
      await insertNames(db, workspace.id, names)
      const cards = given.flatMap(({ fact, cards: own }) =>
        own.map((card) => ({ ...card, fact: keyOf(fact), deck: fact.deck })),
      )
      const cardKeys = await insertCards(db, workspace.id, cards)
      await recordAll(session, [
        ...facts.map((fact) => changeOf('fact', fact, 1, fact.size_bytes)),
        ...cards.map((card) => changeOf('card', card, 0, CARD_BYTES)),
      ])
      return cardKeys
    },

    async trash(session, facts, deck) {
      const { db, workspace } = session
      const [at, keys] = [now(), keysOf(facts)]
      const living = (await listCardsOfFacts(db, workspace.id, keys)).filter(({ deleted_at }) => deleted_at === null)
      const gone = { deleted_at: at, trashed_with: deck }
      await recordRows(session, 'fact', at, await trashFacts(db, workspace.id, keys, gone, at))
      await recordRows(session, 'card', at, await trashCards(db, workspace.id, keysOf(living), at, at))
    },

    async restore(session, facts) {
      const { db, workspace } = session
      const [at, keys] = [now(), keysOf(facts)]
      const has = new Map(facts.map((fact) => [fact.key, new Set(listOrdinals(fact))]))
      const cards = await listCardsOfFacts(db, workspace.id, keys)
      const back = cards.filter(({ fact, ordinal }) => has.get(fact)?.has(ordinal))
      await recordRows(
        session,
        'fact',
        at,
        await trashFacts(db, workspace.id, keys, { deleted_at: null, trashed_with: null }, at),
      )
      await recordRows(session, 'card', at, await trashCards(db, workspace.id, keysOf(back), null, at))
    },

    async move(session, facts, deck) {
      const { db, workspace } = session
      const [at, keys] = [now(), keysOf(facts)]
      await recordRows(session, 'fact', at, await moveFacts(db, workspace.id, keys, deck, at))
      await recordRows(session, 'card', at, await moveCards(db, workspace.id, keys, deck, at))
    },

    async erase(session, facts) {
      const { db, workspace } = session
      const at = now()
      const keys = keysOf(facts)
      await recordAll(session, [
        ...(await listErasureChanges(session, await listCardsOfFacts(db, workspace.id, keys), at)),
        ...facts.map((fact) => changeOfErased('fact', fact, at, fact.size_bytes)),
      ])
      await eraseFacts(db, workspace.id, keys)
      const noteTypes = new Set(facts.flatMap(({ note_type }) => note_type ?? []))
      const unused = noteTypes.size > 0 ? await eraseUnusedNoteTypes(db, workspace.id, [...noteTypes]) : []
      await recordAll(
        session,
        unused.map((row) => changeOfErased('note_type', row, at, row.size_bytes, 0)),
      )
    },

    async eraseCards(session, cards) {
      await recordAll(session, await listErasureChanges(session, cards, now()))
      await eraseCards(session.db, session.workspace.id, keysOf(cards))
    },
  }
}

/** Returns the changes to record for erased cards and their reviews. */
async function listErasureChanges(
  { db, workspace }: Session,
  cards: readonly ErasedCard[],
  at: number,
): Promise<Change[]> {
  const reviews = await listReviewsOfCards(db, workspace.id, keysOf(cards))
  return [
    ...reviews.map((review) => changeOfErased('review', review, at, REVIEW_BYTES, 0)),
    ...cards.map((card) => changeOfErased('card', card, at, CARD_BYTES, 0)),
  ]
}

function keysOf(rows: readonly { readonly key: number }[]): number[] {
  return rows.map(({ key }) => key)
}
