/** A queue: one of each name at a time may go on, and so many in all; the others wait in line. */
import { payerOf, type Session } from '../db/database'
import { ApiError } from '../http/api-error'

/** How many may wait in one queue: under a name, and in all. */
const WAITING = { ofName: 20, all: 500 }

/** Calls `call` after `ms` milliseconds, unless the returned function is called before. */
export type Timer = (ms: number, call: () => void) => () => void

export const startTimer: Timer = (ms, call) => {
  const timer = setTimeout(call, ms)
  return () => clearTimeout(timer)
}

/** What a request counts under, such as a workspace and a network. */
type QueueNames = readonly string[]

interface Waiting {
  readonly names: QueueNames
  readonly admit: () => void
}

/** Gives back a place. Calling it again does nothing. */
export type ReleaseSlot = () => void

export type ImportQueue = ReturnType<typeof createImportQueue>

/**
 * @param places how many there are in all
 * @param what waits, for the sentence that refuses, such as `Other imports are running`
 */
export function createImportQueue({ places, timer, what }: { places: number; timer: Timer; what: string }) {
  const waiters: Waiting[] = []
  const busy = new Set<string>()
  let taken = 0

  /** Admits the first of those that may go on. */
  function advance(): void {
    while (taken < places) {
      const next = waiters.findIndex(({ names }) => !names.some((name) => busy.has(name)))
      if (next < 0) return
      waiters.splice(next, 1)[0]?.admit()
    }
  }

  function refusal(place: number, retry: number): ApiError {
    const detail = `${what}, and yours has place ${place} in line. Try again in a moment; nothing was changed.`
    return new ApiError('unavailable', detail, {}, { 'Retry-After': String(Math.max(1, Math.ceil(retry / 1000))) })
  }

  /** @throws ApiError unavailable where as many wait as may. @param patience milliseconds; see `enter` */
  function refuseMore(names: QueueNames, patience: number): void {
    const alike = waiters.filter((one) => one.names.some((name) => names.includes(name))).length
    if (alike >= WAITING.ofName || waiters.length >= WAITING.all) throw refusal(waiters.length + 1, patience)
  }

  return {
    refuseMore,

    /**
     * Waits for a place, in the order of those who came, and takes it.
     * @param patience milliseconds; null: as long as it takes, and however many wait
     * @throws ApiError unavailable, or the signal's reason
     */
    enter(names: QueueNames, patience: number | null, signal?: AbortSignal): Promise<ReleaseSlot> {
      return new Promise((resolve, reject) => {
        signal?.throwIfAborted()
        if (patience !== null) refuseMore(names, patience)
        const stop = (reason: unknown) => {
          const place = waiters.indexOf(waiting)
          if (place < 0) return
          waiters.splice(place, 1)
          settle()
          reject(reason ?? refusal(place + 1, patience ?? 0))
        }
        const aborted = () => stop(signal?.reason)
        const untime = patience === null ? () => {} : timer(patience, () => stop(null))
        const settle = () => {
          untime()
          signal?.removeEventListener('abort', aborted)
        }
        const waiting: Waiting = {
          names,
          admit: () => {
            settle()
            taken++
            for (const name of names) busy.add(name)
            let left = false
            resolve(() => {
              if (left) return
              left = true
              taken--
              for (const name of names) busy.delete(name)
              advance()
            })
          },
        }
        signal?.addEventListener('abort', aborted, { once: true })
        waiters.push(waiting)
        advance()
      })
    },
  }
}

type Sender = Pick<Session, 'workspace' | 'network'>

/** Under which names an import runs, one under each at a time: all of a network are one, with keys and without. */
export function runQueueNames({ workspace, network }: Sender): QueueNames {
  return network === undefined || workspace.kind === 'scratch' ? [payerOf(workspace)] : [workspace.id, network]
}

/** Likewise while its file arrives: those without a key, who may be anyone, keep no key of their network waiting. */
export function arrivalQueueNames({ workspace, network }: Sender): QueueNames {
  return network === undefined || workspace.kind === 'scratch'
    ? [payerOf(workspace)]
    : [workspace.id, `keys of ${network}`]
}
