import type { Change, RecordChanges } from '../db/change-feed'
import type { Context } from '../db/context'
import type { Queries, Session, WorkspaceId } from '../db/database'
import { elementsIn, integersIn } from '../db/dialect'
import { changeOf, changeOfErased } from '../http/resource'
import { type CardDraft, type CardRow, cardTable } from './cards/card-store'
import { CARD_BYTES } from './cards/card-writer'
import { type UnsizedFact, withDerivedColumns } from './fact-writer'
import { factTagKey, listOrdinals } from './facts/fact'
import { type FactDraft, type FactRow, factTable } from './facts/fact-store'
import { eraseUnusedNoteTypes } from './facts/note-type-store'
import { listReviewsOfCards, REVIEW_BYTES } from './reviews/review-store'

// Writes many rows at once: the contents of a deck are trashed, restored and moved with it, and imports add hundreds of
// facts.

/** The columns of a row that the change feed records. */
type ChangedRow = Pick<FactRow, 'id' | 'revision' | 'deleted_at'>

/** Trashes facts, or restores them if `deleted_at` is null. */
function trashFacts(
  db: Queries,
  workspace: WorkspaceId,
  keys: readonly number[],
  { deleted_at, trashed_with }: Pick<FactRow, 'deleted_at' | 'trashed_with'>,
  now: number,
): Promise<ChangedRow[]> {
  return db.all<ChangedRow>(
    `UPDATE study_facts SET deleted_at = $3, trashed_with = $4, revision = revision + 1, updated_at = $5
     WHERE +workspace = $1 AND key IN ${integersIn('$2')} RETURNING id, revision, deleted_at`,
    [workspace, JSON.stringify(keys), deleted_at, trashed_with, now],
  )
}

/** Trashes cards, or restores them if `deletedAt` is null. */
function trashCards(
  db: Queries,
  workspace: WorkspaceId,
  keys: readonly number[],
  deletedAt: number | null,
  now: number,
): Promise<ChangedRow[]> {
  return db.all<ChangedRow>(
    `UPDATE study_cards SET deleted_at = $3, revision = revision + 1, updated_at = $4
     WHERE +workspace = $1 AND key IN ${integersIn('$2')} RETURNING id, revision, deleted_at`,
    [workspace, JSON.stringify(keys), deletedAt, now],
  )
}

function moveFacts(
  db: Queries,
  workspace: WorkspaceId,
  keys: readonly number[],
  deck: number,
  now: number,
): Promise<ChangedRow[]> {
  return db.all<ChangedRow>(
    `UPDATE study_facts SET deck = $3, revision = revision + 1, updated_at = $4
     WHERE +workspace = $1 AND key IN ${integersIn('$2')} RETURNING id, revision, deleted_at`,
    [workspace, JSON.stringify(keys), deck, now],
  )
}

function moveCards(
  db: Queries,
  workspace: WorkspaceId,
  facts: readonly number[],
  deck: number,
  now: number,
): Promise<ChangedRow[]> {
  return db.all<ChangedRow>(
    `UPDATE study_cards SET deck = $3, revision = revision + 1, updated_at = $4
     WHERE +workspace = $1 AND fact IN ${integersIn('$2')} RETURNING id, revision, deleted_at`,
    [workspace, JSON.stringify(facts), deck, now],
  )
}

const INTEGERS: ReadonlySet<string> = new Set<keyof FactDraft | keyof CardDraft>([
  ...(['revision', 'created_at', 'updated_at', 'deleted_at', 'deck', 'note_type', 'external_modified_at'] as const),
  ...(['size_bytes', 'fact', 'ordinal', 'due_at', 'due_day', 'scheduled_days', 'step', 'reps', 'lapses'] as const),
  ...(['last_reviewed_at', 'suspended', 'buried_until', 'flag', 'leech', 'position'] as const),
])
const REALS: ReadonlySet<string> = new Set<keyof CardDraft>(['stability', 'difficulty'])

