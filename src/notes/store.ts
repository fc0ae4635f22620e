import { Bindings, type Reader, type Session } from '../db/database'
import { integersIn, valuesIn } from '../db/dialect'
import { createTable, derived, int, keysOf, type RowOf, readInSteps, STORED, text, type Walk } from '../db/table'
import type { Wipe } from '../db/trash'
import type { Key } from '../http/cursor'
import { fold } from '../search/fold'
import { buildFilterConditions, getIndexedParts, type IndexedPart, type NoteFilter } from './filters'
import type { PropertySort, Sort } from './schema'

/** The table of notes: instants are milliseconds, flags are 0 or 1, `tags`, `inline_tags` and `properties` are JSON. */
const noteTable = createTable('notes', {
  ...STORED,
  computed_revision: derived<number>(),
  deleted_at: int<number | null>(),
  title: text(),
  title_key: text(),
  /** The name of the note's file, with its extension; null: it has none of its own. */
  file_name: text<string | null>(),
  folder: text<string | null>(),
  tags: text(),
  inline_tags: text(),
  pinned: int(),
  archived_at: int<number | null>(),
  properties: text(),
  source_system: text<string | null>(),
  source_id: text<string | null>(),
  source_url: text<string | null>(),
  daily_date: text<string | null>(),
  excerpt: text(),
  word_count: int(),
  checklist_total: int(),
  checklist_done: int(),
  // links/store.ts writes the counts of links.
  links_out: derived<number>(),
  links_unresolved: derived<number>(),
  links_in: derived<number>(),
  size_bytes: int(),
})

export type SummaryRow = Omit<RowOf<typeof noteTable>, 'properties'>

/** A whole note. */
export interface NoteRow extends RowOf<typeof noteTable> {
  readonly body: string
  /** The front matter of its file, without what Satchel added, as it was last imported or sent; see writeNoteFrontMatter. */
  readonly front_matter: string
}

export type NoteDraft = Omit<NoteRow, 'key'>

interface NoteListing {
  readonly filter: NoteFilter
  readonly sort: Sort
  /** The sort keys of the last note shown, or null for the first page. */
  readonly after: readonly Key[] | null
  readonly limit: number
}

/** The columns of a SummaryRow, qualified for SQL with joins. */
export const SUMMARY_COLUMNS = noteTable.columnsBut('properties')

const SORT_COLUMNS = {
  updated: 'updated_at',
  created: 'created_at',
  title: 'title_key',
  folder: "coalesce(folder, '')",
} as const

/** Returns the sort keys of a note, as listNotes takes them in `after`. */
export function toSortKeys(sort: Sort, note: SummaryRow | (SummaryRow & PropertySortRow)): Key[] {
  if ('sort_group' in note) return toPropertySortKeys(note)
  const name = sort.replace('-', '') as keyof typeof SORT_COLUMNS
  const first = { updated: note.updated_at, created: note.created_at, title: note.title_key, folder: note.folder ?? '' }
  return [first[name], note.id]
}

/** Returns the types of the sort keys, to check the keys of a cursor. */
export function getSortKeyKinds(sort: Sort): readonly ('string' | 'number')[] {
  if (isPropertySort(sort)) return PROPERTY_SORT_KEY_KINDS
  return [/title|folder/.test(sort) ? 'string' : 'number', 'string']
}

/** Stores a new note; null if its id is taken in this workspace. */
export async function insertNote({ db, workspace }: Session, draft: NoteDraft): Promise<NoteRow | null> {
  const row = await noteTable.insert({ db, workspace }, draft)
  const sql = 'INSERT INTO note_bodies (key, workspace, body, front_matter) VALUES ($1, $2, $3, $4)'
  if (row) await db.run(sql, [row.key, workspace.id, draft.body, draft.front_matter])
  return row && { ...draft, key: row.key }
}

