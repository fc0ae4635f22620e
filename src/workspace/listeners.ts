import type { WorkspaceId } from '../db/database'

/** Something that is reported as it happens and is stored nowhere: a later one of the same id takes its place. */
export interface News {
  /** Of the event, such as `import`. */
  readonly event: string
  readonly id: string
  readonly data: object
}

export type Listeners = ReturnType<typeof createListeners>

/** Called when there are changes, or with news. */
type Wake = (news?: News) => void

/** Who waits for changes of a workspace, in this process. @param always is called for every change of any workspace */
export function createListeners(always: () => void = () => {}) {
  const waiting = new Map<WorkspaceId, Set<Wake>>()
  return {
    /** Calls `wake` each time, until the function that comes back is called. */
    listen(workspace: WorkspaceId, wake: Wake): () => void {
      const others = waiting.get(workspace) ?? new Set()
      waiting.set(workspace, others.add(wake))
      return () => {
        others.delete(wake)
        if (others.size === 0 && waiting.get(workspace) === others) waiting.delete(workspace)
      }
    },

    /** Something of the workspace has changed, and can be read. */
    tell(workspace: WorkspaceId): void {
      always()
      for (const wake of waiting.get(workspace) ?? []) wake()
    },

    /** Something happens in the workspace that is no change. */
    report(workspace: WorkspaceId, news: News): void {
      for (const wake of waiting.get(workspace) ?? []) wake(news)
    },

    /** How many wait in a workspace, and in all. */
    count(workspace: WorkspaceId): { here: number; all: number } {
      let all = 0
      for (const { size } of waiting.values()) all += size
      return { here: waiting.get(workspace)?.size ?? 0, all }
    },
  }
}
