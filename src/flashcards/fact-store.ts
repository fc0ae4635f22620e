import type { Queries, WorkspaceId } from '../db/database'
import { elementsIn, valuesIn } from '../db/dialect'
import type { FactType } from './fact-schema'

/** A row of `study_facts`: instants are milliseconds; see the migration for what each column means. */
export interface FactRow {
  readonly key: number
  readonly id: string
  readonly revision: number
  readonly created_at: number
  readonly updated_at: number
  readonly deleted_at: number | null
  readonly trashed_with: string | null
  /** The key of its deck, and its id. */
  readonly deck: number
  readonly deck_id: string
  readonly type: FactType
  readonly front: string | null
  readonly back: string | null
  readonly text: string | null
  readonly extra: string | null
  readonly hint: string | null
  /** JSON: texts. */
  readonly accepted: string
  /** JSON: tags, sorted. */
  readonly tags: string
  /** JSON: ids. */
  readonly note_ids: string
  readonly source_system: string | null
  readonly source_id: string | null
  readonly source_url: string | null
  readonly external_modified_at: number | null
  readonly duplicate_key: string
  readonly size_bytes: number
}

/** A fact that has no row yet. */
export type FactDraft = Omit<FactRow, 'key' | 'deck_id'>

/** The columns that a write may change. */
const WRITTEN = [
  'revision',
  'created_at',
  'updated_at',
  'deleted_at',
  'trashed_with',
  'deck',
  'type',
  'front',
  'back',
  'text',
  'extra',
  'hint',
  'accepted',
  'tags',
  'note_ids',
  'source_system',
  'source_id',
  'source_url',
  'external_modified_at',
  'duplicate_key',
  'size_bytes',
] as const satisfies (keyof FactDraft)[]

/** The columns of a new row, but for its key and its workspace. */
export const INSERTED_FACT = ['id', ...WRITTEN] as const satisfies (keyof FactDraft)[]

/** The columns of a fact, in SQL that joins whatever else to `study_facts`. */
export const FACT = [...['key', ...INSERTED_FACT].map((column) => `study_facts.${column}`)]
  .concat('(SELECT id FROM study_decks WHERE key = study_facts.deck) AS deck_id')
  .join(', ')

const INSERT = `INSERT INTO study_facts (workspace, ${INSERTED_FACT.join(', ')})
  VALUES ($1, ${INSERTED_FACT.map((_, i) => `$${i + 2}`).join(', ')})
  ON CONFLICT (workspace, id) DO NOTHING RETURNING ${FACT}`

const UPDATE = `UPDATE study_facts SET ${WRITTEN.map((column, i) => `${column} = $${i + 3}`).join(', ')}
  WHERE workspace = $1 AND key = $2 RETURNING ${FACT}`

/** Stores a new fact; null if its id is taken in this workspace. */
export function insertFact(db: Queries, workspace: WorkspaceId, fact: FactDraft): Promise<FactRow | null> {
  return db.get<FactRow>(INSERT, [workspace, ...INSERTED_FACT.map((column) => fact[column])])
}

/** Writes every member that can change. */
export async function updateFact(db: Queries, workspace: WorkspaceId, fact: FactRow): Promise<FactRow> {
  const row = await db.get<FactRow>(UPDATE, [workspace, fact.key, ...WRITTEN.map((column) => fact[column])])
  if (!row) throw new Error('RETURNING gave no row')
  return row
}

/** The fact, living or in the trash. */
export function getFact(db: Queries, workspace: WorkspaceId, id: string): Promise<FactRow | null> {
  return db.get<FactRow>(`SELECT ${FACT} FROM study_facts WHERE workspace = $1 AND id = $2`, [workspace, id])
}

/** Those of the facts that there are, living or in the trash, in no order. */
export function getFactsByKeys(db: Queries, workspace: WorkspaceId, keys: readonly number[]): Promise<FactRow[]> {
  const sql = `SELECT ${FACT} FROM study_facts WHERE +workspace = $1 AND key IN ${valuesIn('$2')}`
  return db.all<FactRow>(sql, [workspace, JSON.stringify(keys)])
}

/** The fact with this source, living or in the trash. */
export function findFactBySource(
  db: Queries,
  workspace: WorkspaceId,
  system: string,
  id: string,
): Promise<FactRow | null> {
  const sql = `SELECT ${FACT} FROM study_facts WHERE workspace = $1 AND source_system = $2 AND source_id = $3`
  return db.get<FactRow>(sql, [workspace, system, id])
}

/** The first living fact that was made with this duplicate key. */
export function findFactByDuplicateKey(db: Queries, workspace: WorkspaceId, key: string): Promise<FactRow | null> {
  const sql = `SELECT ${FACT} FROM study_facts
    WHERE workspace = $1 AND duplicate_key = $2 AND deleted_at IS NULL ORDER BY id LIMIT 1`
  return db.get<FactRow>(sql, [workspace, key])
}