/** Updates every member that can change, and the texts that differ. */
export async function updateNote({ db, workspace }: Session, note: NoteRow, old: NoteRow): Promise<NoteRow> {
  await noteTable.update({ db, workspace }, note)
  const update = (column: 'body' | 'front_matter') =>
    db.run(`UPDATE note_bodies SET ${column} = $3 WHERE workspace = $1 AND key = $2`, [
      workspace.id,
      note.key,
      note[column],
    ])
  if (note.body !== old.body) await update('body')
  if (note.front_matter !== old.front_matter) await update('front_matter')
  return note
}

/** Reads notes without their texts. */
export const getNoteHeads = noteTable.getByKeys

/** Erases a note permanently; foreign keys delete the rows that depend on it. */
export const eraseNote = noteTable.erase

export function getNote({ db, workspace }: Reader, id: string): Promise<NoteRow | null> {
  return db.get<NoteRow>(
    `SELECT ${SUMMARY_COLUMNS}, properties, body, front_matter FROM notes JOIN note_bodies ON note_bodies.key = notes.key
     WHERE notes.workspace = $1 AND id = $2`,
    [workspace.id, id],
  )
}

export async function findNoteRevision({ db, workspace }: Session, id: string): Promise<number | null> {
  const sql = 'SELECT revision FROM notes WHERE workspace = $1 AND id = $2'
  return (await db.get<{ revision: number }>(sql, [workspace.id, id]))?.revision ?? null
}

/** Returns the id of the note with this source, living or in the trash; null if there is none. */
export async function findNoteBySource({ db, workspace }: Reader, system: string, id: string): Promise<string | null> {
  const sql = 'SELECT id FROM notes WHERE workspace = $1 AND source_system = $2 AND source_id = $3'
  return (await db.get<{ id: string }>(sql, [workspace.id, system, id]))?.id ?? null
}

/**
 * Notes that an index finds for a filter, at most, which are then sorted: of 5000 in 10 ms. More of them are met often on
 * the way through all notes in the order of the list.
 */
const MAX_SORTED = 5000

/** Finds the part of a filter that few notes have. */
async function findRarePart({ db, workspace }: Reader, parts: readonly IndexedPart[]): Promise<IndexedPart | null> {
  for (const part of parts) {
    const bind = new Bindings(workspace.id)
    const sql = `SELECT count(*) AS n FROM (SELECT 1 FROM ${part.entries(bind)} LIMIT ${bind.add(MAX_SORTED + 1)}) AS found`
    if (((await db.get<{ n: number }>(sql, bind.values))?.n ?? 0) <= MAX_SORTED) return part
  }
  return null
}

