import type { WorkspaceId } from '../db/database'

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

/**
 * Keeps the listeners for changes of workspaces, in this process.
 * @param onChange called for every change of any workspace
 */
export function createListeners(onChange: () => void = () => {}) {
  const wakes = new Map<WorkspaceId, Set<Wake>>()
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
      onChange()
      for (const wake of wakes.get(workspace) ?? []) wake()
    },

    /** Sends news to the listeners of a workspace. */
    sendNews(workspace: WorkspaceId, news: News): void {
      for (const wake of wakes.get(workspace) ?? []) wake(news)
    },

    /** Counts the listeners of a workspace, and of all workspaces. */
    count(workspace: WorkspaceId): { inWorkspace: number; total: number } {
      let total = 0
      for (const { size } of wakes.values()) total += size
      return { inWorkspace: wakes.get(workspace)?.size ?? 0, total }
    },
  }
}
