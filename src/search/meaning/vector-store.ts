import type { Queries, WorkspaceId } from '../../db/database'
import { integersIn } from '../../db/dialect'
import type { Pending } from '../index-store'
import type { Type } from '../source'

/** The progress of embedding a workspace. */
export interface EmbeddingProgress {
  /** The model that made its vectors, with the number of dimensions. */
  readonly model: string
  /** All documents up to this one are done. */
  readonly done: number
}

/** A current document, and whether it has vectors. */
export interface ListedDocument extends Pending {
  readonly known: number
}

/** The vectors of a document as `quantize` makes them. */
export interface DocumentVectors {
  readonly doc: number
  readonly vectors: Uint8Array
  readonly codes: Uint8Array
}

/** Stores the progress of a workspace, unless it is gone. */
export async function putProgress(
  db: Queries,
  workspace: WorkspaceId,
  { model, done }: EmbeddingProgress,
): Promise<void> {
  await db.run(
    `INSERT INTO search_models (workspace, model, done) SELECT workspace, $2, $3 FROM search_numbers WHERE workspace = $1
     ON CONFLICT (workspace) DO UPDATE SET model = excluded.model, done = excluded.done`,
    [workspace, model, done],
  )
}

/** A workspace with its newest document and its progress; `model` and `done` are null before it begins. */
export interface WorkspaceVectors {
  readonly workspace: WorkspaceId
  readonly newest: number
  readonly model: string | null
  readonly done: number | null
}

/** Lists up to `limit` workspaces after another, in the order of their ids. */
export async function listWorkspaces(db: Queries, after: string, limit: number): Promise<WorkspaceVectors[]> {
  return await db.all<WorkspaceVectors>(
    `SELECT own.workspace, own.doc AS newest, model, done FROM search_numbers AS own
       LEFT JOIN search_models AS known ON known.workspace = own.workspace
     WHERE own.workspace > $1 ORDER BY own.workspace LIMIT $2`,
    [after, limit],
  )
}

/** Returns one workspace; null if it never had a document. */
export async function getWorkspaceVectors(db: Queries, workspace: WorkspaceId): Promise<WorkspaceVectors | null> {
  return await db.get<WorkspaceVectors>(
    `SELECT own.workspace, own.doc AS newest, model, done FROM search_numbers AS own
       LEFT JOIN search_models AS known ON known.workspace = own.workspace WHERE own.workspace = $1`,
    [workspace],
  )
}

/** Lists the documents between two (neither included), the newest first. */
export async function listDocs(
  db: Queries,
  workspace: WorkspaceId,
  { above, below, limit }: { readonly above: number; readonly below: number; readonly limit: number },
): Promise<ListedDocument[]> {
  return await db.all<ListedDocument>(
    `SELECT doc, type, key, EXISTS (SELECT 1 FROM search_vectors AS known
       WHERE known.workspace = search_docs.workspace AND known.doc = search_docs.doc) AS known
     FROM search_docs WHERE workspace = $1 AND doc > $2 AND doc < $3 ORDER BY doc DESC LIMIT $4`,
    [workspace, above, below, limit],
  )
}

/** Counts the documents after one that have no vectors. */
export async function countDocsWithoutVectors(db: Queries, workspace: WorkspaceId, above: number): Promise<number> {
  const row = await db.get<{ n: number }>(
    `SELECT (SELECT count(*) FROM search_docs WHERE workspace = $1 AND doc > $2)
       - (SELECT count(*) FROM search_codes WHERE workspace = $1 AND doc > $2) AS n`,
    [workspace, above],
  )
  return row?.n ?? 0
}

/** Stores the vectors of a current document. Returns the bytes that count towards the quota: 0 if it is gone. */
export async function putVectors(
  db: Queries,
  workspace: WorkspaceId,
  { doc, vectors, codes }: DocumentVectors,
): Promise<number> {
  const size = vectors.byteLength + codes.byteLength
  const put = await db.run(
    `INSERT INTO search_vectors (workspace, doc, vectors, size_bytes)
     SELECT workspace, doc, $3, $4 FROM search_docs WHERE workspace = $1 AND doc = $2 ON CONFLICT DO NOTHING`,
    [workspace, doc, vectors, size],
  )
  if (put === 0) return 0
  await db.run('INSERT INTO search_codes (workspace, doc, codes) VALUES ($1, $2, $3)', [workspace, doc, codes])
  return size
}

/** Deletes the vectors of up to `limit` documents of a workspace; true while there may be more. */
export async function deleteVectors(db: Queries, workspace: WorkspaceId, limit: number): Promise<boolean> {
  const dropped = await db.run(
    `DELETE FROM search_vectors WHERE workspace = $1
       AND doc IN (SELECT doc FROM search_vectors WHERE workspace = $1 LIMIT $2)`,
    [workspace, limit],
  )
  return dropped === limit
}

/** Lists the codes of the documents after one, in order. */
export async function listCodes(
  db: Queries,
  workspace: WorkspaceId,
  after: number,
  limit: number,
): Promise<Pick<DocumentVectors, 'doc' | 'codes'>[]> {
  const sql = 'SELECT doc, codes FROM search_codes WHERE workspace = $1 AND doc > $2 ORDER BY doc LIMIT $3'
  return await db.all(sql, [workspace, after, limit])
}

/** Returns the vectors of documents; those without vectors are left out. */
export async function getVectors(
  db: Queries,
  workspace: WorkspaceId,
  docs: readonly number[],
): Promise<Pick<DocumentVectors, 'doc' | 'vectors'>[]> {
  return await db.all(`SELECT doc, vectors FROM search_vectors WHERE workspace = $1 AND doc IN ${integersIn('$2')}`, [
    workspace,
    JSON.stringify(docs),
  ])
}

/** Returns the vectors of the current state of a note, a task or a fact; null if it has none. */
export async function getVectorsOf(
  db: Queries,
  workspace: WorkspaceId,
  type: Type,
  key: number,
): Promise<Pick<DocumentVectors, 'doc' | 'vectors'> | null> {
  return await db.get(
    `SELECT doc, vectors FROM search_docs JOIN search_vectors USING (workspace, doc)
     WHERE workspace = $1 AND type = $2 AND key = $3`,
    [workspace, type, key],
  )
}
