import { AnswerFault } from './fault'

/** A time limit as a signal: aborted with an `upstream_timeout` when the time set last is over. */
export class Limit {
  readonly #controller = new AbortController()
  readonly #what: string
  #timer: ReturnType<typeof setTimeout> | undefined

  /** `what` took too long, for the log. */
  constructor(what: string) {
    this.#what = what
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Starts the time anew. */
  set(ms: number): void {
    this.stop()
    const expire = () => this.#controller.abort(new AnswerFault(this.#what, { code: 'upstream_timeout' }))
    this.#timer = setTimeout(expire, ms)
  }

  /** Without a time set the limit is never reached. */
  stop(): void {
    clearTimeout(this.#timer)
  }
}
