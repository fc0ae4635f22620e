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

/** What an unresolved link lacks. */
export type MissingKind = 'note' | 'attachment' | 'heading' | 'block'

/** A target that resolves to no note, or a heading or a block that the note it resolves to does not have. */
export interface UnresolvedRow {
  readonly target_key: string
  readonly target: string
  readonly count: number
  readonly kind: MissingKind
  /** The heading or the block, folded as they are compared; empty for a target. */
  readonly part_key: string
  readonly part: string | null
  /** Ids of the first five notes, as JSON. */
  readonly note_ids: string
}

const OF_WANTED = 'link.workspace = $1 AND link.target_key = wanted.target_key'

/** What a row shows of its links: the target as the first spells it, and the first five notes. */
const toLinking = (condition: string) => ({
  target: `(SELECT target FROM note_links AS link WHERE ${OF_WANTED} AND ${condition} ORDER BY source LIMIT 1)`,
  note_ids: `(SELECT ${jsonArray('id')} FROM (SELECT id FROM note_links AS link JOIN notes ON notes.key = source
    WHERE ${OF_WANTED} AND ${condition} ORDER BY source LIMIT 5) AS listed)`,
})
const LINKING_TO_TARGET = toLinking('resolved IS NULL')
const LINKING_TO_PART = toLinking(`link.missing IS NOT NULL
  AND EXISTS (SELECT 1 FROM ${elementsIn('link.missing')} AS e WHERE e.value ->> 0 = part_key)`)

/** The place of a row in the list. */
type UnresolvedPlace = Pick<UnresolvedRow, 'count' | 'target_key' | 'part_key'>

/**
 * Lists the targets that no note and no attachment answers to, and the headings and blocks that are missing, those with
 * most links first, then by name, after `after`.
 * @param kind lists only those of a kind; null: all
 */
export function listUnresolved(
  { db, workspace }: Session,
  after: UnresolvedPlace | null,
  limit: number,
  kind: MissingKind | null = null,
): Promise<UnresolvedRow[]> {
  return db.all<UnresolvedRow>(
    `SELECT target_key, part_key, count, kind,
       CASE part_key WHEN '' THEN ${LINKING_TO_TARGET.target} ELSE ${LINKING_TO_PART.target} END AS target,
       CASE part_key WHEN '' THEN NULL ELSE (SELECT e.value ->> 1
         FROM note_links AS link CROSS JOIN ${elementsIn('link.missing')} AS e
         WHERE ${OF_WANTED} AND link.missing IS NOT NULL AND e.value ->> 0 = part_key ORDER BY source LIMIT 1) END AS part,
       CASE part_key WHEN '' THEN ${LINKING_TO_TARGET.note_ids} ELSE ${LINKING_TO_PART.note_ids} END AS note_ids
     FROM (SELECT target_key, '' AS part_key, count(*) AS count,
         max(CASE WHEN file_key IS NULL THEN 'note' ELSE 'attachment' END) AS kind
       FROM note_links WHERE workspace = $1 AND ${IS_UNRESOLVED} GROUP BY target_key
       UNION ALL SELECT target_key, e.value ->> 0, count(*),
         CASE WHEN e.value ->> 0 LIKE '^%' THEN 'block' ELSE 'heading' END
       FROM note_links CROSS JOIN ${elementsIn('missing')} AS e
       WHERE workspace = $1 AND missing IS NOT NULL GROUP BY target_key, e.value ->> 0) AS wanted
     WHERE (CAST($2 AS bigint) IS NULL OR count < $2
         OR (count = $2 AND (target_key > $3 OR (target_key = $3 AND part_key > $4))))
       AND kind = coalesce($6, kind)
     ORDER BY count DESC, target_key, part_key LIMIT $5`,
    [workspace.id, after?.count ?? null, after?.target_key ?? null, after?.part_key ?? null, limit, kind],
  )
}
