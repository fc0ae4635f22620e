import type { Database, Queries, Session, Workspace, WorkspaceId } from '../db/database'
import type { Wipe } from '../db/trash'
import { ApiError } from '../http/api-error'
import type { Listeners } from './listeners'
import {
  beginErasure,
  deleteWorkspace,
  endErasure,
  getErasure,
  listErasures,
  resetTotals,
  wipeFeedAndOutcomes,
} from './store'

/** Rows that one transaction erases of each table, some milliseconds: for so long other writers wait. */
const ROWS_PER_STEP = 10
/** How long an answer waits for the end, in milliseconds: the server cuts what is silent for 30 seconds. */
const ANSWER_MS = 10_000

interface Deps {
  readonly db: Database
  /** What each feature keeps. */
  readonly wipes: readonly Wipe[]
  readonly listeners: Listeners
}

export type WorkspaceEraser = ReturnType<typeof createWorkspaceEraser>

/**
 * Erases all of a workspace in short transactions. The first one marks it, and from then on no request gets into it, so
 * nobody sees it half erased. An erasure that was cut off, by a crash or a full disk, is finished by `finishAll`.
 */
export function createWorkspaceEraser({ db, wipes, listeners }: Deps) {
  const parts = [...wipes, wipeFeedAndOutcomes]
  const underWay = new Set<WorkspaceId>()

  /** True while there is more to erase. It may be called again, and by several at a time. */
  function step(id: WorkspaceId): Promise<boolean> {
    return db.transaction(async (tx) => {
      const erasure = await getErasure(tx, id)
      if (!erasure) return false
      for (const part of parts) if (await part(tx, id, ROWS_PER_STEP)) return true
      await (erasure.forget ? deleteWorkspace(tx, id) : resetTotals(tx, id))
      await endErasure(tx, id)
      tx.afterCommit(`erased ${id}`, () => {
        underWay.delete(id)
        listeners.tell(id)
      })
      return false
    })
  }

  async function begin(tx: Queries, id: WorkspaceId, forget: boolean): Promise<void> {
    await beginErasure(tx, id, forget)
    tx.afterCommit(`erasing ${id}`, () => underWay.add(id))
  }

  async function finish(id: WorkspaceId, signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted && (await step(id)));
  }

  return {
    /**
     * At its owner's request. What is not done within ANSWER_MS is left to `finishAll`. Its feed does not begin again: clients
     * that follow it learn that they must.
     */
    async erase({ workspace }: Session): Promise<void> {
      await db.transaction((tx) => begin(tx, workspace.id, false))
      await finish(workspace.id, AbortSignal.timeout(ANSWER_MS))
    },

    /** Marks a workspace of which nothing shall be left. `tx` must be a transaction; `finish` does the work. */
    forget: (tx: Queries, id: WorkspaceId): Promise<void> => begin(tx, id, true),

    finish,

    /** Refuses requests to a workspace that is being erased from here on, by a process before this one. */
    async recall(): Promise<void> {
      for (const id of await listErasures(db)) underWay.add(id)
    },

    /** Goes on with what was cut off. */
    async finishAll(signal: AbortSignal): Promise<void> {
      for (const id of await listErasures(db)) await finish(id, signal)
    },

    /** Throws unavailable while the workspace is being erased. */
    refuseWhileErased({ id }: Workspace): void {
      if (!underWay.has(id)) return
      const detail = 'This workspace is being erased. Try again when that is done.'
      throw new ApiError('unavailable', detail, {}, { 'Retry-After': '5' })
    },
  }
}
