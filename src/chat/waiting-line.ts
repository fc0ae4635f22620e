import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../http/api-error'

/** Time that a request waits for its turn, at most. */
export const MAX_WAIT_MS = 10_000
/** Requests of one key or address that wait, at most. */
export const MAX_WAITING_EACH = 8
/** Requests that wait, at most, of all callers together. */
export const MAX_WAITING_TOGETHER = 100

interface Deps {
  /** Requests that run at the same time, at most. */
  readonly concurrency: number
  /** Waits for some milliseconds; rejects when the signal is aborted. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** Begins the turn of a request that waits; `leave` ends it. */
type BeginTurn = (leave: () => void) => void

/**
 * Creates a line in which requests wait for their turn. Each payer (a key or an address, see payerOf) has one turn at a
 * time. Payers take turns in the order in which they came, so that many requests of one do not hold up the others.
 */
export function createWaitingLine({ concurrency, pause = (ms, signal) => sleep(ms, undefined, { signal }) }: Deps) {
  const running = new Set<string>()
  /** The requests of each payer, oldest first. Whoever had a turn goes to the end of the map. */
  const waiting = new Map<string, BeginTurn[]>()
  let count = 0

  function begin(payer: string): () => void {
    let left = false
    running.add(payer)
    return () => {
      if (left) return
      left = true
      running.delete(payer)
      callNext()
    }
  }

  function callNext(): void {
    for (const [payer, [first]] of waiting) {
      if (running.size >= concurrency) return
      if (!first || running.has(payer)) continue
      drop(payer, first)
      const others = waiting.get(payer)
      if (others) {
        waiting.delete(payer)
        waiting.set(payer, others)
      }
      first(begin(payer))
    }
  }

  function drop(payer: string, one: BeginTurn): void {
    const left = (waiting.get(payer) ?? []).filter((other) => other !== one)
    count--
    if (left.length > 0) waiting.set(payer, left)
    else waiting.delete(payer)
  }

  /** Waits for the turn of a request. @throws ApiError unavailable when the time is over, or the caller leaves */
  async function wait(payer: string, signal: AbortSignal): Promise<() => void> {
    const turn = Promise.withResolvers<() => void>()
    const one: BeginTurn = turn.resolve
    waiting.set(payer, [...(waiting.get(payer) ?? []), one])
    count++
    const ended = new AbortController()
    const life = AbortSignal.any([signal, ended.signal])
    const giveUp = () => {
      // Its turn has begun, or the wait was ended because of that.
      if (!waiting.get(payer)?.includes(one)) return
      drop(payer, one)
      turn.reject(signal.aborted ? new ApiError('unavailable', 'The caller disconnected.') : busy(TOO_LONG))
    }
    pause(MAX_WAIT_MS, life).then(giveUp, giveUp)
    try {
      return await turn.promise
    } finally {
      ended.abort()
    }
  }

  return {
    /**
     * Waits for a turn, for MAX_WAIT_MS at most. Call the returned function when the request is over.
     * @param signal aborted when the caller disconnects: then it leaves the line
     * @throws ApiError unavailable if the line is full, when the time is over, or if the caller disconnects
     */
    async enter(payer: string, signal: AbortSignal): Promise<() => void> {
      if (!running.has(payer) && running.size < concurrency) return begin(payer)
      if ((waiting.get(payer)?.length ?? 0) >= MAX_WAITING_EACH) throw busy(TOO_MANY_OF_YOURS)
      if (count >= MAX_WAITING_TOGETHER) throw busy(TOO_MANY)
      const leave = await wait(payer, signal)
      if (!signal.aborted) return leave
      leave()
      throw new ApiError('unavailable', 'The caller disconnected.')
    },
  }
}

const TOO_LONG = `The model had no time for this request within ${MAX_WAIT_MS / 1000} seconds.`
const TOO_MANY_OF_YOURS = `${MAX_WAITING_EACH} of your requests are waiting for the model already.`
const TOO_MANY = 'Too many requests are waiting for the model.'

function busy(sentence: string): ApiError {
  return new ApiError(
    'unavailable',
    `${sentence} Try again in a moment; nothing was changed.`,
    {},
    { 'Retry-After': '5' },
  )
}
