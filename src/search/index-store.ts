import type { Queries, WorkspaceId } from '../db/database'
import { byIndex, elementsIn, integersIn, jsonArray } from '../db/dialect'
import type { Block } from './blocks'
import { DOCUMENT_BYTES, type Documents, readDocuments, type Segment, writeDocuments } from './segment'
import { SegmentCache } from './segment-cache'
import type { Type } from './source'

/** A segment that is ready, without its terms. */
export interface StoredSegment {
  readonly segment: number
  readonly documents: Documents
  readonly languages: readonly string[]
}

/** A document that is not indexed yet. */
export interface Pending {
  readonly doc: number
  readonly type: Type
  readonly key: number
}

/** Lists the oldest documents that are not indexed yet. */
export async function listPending(db: Queries, workspace: WorkspaceId, limit: number): Promise<Pending[]> {
  // Without a hint, SQLite reads all documents of the workspace.
  return await db.all<Pending>(
    `SELECT doc, type, key FROM search_docs ${byIndex('search_docs_pending')}
     WHERE workspace = $1 AND pending = 1 ORDER BY doc LIMIT $2`,
    [workspace, limit],
  )
}

/**
 * Lists the segments that can be searched, in the order of their documents.
 * @param cache segments that were read before; those read now are added
 */
export async function listSegments(
  db: Queries,
  workspace: WorkspaceId,
  cache: SegmentCache<StoredSegment> = new SegmentCache(Number.POSITIVE_INFINITY),
): Promise<StoredSegment[]> {
  const rows = await db.all<{ segment: number }>(
    'SELECT segment FROM search_segments WHERE workspace = $1 AND ready = 1 ORDER BY first_doc',
    [workspace],
  )
  // Read the cache first: adding segments below may evict these.
  const segments = new Map(rows.map(({ segment }) => [segment, cache.get(segment)]))
  const unread = rows.filter(({ segment }) => !segments.get(segment))
  for (const read of unread.length > 0 ? await readSegments(db, workspace, unread) : []) {
    cache.add(read.segment, read, read.documents.count * DOCUMENT_BYTES)
    segments.set(read.segment, read)
  }
  // A workspace that is being erased may have lost some in between.
  return rows.flatMap(({ segment }) => segments.get(segment) ?? [])
}

/** Reads the segments that exist, in the order of their documents. */
export async function readSegments(
  db: Queries,
  workspace: WorkspaceId,
  segments: readonly { readonly segment: number }[],
): Promise<StoredSegment[]> {
  const rows = await db.all<{ segment: number; documents: number; content: Uint8Array; languages: string }>(
    `SELECT segment, documents, content, languages FROM search_segments
     WHERE workspace = $1 AND segment IN ${integersIn('$2')} ORDER BY first_doc`,
    [workspace, JSON.stringify(segments.map(({ segment }) => segment))],
  )
  return rows.map(({ segment, documents, content, languages }) => {
    return { segment, documents: readDocuments(content, documents), languages: languages.split(' ') }
  })
}

/** The size of a segment, and how many of its documents are current. */
export interface SegmentSize {
  readonly segment: number
  readonly first_doc: number
  readonly last_doc: number
  readonly documents: number
  readonly current: number
}

/** Lists the sizes of the segments that can be searched, in the order of their documents. */
export async function listSizes(db: Queries, workspace: WorkspaceId): Promise<SegmentSize[]> {
  return await db.all<SegmentSize>(
    `SELECT segment, first_doc, last_doc, documents, documents - (SELECT count(*) FROM search_dead
       WHERE search_dead.workspace = $1 AND doc BETWEEN first_doc AND last_doc) AS current
     FROM search_segments WHERE workspace = $1 AND ready = 1 ORDER BY first_doc`,
    [workspace],
  )
}

