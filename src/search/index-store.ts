import type { Bindings } from '../db/bindings'
import type { Queries, WorkspaceId } from '../db/database'
import type { Block } from './blocks'
import { type Documents, readDocuments, type Segment, writeDocuments } from './segment'
import type { Type } from './source'

/** A segment that is ready, less its terms. */
export interface StoredSegment {
  readonly segment: number
  readonly documents: Documents
  readonly languages: readonly string[]
}

/** What of a workspace still has to be indexed. */
export interface Pending {
  readonly doc: number
  readonly type: Type
  readonly key: number
}

/** The oldest of what is to be indexed. */
export async function listPending(db: Queries, workspace: WorkspaceId, limit: number): Promise<Pending[]> {
  return await db.all<Pending>(
    'SELECT doc, type, key FROM search_docs WHERE workspace = $1 AND pending = 1 ORDER BY doc LIMIT $2',
    [workspace, limit],
  )
}

/** The segments that can be searched, in the order of their documents. */
export async function listSegments(db: Queries, workspace: WorkspaceId): Promise<StoredSegment[]> {
  const rows = await db.all<{ segment: number; documents: number; content: Uint8Array; languages: string }>(
    `SELECT segment, documents, content, languages FROM search_segments
     WHERE workspace = $1 AND ready = 1 ORDER BY first_doc`,
    [workspace],
  )
  return rows.map(({ segment, documents, content, languages }) => {
    return { segment, documents: readDocuments(content, documents), languages: languages.split(' ') }
  })
}

/** A block of a segment, as far as it was asked for. */
export interface FoundBlock extends Omit<Block, 'first' | 'places'> {
  readonly segment: number
  /** What was looked for, and stands in it. */
  readonly term: string
  readonly places?: Uint8Array
}

/** The blocks that hold the terms. @param places whether these are wanted too */
export async function findBlocks(
  db: Queries,
  workspace: WorkspaceId,
  segments: readonly number[],
  terms: readonly string[],
  places: boolean,
): Promise<FoundBlock[]> {
  return await db.all<FoundBlock>(
    `SELECT block.segment, wanted.value AS term, terms, sizes, counts ${places ? ', places' : ''}
     FROM search_segments AS own CROSS JOIN json_each($2) AS wanted
       CROSS JOIN search_blocks AS block ON block.segment = own.segment
         AND first = (SELECT max(first) FROM search_blocks WHERE segment = own.segment AND first <= wanted.value)
     WHERE workspace = $1 AND own.segment IN (SELECT value FROM json_each($3))
       AND instr(terms, char(10) || wanted.value || char(10)) > 0`,
    [workspace, JSON.stringify(terms), JSON.stringify(segments)],
  )
}

/**
 * The terms between two (the first included) with their sizes, a few hundred in a row; beyond, there may be others.
 * @param piece only blocks that hold this text somewhere
 */
export async function scanTerms(
  db: Queries,
  workspace: WorkspaceId,
  segments: readonly number[],
  { from, below, piece }: { readonly from: string; readonly below: string; readonly piece: string | null },
): Promise<{ terms: string; sizes: Uint8Array }[]> {
  return await db.all(
    `SELECT terms, sizes FROM search_segments AS own CROSS JOIN search_blocks AS block ON block.segment = own.segment
     WHERE workspace = $1 AND own.segment IN (SELECT value FROM json_each($5)) AND first < $3
       AND first >= coalesce((SELECT max(first) FROM search_blocks WHERE segment = own.segment AND first <= $2), $2)
       AND ($4 IS NULL OR instr(terms, $4) > 0)`,
    [workspace, from, below, piece, JSON.stringify(segments)],
  )
}

/** Makes a segment that is not ready: its terms follow in further transactions. */
export async function addSegment(
  db: Queries,
  workspace: WorkspaceId,
  { documents, languages }: Omit<Segment, 'terms'>,
): Promise<number> {
  const row = await db.get<{ segment: number }>(
    `INSERT INTO search_segments (workspace, ready, first_doc, last_doc, documents, content, languages)
     VALUES ($1, 0, $2, $3, $4, $5, $6) RETURNING segment`,
    [
      workspace,
      documents.docs[0] ?? 0,
      documents.docs[documents.count - 1] ?? 0,
      documents.count,
      writeDocuments(documents),
      [...languages].join(' '),
    ],
  )
  if (!row) throw new Error('A segment was not stored.')
  return row.segment
}

export async function addBlocks(db: Queries, segment: number, blocks: readonly Block[]): Promise<void> {
  for (const { first, terms, sizes, counts, places } of blocks) {
    await db.run(
      'INSERT INTO search_blocks (segment, first, terms, sizes, counts, places) VALUES ($1, $2, $3, $4, $5, $6)',
      [segment, first, terms, sizes, counts, places],
    )
  }
}

