import type { Session } from '../../db/database'

/**
 * A tag in use, and the counts of living notes: with the tag, with one nested below it, set by a client, in the body.
 */
export interface TagRow {
  readonly tag_key: string
  readonly tag: string
  readonly count: number
  readonly count_below: number
  readonly explicit: number
  readonly inline: number
}

/** A folder in use, and the counts of living notes in it and below it. */
export interface FolderRow {
  readonly folder: string
  readonly count: number
  readonly count_below: number
}

/**
 * The condition that a note is in the folder `$2` or below it: a path below `a` begins with `a/`, and `0` is the
 * character after `/`.
 */
const IN_FOLDER = `(coalesce(folder, '') = $2 OR (coalesce(folder, '') > $2 || '/' AND coalesce(folder, '') < $2 || '0'))`
const UNDER_TAG = `(tag_key = $2 OR (tag_key > $2 || '/' AND tag_key < $2 || '0'))`

/**
 * Lists the tags in use, by their folded form, after `after`. Each is spelled as on the oldest note on which a client
 * set it, else as in the oldest body.
 */
export function listTags({ db, workspace }: Session, after: string, limit: number): Promise<TagRow[]> {
  return db.all<TagRow>(
    `SELECT tag_key, count(*) AS count, sum(explicit) AS explicit, sum(inline) AS inline,
       coalesce((SELECT tag FROM note_tags AS first WHERE first.workspace = $1 AND first.tag_key = own.tag_key
          AND first.explicit = 1 ORDER BY first.key LIMIT 1),
         (SELECT tag FROM note_tags AS first WHERE first.workspace = $1 AND first.tag_key = own.tag_key
          ORDER BY first.key LIMIT 1)) AS tag,
       (SELECT count(DISTINCT below.key) FROM note_tags AS below WHERE below.workspace = $1
          AND below.tag_key > own.tag_key || '/' AND below.tag_key < own.tag_key || '0') AS count_below
     FROM note_tags AS own WHERE workspace = $1 AND tag_key > $2
     GROUP BY tag_key ORDER BY tag_key LIMIT $3`,
    [workspace.id, after, limit],
  )
}

/** Lists the folders that contain a living note, in order, after `after`. The root is not listed. */
export function listFolders({ db, workspace }: Session, after: string, limit: number): Promise<FolderRow[]> {
  return db.all<FolderRow>(
    `SELECT folder, count,
       (SELECT count(*) FROM notes AS below WHERE below.workspace = $1 AND below.deleted_at IS NULL
          AND coalesce(below.folder, '') > own.folder || '/' AND coalesce(below.folder, '') < own.folder || '0') AS count_below
     FROM (SELECT coalesce(folder, '') AS folder, count(*) AS count
       FROM notes WHERE workspace = $1 AND deleted_at IS NULL AND coalesce(folder, '') > $2
       GROUP BY coalesce(folder, '') ORDER BY coalesce(folder, '') LIMIT $3) AS own
     ORDER BY folder`,
    [workspace.id, after, limit],
  )
}

export interface NoteInFolder {
  readonly key: number
  readonly id: string
  readonly folder: string | null
}

/**
 * Builds a SELECT of keys from two ranges of an index, joined by UNION: with OR, SQLite would walk through the whole
 * workspace.
 */
const buildKeysSelect = (table: string, name: string) =>
  `SELECT key FROM (SELECT key FROM ${table} AND ${name} = $2
     UNION SELECT key FROM ${table} AND ${name} > $2 || '/' AND ${name} < $2 || '0') AS listed
   WHERE key > $3 ORDER BY key LIMIT $4`
const KEYS_OF_TAG = buildKeysSelect('note_tags WHERE workspace = $1', 'tag_key')
const KEYS_OF_FOLDER = buildKeysSelect('notes WHERE workspace = $1 AND deleted_at IS NULL', "coalesce(folder, '')")
const buildNotesSelect = (keys: string) =>
  `SELECT key, id, folder FROM notes WHERE key IN (${keys}) AND +workspace = $1 ORDER BY key`

/** Lists the living notes with a folded tag or one below it, after the key `after`, oldest first. */
export function listNotesWithTag(
  { db, workspace }: Session,
  tagKey: string,
  after: number,
  limit: number,
): Promise<NoteInFolder[]> {
  return db.all<NoteInFolder>(buildNotesSelect(KEYS_OF_TAG), [workspace.id, tagKey, after, limit])
}

/** Lists the living notes in a folder or below it, after the key `after`, oldest first. */
export function listNotesInFolder(
  { db, workspace }: Session,
  folder: string,
  after: number,
  limit: number,
): Promise<NoteInFolder[]> {
  return db.all<NoteInFolder>(buildNotesSelect(KEYS_OF_FOLDER), [workspace.id, folder, after, limit])
}

export async function listTagsUnder({ db, workspace }: Session, tagKey: string): Promise<string[]> {
  const rows = await db.all<{ tag_key: string }>(
    `SELECT DISTINCT tag_key FROM note_tags WHERE workspace = $1 AND ${UNDER_TAG}`,
    [workspace.id, tagKey],
  )
  return rows.map(({ tag_key }) => tag_key)
}

export async function isFolderInUse({ db, workspace }: Session, folder: string, except: string): Promise<boolean> {
  const within = `${IN_FOLDER} AND NOT ${IN_FOLDER.replaceAll('$2', '$3')}`
  const row = await db.get<{ id: string }>(
    `SELECT id FROM notes WHERE workspace = $1 AND deleted_at IS NULL AND ${within}
     UNION ALL SELECT id FROM note_attachments WHERE workspace = $1 AND ${within} LIMIT 1`,
    [workspace.id, folder, except],
  )
  return row !== null
}

/** Returns the id of an attachment in a folder or below it whose path in the new folder another one has; null if none. */
export async function findTakenPath({ db, workspace }: Session, from: string, to: string): Promise<string | null> {
  const row = await db.get<{ id: string }>(
    `SELECT moved.id FROM (SELECT id, name, folder FROM note_attachments WHERE workspace = $1 AND ${IN_FOLDER}) AS moved
     CROSS JOIN note_attachments ON workspace = $1 AND note_attachments.name = moved.name
       AND coalesce(note_attachments.folder, '') = $3 || substr(moved.folder, length($2) + 1)
     WHERE NOT ${IN_FOLDER.replaceAll('folder,', 'note_attachments.folder,')} LIMIT 1`,
    [workspace.id, from, to],
  )
  return row?.id ?? null
}
