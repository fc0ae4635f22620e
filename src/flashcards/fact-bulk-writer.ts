import type { Change, RecordChanges } from '../db/change-feed'
import type { Context } from '../db/context'
import type { Session } from '../db/database'
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
import { searchedText, type UnsizedFact, withDerivedColumns } from './fact-writer'
import { REVIEW_BYTES, reviewsOfCards } from './review-store'

interface Deps extends Pick<Context, 'now'> {
  readonly recordAll: RecordChanges
}

/**
 * Writes many facts with their cards, a statement for each kind of row: a deck may hold all that a workspace may.
 * `session.db` must be a transaction.
 */
export interface FactsWriter {
  /** Stores new facts with the cards that are given; answers the keys of these by their ids. */
  insert(session: Session, facts: readonly NewFact[]): Promise<ReadonlyMap<string, number>>
  /** Takes living facts into the trash with a deck, whose id is given. */
  trash(session: Session, facts: readonly FactRow[], deck: string): Promise<void>
  /** Brings facts back with the cards that they have. */
  restore(session: Session, facts: readonly FactRow[]): Promise<void>
  /** Moves facts, living or not, into another deck. */
  move(session: Session, facts: readonly FactRow[], deck: number): Promise<void>
  /** Erases facts for good, with their cards and the reviews of these. */
  erase(session: Session, facts: readonly FactRow[]): Promise<void>
  /** Erases cards for good, with their reviews: those whose side or number their fact has lost. */
  eraseCards(session: Session, cards: readonly Erased[]): Promise<void>
}

type Erased = Pick<CardRow, 'key' | 'id' | 'revision'>

/** A fact that is not there yet. Its id and its source must be free. */
export interface NewFact {
  readonly fact: UnsizedFact
  /** One for each side or number that it has. */
  readonly cards: readonly Omit<CardDraft, 'fact' | 'deck'>[]
}

export function createFactsWriter({ now, recordAll }: Deps): FactsWriter {
  /** Records rows that were written at an instant in the change feed. */
  function tell(session: Session, type: Change['type'], at: number, rows: readonly ChangedRow[]): Promise<void> {
    const change = ({ id, revision, deleted_at }: ChangedRow): Change => {
      const op = deleted_at === null ? 'upsert' : 'delete'
      return { type, id, op, revision, at, resources: 0, bytes: 0 }
    }
    return recordAll(session, rows.map(change))
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
        text: searchedText(fact),
      }))
      await insertNames(db, workspace.id, names)
      const cards = given.flatMap(({ fact, cards: own }) =>
        own.map((card) => ({ ...card, fact: keyOf(fact), deck: fact.deck })),
      )
      const cardKeys = await insertCards(db, workspace.id, cards)
      const change = { op: 'upsert', revision: 1 } as const
      await recordAll(session, [
        ...facts.map(({ id, updated_at: at, size_bytes: bytes }) => {
          return { ...change, type: 'fact' as const, id, at, resources: 1, bytes }
        }),
        ...cards.map(({ id, updated_at: at }) => {
          return { ...change, type: 'card' as const, id, at, resources: 0, bytes: CARD_BYTES }
        }),
      ])
      return cardKeys
    },

    async trash(session, facts, deck) {
      const { db, workspace } = session
      const [at, keys] = [now(), keysOf(facts)]
      const living = (await listCardsOfFacts(db, workspace.id, keys)).filter(({ deleted_at }) => deleted_at === null)
      const gone = { deleted_at: at, trashed_with: deck }
      await tell(session, 'fact', at, await trashFacts(db, workspace.id, keys, gone, at))
      await tell(session, 'card', at, await trashCards(db, workspace.id, keysOf(living), at, at))
    },

    async restore(session, facts) {
      const { db, workspace } = session
      const [at, keys] = [now(), keysOf(facts)]
      const has = new Map(facts.map((fact) => [fact.key, new Set(listOrdinals(fact))]))
      const cards = await listCardsOfFacts(db, workspace.id, keys)
      const back = cards.filter(({ fact, ordinal }) => has.get(fact)?.has(ordinal))
      await tell(
        session,
        'fact',
        at,
        await trashFacts(db, workspace.id, keys, { deleted_at: null, trashed_with: null }, at),
      )
      await tell(session, 'card', at, await trashCards(db, workspace.id, keysOf(back), null, at))
    },

    async move(session, facts, deck) {
      const { db, workspace } = session
      const [at, keys] = [now(), keysOf(facts)]
      await tell(session, 'fact', at, await moveFacts(db, workspace.id, keys, deck, at))
      await tell(session, 'card', at, await moveCards(db, workspace.id, keys, deck, at))
    },

    async erase(session, facts) {
      const { db, workspace } = session
      const at = now()
      const keys = keysOf(facts)
      await recordAll(session, [
        ...(await cardsGone(session, await listCardsOfFacts(db, workspace.id, keys), at)),
        ...facts.map((fact) => gone('fact', fact, fact.size_bytes, at)),
      ])
      await eraseFacts(db, workspace.id, keys)
    },

    async eraseCards(session, cards) {
      await recordAll(session, await cardsGone(session, cards, now()))
      await eraseCards(session.db, session.workspace.id, keysOf(cards))
    },
  }
}

/** What the change feed records of erased cards and of their reviews. */
async function cardsGone({ db, workspace }: Session, cards: readonly Erased[], at: number): Promise<Change[]> {
  const reviews = await reviewsOfCards(db, workspace.id, keysOf(cards))
  return [
    ...reviews.map((review) => gone('review', review, REVIEW_BYTES, at)),
    ...cards.map((card) => gone('card', card, CARD_BYTES, at)),
  ]
}

function gone(
  type: Change['type'],
  { id, revision }: Pick<ChangedRow, 'id' | 'revision'>,
  bytes: number,
  at: number,
): Change {
  return { type, id, op: 'delete', revision: revision + 1, at, resources: type === 'fact' ? -1 : 0, bytes: -bytes }
}

function keysOf(rows: readonly { readonly key: number }[]): number[] {
  return rows.map(({ key }) => key)
}
