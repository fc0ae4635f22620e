import type { Reader, Session } from '../../db/database'
import { elementsIn, valuesIn } from '../../db/dialect'
import { isFileTarget } from '../../lib/file-target'
import type { NoteRow } from '../store'

/** A name of a note, folded as names are compared. `step` is one of NAME_STEP. */
export interface NoteName {
  readonly step: number
  readonly key: string
}

/** A folded target, and the folded folder of the note that links to it. */
export interface TargetQuery {
  readonly target: string
  readonly folder: string
}

/** The keys of the notes that a target matches at each step of resolution. */
export type TargetMatches = Readonly<Record<ResolutionStep, number | null>>

/** One distinct target of a note. `places` are code points: [start, end, start, end, …]. */
export interface LinkTarget {
  readonly target_key: string
  readonly target: string
  readonly places: readonly number[]
  /** The headings and blocks that its links name, as the first of them spells each: `Plan#Costs`, `^plan`. */
  readonly parts: readonly string[]
}

/** Links with the same target from the same folder, and the key of the note that they resolve to so far. */
export interface LinkGroup {
  /** Whether a file answers to them, so that they are not unresolved without a note. */
  readonly has_file: 0 | 1
  readonly target_key: string
  readonly folder_key: string
  readonly resolved: number | null
}

type LinkCounts = Pick<NoteRow, 'links_out' | 'links_unresolved' | 'links_in' | 'computed_revision'>

/**
 * The keys in `$2` that belong to notes of the workspace. The CROSS JOIN keeps SQLite from walking through the whole
 * workspace.
 */
const GIVEN_NOTES = `(SELECT notes.key FROM ${elementsIn('$2')} AS given CROSS JOIN notes
  WHERE notes.key = CAST(given.value AS bigint) AND notes.workspace = $1)`

const HAS_FILE = `(file_key IS NOT NULL AND EXISTS (SELECT 1 FROM note_attachments
  WHERE note_attachments.workspace = note_links.workspace AND name_key = file_key))`
export const IS_UNRESOLVED = `resolved IS NULL AND target_key <> '' AND NOT ${HAS_FILE}`
/** Of links of one note: targets that nothing answers to, and headings and blocks that are missing in what answers. */
export const COUNT_UNRESOLVED = `count(*) FILTER (WHERE ${IS_UNRESOLVED})
  + coalesce(sum(CASE WHEN missing IS NULL THEN 0 ELSE (SELECT count(*) FROM ${elementsIn('missing')}) END), 0)`

/**
 * The steps of resolution in their order: the condition of each for a row `w` (target, folder), with the order of
 * preference among several matches.
 */
export const RESOLUTION_STEPS = {
  by_id: 'name_key = w.target AND step = 0',
  by_path: 'name_key = w.target AND step = 1 ORDER BY folder_length, id',
  in_folder: `name_key = w.folder || '/' || w.target AND step = 1 AND folder_length = length(w.folder) ORDER BY id`,
  below_folder: `w.target LIKE '%/%' AND name_key = w.folder || '/' || w.target AND step = 1 ORDER BY folder_length, id`,
  by_name: 'name_key = w.target AND step = 2 ORDER BY folder_length, id',
  by_title_path: 'name_key = w.target AND step = 4 ORDER BY folder_length, id',
  by_title: 'name_key = w.target AND step = 5 ORDER BY folder_length, id',
  by_alias: 'name_key = w.target AND step = 3 ORDER BY folder_length, id',
} as const

export type ResolutionStep = keyof typeof RESOLUTION_STEPS

type NameTable = 'note_names' | 'note_former_names'
const selectMatch = (step: string, offset: 0 | 1, table: NameTable) =>
  `(SELECT key FROM ${table} WHERE workspace = $1 AND ${step} LIMIT 1 OFFSET ${offset})`
/** The first match of all steps, by current names, else by former names. */
const FIRST_MATCH = `coalesce(${(['note_names', 'note_former_names'] as const)
  .flatMap((table) => Object.values(RESOLUTION_STEPS).map((step) => selectMatch(step, 0, table)))
  .join(', ')})`
const buildResolveStatement = (offset: 0 | 1, table: NameTable) =>
  `SELECT ${Object.entries(RESOLUTION_STEPS)
    .map(([name, step]) => `${selectMatch(step, offset, table)} AS ${name}`)
    .join(', ')}
    FROM (SELECT key AS nth, value ->> 0 AS target, value ->> 1 AS folder FROM ${elementsIn('$2')}) AS w ORDER BY nth`