/** The blocks of a segment behind a first term, in their order. */
export async function listBlocks(db: Queries, segment: number, after: string, limit: number): Promise<Block[]> {
  return await db.all<Block>(
    `SELECT first, terms, sizes, counts, places FROM search_blocks
     WHERE segment = $1 AND first > $2 ORDER BY first LIMIT $3`,
    [segment, after, limit],
  )
}

/** From here on the segment is searched, and its documents are pending no more. */
export async function setReady(db: Queries, segment: number, docs: readonly number[]): Promise<void> {
  await db.run('UPDATE search_docs SET pending = 0 WHERE doc IN (SELECT value FROM json_each($1))', [
    JSON.stringify(docs),
  ])
  await db.run('UPDATE search_segments SET ready = 1 WHERE segment = $1', [segment])
}

/** From here on the segment is searched no more; `dropBlocks` throws its terms away. */
export async function setUnready(db: Queries, segments: readonly number[]): Promise<void> {
  await db.run('UPDATE search_segments SET ready = 0 WHERE segment IN (SELECT value FROM json_each($1))', [
    JSON.stringify(segments),
  ])
}

/** Throws away some of the blocks of a segment, and the segment with the last of them. Answers whether that is done. */
export async function dropBlocks(db: Queries, segment: number, limit: number): Promise<boolean> {
  const dropped = await db.run(
    `DELETE FROM search_blocks WHERE segment = $1
       AND first IN (SELECT first FROM search_blocks WHERE segment = $1 ORDER BY first LIMIT $2)`,
    [segment, limit],
  )
  if (dropped === limit) return false
  await db.run('DELETE FROM search_segments WHERE segment = $1', [segment])
  return true
}

/** Of documents, those that stand for something yet: no change of its text came after. */
export async function listLiving(db: Queries, workspace: WorkspaceId, docs: Float64Array): Promise<Set<number>> {
  const rows = await db.all<{ doc: number }>(
    `SELECT doc FROM search_docs WHERE workspace = $1 AND doc BETWEEN $2 AND $3 AND pending = 0`,
    [workspace, docs[0] ?? 0, docs.at(-1) ?? 0],
  )
  return new Set(rows.map(({ doc }) => doc))
}

/** Segments that are not ready: being written, or no longer wanted. */
export async function listUnready(db: Queries): Promise<number[]> {
  const rows = await db.all<{ segment: number }>('SELECT segment FROM search_segments WHERE ready = 0')
  return rows.map(({ segment }) => segment)
}

/** The first workspace behind another that has something to be indexed. */
export async function nextPending(db: Queries, after: string): Promise<WorkspaceId | null> {
  const row = await db.get<{ workspace: WorkspaceId }>(
    'SELECT workspace FROM search_docs WHERE pending = 1 AND workspace > $1 ORDER BY workspace LIMIT 1',
    [after],
  )
  return row?.workspace ?? null
}

/** The documents whose keys a SELECT gives. @param bind its values; the first is the workspace, the second the type */
export async function findConditionDocs(db: Queries, keys: string, bind: Bindings): Promise<number[]> {
  const row = await db.get<{ docs: string }>(
    `SELECT json_group_array(doc) AS docs FROM search_docs WHERE workspace = $1 AND type = $2 AND key IN (${keys})`,
    bind.values,
  )
  return JSON.parse(row?.docs ?? '[]')
}

/** What documents are states of; those that are no longer are left out. */
export async function listByDocs(db: Queries, workspace: WorkspaceId, docs: readonly number[]): Promise<Pending[]> {
  return await db.all<Pending>(
    `SELECT doc, type, key FROM search_docs WHERE workspace = $1 AND doc IN (SELECT value FROM json_each($2))`,
    [workspace, JSON.stringify(docs)],
  )
}

/** Throws away what is indexed of a workspace, some rows at a time; true while there may be more. */
export async function dropIndex(db: Queries, workspace: WorkspaceId, limit: number): Promise<boolean> {
  await db.run('DELETE FROM search_docs WHERE workspace = $1', [workspace])
  const segment = await db.get<{ segment: number }>('SELECT segment FROM search_segments WHERE workspace = $1 LIMIT 1', [
    workspace,
  ])
  if (!segment) return false
  await dropBlocks(db, segment.segment, limit)
  return true
}

/** How many documents there are, and how many of them are still to be indexed, of all workspaces. */
export async function progressOf(db: Queries): Promise<{ documents: number; pending: number }> {
  const row = await db.get<{ documents: number; pending: number }>(
    `SELECT (SELECT count(*) FROM search_docs) AS documents,
       (SELECT count(*) FROM search_docs WHERE pending = 1) AS pending`,
  )
  return row ?? { documents: 0, pending: 0 }
}
