import type { Context, Session } from '../../db/database'
import type { Job } from '../../jobs/scheduler'
import { addToRecount, findToRecount, recountLinkingTo, recountNext } from './recount-store'
import { countLinkingToFiles } from './store'

const MINUTE_MS = 60 * 1000
/** Notes whose links to a file are counted again in one transaction: about 5 ms. */
const NOTES_PER_STEP = 1000
/** Transactions of one run of the job. */
const STEPS_PER_RUN = 500

/**
 * Counts the unresolved links of the notes that link to a file of this name, after it came or went: of few notes at once,
 * of more by the job.
 */
export async function recountLinksToFile({ db, workspace }: Session, fileKey: string): Promise<void> {
  const isMany = (await countLinkingToFiles(db, workspace.id, [fileKey], NOTES_PER_STEP + 1)) > NOTES_PER_STEP
  await (isMany ? addToRecount : recountLinkingTo)(db, workspace.id, fileKey)
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
        await db.ownedBy(workspace).transaction((tx) => recountNext(tx, workspace, NOTES_PER_STEP))
      }
    },
  }
}
