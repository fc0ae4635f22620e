import type { Reserve } from '../db/change-feed'
import type { Context, Queries, Workspace, WorkspaceId } from '../db/database'
import { wipeTables } from '../db/trash'
import type { Job } from '../jobs/scheduler'
import { PARTS_PER_STEP } from './blob'
import { deleteBlob, deleteParts, dropStaged, findUnfinished } from './store'

const MINUTE_MS = 60 * 1000
/** A staged blob of which no part was written for this long is what a crash left behind. */
const ABANDONED_MS = 60 * MINUTE_MS
/** Transactions of one run of the job. */
const STEPS_PER_RUN = 2000

interface Deps extends Pick<Context, 'now' | 'db'> {
  readonly workspaces: {
    readonly reserve: Reserve
    readonly find: (db: Queries, id: WorkspaceId) => Promise<Workspace>
  }
}

/** Creates the job that erases files nobody uses. */
export function createBlobJob({ db, now, workspaces }: Deps): Job {
  const eraseStep = () =>
    db.transaction(async (tx) => {
      const found = await findUnfinished(tx, now() - ABANDONED_MS)
      if (!found) return false
      const { workspace: id, key } = found
      const freed = await dropStaged(tx, id, key)
      if (freed > 0) await workspaces.reserve({ db: tx, workspace: await workspaces.find(tx, id) }, -freed)
      if ((await deleteParts(tx, id, key, PARTS_PER_STEP)) < PARTS_PER_STEP) await deleteBlob(tx, id, key)
      return true
    })

  return {
    name: 'erase files that nobody uses',
    every_ms: MINUTE_MS,
    async run(signal) {
      for (let left = STEPS_PER_RUN; left > 0 && !signal.aborted && (await eraseStep()); left--);
    },
  }
}

/** Erases the files of a workspace, after what refers to them. */
export const wipeBlobs = wipeTables(['blob_parts', 'blobs'])
