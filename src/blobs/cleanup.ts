import type { Reserve } from '../db/change-feed'
import type { Context } from '../db/context'
import type { Queries, Workspace, WorkspaceId } from '../db/database'
import { wipeTables } from '../db/trash'
import type { Job } from '../jobs/scheduler'
import { PARTS_PER_STEP } from './blob'
import { copyStudyParts, deleteBlob, deleteParts, dropStaged, endMove, findUnfinished, findUnmoved } from './store'

const MINUTE_MS = 60 * 1000
/** A staged blob of which no part was written for this long is what a crash left behind. */
const ABANDONED_MS = 60 * MINUTE_MS
/** Transactions of one run of a job. */
const STEPS_PER_RUN = 2000

interface Deps extends Pick<Context, 'now' | 'db'> {
  readonly workspaces: {
    readonly reserve: Reserve
    readonly find: (db: Queries, id: WorkspaceId) => Promise<Workspace>
  }
}

/** Creates the jobs that erase files nobody uses, and move the bytes of media from where older versions stored them. */
export function createBlobJobs({ db, now, workspaces }: Deps): Job[] {
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

  const moveStep = () =>
    db.transaction(async (tx) => {
      const found = await findUnmoved(tx)
      if (!found) return false
      if ((await copyStudyParts(tx, found, PARTS_PER_STEP)) === 0) await endMove(tx, found)
      return true
    })

  return [
    toJob('erase files that nobody uses', eraseStep),
    toJob('move the bytes of media to the other files', moveStep),
  ]
}

function toJob(name: string, step: () => Promise<boolean>): Job {
  return {
    name,
    every_ms: MINUTE_MS,
    async run(signal) {
      for (let left = STEPS_PER_RUN; left > 0 && !signal.aborted && (await step()); left--);
    },
  }
}

/** Erases the files of a workspace, after what refers to them. */
export const wipeBlobs = wipeTables(['blob_parts', 'blobs', 'study_blobs'])
