import type { Queries, WorkspaceId } from '../../db/database'
import { elementsIn, integersIn } from '../../db/dialect'
import type { Key } from '../../http/cursor'
import { listByProperty, type PropertyOrder, type PropertySortRow, toPropertySortKeys } from '../property-sort-store'
import { SUMMARY_COLUMNS, type SummaryRow } from '../store'

export async function getSummaries(
  db: Queries,
  workspace: WorkspaceId,
  keys: readonly number[],
): Promise<Map<number, SummaryRow>> {
  // The plus keeps SQLite from walking all notes of the workspace instead.
  const rows = await db.all<SummaryRow>(
    `SELECT ${SUMMARY_COLUMNS} FROM notes WHERE +workspace = $1 AND notes.key IN ${integersIn('$2')}`,
    [workspace, JSON.stringify(keys)],
  )
  return new Map(rows.map((row) => [row.key, row]))
}

export async function getBody(db: Queries, workspace: WorkspaceId, key: number): Promise<string> {
  const row = await db.get<{ body: string }>('SELECT body FROM note_bodies WHERE workspace = $1 AND key = $2', [
    workspace,
    key,
  ])
  return row?.body ?? ''
}

/**
 * With at least this many documents, the newest notes are scanned for them; fewer documents are looked up one by one.
 */
const MANY_DOCUMENTS = 2000
/** Notes that are scanned for each wanted result before listNewest gives up and looks up all documents. */
const SCANNED_NOTES_PER_RESULT = 100

interface Newest {
  readonly key: number
  readonly id: string
  readonly updated_at: number
}

interface Order {
  /** The sort keys of the last note of the page before, see toOrderKeys; null for the first page. */
  readonly after: readonly Key[] | null
  readonly limit: number
}

type Ordered = { readonly key: number } & (PropertySortRow | Newest)

/** Lists the notes of documents of the search index, after `after`: sorted by a property, or last changed first. */
export function listOrdered(
  db: Queries,
  workspace: WorkspaceId,
  docs: readonly number[],
  order: Order | PropertyOrder,
): Promise<Ordered[]> {
  if (!('name' in order)) return listNewest(db, workspace, docs, order)
  return listByProperty<Ordered>(db, workspace, order, 'notes.key', (bind) => {
    const found = `${elementsIn(bind.add(JSON.stringify(docs)))} AS found`
    return `AND notes.key IN (SELECT search_docs.key FROM ${found} CROSS JOIN search_docs
      ON search_docs.workspace = $1 AND doc = CAST(found.value AS bigint))`
  })
}

/** Returns the sort keys of a note, as listOrdered takes them in `after`. */
export function toOrderKeys(note: Ordered): Key[] {
  return 'sort_group' in note ? toPropertySortKeys(note) : [note.updated_at, note.id]
}

async function listNewest(
  db: Queries,
  workspace: WorkspaceId,
  docs: readonly number[],
  { after, limit }: Order,
): Promise<Newest[]> {
  if (docs.length >= MANY_DOCUMENTS) {
    const wanted = new Set(docs)
    const rows = await db.all<Newest & { doc: number }>(
      `SELECT notes.key, notes.id, updated_at, doc FROM notes CROSS JOIN search_docs
         ON search_docs.workspace = $1 AND search_docs.type = 'note' AND search_docs.key = notes.key
       WHERE notes.workspace = $1 AND deleted_at IS NULL ${buildAfterCondition(after, 3)} ORDER BY updated_at DESC, notes.id DESC LIMIT $2`,
      [workspace, limit * SCANNED_NOTES_PER_RESULT, ...(after ?? [])],
    )
    const found = rows.filter(({ doc }) => wanted.has(doc)).slice(0, limit)
    if (found.length === limit || rows.length < limit * SCANNED_NOTES_PER_RESULT) return found
  }
  return await db.all(
    `SELECT notes.key, notes.id, updated_at FROM ${elementsIn('$2')} AS found
       CROSS JOIN search_docs ON search_docs.workspace = $1 AND doc = CAST(found.value AS bigint) CROSS JOIN notes ON notes.key = search_docs.key
     WHERE +notes.workspace = $1 ${buildAfterCondition(after, 4)} ORDER BY updated_at DESC, notes.id DESC LIMIT $3`,
    [workspace, JSON.stringify(docs), limit, ...(after ?? [])],
  )
}

function buildAfterCondition(after: readonly Key[] | null, first: number): string {
  return after ? `AND (updated_at, notes.id) < ($${first}, $${first + 1})` : ''
}

/** Lists the notes of documents of the search index by id, after `after`, with their bodies. */
export async function listById(
  db: Queries,
  workspace: WorkspaceId,
  docs: readonly number[],
  after: string,
  limit: number,
): Promise<{ id: string; title: string; body: string }[]> {
  return await db.all(
    `SELECT notes.id, title, body FROM ${elementsIn('$2')} AS found
       CROSS JOIN search_docs ON search_docs.workspace = $1 AND doc = CAST(found.value AS bigint) CROSS JOIN notes ON notes.key = search_docs.key
       CROSS JOIN note_bodies ON note_bodies.key = notes.key
     WHERE +notes.workspace = $1 AND notes.id > $3 ORDER BY notes.id LIMIT $4`,
    [workspace, JSON.stringify(docs), after, limit],
  )
}
