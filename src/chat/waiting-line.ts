import { createCallNext, type LimitedPlaces, type PlaceWaiter } from '../db/places'
import { ApiError, busy } from '../http/api-error'

/** Time that a request waits for its turn, at most: as long as a model has for the first byte of its answer. */
export const MAX_WAIT_MS = 60_000
/** Requests of one key or address that run at the same time, at most. */
const RUNNING_EACH = 2
/** Requests of one key or address that wait in this process, at most. */
export const MAX_WAITING_EACH = 8
/** Requests that wait in this process, at most, of all callers together. */
export const MAX_WAITING_TOGETHER = 100

interface Deps {
  /** Names the places of the line among others. */
  readonly name: string
  /** Counts the requests that run, in all processes that share it. */
  readonly places: LimitedPlaces
  /** Requests that run at the same time, at most. */
  readonly concurrency: number
  /** Waits for some milliseconds; rejects when the signal is aborted. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** The turn of a request: resolves to a function that ends it. */
type Turn = PromiseWithResolvers<() => void>

/**
 * Creates a line in which requests wait for their turn. Each payer (a key or an address, see payerOf) has two turns at
 * a time. Payers take turns in the order in which they came, so that many requests of one do not hold up the others.
 * Processes that share places take turns, too.
 */
export function createWaitingLine({ name, places, concurrency, pause = sleepUnlessAborted }: Deps) {
  /** The requests of each payer, oldest first. Whoever had a turn after a wait goes to the end of the map. */
  const waiting = new Map<string, PlaceWaiter[]>()
  /** Those that had no turn at once. */
  const staying = new Set<PlaceWaiter>()
  const callNext = createCallNext(places, () => [...waiting.values()].flatMap(([first]) => first ?? []))

  /** Puts a request into the line. It has left it when `turn` settles. */
  function addWaiter(payer: string, turn: Turn): PlaceWaiter {
    const one: PlaceWaiter = {
      wanted: [
        { name: `${name}:${payer}`, limit: RUNNING_EACH },
        { name, limit: concurrency },
      ],
      admit(giveBack) {
        const leave = () => {
          void giveBack()
          void callNext()
        }
        const hasWaited = staying.has(one)
        if (!drop(payer, one)) return leave()
        const others = waiting.get(payer)
        if (others && hasWaited) {
          waiting.delete(payer)
          waiting.set(payer, others)
        }
        turn.resolve(leave)
      },
      fail: () => drop(payer, one) && turn.reject(noPlace(UNCOUNTED)),
    }
    waiting.set(payer, [...(waiting.get(payer) ?? []), one])
    return one
  }

  /** Takes a request out of the line. Returns whether it was there. */
  function drop(payer: string, one: PlaceWaiter): boolean {
    staying.delete(one)
    const all = waiting.get(payer) ?? []
    const left = all.filter((other) => other !== one)
    if (left.length > 0) waiting.set(payer, left)
    else waiting.delete(payer)
    return left.length < all.length
  }

  /** Lets a request that had no turn at once wait for it, if there is room for it and as long as it may. */
  function stay(payer: string, one: PlaceWaiter, turn: Turn, signal: AbortSignal): void {
    const position = waiting.get(payer)?.indexOf(one) ?? -1
    if (position < 0) return
    const giveUp = (error: ApiError) => drop(payer, one) && turn.reject(error)
    if (position >= MAX_WAITING_EACH) giveUp(noPlace(TOO_MANY_OF_YOURS))
    else if (staying.size >= MAX_WAITING_TOGETHER) giveUp(noPlace(TOO_MANY))
    else {
      staying.add(one)
      const ended = new AbortController()
      const end = () => ended.abort()
      turn.promise.then(end, end)
      const expire = () => giveUp(signal.aborted ? disconnected() : noPlace(TOO_LONG))
      pause(MAX_WAIT_MS, AbortSignal.any([signal, ended.signal])).then(expire, expire)
    }
  }

  return {
    /**
     * Waits for a turn, for MAX_WAIT_MS at most. Call the returned function when the request is over.
     * @param signal aborted when the caller disconnects: then it leaves the line
     * @throws ApiError unavailable if the line is full, when the time is over, if the caller disconnects, or if the
     *   requests that run cannot be counted
     */
    async enter(payer: string, signal: AbortSignal): Promise<() => void> {
      const turn: Turn = Promise.withResolvers()
      const one = addWaiter(payer, turn)
      void callNext().then(() => stay(payer, one, turn, signal))
      const leave = await turn.promise
      if (!signal.aborted) return leave
      leave()
      throw disconnected()
    },
  }
}

async function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  const { setTimeout: sleep } = await import('node:timers/promises')
  return await sleep(ms, undefined, { signal })
}

function disconnected(): ApiError {
  return new ApiError('unavailable', 'The caller disconnected.')
}

const TOO_LONG = `The model had no time for this request within ${MAX_WAIT_MS / 1000} seconds.`
const TOO_MANY_OF_YOURS = `${MAX_WAITING_EACH} of your requests are waiting for the model already.`
const TOO_MANY = 'Too many requests are waiting for the model.'
const UNCOUNTED = 'The requests with the model cannot be counted right now.'

const noPlace = (sentence: string) => busy(`${sentence} Try again in a moment; nothing was changed.`)
