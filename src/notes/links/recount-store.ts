import type { Context, Queries, Session, WorkspaceId, Writer } from '../../db/database'
import { elementsIn } from '../../db/dialect'
import { wipeTables } from '../../db/trash'
import type { Job } from '../../jobs/scheduler'
import { COUNT_UNRESOLVED, countLinkingToFiles } from './store'

const MINUTE_MS = 60 * 1000
/** Notes whose links to a file are counted again in one transaction: about 5 ms. */
const NOTES_PER_STEP = 1000
/** Transactions of one run of the job. */
const STEPS_PER_RUN = 500

/**
 * Counts the unresolved links of the notes that link to a file of this name, after it came or went: of few notes at once,
 * of more by the job.
 */
export async function recountLinksToFile(session: Session, fileKey: string): Promise<void> {
  const isMany = (await countLinkingToFiles(session, [fileKey], NOTES_PER_STEP + 1)) > NOTES_PER_STEP
  await (isMany ? addToRecount : recountLinkingTo)(session, fileKey)
}

/** Creates the job that counts the unresolved links of many notes, after a file that they link to came or went. */
export function createRecountJob({ db }: Pick<Context, 'db'>): Job {
  const recount = (session: Writer) => recountNext(session, NOTES_PER_STEP)
  return createCatchUpJob(db, 'count the unresolved links of notes again', findToRecount, recount)
}

/** Creates a job that takes steps, each a transaction, while `find` returns a workspace that needs one. */
export function createCatchUpJob(
  db: Context['db'],
  name: string,
  find: (db: Context['db']) => Promise<WorkspaceId | null>,
  step: (session: Writer) => Promise<void>,
): Job {
  return {
    name,
    every_ms: MINUTE_MS,
    async run(signal) {
      for (let left = STEPS_PER_RUN; left > 0 && !signal.aborted; left--) {
        const id = await find(db)
        if (!id) return
        await db.ownedBy(id).transaction((tx) => step({ db: tx, workspace: { id } }))
      }
    },
  }
}

/** Recounts and stores the unresolved links of the notes that link to a file of this name, after it came or went. */
export async function recountLinkingTo({ db, workspace }: Session, fileKey: string): Promise<void> {
  const linking = 'SELECT source FROM note_links WHERE workspace = $1 AND file_key = $2'
  await db.run(recountUnresolvedOf(linking), [workspace.id, fileKey])
}

/** Leaves recountLinkingTo to the job. */
export async function addToRecount({ db, workspace }: Session, fileKey: string): Promise<void> {
  await db.run(
    `INSERT INTO notes_to_recount (key, workspace) SELECT DISTINCT source, workspace FROM note_links
     WHERE workspace = $1 AND file_key = $2 ON CONFLICT DO NOTHING`,
    [workspace.id, fileKey],
  )
}

export async function findToRecount(db: Pick<Queries, 'get'>): Promise<WorkspaceId | null> {
  const row = await db.get<{ workspace: WorkspaceId }>('SELECT workspace FROM notes_to_recount ORDER BY key LIMIT 1')
  return row?.workspace ?? null
}

/** Recounts and stores the unresolved links of up to `limit` notes that are to be recounted. */
export async function recountNext({ db, workspace }: Writer, limit: number): Promise<void> {
  const next = 'SELECT key FROM notes_to_recount WHERE workspace = $1 ORDER BY key LIMIT $2'
  await db.run(recountUnresolvedOf(next), [workspace.id, limit])
  await db.run(`DELETE FROM notes_to_recount WHERE workspace = $1 AND key IN (${next})`, [workspace.id, limit])
}

/** @param keys SQL that selects the keys of notes */
function recountUnresolvedOf(keys: string, written = '0'): string {
  const count = `(SELECT ${COUNT_UNRESOLVED} FROM note_links WHERE source = notes.key)`
  return `UPDATE notes SET links_unresolved = ${count},
    computed_revision = computed_revision + CASE key WHEN ${written} THEN 0 ELSE 1 END
    WHERE workspace = $1 AND links_unresolved <> ${count} AND key IN (${keys})`
}

