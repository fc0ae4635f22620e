import { Bindings, type Reader, type Session } from '../../db/database'
import { elementsIn, valuesIn } from '../../db/dialect'
import { createTable, type DraftOf, int, type RowOf, STORED, text } from '../../db/table'
import { wipeTables } from '../../db/trash'

/** The table of attachments. Instants are milliseconds since 1970. */
export const attachmentTable = createTable('note_attachments', {
  ...STORED,
  name: text(),
  /** The name in the form in which names are compared. */
  name_key: text(),
  folder: text<string | null>(),
  content_type: text(),
  sha256: text(),
  size_bytes: int(),
})

export type AttachmentRow = RowOf<typeof attachmentTable>
export type AttachmentDraft = DraftOf<typeof attachmentTable>

const ATTACHMENT = attachmentTable.columns

export function getAttachmentByPath(
  { db, workspace }: Session,
  { folder, name }: Pick<AttachmentRow, 'folder' | 'name'>,
): Promise<AttachmentRow | null> {
  const sql = `SELECT ${ATTACHMENT} FROM note_attachments
    WHERE workspace = $1 AND coalesce(folder, '') = $2 AND name = $3`
  return db.get<AttachmentRow>(sql, [workspace.id, folder ?? '', name])
}

interface AttachmentListing {
  /** Only those in this folder; undefined: in all folders. */
  readonly folder: string | undefined
  /** Only those with this name, see name_key; undefined: with any. */
  readonly nameKey: string | undefined
  /** The folder and the name after which the page begins. */
  readonly after: readonly [folder: string, name: string] | null
  readonly limit: number
}

/** Returns a page of attachments, by folder and name; those outside of folders come first. */
export function listAttachments(
  { db, workspace }: Reader,
  { folder, nameKey, after, limit }: AttachmentListing,
): Promise<AttachmentRow[]> {
  const bind = new Bindings(workspace.id)
  const within = folder === undefined ? '' : `AND coalesce(folder, '') = ${bind.add(folder)}`
  const named = nameKey === undefined ? '' : `AND name_key = ${bind.add(nameKey)}`
  const from = after ? `AND (coalesce(folder, ''), name) > (${bind.add(after[0])}, ${bind.add(after[1])})` : ''
  return db.all<AttachmentRow>(
    `SELECT ${ATTACHMENT} FROM note_attachments WHERE workspace = $1 ${within} ${named} ${from}
     ORDER BY ${folder === undefined ? "coalesce(folder, ''), " : ''}name LIMIT ${bind.add(limit)}`,
    bind.values,
  )
}

/** Files of some names that are read, the shortest folders of each name first: a vault may have thousands of one name. */
const MAX_NAMED = 5000

export function listByNames({ db, workspace }: Reader, nameKeys: readonly string[]): Promise<AttachmentRow[]> {
  const sql = `SELECT ${ATTACHMENT} FROM note_attachments WHERE workspace = $1 AND name_key IN ${valuesIn('$2')}
    ORDER BY length(coalesce(folder, '')), folder, name LIMIT ${MAX_NAMED}`
  return db.all<AttachmentRow>(sql, [workspace.id, JSON.stringify(nameKeys)])
}

export function listInFolder(
  { db, workspace }: Reader,
  folder: string | null,
  nameKeys: readonly string[],
): Promise<AttachmentRow[]> {
  const sql = `SELECT ${ATTACHMENT} FROM note_attachments
    WHERE workspace = $1 AND name_key IN ${valuesIn('$2')} AND coalesce(folder, '') = $3 ORDER BY name`
  return db.all<AttachmentRow>(sql, [workspace.id, JSON.stringify(nameKeys), folder ?? ''])
}

/**
 * Lists the attachments in a folder and below it, the shortest folders first: when each moves to a folder above, its path
 * there is free by then.
 */
export function listBelowFolder({ db, workspace }: Reader, folder: string, limit: number): Promise<AttachmentRow[]> {
  const sql = `SELECT ${ATTACHMENT} FROM note_attachments WHERE workspace = $1
    AND (coalesce(folder, '') = $2 OR (coalesce(folder, '') > $2 || '/' AND coalesce(folder, '') < $2 || '0'))
    ORDER BY length(coalesce(folder, '')), key LIMIT $3`
  return db.all<AttachmentRow>(sql, [workspace.id, folder, limit])
}

export function listByKeys({ db, workspace }: Reader, keys: readonly number[]): Promise<AttachmentRow[]> {
  const sql = `SELECT ${ATTACHMENT} FROM (SELECT key AS nth, CAST(value AS bigint) AS given FROM ${elementsIn('$2')}) AS asked
    CROSS JOIN note_attachments WHERE note_attachments.key = given AND workspace = $1 ORDER BY nth`
  return db.all<AttachmentRow>(sql, [workspace.id, JSON.stringify(keys)])
}

/** Returns a page of the contents of attachments, each once, by SHA-256. */
export async function listContents({ db, workspace }: Reader, after: string, limit: number): Promise<string[]> {
  const sql = `SELECT DISTINCT sha256 FROM note_attachments WHERE workspace = $1 AND sha256 > $2 ORDER BY sha256 LIMIT $3`
  return (await db.all<{ sha256: string }>(sql, [workspace.id, after, limit])).map(({ sha256 }) => sha256)
}

/** Counts the bytes of all attachments of the workspace, each content once. */
export async function countAttachmentBytes({ db, workspace }: Session): Promise<number> {
  const sql = `SELECT coalesce(sum(size_bytes), 0) AS bytes
    FROM (SELECT DISTINCT sha256, size_bytes FROM note_attachments WHERE workspace = $1) AS listed`
  return (await db.get<{ bytes: number }>(sql, [workspace.id]))?.bytes ?? 0
}

/** Erases the attachments of a workspace, without their bytes. */
export const wipeAttachments = wipeTables(['note_attachments'])
