/**
 * A queue with a number of slots. Entries with a common name run one at a time; entries that find no slot wait in the
 * order in which they came.
 */
import { payerOf, type Session } from '../db/database'
import { ApiError } from '../http/api-error'

/** The number of entries that may wait in one queue: with a common name, and in total. */
const MAX_WAITING = { sameName: 20, total: 500 }

/** Calls `call` after `ms` milliseconds, unless the returned function is called first. */
export type Timer = (ms: number, call: () => void) => () => void

export const startTimer: Timer = (ms, call) => {
  const timer = setTimeout(call, ms)
  return () => clearTimeout(timer)
}

/** The names that a request runs under, such as those of its workspace and its network. */
type QueueNames = readonly string[]

interface Waiter {
  readonly names: QueueNames
  readonly admit: () => void
}

/** Releases a slot. Calling it again does nothing. */
export type ReleaseSlot = () => void

export type ImportQueue = ReturnType<typeof createImportQueue>

/**
 * Creates a queue.
 * @param slots the number of entries that may run at a time
 * @param reason why an entry has to wait, for the message of the error, such as `Other imports are running`
 */
export function createImportQueue({ slots, timer, reason }: { slots: number; timer: Timer; reason: string }) {
  const waiters: Waiter[] = []
  const busy = new Set<string>()
  let taken = 0

  /** Admits waiting entries, as long as there are slots. */
  function admitWaiting(): void {
    while (taken < slots) {
      const next = waiters.findIndex(({ names }) => !names.some((name) => busy.has(name)))
      if (next < 0) return
      waiters.splice(next, 1)[0]?.admit()
    }
  }

  function unavailable(place: number, retryMs: number): ApiError {
    const detail = `${reason}, and yours has place ${place} in line. Try again in a moment; nothing was changed.`
    return new ApiError('unavailable', detail, {}, { 'Retry-After': String(Math.max(1, Math.ceil(retryMs / 1000))) })
  }

  /** @param patienceMs see `enter` @throws ApiError unavailable if too many entries wait already */
  function requireRoom(names: QueueNames, patienceMs: number): void {
    const sameName = waiters.filter((waiter) => waiter.names.some((name) => names.includes(name))).length
    if (sameName >= MAX_WAITING.sameName || waiters.length >= MAX_WAITING.total)
      throw unavailable(waiters.length + 1, patienceMs)
  }

  return {
    requireRoom,

    /**
     * Waits for a slot, in order of arrival, and takes it.
     * @param patienceMs the longest time to wait; null: no limit, neither of time nor of waiting entries
     * @throws ApiError unavailable, or the signal's reason
     */
    enter(names: QueueNames, patienceMs: number | null, signal?: AbortSignal): Promise<ReleaseSlot> {
      return new Promise((resolve, reject) => {
        signal?.throwIfAborted()
        if (patienceMs !== null) requireRoom(names, patienceMs)
        const giveUp = (reason: unknown) => {
          const index = waiters.indexOf(waiter)
          if (index < 0) return
          waiters.splice(index, 1)
          stopWaiting()
          reject(reason ?? unavailable(index + 1, patienceMs ?? 0))
        }
        const onAbort = () => giveUp(signal?.reason)
        const cancelTimer = patienceMs === null ? () => {} : timer(patienceMs, () => giveUp(null))
        const stopWaiting = () => {
          cancelTimer()
          signal?.removeEventListener('abort', onAbort)
        }
        const waiter: Waiter = {
          names,
          admit: () => {
            stopWaiting()
            taken++
            for (const name of names) busy.add(name)
            let isReleased = false
            resolve(() => {
              if (isReleased) return
              isReleased = true
              taken--
              for (const name of names) busy.delete(name)
              admitWaiting()
            })
          },
        }
        signal?.addEventListener('abort', onAbort, { once: true })
        waiters.push(waiter)
        admitWaiting()
      })
    },
  }
}

type Sender = Pick<Session, 'workspace' | 'network'>

/**
 * Returns the names under which an import runs. All imports of a network share a name, whether they come with a key or
 * without one.
 */
export function runQueueNames({ workspace, network }: Sender): QueueNames {
  return network === undefined || workspace.kind === 'scratch' ? [payerOf(workspace)] : [workspace.id, network]
}

/**
 * Returns the names under which a file arrives. Requests without a key share no name with those that have one:
 * anybody can send them, and they must not keep the keys of their network waiting.
 */
export function arrivalQueueNames({ workspace, network }: Sender): QueueNames {
  return network === undefined || workspace.kind === 'scratch'
    ? [payerOf(workspace)]
    : [workspace.id, `keys of ${network}`]
}
