import type { RequestDeadline } from '../db/database'
import type { Timer } from '../lib/steps'
import { type ApiError, busy } from './api-error'

/**
 * Time in which a request under /api is answered, from the last part of its body: below the 25 s that the documentation
 * promises, and the 30 s after which Bun and many proxies cut a silent connection.
 */
export const ANSWER_MS = 24_000
/** A body of the most bytes that its route takes arrives at this rate at least, after a first minute, as Bun wants it. */
const BYTES_PER_MS = 16
const MINUTE_MS = 60_000

/** Time after which a silent connection is cut, unless the answer is still being made. */
export const IDLE_SECONDS = 30

/** The part of Bun's server that sets after how many silent seconds it cuts a connection. */
export interface HoldingServer {
  timeout?(request: Request, seconds: number): void
}

const deadlines = new WeakMap<Request, Deadline>()

export function deadlineOf(request: Request): Deadline | undefined {
  return deadlines.get(request)
}

/** Yields the chunks of the body of a request, see Deadline.receiveBody. @param limit bytes that it may have */
export function receiveChunks(request: Request, limit: number): AsyncIterable<Uint8Array> {
  const body: ReadableStream<Uint8Array> = request.body ?? new ReadableStream({ start: (empty) => empty.close() })
  return deadlineOf(request)?.receiveBody(body, limit) ?? body
}

/**
 * The time limit of one request. When it is over, or the caller has disconnected, what waits for the request is refused
 * and what runs for it ends. A change that has begun is finished and answered: a 503 says that nothing was changed.
 */
export class Deadline implements RequestDeadline {
  readonly late: Promise<void>
  readonly #request: Request
  readonly #timer: Timer
  /** Whether there is no limit once the body has arrived; disconnecting still ends the work. */
  readonly isExempt: boolean
  readonly #becomeLate: () => void
  #answer: ((error: ApiError) => void) | null = null
  /** The server, if it does not cut the connection before the answer. */
  readonly #holding: HoldingServer | null
  #cancelTimer = () => {}
  #isLate = false
  #isArriving = false
  #isChanged = false
  #open = 0
  #reason: ApiError | null = null
  #stopper: AbortController | null = null

  constructor(request: Request, timer: Timer, isExempt: boolean, server: HoldingServer | null = null) {
    deadlines.set(request, this)
    this.#request = request
    this.#timer = timer
    this.isExempt = isExempt
    const late = Promise.withResolvers<void>()
    this.late = late.promise
    this.#becomeLate = late.resolve
    // Bun would cut a body that arrives slowly, and an answer that takes long, without a status.
    this.#holding = isExempt || (request.method !== 'GET' && request.method !== 'HEAD') ? server : null
    this.#holding?.timeout?.(request, 0)
    this.restart()
  }

  get signal(): AbortSignal {
    if (this.#stopper) return this.#stopper.signal
    const stopper = new AbortController()
    this.#stopper = stopper
    const { signal } = this.#request
    const leave = () => stopper.abort(disconnected())
    if (this.#reason) stopper.abort(this.#reason)
    else if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    return stopper.signal
  }

  /** Waits for the answer. Resolves with an error instead as soon as the time is over and nothing was changed. */
  race<Answer>(handled: Promise<Answer>): Promise<Answer | ApiError> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer | ApiError>()
    if (this.#reason) resolve(this.#reason)
    this.#answer = resolve
    handled.then(resolve, reject)
    return promise
  }

  check(): void {
    if (this.#isChanged) return
    if (this.#reason) throw this.#reason
    if (this.#request.signal.aborted) throw disconnected()
  }

  begin(): (isChanged: boolean) => void {
    this.check()
    this.#open++
    return (isChanged) => {
      this.#open--
      this.#isChanged ||= isChanged
      if (this.#isLate) this.#refuse()
    }
  }

  restart(): void {
    this.#cancelTimer()
    const isLimited = !this.isExempt || this.#isArriving
    if (isLimited && !this.#isLate) this.#cancelTimer = this.#timer(ANSWER_MS, () => this.#expire())
  }

  /**
   * Yields the chunks of the request's body. The time begins again with each of them.
   * @param limit bytes that the body may have
   * @throws ApiError unavailable if the next one, or the whole body, takes too long
   */
  async *receiveBody(body: ReadableStream<Uint8Array>, limit: number): AsyncGenerator<Uint8Array> {
    const reader = body.getReader()
    const { signal } = this
    const stop = () => void reader.cancel().catch(() => {})
    signal.addEventListener('abort', stop, { once: true })
    const cancelTotal = this.#timer(MINUTE_MS + limit / BYTES_PER_MS, () => this.#expire())
    this.#isArriving = true
    this.restart()
    try {
      for (;;) {
        const { value, done } = await reader.read()
        signal.throwIfAborted()
        if (done) break
        this.restart()
        yield value
      }
    } finally {
      this.#isArriving = false
      this.restart()
      cancelTotal()
      signal.removeEventListener('abort', stop)
      reader.releaseLock()
    }
  }

  end(): void {
    this.#cancelTimer()
    this.#holding?.timeout?.(this.#request, IDLE_SECONDS)
  }

  #expire(): void {
    this.#isLate = true
    this.#becomeLate()
    this.#refuse()
  }

  #refuse(): void {
    // What a body has stored before it is whole is seen by nobody.
    if (this.#reason || (!this.#isArriving && (this.#isChanged || this.#open > 0))) return
    this.#reason = this.#isArriving ? bodyTooSlow() : tooLong()
    this.#stopper?.abort(this.#reason)
    this.#answer?.(this.#reason)
  }
}

const disconnected = () => busy('The caller disconnected.')
const bodyTooSlow = () => busy('The body took too long to arrive. Nothing was changed.')
const tooLong = () =>
  busy(
    `This was not done within ${ANSWER_MS / 1000} seconds, and was stopped. Nothing was changed; try again in a moment.`,
  )
