import type { Queries, WorkspaceId } from '../db/database'
import { elementsIn, integersIn } from '../db/dialect'
import { type CardDraft, type CardRow, cardTable } from './card-store'
import { type FactDraft, type FactRow, factTable } from './fact-store'

// Writes many rows at once: the contents of a deck are trashed, restored and moved with it, and imports add hundreds of
// facts.

/** The columns of a row that the change feed records. */
export type ChangedRow = Pick<FactRow, 'id' | 'revision' | 'deleted_at'>

/** Trashes facts, or restores them if `deleted_at` is null. */
export function trashFacts(
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
export function trashCards(
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

export function moveFacts(
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

export function moveCards(
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
export async function insertFacts(
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
export async function insertCards(
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

/** Stores the folded tags, the notes and the texts of new facts. */
export async function insertNames(
  db: Queries,
  workspace: WorkspaceId,
  facts: readonly {
    readonly key: number
    readonly tag_keys: readonly string[]
    readonly note_ids: readonly string[]
    readonly text: string
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
  await db.run(
    `INSERT INTO study_fact_texts (workspace, fact, text)
     SELECT $1, CAST(value ->> 'key' AS bigint), value ->> 'text' FROM ${elementsIn('$2')}`,
    [workspace, json],
  )
}

/** Returns the columns of the cards of these facts that decide which are trashed or restored, by fact and ordinal. */
export function listCardsOfFacts(
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
export async function eraseFacts(db: Queries, workspace: WorkspaceId, keys: readonly number[]): Promise<void> {
  await db.run(`DELETE FROM study_facts WHERE +workspace = $1 AND key IN ${integersIn('$2')}`, [
    workspace,
    JSON.stringify(keys),
  ])
}

/** Erases cards, and with them their reviews. */
export async function eraseCards(db: Queries, workspace: WorkspaceId, keys: readonly number[]): Promise<void> {
  await db.run(`DELETE FROM study_cards WHERE +workspace = $1 AND key IN ${integersIn('$2')}`, [
    workspace,
    JSON.stringify(keys),
  ])
}
