import {
  type Context,
  DatabaseUntil,
  type Queries,
  type Session,
  type Workspace,
  type WorkspaceId,
} from '../db/database'
import type { Channel } from '../db/redis-channel'
import type { Wipe } from '../db/trash'
import { busy } from '../http/api-error'
import {
  beginErasure,
  deleteWorkspace,
  endErasure,
  getErasure,
  listErasures,
  resetTotals,
  wipeWorkspace,
} from './store'

/** What the processes of a server tell each other of a workspace: changes, news, and that it is being erased. */

/** An event that is sent to clients but not stored. A later one with the same id replaces it. */
export interface News {
  /** The name of the event, such as `import`. */
  readonly event: string
  readonly id: string
  readonly data: object
}

export type Listeners = ReturnType<typeof createListeners>

/** A listener. Called without news when there are changes, or with news. */
type Wake = (news?: News) => void

/** What processes tell each other of a workspace: of news, of an erasure that begins or ends, or of changes. */
interface Message {
  readonly workspace: WorkspaceId
  readonly news?: News
  readonly isErasing?: boolean
}

/**
 * Keeps the listeners for changes of workspaces, and tells other processes, whose listeners are called as well.
 * @param onChange called for every change of any workspace
 * @param channel to the other processes; null if there are none
 */
export function createListeners(onChange: (workspace: WorkspaceId) => void = () => {}, channel: Channel | null = null) {
  const wakes = new Map<WorkspaceId, Set<Wake>>()
  let onErasing: (workspace: WorkspaceId, isErasing: boolean) => void = () => {}
  const wakeAll = (workspace: WorkspaceId, news?: News) => {
    for (const wake of wakes.get(workspace) ?? []) wake(news)
  }
  const tell = (message: Message) => channel?.send(JSON.stringify(message))
  channel?.receive((text) => {
    const { workspace, news, isErasing }: Message = JSON.parse(text)
    if (isErasing !== undefined) return onErasing(workspace, isErasing)
    if (!news) onChange(workspace)
    wakeAll(workspace, news)
  })
  return {
    /** Calls `wake` for each change and all news, until the returned function is called. */
    listen(workspace: WorkspaceId, wake: Wake): () => void {
      const others = wakes.get(workspace) ?? new Set()
      wakes.set(workspace, others.add(wake))
      return () => {
        others.delete(wake)
        if (others.size === 0 && wakes.get(workspace) === others) wakes.delete(workspace)
      }
    },

    /** Wakes the listeners of a workspace after a change is committed. */
    notify(workspace: WorkspaceId): void {
      onChange(workspace)
      wakeAll(workspace)
      tell({ workspace })
    },

    sendNews(workspace: WorkspaceId, news: News): void {
      wakeAll(workspace, news)
      tell({ workspace, news })
    },

    /** Tells the other processes that a workspace is being erased, or is not any more. */
    tellErasing: (workspace: WorkspaceId, isErasing: boolean): void => tell({ workspace, isErasing }),

    /** Sets what is called when another process tells that it erases a workspace, or has erased it. */
    hearErasing(handler: typeof onErasing): void {
      onErasing = handler
    },

    count(): number {
      let total = 0
      for (const { size } of wakes.values()) total += size
      return total
    },
  }
}

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
