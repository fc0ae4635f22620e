import type { Context, Queries, Session, WorkspaceId, Writer } from '../../db/database'
import { wipeTables } from '../../db/trash'
import type { Job } from '../../jobs/scheduler'
import { countLinkingToFiles, IS_UNRESOLVED } from './store'

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
  return {
    name: 'count the unresolved links of notes again',
    every_ms: MINUTE_MS,
    async run(signal) {
      for (let left = STEPS_PER_RUN; left > 0 && !signal.aborted; left--) {
        const workspace = await findToRecount(db)
        if (!workspace) return
        await db
          .ownedBy(workspace)
          .transaction((tx) => recountNext({ db: tx, workspace: { id: workspace } }, NOTES_PER_STEP))
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
function recountUnresolvedOf(keys: string): string {
  const count = `(SELECT count(*) FROM note_links WHERE source = notes.key AND ${IS_UNRESOLVED})`
  return `UPDATE notes SET links_unresolved = ${count}, computed_revision = computed_revision + 1
    WHERE workspace = $1 AND links_unresolved <> ${count} AND key IN (${keys})`
}

/** Erases what is left to do for a workspace. */
export const wipeNotesToRecount = wipeTables(['notes_to_recount'])