/** Reads columns from the members of `value`, each as the type of its column. */
function fromJson(columns: readonly string[]): string {
  const read = (column: string) => {
    const member = `value ->> '${column}'`
    if (REALS.has(column)) return `CAST(${member} AS double precision)`
    return INTEGERS.has(column) ? `CAST(${member} AS bigint)` : member
  }
  return columns.map(read).join(', ')
}

/** Stores facts whose ids and sources are free. Returns their keys by id. */
async function insertFacts(
  db: Queries,
  workspace: WorkspaceId,
  facts: readonly FactDraft[],
): Promise<Map<string, number>> {
  const rows = await db.all<Pick<FactRow, 'id' | 'key'>>(
    `INSERT INTO study_facts (workspace, ${factTable.inserted.join(', ')})
     SELECT $1, ${fromJson(factTable.inserted)} FROM ${elementsIn('$2')} ORDER BY key RETURNING id, key`,
    [workspace, JSON.stringify(facts)],
  )
  return new Map(rows.map(({ id, key }) => [id, key]))
}

/** Stores cards whose ids are free. Returns their keys by id. */
async function insertCards(
  db: Queries,
  workspace: WorkspaceId,
  cards: readonly CardDraft[],
): Promise<Map<string, number>> {
  const rows = await db.all<Pick<CardRow, 'id' | 'key'>>(
    `INSERT INTO study_cards (workspace, ${cardTable.inserted.join(', ')})
     SELECT $1, ${fromJson(cardTable.inserted)} FROM ${elementsIn('$2')} ORDER BY key RETURNING id, key`,
    [workspace, JSON.stringify(cards)],
  )
  return new Map(rows.map(({ id, key }) => [id, key]))
}

/** Stores the folded tags and the notes of new facts. */
async function insertNames(
  db: Queries,
  workspace: WorkspaceId,
  facts: readonly {
    readonly key: number
    readonly tag_keys: readonly string[]
    readonly note_ids: readonly string[]
  }[],
): Promise<void> {
  const json = JSON.stringify(facts)
  await db.run(
    `INSERT INTO study_fact_tags (workspace, tag_key, fact)
     SELECT $1, tag.value, CAST(fact.value ->> 'key' AS bigint) FROM ${elementsIn('$2')} AS fact, ${elementsIn("fact.value -> 'tag_keys'")} AS tag`,
    [workspace, json],
  )
  await db.run(
    `INSERT INTO study_fact_note_uses (workspace, note_id, fact)
     SELECT $1, note.value, CAST(fact.value ->> 'key' AS bigint) FROM ${elementsIn('$2')} AS fact, ${elementsIn("fact.value -> 'note_ids'")} AS note`,
    [workspace, json],
  )
}

/** Returns the columns of the cards of these facts that decide which are trashed or restored, by fact and ordinal. */
function listCardsOfFacts(
  db: Queries,
  workspace: WorkspaceId,
  facts: readonly number[],
): Promise<Pick<CardRow, 'key' | 'id' | 'revision' | 'fact' | 'ordinal' | 'deleted_at'>[]> {
  return db.all(
    `SELECT key, id, revision, fact, ordinal, deleted_at FROM study_cards
     WHERE +workspace = $1 AND fact IN ${integersIn('$2')} ORDER BY fact, ordinal`,
    [workspace, JSON.stringify(facts)],
  )
}

/** Erases facts, and with them their cards, their reviews, their tags, notes and texts. */
async function eraseFacts(db: Queries, workspace: WorkspaceId, keys: readonly number[]): Promise<void> {
  await db.run(`DELETE FROM study_facts WHERE +workspace = $1 AND key IN ${integersIn('$2')}`, [
    workspace,
    JSON.stringify(keys),
  ])
}

/** Erases cards, and with them their reviews. */
async function eraseCards(db: Queries, workspace: WorkspaceId, keys: readonly number[]): Promise<void> {
  await db.run(`DELETE FROM study_cards WHERE +workspace = $1 AND key IN ${integersIn('$2')}`, [
    workspace,
    JSON.stringify(keys),
  ])
}

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