const RESOLVE_STATEMENTS = {
  first: buildResolveStatement(0, 'note_names'),
  second: buildResolveStatement(1, 'note_names'),
  former: buildResolveStatement(0, 'note_former_names'),
} as const

/**
 * Matches targets to notes, in their order.
 * @param which `second`: the second match of each step; `former`: the match by former names
 */
export async function matchTargets(
  { db, workspace }: Session,
  wanted: readonly TargetQuery[],
  which: keyof typeof RESOLVE_STATEMENTS = 'first',
): Promise<TargetMatches[]> {
  if (wanted.length === 0) return []
  const pairs = JSON.stringify(wanted.map(({ target, folder }) => [target, folder]))
  return db.all<TargetMatches>(RESOLVE_STATEMENTS[which], [workspace.id, pairs])
}

export function getNames({ db, workspace }: Session, key: number): Promise<NoteName[]> {
  return db.all<NoteName>('SELECT step, name_key AS key FROM note_names WHERE key = $1 AND workspace = $2', [
    key,
    workspace.id,
  ])
}

/** Deletes the names of a note, so that no link finds it. Returns the deleted names. */
export async function deleteNames({ db, workspace }: Session, key: number): Promise<string[]> {
  const sql = 'DELETE FROM note_names WHERE key = $1 AND workspace = $2 RETURNING name_key'
  return (await db.all<{ name_key: string }>(sql, [key, workspace.id])).map(({ name_key }) => name_key)
}

const ADD_NAMES = `INSERT INTO note_names (workspace, name_key, step, folder_length, id, key)
  SELECT $1, value ->> 1, CAST(value ->> 0 AS bigint), length($2), $3, $4 FROM ${elementsIn('$5')}`

export async function addNames(
  { db, workspace }: Session,
  note: { readonly key: number; readonly id: string },
  folder: string,
  names: readonly NoteName[],
): Promise<void> {
  const values = JSON.stringify(names.map(({ step, key }) => [step, key]))
  await db.run(ADD_NAMES, [workspace.id, folder, note.id, note.key, values])
}

export async function deleteLinks({ db, workspace }: Session, source: number): Promise<void> {
  await db.run('DELETE FROM note_links WHERE source = $1 AND workspace = $2', [source, workspace.id])
}

export async function addLinks(
  { db, workspace }: Session,
  source: number,
  folder: string,
  targets: readonly LinkTarget[],
): Promise<void> {
  if (targets.length === 0) return
  await db.run(
    `INSERT INTO note_links (workspace, source, target_key, target, places, file_key, parts, stale, folder_key, resolved)
     SELECT $1, $2, target, spelling, places, file, parts, CASE WHEN parts IS NULL THEN 0 ELSE 1 END, folder, ${FIRST_MATCH} FROM
       (SELECT value ->> 0 AS target, value ->> 1 AS spelling, value ->> 2 AS places, value ->> 3 AS file,
          value ->> 4 AS parts, $3 AS folder FROM ${elementsIn('$4')}) AS w`,
    [workspace.id, source, folder, JSON.stringify(targets.map(toLinkColumns))],
  )
}

function toLinkColumns({ target_key, target, places, parts }: LinkTarget) {
  return [target_key, target, places, toFileKey(target_key), parts.length > 0 ? parts : null]
}

/** Returns what follows the last slash of a target that names a file; null for the target of a note. */
function toFileKey(target_key: string): string | null {
  return isFileTarget(target_key) ? (target_key.split('/').at(-1) ?? null) : null
}

export async function listLinkedNotes({ db, workspace }: Session, source: number): Promise<number[]> {
  const rows = await db.all<{ resolved: number }>(
    `SELECT DISTINCT resolved FROM note_links
     WHERE source = (SELECT key FROM notes WHERE key = $1 AND workspace = $2) AND resolved IS NOT NULL`,
    [source, workspace.id],
  )
  return rows.map(({ resolved }) => resolved)
}

const LINK_GROUPS = `SELECT target_key, folder_key, resolved,
    EXISTS (SELECT 1 FROM note_attachments WHERE workspace = $1 AND name_key =
      (SELECT file_key FROM note_links WHERE workspace = $1 AND target_key = found.target_key LIMIT 1)) AS has_file
  FROM (SELECT DISTINCT target_key, folder_key, resolved FROM note_links
    WHERE workspace = $1 AND target_key IN ${valuesIn('$2')}) AS found`

