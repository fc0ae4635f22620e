/**
 * A queue with a number of slots. Entries with a common name run one at a time; entries that find no slot wait in the
 * order in which they came, and processes that share the slots take turns.
 */
import { payerOf, type Session } from '../db/database'
import { createCallNext, type LimitedPlaces, type PlaceWaiter } from '../db/places'
import { ApiError } from '../http/api-error'
import type { Timer } from '../lib/steps'

/** The number of entries that may wait in one queue of a process: with a common name, and in total. */
const MAX_WAITING = { sameName: 20, total: 500 }

/** The names that a request runs under, such as those of its workspace and its network. */
type QueueNames = readonly string[]

interface Waiter extends PlaceWaiter {
  readonly names: QueueNames
}

/** Releases a slot. Calling it again does nothing. */
export type ReleaseSlot = () => void

export type ImportQueue = ReturnType<typeof createImportQueue>

interface Options {
  /** Names the slots of the queue among others. */
  readonly name: string
  /** Counts the entries that run, in all processes that share it. */
  readonly places: LimitedPlaces
  /** The number of entries that may run at a time; null: only those with a common name wait for each other. */
  readonly slots: number | null
  readonly timer: Timer
  /** Why an entry has to wait, for the message of the error, such as `Other imports are running`. */
  readonly reason: string
}

export function createImportQueue({ name: queue, places, slots, timer, reason }: Options) {
  const waiters: Waiter[] = []
  const callNext = createCallNext(places, () => waiters)
  const placesOf = (names: QueueNames) => [
    ...names.map((name) => ({ name: `${queue}:${name}`, limit: 1 })),
    ...(slots === null ? [] : [{ name: queue, limit: slots }]),
  ]

  const inLine = (place: number) => `${reason}, and yours has place ${place} in line`

  /** @param before the entries that come first @throws ApiError unavailable if too many entries wait already */
  function requireRoom(names: QueueNames, patienceMs: number, before: readonly Waiter[] = waiters): void {
    const sameName = before.filter((waiter) => waiter.names.some((name) => names.includes(name))).length
    if (sameName >= MAX_WAITING.sameName || before.length >= MAX_WAITING.total)
      throw unavailable(inLine(before.length + 1), patienceMs)
  }

  /** Takes an entry out of the line. Returns the place that it had there, from 1; 0 if it had none. */
  function leaveLine(waiter: Waiter): number {
    const index = waiters.indexOf(waiter)
    if (index >= 0) waiters.splice(index, 1)
    return index + 1
  }

  return {
    requireRoom,

    /**
     * Waits for a slot, in order of arrival, and takes it.
     * @param patienceMs the longest time to wait; null: no limit, neither of time nor of waiting entries
     * @throws ApiError unavailable, or the signal's reason
     */
    async enter(names: QueueNames, patienceMs: number | null, signal?: AbortSignal): Promise<ReleaseSlot> {
      signal?.throwIfAborted()
      const slot = Promise.withResolvers<ReleaseSlot>()
      const giveUp = (toReason: (place: number) => unknown) => {
        const place = leaveLine(waiter)
        if (place > 0) slot.reject(toReason(place))
      }
      const waiter: Waiter = {
        names,
        wanted: placesOf(names),
        admit(giveBack) {
          const release = () => {
            void giveBack()
            void callNext()
          }
          if (leaveLine(waiter) > 0) slot.resolve(release)
          else release()
        },
        fail: () => patienceMs !== null && giveUp(() => unavailable(UNCOUNTED, patienceMs)),
      }
      const onAbort = () => giveUp(() => signal?.reason)
      let cancelTimer = () => {}
      signal?.addEventListener('abort', onAbort, { once: true })
      waiters.push(waiter)
      void callNext().then(() => {
        const index = waiters.indexOf(waiter)
        if (index < 0 || patienceMs === null) return
        try {
          requireRoom(names, patienceMs, waiters.slice(0, index))
        } catch (error) {
          return giveUp(() => error)
        }
        cancelTimer = timer(patienceMs, () => giveUp((place) => unavailable(inLine(place), patienceMs)))
      })
      try {
        return await slot.promise
      } finally {
        cancelTimer()
        signal?.removeEventListener('abort', onAbort)
      }
    },
  }
}

function unavailable(why: string, patienceMs: number): ApiError {
  const detail = `${why}. Try again in a moment; nothing was changed.`
  return new ApiError('unavailable', detail, {}, { 'Retry-After': String(Math.max(1, Math.ceil(patienceMs / 1000))) })
}

const UNCOUNTED = 'Other imports cannot be counted right now'

type Sender = Pick<Session, 'workspace' | 'network'>

/** All imports of a network share a name, whether they come with a key or without one. */
export function runQueueNames({ workspace, network }: Sender): QueueNames {
  return network === undefined || workspace.kind === 'scratch' ? [payerOf(workspace)] : [workspace.id, network]
}

/**
 * Returns the names under which a file arrives. Requests without a key share no name with those that have one:
 * anybody can send them, and they must not keep the keys of their network waiting.
 */
export function arrivalQueueNames(sender: Sender): QueueNames {
  const [owner = '', network] = runQueueNames(sender)
  return network === undefined ? [owner] : [owner, `keys of ${network}`]
}
