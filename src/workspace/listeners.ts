import type { WorkspaceId } from '../db/database'
import type { Channel } from '../db/redis-channel'

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