/** Inserts a segment that is not ready yet: its terms follow in further transactions. Returns its number. */
export async function addSegment(
  db: Queries,
  workspace: WorkspaceId,
  { documents, languages }: Omit<Segment, 'blocks'>,
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

/** Inserts blocks of a segment. */
export async function addBlocks(
  db: Queries,
  workspace: WorkspaceId,
  segment: number,
  blocks: readonly Block[],
): Promise<void> {
  for (const { first, terms, sizes, counts, places } of blocks) {
    await db.run(
      `INSERT INTO search_blocks (workspace, segment, first, terms, sizes, counts, places)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [workspace, segment, first, terms, sizes, counts, places],
    )
  }
}

/** Lists the blocks of a segment after a first term, in order. */
export async function listBlocks(
  db: Queries,
  workspace: WorkspaceId,
  segment: number,
  after: string,
  limit: number,
): Promise<Block[]> {
  return await db.all<Block>(
    `SELECT first, terms, sizes, counts, places FROM search_blocks
     WHERE workspace = $1 AND segment = $2 AND first > $3 ORDER BY first LIMIT $4`,
    [workspace, segment, after, limit],
  )
}

/**
 * Makes a segment searchable, if any of its documents is current.
 * @param docs its documents, which are marked as indexed; null if they come from other segments
 */
export async function setReady(
  db: Queries,
  workspace: WorkspaceId,
  segment: number,
  docs: readonly number[] | null,
): Promise<void> {
  let living = 1
  if (docs !== null) {
    const bind = [workspace, JSON.stringify(docs)]
    living = await db.run(
      `UPDATE search_docs SET pending = 0 WHERE workspace = $1 AND doc IN ${integersIn('$2')}`,
      bind,
    )
    // Some texts changed while they were indexed: their documents are outdated already.
    if (living > 0 && living < docs.length)
      await db.run(
        `INSERT INTO search_dead (workspace, doc) SELECT $1, CAST(value AS bigint) FROM ${elementsIn('$2')} AS given
         WHERE NOT EXISTS (SELECT 1 FROM search_docs WHERE workspace = $1 AND doc = CAST(value AS bigint))
         ON CONFLICT DO NOTHING`,
        bind,
      )
  }
  if (living > 0)
    await db.run('UPDATE search_segments SET ready = 1 WHERE +workspace = $1 AND segment = $2', [workspace, segment])
}

/** Takes segments out of search; `deleteBlocks` deletes their terms. Returns how many there were. */
export async function setUnready(db: Queries, workspace: WorkspaceId, segments: readonly number[]): Promise<number> {
  const sql = `UPDATE search_segments SET ready = 0 WHERE +workspace = $1 AND segment IN ${integersIn('$2')}`
  return await db.run(sql, [workspace, JSON.stringify(segments)])
}

/** Deletes up to `limit` blocks of a segment, and the segment with its last block. Returns whether all are deleted. */
export async function deleteBlocks(
  db: Queries,
  workspace: WorkspaceId,
  segment: number,
  limit: number,
): Promise<boolean> {
  const dropped = await db.run(
    `DELETE FROM search_blocks WHERE workspace = $1 AND segment = $2
       AND first IN (SELECT first FROM search_blocks WHERE workspace = $1 AND segment = $2 ORDER BY first LIMIT $3)`,
    [workspace, segment, limit],
  )
  if (dropped === limit) return false
  await db.run('DELETE FROM search_segments WHERE +workspace = $1 AND segment = $2', [workspace, segment])
  return true
}

/** Lists the outdated documents of all segments, from one document to another. */
export async function listDead(
  db: Queries,
  workspace: WorkspaceId,
  from = 0,
  to = Number.MAX_SAFE_INTEGER,
): Promise<number[]> {
  const row = await db.get<{ docs: string }>(
    `SELECT ${jsonArray('doc')} AS docs FROM search_dead WHERE workspace = $1 AND doc BETWEEN $2 AND $3`,
    [workspace, from, to],
  )
  return JSON.parse(row?.docs ?? '[]')
}

/** Lists the segments that are not ready: being written, or replaced. */
export function listUnready(db: Queries): Promise<{ workspace: WorkspaceId; segment: number }[]> {
  return db.all('SELECT workspace, segment FROM search_segments WHERE ready = 0')
}

/** Deletes the index of a workspace, up to `limit` rows at a time; true while there may be more. */
export async function deleteIndex(db: Queries, workspace: WorkspaceId, limit: number): Promise<boolean> {
  // The texts are erased already, so only the rows of outdated documents can be many.
  const dead = `DELETE FROM search_dead WHERE workspace = $1
    AND doc IN (SELECT doc FROM search_dead WHERE workspace = $1 LIMIT $2)`
  if ((await db.run(dead, [workspace, limit])) === limit) return true
  await db.run('DELETE FROM search_erased WHERE workspace = $1', [workspace])
  const segment = await db.get<{ segment: number }>(
    'SELECT segment FROM search_segments WHERE workspace = $1 LIMIT 1',
    [workspace],
  )
  if (!segment) return false
  await deleteBlocks(db, workspace, segment.segment, limit)
  return true
}

/** Returns the newest document that is not indexed yet; 0 if there is none. */
export async function getNewestPending(db: Queries, workspace: WorkspaceId): Promise<number> {
  const row = await db.get<{ doc: number }>(
    'SELECT doc FROM search_docs WHERE workspace = $1 AND pending = 1 ORDER BY doc DESC LIMIT 1',
    [workspace],
  )
  return row?.doc ?? 0
}

/** Finds the first workspace after another that has documents to index. */
export async function findNextPending(db: Queries, after: string): Promise<WorkspaceId | null> {
  const row = await db.get<{ workspace: WorkspaceId }>(
    'SELECT workspace FROM search_docs WHERE pending = 1 AND workspace > $1 ORDER BY workspace LIMIT 1',
    [after],
  )
  return row?.workspace ?? null
}

/** Counts the documents of all workspaces that are not indexed yet. */
export async function countPending(db: Queries): Promise<number> {
  return (await db.get<{ n: number }>('SELECT count(*) AS n FROM search_docs WHERE pending = 1'))?.n ?? 0
}

/** Deletes pending documents whose texts are gone. */
export async function deletePending(db: Queries, workspace: WorkspaceId, docs: readonly number[]): Promise<void> {
  await db.run(`DELETE FROM search_docs WHERE workspace = $1 AND pending = 1 AND doc IN ${integersIn('$2')}`, [
    workspace,
    JSON.stringify(docs),
  ])
}

/** Deletes the marks of outdated documents that are in no segment any more. */
export async function deleteDead(db: Queries, workspace: WorkspaceId, docs: readonly number[]): Promise<void> {
  await db.run(`DELETE FROM search_dead WHERE workspace = $1 AND doc IN ${integersIn('$2')}`, [
    workspace,
    JSON.stringify(docs),
  ])
}

/** Lists the workspaces in which texts were erased since their terms were last purged, and how often. */
export async function listErased(db: Queries): Promise<{ workspace: WorkspaceId; times: number }[]> {
  return await db.all('SELECT workspace, times FROM search_erased')
}

/** Records that a workspace is purged, unless more was erased since `times` was read. */
export async function deleteErased(db: Queries, workspace: WorkspaceId, times: number): Promise<void> {
  await db.run('DELETE FROM search_erased WHERE workspace = $1 AND times = $2', [workspace, times])
}
