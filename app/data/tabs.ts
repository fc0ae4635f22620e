/** The tabs of this browser that are open on the app: what one writes, only itself sends, until it is closed. */
import { newId } from './ids'

const PREFIX = 'satchel tab '

/** The name of this tab, since it was loaded. */
export const tab = newId()

/** Web Locks exist under https and on localhost only. Elsewhere tabs know nothing of each other. */
const locks: LockManager | undefined = navigator.locks

/** A lock says that the tab is open: the browser gives it back when the tab is closed or crashes. */
const isNamed = new Promise<void>((resolve) => {
  if (!locks) return resolve()
  locks.request(PREFIX + tab, () => {
    resolve()
    return new Promise(() => {})
  })
})

/** The names of all tabs that are open, with that of this one. */
export async function openTabs(): Promise<ReadonlySet<string>> {
  await isNamed
  const { held = [] } = (await locks?.query()) ?? {}
  return new Set([tab, ...held.flatMap(({ name }) => (name?.startsWith(PREFIX) ? [name.slice(PREFIX.length)] : []))])
}

/** Resolves when this tab is the one that does something for all of them, such as following the change feed. */
export function becomeLeader(what: string, signal: AbortSignal): Promise<void> {
  if (!locks) return Promise.resolve()
  return new Promise((resolve) => {
    locks
      .request(`satchel ${what}`, { signal }, () => {
        resolve()
        return new Promise<void>((release) => signal.addEventListener('abort', () => release()))
      })
      // Aborted while it waited: it is never the leader.
      .catch(() => {})
  })
}
