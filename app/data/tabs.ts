/** The tabs of this browser that are open on the app: what one writes, only itself sends, until it is closed. */
import { newId } from './ids'

const PREFIX = 'satchel tab '

/** The name of this tab, since it was loaded. */
export const tab = newId()

/** Web Locks exist under https and on localhost only. Elsewhere tabs ask each other whether they are open. */
const locks: LockManager | undefined = navigator.locks

/** Without locks: a tab that is asked answers within this time, in milliseconds, … */
const ANSWER_MS = 1000
/** … or it is closed, if it was silent so often. */
const MAX_SILENCES = 3

const others = new BroadcastChannel('satchel tabs')
others.addEventListener('message', ({ data }) => {
  if (data.ask === tab) others.postMessage({ here: tab })
})

/** Tells the other tabs that this one has something to send, or has sent it. */
export const announceWrites = () => others.postMessage({ writes: tab })

/** Calls `onWrites` with the name of each other tab whose writes have changed, from now on. */
export function watchWrites(onWrites: (other: string) => void, signal: AbortSignal): void {
  others.addEventListener('message', ({ data }) => data.writes && onWrites(data.writes), { signal })
}

/** Resolves when this tab has its lock, which the browser takes back when the tab is closed or crashes. */
export const isNamed = hold(PREFIX + tab, new AbortController().signal)

/** Resolves when another tab is closed. */
async function whenClosed(other: string): Promise<void> {
  if (locks) await locks.request(PREFIX + other, () => {})
  else for (let silences = 0; silences < MAX_SILENCES; ) silences = (await isOpen(other)) ? 0 : silences + 1
}

/**
 * Calls `onClosed` with the name of each other tab that is closed, of those that are known and those that announce writes
 * from now on.
 */
export function watchTabs(known: Iterable<string>, onClosed: (other: string) => void, signal: AbortSignal): void {
  const watched = new Set([tab])
  async function watch(other: string): Promise<void> {
    if (watched.has(other)) return
    watched.add(other)
    await whenClosed(other)
    watched.delete(other)
    onClosed(other)
  }
  for (const other of known) watch(other)
  others.addEventListener('message', ({ data }) => data.writes && watch(data.writes), { signal })
}

/** Asks another tab whether it is open. */
function isOpen(other: string): Promise<boolean> {
  return new Promise((resolve) => {
    let isHere = false
    const listen = ({ data }: MessageEvent) => {
      if (data.here === other) isHere = true
    }
    others.addEventListener('message', listen)
    others.postMessage({ ask: other })
    setTimeout(() => {
      others.removeEventListener('message', listen)
      resolve(isHere)
    }, ANSWER_MS)
  })
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
