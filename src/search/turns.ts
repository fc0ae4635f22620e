import type { WorkspaceId } from '../db/database'
import { busy } from '../http/api-error'

/** Searches of one workspace that run at a time. */
const MAX_RUNNING = 2
/** The time that a further one waits, at most. */
const MAX_WAIT_MS = 5000

interface Line {
  running: number
  /** In the order in which they came. */
  readonly waiting: Set<() => void>
}

/** Creates a function that runs a search of a workspace when it is its turn. It throws unavailable after the wait. */
export function createTurns(waitMs = MAX_WAIT_MS) {
  const lines = new Map<WorkspaceId, Line>()
  return async <T>(workspace: WorkspaceId, search: () => Promise<T>): Promise<T> => {
    const line = lines.get(workspace) ?? { running: 0, waiting: new Set() }
    lines.set(workspace, line)
    if (line.running < MAX_RUNNING) line.running++
    else await waitInLine(line, waitMs)
    try {
      return await search()
    } finally {
      const [next] = line.waiting
      if (next) next()
      else if (--line.running === 0) lines.delete(workspace)
    }
  }
}

/** Waits until a search that ends leaves its place to this one. */
function waitInLine({ waiting }: Line, waitMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const enter = () => {
    waiting.delete(enter)
    clearTimeout(timer)
    resolve()
  }
  const timer = setTimeout(() => {
    waiting.delete(enter)
    reject(busy('Other searches of your workspace are running. Try again in a moment.'))
  }, waitMs)
  waiting.add(enter)
  return promise
}