/** Groups the links that have one of these targets by target, folder and the note that they resolve to. */
export function listLinkGroups({ db, workspace }: Session, targets: readonly string[]): Promise<LinkGroup[]> {
  return db.all<LinkGroup>(LINK_GROUPS, [workspace.id, JSON.stringify(targets)])
}

/** Redirects at most `limit` links of a group to another note, or to none. Returns the linking notes. */
export async function redirectLinks(
  { db, workspace }: Session,
  { target_key, folder_key, resolved }: LinkGroup,
  to: number | null,
  limit: number,
): Promise<Pick<ResolvedLink, 'source' | 'has_parts'>[]> {
  return db.all(
    `UPDATE note_links SET resolved = $5, missing = NULL,
       stale = CASE WHEN parts IS NULL OR CAST($5 AS bigint) IS NULL THEN 0 ELSE 1 END WHERE target_key = $2 AND source IN (SELECT source FROM note_links
       WHERE workspace = $1 AND target_key = $2 AND folder_key = $3 AND resolved IS NOT DISTINCT FROM $4 LIMIT $6)
     RETURNING source, ${HAS_PARTS}`,
    [workspace.id, target_key, folder_key, resolved, to, limit],
  )
}

/** A distinct target of a note that resolves to another note. */
export interface ResolvedLink {
  readonly source: number
  readonly target_key: string
  readonly folder_key: string
  readonly resolved: number
  /** Whether its links name a heading or a block. */
  readonly has_parts: 0 | 1
}

const HAS_PARTS = 'CASE WHEN parts IS NULL THEN 0 ELSE 1 END AS has_parts'
const RESOLVED_LINK = `source, target_key, folder_key, resolved, ${HAS_PARTS}`

/**
 * Lists the distinct targets that resolve to a note, by linking note and target, after `after`.
 * @param withParts only those with links that name a heading or a block
 */
export function listLinksTo(
  { db, workspace }: Session,
  key: number,
  after: { readonly source: number; readonly target: string },
  limit: number,
  withParts = false,
): Promise<ResolvedLink[]> {
  // The plus makes SQLite use the index on `resolved` instead of walking through the whole workspace.
  return db.all<ResolvedLink>(
    `SELECT ${RESOLVED_LINK} FROM note_links
     WHERE resolved = $2 AND (source, target_key) > ($3, $4) AND +workspace = $1 ${withParts ? 'AND parts IS NOT NULL' : ''}
     ORDER BY source, target_key LIMIT $5`,
    [workspace.id, key, after.source, after.target, limit],
  )
}

/** Lists the distinct targets of a note that resolve to any note. For the plus see listLinksTo. */
export function listLinksFrom({ db, workspace }: Reader, source: number): Promise<ResolvedLink[]> {
  return db.all<ResolvedLink>(
    `SELECT ${RESOLVED_LINK} FROM note_links
     WHERE source = $2 AND +workspace = $1 AND resolved IS NOT NULL ORDER BY target_key`,
    [workspace.id, source],
  )
}

/** Counts the notes with a link for which a condition on `$3` and, of two values, `$4` is true, up to `limit`. */
async function countLinking(
  { db, workspace }: Session,
  condition: string,
  values: readonly (string | number)[],
  limit: number,
): Promise<number> {
  const sql = `SELECT count(*) AS n FROM (SELECT DISTINCT source FROM note_links
    WHERE workspace = $1 AND ${condition} LIMIT $2) AS listed`
  return (await db.get<{ n: number }>(sql, [workspace.id, limit, ...values]))?.n ?? 0
}

export function countLinkingNotes(session: Session, key: number, names: readonly string[], limit: number) {
  const condition = `target_key IN ${valuesIn('$4')} AND resolved = $3 AND source <> $3`
  return countLinking(session, condition, [key, JSON.stringify(names)], limit)
}

/** Counts the other notes with a link to a heading or a block of the note, up to `limit`. For the plus see listLinksTo. */
export async function countLinkingToParts({ db, workspace }: Session, key: number, limit: number): Promise<number> {
  const sql = `SELECT count(*) AS n FROM (SELECT DISTINCT source FROM note_links
    WHERE resolved = $2 AND +workspace = $1 AND parts IS NOT NULL AND source <> $2 LIMIT $3) AS listed`
  return (await db.get<{ n: number }>(sql, [workspace.id, key, limit]))?.n ?? 0
}

