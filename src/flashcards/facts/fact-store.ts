import type { Reader, Session } from '../../db/database'
import { elementsIn, valuesIn } from '../../db/dialect'
import { createTable, type DraftOf, derived, int, type RowOf, STORED, text } from '../../db/table'
import type { FactType } from './fact-schema'

/** The table of facts: instants are milliseconds; see the schema for what each column means. */
export const factTable = createTable('study_facts', {
  ...STORED,
  deleted_at: int<number | null>(),
  trashed_with: text<string | null>(),
  /** The key and the id of its deck. */
  deck: int(),
  deck_id: derived<string>('(SELECT id FROM study_decks WHERE key = study_facts.deck)'),
  type: text<FactType>(),
  front: text<string | null>(),
  back: text<string | null>(),
  text: text<string | null>(),
  extra: text<string | null>(),
  hint: text<string | null>(),
  /** The key and the id of its note type; see NoteMembers. */
  note_type: int<number | null>(),
  note_type_id: derived<string | null>('(SELECT id FROM flashcard_note_types WHERE key = study_facts.note_type)'),
  /** JSON: HTML by the name of the field. */
  fields: text<string | null>(),
  /** JSON: the ordinals of the cards of a custom fact. */
  ordinals: text<string | null>(),
  /** JSON: texts. */
  accepted: text(),
  /** JSON: tags, sorted. */
  tags: text(),
  /** JSON: ids. */
  note_ids: text(),
  source_system: text<string | null>(),
  source_id: text<string | null>(),
  source_url: text<string | null>(),
  external_modified_at: int<number | null>(),
  duplicate_key: text(),
  size_bytes: int(),
})

export type FactRow = RowOf<typeof factTable>
export type FactDraft = DraftOf<typeof factTable>

export const FACT = factTable.columns

/** Also from the trash. */
export const getFact = factTable.get

/** Also from the trash, in no order. */
export const getFactsByKeys = factTable.getByKeys

/** Returns the fact with this source, also from the trash. */
export function findFactBySource({ db, workspace }: Reader, system: string, id: string) {
  const sql = `SELECT ${FACT} FROM study_facts WHERE workspace = $1 AND source_system = $2 AND source_id = $3`
  return db.get<FactRow>(sql, [workspace.id, system, id])
}

/** Returns the first of the facts with these sources of one system, also from the trash; null if there is none. */
export function findFactBySources({ db, workspace }: Session, system: string, ids: readonly string[]) {
  const sql = `SELECT ${FACT} FROM study_facts
    WHERE workspace = $1 AND source_system = $2 AND source_id IN ${valuesIn('$3')} ORDER BY key LIMIT 1`
  return db.get<FactRow>(sql, [workspace.id, system, JSON.stringify(ids)])
}

/** Returns the first created facts with this duplicate key that are not in the trash. */
export function listFactsByDuplicateKey({ db, workspace }: Reader, key: string, limit: number) {
  const sql = `SELECT ${FACT} FROM study_facts
    WHERE workspace = $1 AND duplicate_key = $2 AND deleted_at IS NULL ORDER BY id LIMIT $3`
  return db.all<FactRow>(sql, [workspace.id, key, limit])
}

/** Returns the first created fact with this duplicate key that is not in the trash. */
export async function findFactByDuplicateKey(reader: Reader, key: string) {
  return (await listFactsByDuplicateKey(reader, key, 1))[0] ?? null
}

export async function listFactsOfNote({ db, workspace }: Session, note: string): Promise<number[]> {
  const sql = 'SELECT fact FROM study_fact_note_uses WHERE workspace = $1 AND note_id = $2'
  return (await db.all<{ fact: number }>(sql, [workspace.id, note])).map(({ fact }) => fact)
}

/** What filters find a fact by: its folded tags, and the ids of its notes. */
const NAMES = {
  tags: { table: 'study_fact_tags', column: 'tag_key' },
  notes: { table: 'study_fact_note_uses', column: 'note_id' },
}

/** Stores the names of facts that have none of the kind. */
export async function insertNames(
  { db, workspace }: Session,
  kind: keyof typeof NAMES,
  facts: readonly { readonly fact: number; readonly names: readonly string[] }[],
): Promise<void> {
  if (facts.every(({ names }) => names.length === 0)) return
  const { table, column } = NAMES[kind]
  await db.run(
    `INSERT INTO ${table} (workspace, ${column}, fact) SELECT $1, name.value, CAST(fact.value ->> 'fact' AS bigint)
     FROM ${elementsIn('$2')} AS fact, ${elementsIn("fact.value -> 'names'")} AS name`,
    [workspace.id, JSON.stringify(facts)],
  )
}

export async function putNames(session: Session, kind: keyof typeof NAMES, fact: number, names: readonly string[]) {
  await session.db.run(`DELETE FROM ${NAMES[kind].table} WHERE fact = $1`, [fact])
  await insertNames(session, kind, [{ fact, names }])
}

/** Returns the next facts of a deck by id, without its subdecks: all, or without the trash. */
export function listFactsInDeck(
  { db, workspace }: Reader,
  deck: number,
  { living, after, limit }: { readonly living: boolean; readonly after: string; readonly limit: number },
): Promise<FactRow[]> {
  return db.all<FactRow>(
    `SELECT ${FACT} FROM study_facts WHERE +workspace = $1 AND deck = $2
       AND id > $3 ${living ? 'AND deleted_at IS NULL' : ''} ORDER BY id LIMIT $4`,
    [workspace.id, deck, after, limit],
  )
}

/** Returns the facts of `limit` cards, without the trash. It goes by cards, because untrashed ones have an index. */
export function listLivingFactsInDeck({ db, workspace }: Session, deck: number, limit: number) {
  return db.all<FactRow>(
    `SELECT ${FACT} FROM study_facts WHERE +workspace = $1 AND key IN (
       SELECT fact FROM study_cards WHERE deck = $2 AND deleted_at IS NULL ORDER BY id LIMIT $3) ORDER BY id`,
    [workspace.id, deck, limit],
  )
}

/** Returns the keys of the next facts of a deck by id, also from the trash. */
export function listFactKeysInDeck(
  { db, workspace }: Reader,
  deck: number,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<Pick<FactRow, 'key' | 'id'>[]> {
  const sql = `SELECT key, id FROM study_facts WHERE +workspace = $1 AND deck = $2 AND id > $3 ORDER BY id LIMIT $4`
  return db.all(sql, [workspace.id, deck, after, limit])
}

/** Returns up to `limit` facts that were trashed with a deck and whose own deck is not in the trash. */
export function listFactsTrashedWith({ db, workspace }: Session, deck: string, limit: number) {
  const sql = `SELECT ${FACT} FROM study_facts WHERE workspace = $1 AND trashed_with = $2
    AND EXISTS (SELECT 1 FROM study_decks WHERE key = deck AND deleted_at IS NULL) ORDER BY id LIMIT $3`
  return db.all<FactRow>(sql, [workspace.id, deck, limit])
}

/** By id, also from the trash. */
export const listFactsAfter = factTable.listAfter
