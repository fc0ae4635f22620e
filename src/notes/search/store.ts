import type { Queries, WorkspaceId } from '../../db/database'
import type { Key } from '../../http/cursor'
import { listByProperty, type Placed, type PropertyOrder, propertyKeys } from '../property-sort.sqlite'
import { SUMMARY, type SummaryRow } from '../store'

/** The summaries of notes, by their keys. */
export async function getSummaries(
  db: Queries,
  workspace: WorkspaceId,
  keys: readonly number[],
): Promise<Map<number, SummaryRow>> {
  // The plus keeps SQLite from walking all notes of the workspace instead.
  const rows = await db.all<SummaryRow>(
    `SELECT ${SUMMARY} FROM notes WHERE +workspace = $1 AND notes.key IN (SELECT value FROM json_each($2))`,
    [workspace, JSON.stringify(keys)],
  )
  return new Map(rows.map((row) => [row.key, row]))
}

/** The body of a note; empty if it is gone. */
export async function getBody(db: Queries, workspace: WorkspaceId, key: number): Promise<string> {
  const row = await db.get<{ body: string }>(
    `SELECT body FROM note_bodies JOIN notes ON notes.key = note_bodies.key WHERE workspace = $1 AND notes.key = $2`,
    [workspace, key],
  )
  return row?.body ?? ''
}

interface Order {
  /** The keys of the last note shown, see `orderKeys`; null for the first page. */
  readonly after: readonly Key[] | null
  readonly limit: number
}

type Ordered = { readonly key: number } & (Placed | { readonly id: string; readonly updated_at: number })

/** Of documents of the index, the notes in the order of a property, or those that changed last first, behind `after`. */
export function listOrdered(
  db: Queries,
  workspace: WorkspaceId,
  docs: readonly number[],
  order: Order | PropertyOrder,
): Promise<Ordered[]> {
  if (!('name' in order)) return listNewest(db, workspace, docs, order)
  return listByProperty<Ordered>(db, workspace, order, 'notes.key', (bind) => {
    const found = `json_each(${bind.add(JSON.stringify(docs))}) AS found`
    return `AND notes.key IN (SELECT search_docs.key FROM ${found} CROSS JOIN search_docs
      ON search_docs.workspace = $1 AND doc = found.value)`
  })
}

/** The sort keys of a note, as listOrdered takes them. */
export function orderKeys(note: Ordered): Key[] {
  return 'sort_group' in note ? propertyKeys(note) : [note.updated_at, note.id]
}

async function listNewest(
  db: Queries,
  workspace: WorkspaceId,
  docs: readonly number[],
  { after, limit }: Order,
): Promise<Ordered[]> {
  const behind = after ? 'AND (updated_at, notes.id) < ($4, $5)' : ''
  return await db.all(
    `SELECT notes.key, notes.id, updated_at FROM json_each($2) AS found
       CROSS JOIN search_docs ON search_docs.workspace = $1 AND doc = found.value CROSS JOIN notes ON notes.key = search_docs.key
     WHERE +notes.workspace = $1 ${behind} ORDER BY updated_at DESC, notes.id DESC LIMIT $3`,
    [workspace, JSON.stringify(docs), limit, ...(after ?? [])],
  )
}

/** Of documents of the index, the notes by id behind `after`, with their bodies. */
export async function listById(
  db: Queries,
  workspace: WorkspaceId,
  docs: readonly number[],
  after: string,
  limit: number,
): Promise<{ id: string; title: string; body: string }[]> {
  return await db.all(
    `SELECT notes.id, title, body FROM json_each($2) AS found
       CROSS JOIN search_docs ON search_docs.workspace = $1 AND doc = found.value CROSS JOIN notes ON notes.key = search_docs.key
       CROSS JOIN note_bodies ON note_bodies.key = notes.key
     WHERE +notes.workspace = $1 AND notes.id > $3 ORDER BY notes.id LIMIT $4`,
    [workspace, JSON.stringify(docs), after, limit],
  )
}
