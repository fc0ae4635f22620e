/** The queries by which a search reads the index. */
import type { Bindings, Queries, WorkspaceId } from '../db/database'
import { elementsIn, integersIn, jsonArray, valuesIn } from '../db/dialect'
import type { Block } from './blocks'
import type { Pending } from './index-store'

/** A block of a segment, with the columns that were read. */
export interface FoundBlock extends Omit<Block, 'first' | 'places'> {
  readonly segment: number
  /** The wanted term that the block holds. */
  readonly term: string
  readonly places?: Uint8Array
}

/**
 * Finds the blocks that hold the terms: one row for each block and term.
 * @param places whether to read the places too
 */
export async function findBlocks(
  db: Queries,
  workspace: WorkspaceId,
  segments: readonly number[],
  terms: readonly string[],
  places: boolean,
): Promise<FoundBlock[]> {
  return await db.all<FoundBlock>(
    `SELECT block.segment, wanted.value AS term, terms, sizes, counts ${places ? ', places' : ''}
     FROM search_segments AS own CROSS JOIN ${elementsIn('$2')} AS wanted
       CROSS JOIN search_blocks AS block ON block.segment = own.segment
         AND first = (SELECT max(first) FROM search_blocks WHERE workspace = $1 AND segment = own.segment AND first <= wanted.value)
     WHERE own.workspace = $1 AND own.segment IN ${integersIn('$3')}
       -- Most segments lack most terms: that is seen before a block is joined.
       AND (SELECT instr(terms, '\n' || wanted.value || '\n') FROM search_blocks
            WHERE workspace = $1 AND segment = own.segment AND first <= wanted.value ORDER BY first DESC LIMIT 1) > 0`,
    [workspace, JSON.stringify(terms), JSON.stringify(segments)],
  )
}

/** Lists the terms of the blocks of a segment after a first term, in order. */
export async function listTerms(
  db: Queries,
  workspace: WorkspaceId,
  segment: number,
  after: string,
  limit: number,
): Promise<Pick<Block, 'first' | 'terms'>[]> {
  return await db.all(
    `SELECT first, terms FROM search_blocks
     WHERE workspace = $1 AND segment = $2 AND first > $3 ORDER BY first LIMIT $4`,
    [workspace, segment, after, limit],
  )
}

/** The columns of a block that are read in addition to the sizes of its terms. */
export type Depth = 'terms' | 'counts' | 'places'

/** Reads the blocks of a segment with these first terms. */
export async function readBlocks(
  db: Queries,
  workspace: WorkspaceId,
  segment: number,
  firsts: readonly string[],
  depth: Depth,
): Promise<(Pick<Block, 'first' | 'sizes'> & Partial<Block>)[]> {
  const columns = { terms: '', counts: ', counts', places: ', counts, places' }[depth]
  return await db.all(
    `SELECT first, sizes ${columns} FROM search_blocks
     WHERE workspace = $1 AND segment = $2 AND first IN ${valuesIn('$3')}`,
    [workspace, segment, JSON.stringify(firsts)],
  )
}

/** Keys that are looked up one by one; with more, all documents of the workspace are scanned. */
const MAX_KEY_LOOKUPS = 8000

/**
 * Finds the documents whose keys a SELECT returns.
 * @param bind its values; the first is the workspace, the second the type
 */
export async function findConditionDocs(db: Queries, keys: string, bind: Bindings): Promise<number[]> {
  const few = await db.get<{ keys: string; count: number }>(
    `SELECT ${jsonArray('key')} AS keys, count(*) AS count FROM (SELECT key FROM (${keys}) AS found LIMIT ${MAX_KEY_LOOKUPS + 1}) AS found`,
    bind.values,
  )
  const [workspace = '', type = ''] = bind.values
  const row =
    few && few.count <= MAX_KEY_LOOKUPS
      ? await db.get<{ docs: string }>(
          `SELECT ${jsonArray('doc')} AS docs FROM ${elementsIn('$3')} AS wanted
             CROSS JOIN search_docs ON workspace = $1 AND search_docs.type = $2 AND search_docs.key = CAST(wanted.value AS bigint)`,
          [workspace, type, few.keys],
        )
      : await db.get<{ docs: string }>(
          `SELECT ${jsonArray('doc')} AS docs FROM search_docs WHERE workspace = $1 AND type = $2 AND key IN (${keys})`,
          bind.values,
        )
  return JSON.parse(row?.docs ?? '[]')
}

/** Returns the type and key of each document that is still current. */
export async function listByDocs(db: Queries, workspace: WorkspaceId, docs: readonly number[]): Promise<Pending[]> {
  return await db.all<Pending>(
    `SELECT doc, type, key FROM search_docs WHERE workspace = $1 AND doc IN ${integersIn('$2')}`,
    [workspace, JSON.stringify(docs)],
  )
}

/** Returns the documents of keys of one type. */
export function listDocsOfKeys(
  db: Queries,
  workspace: WorkspaceId,
  type: string,
  keys: readonly number[],
): Promise<{ readonly key: number; readonly doc: number }[]> {
  return db.all(`SELECT key, doc FROM search_docs WHERE workspace = $1 AND type = $2 AND key IN ${integersIn('$3')}`, [
    workspace,
    type,
    JSON.stringify(keys),
  ])
}