/** Lists one page of notes without reading their bodies. */
export async function listNotes({ db, workspace }: Reader, listing: NoteListing): Promise<SummaryRow[]> {
  const { filter, after, limit } = listing
  const parts = getIndexedParts(filter)
  const property = readPropertySort(listing.sort)
  if (property) {
    const rare = await findRarePart({ db, workspace }, parts)
    const others = parts.filter((part) => part !== rare)
    return listByProperty({ db, workspace }, { ...listing, ...property }, SUMMARY_COLUMNS, (bind) =>
      buildFilterConditions(filter, bind, parts, others),
    )
  }
  const descends = listing.sort.startsWith('-')
  const name = listing.sort.replace('-', '') as keyof typeof SORT_COLUMNS
  const isNamed = filter.ids !== null || filter.titleKey !== null
  const ofSort = parts.filter(({ sort }) => sort === name)
  const counted = isNamed || filter.trashed ? [] : parts.filter((part) => !ofSort.includes(part))
  const rare = await findRarePart({ db, workspace }, counted)
  const isSorted = isNamed || filter.trashed || rare !== null
  // Sorted notes are few, or a step. The plus makes SQLite sort them instead of walking all notes in the order of the list.
  const column = isSorted ? `+${SORT_COLUMNS[name]}` : SORT_COLUMNS[name]
  const others = (isNamed || filter.trashed ? parts : counted).filter((part) => part !== rare)
  const order = descends ? 'DESC' : 'ASC'
  const columns = [SORT_COLUMNS[name], 'id']
  const select = <Row = SummaryRow>(selected: string, from: Walk['from'], count = limit) => {
    const bind = new Bindings(workspace.id)
    const conditions = `${from(bind)} ${buildFilterConditions(filter, bind, parts, others)}`
    const rest = after
      ? `AND (${column}, id) ${descends ? '<' : '>'} (${after.map((key) => bind.add(key)).join(', ')})`
      : ''
    const sql = `SELECT ${selected} FROM ${conditions} ${rest} ORDER BY ${column} ${order}, id ${order} LIMIT ${bind.add(count)}`
    return db.all<Row>(sql, bind.values)
  }
  const all = () => 'notes WHERE workspace = $1'
  if (filter.trashed && !isNamed) {
    const trash = { from: () => `${all()} AND deleted_at IS NOT NULL`, columns: ['deleted_at', 'id'] }
    const add = async (found: readonly number[], within: Walk['from']) => [
      ...found,
      ...keysOf(await select<{ key: number }>('key', within)),
    ]
    const keys = JSON.stringify(await readInSteps<number>({ db, workspace }, trash, null, add, () => false))
    return select(SUMMARY_COLUMNS, (bind) => `notes WHERE +workspace = $1 AND key IN ${integersIn(bind.add(keys))}`)
  }
  if (isSorted || (parts.length === 0 && filter.pinned === null && !filter.archived))
    return select(SUMMARY_COLUMNS, rare ? () => rare.from : all)
  const from = (bind: Bindings) => [all(), 'deleted_at IS NULL', ...ofSort.map((part) => part.find(bind))].join(' AND ')
  const rows = await readInSteps<SummaryRow>(
    { db, workspace },
    { from, columns, descends },
    after,
    async (found, within) => [...found, ...(await select(SUMMARY_COLUMNS, within, limit - found.length))],
    ({ length }) => length === limit,
  )
  return [...rows]
}

/** Reads members of notes by their keys, living or in the trash, in no order. Texts are read only if they are named. */
export function getNotesByKey<Member extends keyof NoteRow>(
  { db, workspace }: Reader,
  keys: readonly number[],
  members: readonly Member[],
): Promise<Pick<NoteRow, Member>[]> {
  const isText = (member: string) => member === 'body' || member === 'front_matter'
  const columns = members.map((member) => (isText(member) ? member : `notes.${member}`))
  const texts = members.some(isText) ? 'JOIN note_bodies ON note_bodies.key = notes.key' : ''
  // The plus keeps SQLite from walking all notes of the workspace instead.
  const sql = `SELECT ${columns.join(', ')} FROM notes ${texts}
    WHERE +notes.workspace = $1 AND notes.key IN ${integersIn('$2')}`
  return db.all(sql, [workspace.id, JSON.stringify(keys)])
}

/** The members by which links find a note. */
export const LOCATION = ['key', 'id', 'title', 'file_name', 'folder'] as const

export async function listKnownIds({ db, workspace }: Session, ids: readonly string[]): Promise<string[]> {
  const sql = `SELECT id FROM notes WHERE workspace = $1 AND id IN ${valuesIn('$2')}`
  return (await db.all<{ id: string }>(sql, [workspace.id, JSON.stringify(ids)])).map(({ id }) => id)
}

export async function countNotes({ db, workspace }: Session): Promise<number> {
  const sql = 'SELECT count(*) AS n FROM notes WHERE workspace = $1 AND deleted_at IS NULL'
  return (await db.get<{ n: number }>(sql, [workspace.id]))?.n ?? 0
}

