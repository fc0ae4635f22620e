/** The tabs of this browser that are open on the app: what one writes, only itself sends, until it is closed. */
import { newId } from './ids'

const PREFIX = 'satchel tab '

/** The name of this tab, since it was loaded. */
export const tab = newId()

/** Web Locks exist under https and on localhost only. Elsewhere tabs know nothing of each other. */
const locks: LockManager | undefined = navigator.locks

/** Resolves when this tab has its lock, which the browser takes back when the tab is closed or crashes. */
export const isNamed = hold(PREFIX + tab, new AbortController().signal)

/** Resolves when another tab is closed. */
export async function whenClosed(other: string): Promise<void> {
  await locks?.request(PREFIX + other, () => {})
}

/** Resolves when this tab is the one that does something for all of them, such as following the change feed. */
export const becomeLeader = (what: string, signal: AbortSignal) => hold(`satchel ${what}`, signal)

/** What tabs do for all of them now, as given to `becomeLeader`. Without locks nothing is known: none. */
export async function listLed(): Promise<ReadonlySet<string>> {
  const { held = [] } = (await locks?.query()) ?? {}
  return new Set(held.map(({ name = '' }) => name.replace(/^satchel /, '')))
}

/** Resolves when this tab has a lock, which it keeps until the signal. */
function hold(name: string, signal: AbortSignal): Promise<void> {
  if (!locks) return Promise.resolve()
  return new Promise((resolve) => {
    locks
      .request(name, { signal }, () => {
        resolve()
        return new Promise<void>((release) => signal.addEventListener('abort', () => release()))
      })
      // Aborted while it waited: it never gets the lock.
      .catch(() => {})
  })
}