/** Recounts and stores the unresolved links of notes. For `writtenNote` see adjustLinksIn. */
export async function recountUnresolved(
  { db, workspace }: Writer,
  keys: readonly number[],
  writtenNote: number,
): Promise<void> {
  const given = `SELECT CAST(value AS bigint) FROM ${elementsIn('$2')}`
  await db.run(recountUnresolvedOf(given, '$3'), [workspace.id, JSON.stringify(keys), writtenNote])
}

/** A link to parts of a note, of which has still to be found out whether they are there. */
export interface StaleLink {
  readonly source: number
  readonly target_key: string
  /** JSON. */
  readonly parts: string
  /** The key of the note that it leads to; null if there is none. */
  readonly leads_to: number | null
  readonly size_bytes: number
}

export function listStaleLinks({ db, workspace }: Writer, limit: number): Promise<StaleLink[]> {
  return db.all<StaleLink>(
    `SELECT source, target_key, parts, notes.key AS leads_to, coalesce(size_bytes, 0) AS size_bytes
     FROM (SELECT source, target_key, parts, coalesce(resolved, CASE target_key WHEN '' THEN source END) AS goal
       FROM note_links WHERE workspace = $1 AND stale = 1 ORDER BY source, target_key LIMIT $2) AS listed
     LEFT JOIN notes ON notes.key = goal AND notes.workspace = $1 ORDER BY source, target_key`,
    [workspace.id, limit],
  )
}

export async function findWithStaleLinks(db: Pick<Queries, 'get'>): Promise<WorkspaceId | null> {
  const row = await db.get<{ workspace: WorkspaceId }>('SELECT workspace FROM note_links WHERE stale = 1 LIMIT 1')
  return row?.workspace ?? null
}

/**
 * Stores which parts are missing: pairs of a key and of how the link spells it. The links are not stale any more. For the
 * plus see listLinksTo.
 */
export async function writeMissingParts(
  { db, workspace }: Writer,
  links: readonly (Pick<StaleLink, 'source' | 'target_key'> & { readonly missing: readonly unknown[] | null })[],
): Promise<void> {
  const values = links.map(({ source, target_key, missing }) => [source, target_key, missing])
  await db.run(
    `UPDATE note_links SET stale = 0, missing = e.value ->> 2 FROM ${elementsIn('$2')} AS e
     WHERE +workspace = $1 AND source = CAST(e.value ->> 0 AS bigint) AND target_key = e.value ->> 1`,
    [workspace.id, JSON.stringify(values)],
  )
}

/** Whether links name headings or blocks of a note. For the plus see listLinksTo. */
export async function hasLinksToParts({ db, workspace }: Writer, key: number): Promise<boolean> {
  const sql = 'SELECT 1 FROM note_links WHERE resolved = $2 AND +workspace = $1 AND parts IS NOT NULL LIMIT 1'
  return (await db.get(sql, [workspace.id, key])) !== null
}

/** Marks those links as stale. */
export async function markLinksToParts({ db, workspace }: Writer, key: number): Promise<void> {
  const sql = 'UPDATE note_links SET stale = 1 WHERE resolved = $2 AND +workspace = $1 AND parts IS NOT NULL'
  await db.run(sql, [workspace.id, key])
}

/** Lists the targets of a note of which headings or blocks are missing, with a JSON list of [key, part]. */
export function listMissingParts(
  { db, workspace }: Writer,
  source: number,
): Promise<{ readonly target_key: string; readonly missing: string }[]> {
  const sql = `SELECT target_key, missing FROM note_links WHERE source = $2 AND +workspace = $1 AND missing IS NOT NULL`
  return db.all(sql, [workspace.id, source])
}

/** Erases what is left to do for a workspace. */
export const wipeNotesToRecount = wipeTables(['notes_to_recount'])