/** Counts the notes that link to notes in a folder by its folded path, up to `limit`. */
export function countLinkingInto(session: Session, folder: string, limit: number) {
  const condition = `target_key > $3 || '/' AND target_key < $3 || '0' AND resolved IS NOT NULL`
  return countLinking(session, condition, [folder], limit)
}

export function countLinkingToFiles(session: Session, fileKeys: readonly string[], limit: number) {
  return countLinking(session, `file_key IN ${valuesIn('$3')}`, [JSON.stringify(fileKeys)], limit)
}

/**
 * Adds 1 or -1 to the backlink count of each of the notes.
 * @param writtenNote the key of the note being written: its revision changes anyway, so its computed revision does not
 */
export async function adjustLinksIn(
  { db, workspace }: Session,
  keys: readonly number[],
  added: 1 | -1,
  writtenNote: number,
): Promise<void> {
  if (keys.length === 0) return
  await db.run(
    `UPDATE notes SET links_in = links_in + $3, computed_revision = computed_revision + CASE key WHEN $4 THEN 0 ELSE 1 END
     WHERE key IN ${GIVEN_NOTES}`,
    [workspace.id, JSON.stringify(keys), added, writtenNote],
  )
}

/** Recounts and stores how many notes link to each of the notes. For `writtenNote` see adjustLinksIn. */
export async function recountLinksIn(
  { db, workspace }: Session,
  keys: readonly number[],
  writtenNote: number,
): Promise<void> {
  if (keys.length === 0) return
  const count = '(SELECT count(DISTINCT source) FROM note_links WHERE resolved = notes.key)'
  await db.run(
    `UPDATE notes SET links_in = ${count}, computed_revision = computed_revision + CASE WHEN key <> $3 THEN 1 ELSE 0 END
     WHERE key IN ${GIVEN_NOTES} AND links_in <> ${count}`,
    [workspace.id, JSON.stringify(keys), writtenNote],
  )
}

/**
 * Adds `added`, which may be negative or 0, to the count of unresolved links of each of the notes, which may be too low
 * while the job of recount-store.ts has still to count. For `writtenNote` see adjustLinksIn.
 */
export async function adjustUnresolved(
  { db, workspace }: Session,
  keys: readonly number[],
  added: number,
  writtenNote: number,
): Promise<void> {
  await db.run(
    `UPDATE notes SET links_unresolved = CASE WHEN links_unresolved + $3 < 0 THEN 0 ELSE links_unresolved + $3 END,
       computed_revision = computed_revision + CASE key WHEN $4 THEN 0 ELSE 1 END WHERE key IN ${GIVEN_NOTES}`,
    [workspace.id, JSON.stringify(keys), added, writtenNote],
  )
}

export async function recountLinksOut({ db, workspace }: Session, source: number): Promise<void> {
  await db.run(
    `UPDATE notes SET (links_out, links_unresolved) =
       (SELECT count(*) FILTER (WHERE target_key <> ''), ${COUNT_UNRESOLVED} FROM note_links WHERE source = $2)
     WHERE workspace = $1 AND key = $2`,
    [workspace.id, source],
  )
}

/** Lists the keys of the notes that link to a file of this name, wherever it is, after the key `after`. */
export async function listLinkingToFile(
  { db, workspace }: Session,
  fileKey: string,
  after: number,
  limit: number,
): Promise<number[]> {
  const rows = await db.all<{ source: number }>(
    `SELECT DISTINCT source FROM note_links WHERE workspace = $1 AND file_key = $2 AND source > $3
     ORDER BY source LIMIT $4`,
    [workspace.id, fileKey, after, limit],
  )
  return rows.map(({ source }) => source)
}

export async function listLinkedFiles({ db, workspace }: Session, source: number): Promise<string[]> {
  // For the plus see listLinksTo.
  const sql = `SELECT DISTINCT file_key FROM note_links
    WHERE source = $2 AND +workspace = $1 AND file_key IS NOT NULL`
  return (await db.all<{ file_key: string }>(sql, [workspace.id, source])).map(({ file_key }) => file_key)
}

export function getLinkCounts({ db, workspace }: Session, key: number): Promise<LinkCounts | null> {
  return db.get<LinkCounts>(
    'SELECT links_out, links_unresolved, links_in, computed_revision FROM notes WHERE workspace = $1 AND key = $2',
    [workspace.id, key],
  )
}
