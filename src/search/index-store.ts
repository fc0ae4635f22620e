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
    // Left to itself, SQLite reads all documents of the workspace.
    `SELECT doc, type, key FROM search_docs INDEXED BY search_docs_pending
     WHERE workspace = $1 AND pending = 1 ORDER BY doc LIMIT $2`,
    [workspace, limit],
  )
}

/** The segments that can be searched, in the order of their documents. */
export async function listSegments(db: Queries, workspace: WorkspaceId): Promise<StoredSegment[]> {
  const rows = await db.all<{ segment: number }>(
    'SELECT segment FROM search_segments WHERE workspace = $1 AND ready = 1 ORDER BY first_doc',
    [workspace],
  )
  return await readSegments(db, workspace, rows)
}

/** Those of the segments that are there, in the order of their documents. */
export async function readSegments(
  db: Queries,
  workspace: WorkspaceId,
  segments: readonly { readonly segment: number }[],
): Promise<StoredSegment[]> {
  const rows = await db.all<{ segment: number; documents: number; content: Uint8Array; languages: string }>(
    `SELECT segment, documents, content, languages FROM search_segments
     WHERE workspace = $1 AND segment IN (SELECT value FROM json_each($2)) ORDER BY first_doc`,
    [workspace, JSON.stringify(segments.map(({ segment }) => segment))],
  )
  return rows.map(({ segment, documents, content, languages }) => {
    return { segment, documents: readDocuments(content, documents), languages: languages.split(' ') }
  })
}

/** How large a segment is, and how much of it stands for something yet. */
export interface SegmentSize {
  readonly segment: number
  readonly first_doc: number
  readonly last_doc: number
  readonly documents: number
  readonly living: number
}

/** The sizes of the segments that can be searched, in the order of their documents. */
export async function listSizes(db: Queries, workspace: WorkspaceId): Promise<SegmentSize[]> {
  return await db.all<SegmentSize>(
    `SELECT segment, first_doc, last_doc, documents, documents - (SELECT count(*) FROM search_dead
       WHERE search_dead.workspace = $1 AND doc BETWEEN first_doc AND last_doc) AS living
     FROM search_segments WHERE workspace = $1 AND ready = 1 ORDER BY first_doc`,
    [workspace],
  )
}

/** A block of a segment, as far as it was asked for. */
export interface FoundBlock extends Omit<Block, 'first' | 'places'> {
  readonly segment: number
  /** What was looked for, and stands in it. */
  readonly term: string
  readonly places?: Uint8Array
}

/** The blocks that hold the terms, each for each of its terms. @param places whether these are wanted too */
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
       -- Most segments lack most terms: that is seen before a block is joined.
       AND (SELECT instr(terms, char(10) || wanted.value || char(10)) FROM search_blocks
            WHERE segment = own.segment AND first <= wanted.value ORDER BY first DESC LIMIT 1) > 0`,
    [workspace, JSON.stringify(terms), JSON.stringify(segments)],
  )
}

/** Terms from one on (included) to another (not included). */
export interface Range {
  readonly from: string
  readonly below: string
  /** Stands in each; null leaves it open. */
  readonly piece: string | null
}

/** What of a block is read beside its terms and their sizes. */
export type Depth = 'terms' | 'counts' | 'places'

/** The blocks of a segment that may hold terms of a range, some at a time: each call goes on behind a first term. */
export async function scanBlocks(
  db: Queries,
  workspace: WorkspaceId,
  segment: number,
  { from, below, piece }: Range,
  { depth, after, limit }: { readonly depth: Depth; readonly after: string | null; readonly limit: number },
): Promise<(Pick<Block, 'first' | 'terms' | 'sizes'> & Partial<Block>)[]> {
  const start =
    after === null
      ? 'first >= coalesce((SELECT max(first) FROM search_blocks WHERE segment = $1 AND first <= $2), $2)'
      : 'first > $2'
  const columns = { terms: '', counts: ', counts', places: ', counts, places' }[depth]
  return await db.all(
    `SELECT first, terms, sizes ${columns} FROM search_blocks
     WHERE segment = (SELECT segment FROM search_segments WHERE segment = $1 AND workspace = $6)
       AND ${start} AND first < $3 AND ($4 IS NULL OR instr(terms, $4) > 0) ORDER BY first LIMIT $5`,
    [segment, after ?? from, below, piece, limit, workspace],
  )
}

/** Makes a segment that is not ready: its terms follow in further transactions. */
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

/**
 * From here on the segment is searched, if any of its documents stands for something yet.
 * @param docs its documents, which are pending until now; null if they were in other segments
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
      'UPDATE search_docs SET pending = 0 WHERE workspace = $1 AND doc IN (SELECT value FROM json_each($2))',
      bind,
    )
    // Texts that were changed while they were indexed.
    if (living > 0 && living < docs.length)
      await db.run(
        `INSERT OR IGNORE INTO search_dead (workspace, doc) SELECT $1, value FROM json_each($2)
         WHERE NOT EXISTS (SELECT 1 FROM search_docs WHERE workspace = $1 AND doc = value)`,
        bind,
      )
  }
  if (living > 0) await db.run('UPDATE search_segments SET ready = 1 WHERE segment = $1', [segment])
}

/** From here on the segments are searched no more; `dropBlocks` throws their terms away. Answers how many there were. */
export async function setUnready(db: Queries, segments: readonly number[]): Promise<number> {
  return await db.run('UPDATE search_segments SET ready = 0 WHERE segment IN (SELECT value FROM json_each($1))', [
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

/** The documents that are in segments and stand for nothing any more. @param from the first that may be told */
export async function listDead(
  db: Queries,
  workspace: WorkspaceId,
  from = 0,
  to = Number.MAX_SAFE_INTEGER,
): Promise<number[]> {
  const row = await db.get<{ docs: string }>(
    'SELECT json_group_array(doc) AS docs FROM search_dead WHERE workspace = $1 AND doc BETWEEN $2 AND $3',
    [workspace, from, to],
  )
  return JSON.parse(row?.docs ?? '[]')
}

/** Segments that are not ready: being written, or no longer wanted. */
export async function listUnready(db: Queries): Promise<number[]> {
  const rows = await db.all<{ segment: number }>('SELECT segment FROM search_segments WHERE ready = 0')
  return rows.map(({ segment }) => segment)
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
  // What was in it is gone by now, so these rows are few but for the dead.
  const dead = `DELETE FROM search_dead WHERE workspace = $1
    AND doc IN (SELECT doc FROM search_dead WHERE workspace = $1 LIMIT $2)`
  if ((await db.run(dead, [workspace, limit])) === limit) return true
  await db.run('DELETE FROM search_erased WHERE workspace = $1', [workspace])
  const segment = await db.get<{ segment: number }>(
    'SELECT segment FROM search_segments WHERE workspace = $1 LIMIT 1',
    [workspace],
  )
  if (!segment) return false
  await dropBlocks(db, segment.segment, limit)
  return true
}
