import { setImmediate } from 'node:timers/promises'
import type { Wipe } from '../db/clearing'
import type { Queries, Session, WorkspaceId } from '../db/database'
import type { Listeners } from './listeners'
import { dropWorkspace, emptyTotals, wipeJournal } from './store'

/** Rows erased before readers have their turn. */
const ROWS_PER_TURN = 200

interface Deps {
  /** What each feature keeps. */
  readonly wipes: readonly Wipe[]
  readonly listeners: Listeners
}

export type Erasing = ReturnType<typeof createErasing>

/** Erases all of a workspace in one transaction: it is there, or it is gone. */
export function createErasing({ wipes, listeners }: Deps) {
  async function wipe(db: Queries, workspace: WorkspaceId): Promise<void> {
    for (const part of [...wipes, wipeJournal]) while (await part(db, workspace, ROWS_PER_TURN)) await setImmediate()
  }

  return {
    /** On its owner's word. Its feed does not begin anew: who follows it learns that it must. */
    erase({ db, workspace }: Session): Promise<void> {
      return db.transaction(async (tx) => {
        await wipe(tx, workspace.id)
        await emptyTotals(tx, workspace.id)
        tx.afterCommit(`erased ${workspace.id}`, () => listeners.tell(workspace.id))
      })
    },

    /** Nothing is left that tells of it. `db` must be a transaction. */
    async forget(db: Queries, workspace: WorkspaceId): Promise<void> {
      await wipe(db, workspace)
      await dropWorkspace(db, workspace)
      db.afterCommit(`erased ${workspace}`, () => listeners.tell(workspace))
    },
  }
}