/** The keys of the facts that belong to a note, living and in the trash. */
export async function listFactsOfNote(db: Queries, workspace: WorkspaceId, note: string): Promise<number[]> {
  const sql = 'SELECT fact FROM study_fact_note_uses WHERE workspace = $1 AND note_id = $2'
  return (await db.all<{ fact: number }>(sql, [workspace, note])).map(({ fact }) => fact)
}

/** Puts the notes of a fact in the place of those it had. */
export async function putNotes(
  db: Queries,
  workspace: WorkspaceId,
  fact: number,
  notes: readonly string[],
): Promise<void> {
  await db.run('DELETE FROM study_fact_note_uses WHERE fact = $1', [fact])
  if (notes.length === 0) return
  await db.run(
    `INSERT INTO study_fact_note_uses (workspace, note_id, fact) SELECT $1, value, $2 FROM ${elementsIn('$3')}`,
    [workspace, fact, JSON.stringify(notes)],
  )
}

/** Puts the folded tags of a fact in the place of those it had. */
export async function putTags(
  db: Queries,
  workspace: WorkspaceId,
  fact: number,
  tagKeys: readonly string[],
): Promise<void> {
  await db.run('DELETE FROM study_fact_tags WHERE fact = $1', [fact])
  if (tagKeys.length === 0) return
  await db.run(`INSERT INTO study_fact_tags (workspace, tag_key, fact) SELECT $1, value, $2 FROM ${elementsIn('$3')}`, [
    workspace,
    fact,
    JSON.stringify(tagKeys),
  ])
}

/** Stores what `q` looks through. It goes with the fact, however that goes. */
export async function putFactText(db: Queries, workspace: WorkspaceId, fact: number, folded: string): Promise<void> {
  await db.run(
    `INSERT INTO study_fact_texts (workspace, fact, text) VALUES ($1, $2, $3)
     ON CONFLICT (workspace, fact) DO UPDATE SET text = excluded.text`,
    [workspace, fact, folded],
  )
}

/** The next facts of a deck, without those of its subdecks, by id: those that live, or all. */
export function listFactsInDeck(
  db: Pick<Queries, 'all'>,
  workspace: WorkspaceId,
  deck: number,
  { living, after, limit }: { readonly living: boolean; readonly after: string; readonly limit: number },
): Promise<FactRow[]> {
  return db.all<FactRow>(
    `SELECT ${FACT} FROM study_facts WHERE +workspace = $1 AND deck = $2
       AND id > $3 ${living ? 'AND deleted_at IS NULL' : ''} ORDER BY id LIMIT $4`,
    [workspace, deck, after, limit],
  )
}

/** Some of its facts that live, of `limit` cards: each has one that lives, and only of these is there an index. */
export function listLivingFactsInDeck(
  db: Queries,
  workspace: WorkspaceId,
  deck: number,
  limit: number,
): Promise<FactRow[]> {
  return db.all<FactRow>(
    `SELECT ${FACT} FROM study_facts WHERE +workspace = $1 AND key IN (
       SELECT fact FROM study_cards WHERE deck = $2 AND deleted_at IS NULL ORDER BY id LIMIT $3) ORDER BY id`,
    [workspace, deck, limit],
  )
}

/** The keys of the next facts of a deck, by id, living and in the trash. */
export function listFactKeysInDeck(
  db: Queries,
  workspace: WorkspaceId,
  deck: number,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<Pick<FactRow, 'key' | 'id'>[]> {
  const sql = `SELECT key, id FROM study_facts WHERE +workspace = $1 AND deck = $2 AND id > $3 ORDER BY id LIMIT $4`
  return db.all(sql, [workspace, deck, after, limit])
}

/** Some facts that went into the trash with a deck, and whose own deck lives. */
export function listFactsTrashedWith(
  db: Queries,
  workspace: WorkspaceId,
  deck: string,
  limit: number,
): Promise<FactRow[]> {
  const sql = `SELECT ${FACT} FROM study_facts WHERE workspace = $1 AND trashed_with = $2
    AND EXISTS (SELECT 1 FROM study_decks WHERE key = deck AND deleted_at IS NULL) ORDER BY id LIMIT $3`
  return db.all<FactRow>(sql, [workspace, deck, limit])
}

/** The next facts of the workspace, living and in the trash, by id. */
export function listFactsAfter(
  db: Pick<Queries, 'all'>,
  workspace: WorkspaceId,
  after: string,
  limit: number,
): Promise<FactRow[]> {
  const sql = `SELECT ${FACT} FROM study_facts WHERE workspace = $1 AND id > $2 ORDER BY id LIMIT $3`
  return db.all<FactRow>(sql, [workspace, after, limit])
}