export async function findDailyNote({ db, workspace }: Session, date: string): Promise<string | null> {
  const sql = 'SELECT id FROM notes WHERE workspace = $1 AND daily_date = $2 AND deleted_at IS NULL'
  return (await db.get<{ id: string }>(sql, [workspace.id, date]))?.id ?? null
}

/**
 * Erases notes and all rows that depend on them. Deletes old bodies first, `limit` at a time: one note may have
 * hundreds, and one large transaction would delay other writers.
 */
export const wipeNotes: Wipe = async (db, workspace, limit) => {
  const sql = 'SELECT key FROM notes WHERE workspace = $1 LIMIT $2'
  const notes = await db.all<{ key: number }>(sql, [workspace, limit])
  if (notes.length === 0) return false
  const keys = JSON.stringify(keysOf(notes))
  const bodies = `DELETE FROM note_revision_bodies WHERE workspace = $1 AND (key, revision) IN (
    SELECT key, revision FROM note_revision_bodies WHERE workspace = $1 AND key IN ${integersIn('$2')} LIMIT $3)`
  if ((await db.run(bodies, [workspace, keys, limit])) === limit) return true
  await db.run(`DELETE FROM notes WHERE +workspace = $1 AND key IN ${integersIn('$2')}`, [workspace, keys])
  return notes.length === limit
}

/** The digests of an imported note at its last import: of the note in the file and of the note as it was stored. */
export interface ImportDigests {
  readonly file_hash: string
  readonly note_hash: string
}

export function getImportDigests({ db, workspace }: Session, key: number): Promise<ImportDigests | null> {
  return db.get<ImportDigests>('SELECT file_hash, note_hash FROM note_imports WHERE workspace = $1 AND key = $2', [
    workspace.id,
    key,
  ])
}

/** Returns the digests of notes in their files at their last import, by their source ids. */
export async function getFileHashes(
  { db, workspace }: Reader,
  system: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db.all<{ source_id: string; file_hash: string }>(
    `SELECT source_id, file_hash FROM notes JOIN note_imports ON note_imports.key = notes.key
     WHERE notes.workspace = $1 AND source_system = $2 AND source_id IN ${valuesIn('$3')}`,
    [workspace.id, system, JSON.stringify(ids)],
  )
  return new Map(rows.map(({ source_id, file_hash }) => [source_id, file_hash]))
}

export async function putImportDigests(
  { db, workspace }: Session,
  key: number,
  imported: ImportDigests,
): Promise<void> {
  const values = [workspace.id, key, imported.file_hash, imported.note_hash]
  const update = 'UPDATE note_imports SET file_hash = $3, note_hash = $4 WHERE workspace = $1 AND key = $2'
  if ((await db.run(update, values)) > 0) return
  await db.run(
    `INSERT INTO note_imports (workspace, key, file_hash, note_hash)
     SELECT workspace, key, $3, $4 FROM notes WHERE workspace = $1 AND key = $2`,
    values,
  )
}

export interface PropertyOrder {
  readonly name: string
  readonly descends: boolean
  /** The sort keys of the last note of the page before, see toPropertySortKeys; null for the first page. */
  readonly after: readonly Key[] | null
  readonly limit: number
}

/** The sort keys of a note. `sort_group` is 0 for a number, 1 for text, 2 for a note without the property. */
export interface PropertySortRow {
  readonly id: string
  readonly sort_group: number
  readonly sort_number: number
  readonly sort_text: string
}

/** The types of the keys in a cursor of such a list. */
export const PROPERTY_SORT_KEY_KINDS = ['number', 'number', 'string', 'string'] as const

const GROUP_WITHOUT_VALUE = 2
/** The sort keys in SQL: numbers first, equal however they are written, then text. */
const SORT_KEYS = [
  '(own.number IS NULL)',
  'coalesce(own.number, 0)',
  "CASE WHEN own.number IS NULL THEN own.value ELSE '' END",
]

