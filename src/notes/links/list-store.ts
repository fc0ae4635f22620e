import type { Session } from '../../db/database'
import { elementsIn, jsonArray } from '../../db/dialect'
import { IS_UNRESOLVED } from './store'

/**
 * A note that links to another. `places` are the positions of its first links: JSON, one list for each of its targets.
 */
export interface BacklinkRow {
  readonly key: number
  readonly id: string
  readonly title: string
  readonly places: string
}

export function listBacklinks(
  { db, workspace }: Session,
  key: number,
  after: string,
  limit: number,
): Promise<BacklinkRow[]> {
  return db.all<BacklinkRow>(
    `SELECT key, id, title,
       (SELECT ${jsonArray('json(places)')} FROM note_links WHERE source = page.key AND resolved = $2) AS places
     FROM (SELECT notes.key, notes.id, notes.title
       FROM (SELECT DISTINCT source FROM note_links WHERE workspace = $1 AND resolved = $2) AS linking CROSS JOIN notes
       WHERE notes.key = linking.source AND notes.id > $3 ORDER BY notes.id LIMIT $4) AS page
     ORDER BY id`,
    [workspace.id, key, after, limit],
  )
}

/** Returns parts of bodies, in their order: for each [key, from], `length` code points of the note from `from` on. */
export function getWindows(
  { db, workspace }: Session,
  windows: readonly (readonly [number, number])[],
  length: number,
): Promise<{ window: string }[]> {
  return db.all(
    `SELECT substr(body, wanted.start + 1, $3) AS window
     FROM (SELECT key AS nth, CAST(value ->> 0 AS bigint) AS note, CAST(value ->> 1 AS bigint) AS start
       FROM ${elementsIn('$2')}) AS wanted
     CROSS JOIN notes CROSS JOIN note_bodies
     WHERE notes.key = wanted.note AND notes.workspace = $1 AND note_bodies.key = notes.key ORDER BY nth`,
    [workspace.id, JSON.stringify(windows), length],
  )
}

/** A target that resolves to no note. */
export interface UnresolvedRow {
  readonly target_key: string
  readonly target: string
  readonly count: number
  /** Whether it names a file rather than a note. */
  readonly is_file: 0 | 1
  /** Ids of the first five notes, as JSON. */
  readonly note_ids: string
}

/**
 * Lists the targets that no note and no attachment answers to, those with most links first, then by name, after `after`.
 * @param isFile whether to list only those that name files, or only the others; null: all
 */
export function listUnresolved(
  { db, workspace }: Session,
  after: { readonly count: number; readonly target_key: string } | null,
  limit: number,
  isFile: boolean | null = null,
): Promise<UnresolvedRow[]> {
  return db.all<UnresolvedRow>(
    `SELECT target_key, count, is_file,
       (SELECT target FROM note_links AS first WHERE first.workspace = $1 AND first.target_key = wanted.target_key
          AND resolved IS NULL ORDER BY source LIMIT 1) AS target,
       (SELECT ${jsonArray('id')} FROM (SELECT id FROM note_links AS link JOIN notes ON notes.key = source
          WHERE link.workspace = $1 AND link.target_key = wanted.target_key AND resolved IS NULL
          ORDER BY source LIMIT 5) AS listed) AS note_ids
     FROM (SELECT target_key, count(*) AS count, max(CASE WHEN file_key IS NULL THEN 0 ELSE 1 END) AS is_file
       FROM note_links
       WHERE workspace = $1 AND ${IS_UNRESOLVED} GROUP BY target_key) AS wanted
     WHERE (CAST($2 AS bigint) IS NULL OR count < $2 OR (count = $2 AND target_key > $3)) AND is_file = coalesce($5, is_file)
     ORDER BY count DESC, target_key LIMIT $4`,
    [workspace.id, after?.count ?? null, after?.target_key ?? null, limit, isFile === null ? null : Number(isFile)],
  )
}
