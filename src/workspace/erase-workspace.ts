import {
  type Context,
  DatabaseUntil,
  type Queries,
  type Session,
  type Workspace,
  type WorkspaceId,
} from '../db/database'
import type { Wipe } from '../db/trash'
import { busy } from '../http/api-error'
import type { Listeners } from './listeners'
import {
  beginErasure,
  deleteWorkspace,
  endErasure,
  getErasure,
  listErasures,
  resetTotals,
  wipeWorkspace,
} from './store'

/** Rows of each table that one transaction erases. It takes a few milliseconds, for which other writers wait. */
const ROWS_PER_STEP = 10
/** Time that a request waits for the end, less than that in which a request is answered. */
const RESPONSE_WAIT_MS = 10_000

interface Deps extends Pick<Context, 'db'> {
  readonly wipes: readonly Wipe[]
  /** Called when a workspace was erased, by this process or another one. */
  readonly onErased?: (workspace: WorkspaceId) => void
  readonly listeners: Listeners
}

export type WorkspaceEraser = ReturnType<typeof createWorkspaceEraser>

export const beingErased = () => busy('This workspace is being erased. Try again when that is done.')

/**
 * Erases whole workspaces in short transactions. The first one marks the workspace, and requests to it are refused from
 * then on, so no caller sees it half erased. `finishAll` finishes an erasure that a crash or a full disk interrupted.
 */
export function createWorkspaceEraser({ db, wipes, listeners, onErased = () => {} }: Deps) {
  const allWipes = [...wipes, wipeWorkspace]
  const underWay = new Set<WorkspaceId>()
  listeners.hearErasing((id, isErasing) => {
    if (isErasing) return void underWay.add(id)
    underWay.delete(id)
    onErased(id)
  })
  let isChecking = false

  /** Forgets erasures that have ended, since the message of another process that said so may be lost. */
  async function check(): Promise<void> {
    if (isChecking) return
    isChecking = true
    const known = [...underWay]
    try {
      const open = new Set(await listErasures(db))
      for (const id of known) if (!open.has(id)) underWay.delete(id)
    } finally {
      isChecking = false
    }
  }

  /** Erases some rows. Returns whether there is more to erase. Concurrent calls are safe. */
  function eraseStep(id: WorkspaceId): Promise<boolean> {
    return db.ownedBy(id).transaction(async (tx) => {
      const erasure = await getErasure(tx, id)
      if (!erasure) return false
      for (const wipe of allWipes) if (await wipe(tx, id, ROWS_PER_STEP)) return true
      await (erasure.forget ? deleteWorkspace(tx, id) : resetTotals(tx, id))
      await endErasure(tx, id)
      tx.afterCommit(`erased ${id}`, () => {
        underWay.delete(id)
        onErased(id)
        listeners.tellErasing(id, false)
        listeners.notify(id)
      })
      return false
    })
  }

  async function begin(tx: Queries, id: WorkspaceId, forget: boolean): Promise<void> {
    await beginErasure(tx, id, forget)
    tx.afterCommit(`erasing ${id}`, () => {
      underWay.add(id)
      listeners.tellErasing(id, true)
    })
  }

  async function finish(id: WorkspaceId, signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted && (await eraseStep(id)));
  }

  return {
    /** What takes longer than RESPONSE_WAIT_MS is left to `finishAll`. The feed counts on, so that cursors expire. */
    async erase({ workspace, deadline }: Session): Promise<void> {
      const alone = deadline ? new DatabaseUntil(db, deadline) : db
      await alone.transaction((tx) => begin(tx, workspace.id, false))
      await finish(workspace.id, AbortSignal.timeout(RESPONSE_WAIT_MS))
    },

    /** Marks a workspace to be erased together with its row. `tx` must be a transaction; `finish` does the work. */
    markForRemoval: (tx: Queries, id: WorkspaceId): Promise<void> => begin(tx, id, true),

    finish,

    /** Loads which workspaces were being erased when the process started, so that requests to them are refused. */
    async loadUnderWay(): Promise<void> {
      for (const id of await listErasures(db)) underWay.add(id)
    },

    async finishAll(signal: AbortSignal): Promise<void> {
      for (const id of await listErasures(db)) await finish(id, signal)
    },

    /** @throws ApiError unavailable while the workspace is being erased */
    requireNotErasing({ id }: Workspace): void {
      if (!underWay.has(id)) return
      // If the database cannot be read, a later request checks again.
      check().catch(() => {})
      throw beingErased()
    },
  }
}