export function readPropertySort(sort: string): Pick<PropertyOrder, 'name' | 'descends'> | null {
  const [, minus, name] = /^(-?)property\.(.+)$/su.exec(sort) ?? []
  return name === undefined ? null : { name: fold(name), descends: minus === '-' }
}

export function isPropertySort(sort: string): sort is PropertySort {
  return readPropertySort(sort) !== null
}

/** Returns the sort keys of a note, as listByProperty takes them in `after`. */
export function toPropertySortKeys({ sort_group, sort_number, sort_text, id }: PropertySortRow): Key[] {
  return [sort_group, sort_number, sort_text, id]
}

/**
 * Lists living notes by the least value of the property, then by id. Notes without the property come last in both
 * directions, by id.
 * @param columns columns of `notes`, in SQL
 * @param where further conditions on `notes`, each beginning with AND; `$1` is the workspace
 */
export async function listByProperty<Row>(
  { db, workspace }: Reader,
  order: PropertyOrder,
  columns: string,
  where: (bind: Bindings) => string,
): Promise<(Row & PropertySortRow)[]> {
  const run = (build: typeof buildValuedStatement, page: PropertyOrder) => {
    const bind = new Bindings(workspace.id)
    return db.all<Row & PropertySortRow>(build(page, columns, where(bind), bind), bind.values)
  }
  const isPastValues = order.after?.[0] === GROUP_WITHOUT_VALUE
  const valued = isPastValues ? [] : await run(buildValuedStatement, order)
  const limit = order.limit - valued.length
  if (limit === 0) return valued
  return [
    ...valued,
    ...(await run(buildUnvaluedStatement, { ...order, after: isPastValues ? order.after : null, limit })),
  ]
}

/** Builds the statement for notes with the property. It reads only the values of this property in this workspace. */
function buildValuedStatement(order: PropertyOrder, columns: string, where: string, bind: Bindings): string {
  const [than, by] = toSqlDirection(order)
  const [group, number, text] = SORT_KEYS
  const after = order.after?.map((key) => bind.add(key)).join(', ')
  return `SELECT ${columns}, notes.id, ${group} AS sort_group, ${number} AS sort_number, ${text} AS sort_text
    FROM note_properties AS own CROSS JOIN notes ON notes.key = own.key
    WHERE own.workspace = $1 AND own.name = ${bind.add(order.name)} AND +notes.workspace = $1 AND notes.deleted_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM note_properties AS other
        WHERE other.key = own.key AND other.workspace = $1 AND other.name = own.name
          AND (other.number IS NULL, coalesce(other.number, 0), other.value) < (${group}, ${number}, own.value))
      ${where} ${after ? `AND (${SORT_KEYS.join(', ')}, notes.id) ${than} (${after})` : ''}
    ORDER BY ${[...SORT_KEYS, 'notes.id'].map((key) => `${key} ${by}`).join(', ')} LIMIT ${bind.add(order.limit)}`
}

function buildUnvaluedStatement(order: PropertyOrder, columns: string, where: string, bind: Bindings): string {
  const [than, by] = toSqlDirection(order)
  const after = order.after && `AND notes.id ${than} ${bind.add(order.after.at(-1) ?? '')}`
  return `SELECT ${columns}, notes.id, ${GROUP_WITHOUT_VALUE} AS sort_group, 0 AS sort_number, '' AS sort_text
    FROM notes WHERE notes.workspace = $1 AND notes.deleted_at IS NULL AND NOT EXISTS (SELECT 1 FROM note_properties AS own
        WHERE own.key = notes.key AND own.workspace = $1 AND own.name = ${bind.add(order.name)})
      ${where} ${after ?? ''} ORDER BY notes.id ${by} LIMIT ${bind.add(order.limit)}`
}

function toSqlDirection({ descends }: PropertyOrder): ['<', 'DESC'] | ['>', 'ASC'] {
  return descends ? ['<', 'DESC'] : ['>', 'ASC']
}
