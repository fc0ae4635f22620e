import { setTimeout as sleep } from 'node:timers/promises'
import type { Context, Log } from '../../db/context'
import { AnswerFault, excerptOf, postJson, retryAfterOf, TimeLimit, toAnswerFault } from '../../http/outgoing'
import { readPieces } from './answer-stream'
import { type AnswerPiece, type ModelDialect, type ModelRequest, ollamaDialect, openAiDialect } from './dialects'

/** Where the language model is and how much a request may take of it. */
export interface UpstreamSettings {
  /** With the version where the server has one: `https://host/v1`; for `ollama` the bare host. */
  readonly baseUrl: string
  readonly model: string
  /** Sent as a bearer token to `baseUrl` alone; null where the server wants none. */
  readonly apiKey: string | null
  readonly dialect: 'openai' | 'ollama'
  /** Tokens of prompt and answer together. */
  readonly numCtx: number
  /** Milliseconds until the first byte of each answer, between two pieces of it, and for the whole request. */
  readonly firstByteMs: number
  readonly stallMs: number
  readonly totalMs: number
  /**
   * Of one request: how often the model is asked, how many calls of tools it may make, how many tokens it may write.
   */
  readonly maxSteps: number
  readonly maxToolCalls: number
  readonly maxOutputTokens: number
}

export interface UpstreamDependencies extends Pick<Context, 'now'> {
  readonly log: Pick<Log, 'warn' | 'error'>
  /** Waits for that many milliseconds; rejects when the signal is aborted. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** How long a server may ask us to wait for a second try. */
const MAX_RETRY_WAIT_MS = 5000
/**
 * After the reason of its end an answer has nothing left to say but its usage; a server that hangs up late is not
 * waited for.
 */
const USAGE_WAIT_MS = 2000

const DIALECTS: Readonly<Record<UpstreamSettings['dialect'], ModelDialect>> = {
  openai: openAiDialect,
  ollama: ollamaDialect,
}

/**
 * Asks one model at one address. Nothing goes anywhere else: redirects are faults, since the key would go with them.
 */
export class ModelClient {
  readonly #settings: UpstreamSettings
  readonly #dialect: ModelDialect
  readonly #now: () => number
  readonly #pause: NonNullable<UpstreamDependencies['pause']>
  /** The server refuses `max_tokens`: learned from its answer and remembered until the end of the process. */
  #completionTokens = false

  constructor(settings: UpstreamSettings, { now, pause }: UpstreamDependencies) {
    this.#settings = settings
    this.#dialect = DIALECTS[settings.dialect]
    this.#now = now
    this.#pause = pause ?? ((ms, signal) => sleep(ms, undefined, { signal }))
  }

  /**
   * The answer, piece by piece. `signal` closes the connection; so does leaving the loop before the end. `mayRetry`:
   * a server that is busy for a moment is asked once more. Throws an AnswerFault, or the signal's reason.
   */
  async *ask(question: ModelRequest, signal: AbortSignal, mayRetry: boolean): AsyncGenerator<AnswerPiece> {
    const quiet = new TimeLimit('the server was silent for too long')
    const both = AbortSignal.any([signal, quiet.signal])
    let ended = false
    try {
      const response = await this.#send(question, both, quiet, mayRetry)
      const chunks = watchChunks(response, quiet, this.#settings.stallMs, () => ended)
      for await (const piece of readPieces(response.headers.get('content-type') ?? '', chunks, this.#dialect)) {
        ended ||= piece.finish !== ''
        yield piece
      }
    } catch (error) {
      if (signal.aborted) throw signal.reason
      const fault = quiet.signal.aborted ? quiet.signal.reason : toAnswerFault(error)
      if (!ended || !(fault instanceof AnswerFault)) throw fault
    } finally {
      quiet.stop()
    }
  }

  /** A response that carries an answer. */
  async #send(question: ModelRequest, signal: AbortSignal, quiet: TimeLimit, mayRetry: boolean): Promise<Response> {
    let retries = mayRetry ? 1 : 0
    let completionTokens = this.#completionTokens
    for (;;) {
      quiet.set(this.#settings.firstByteMs)
      const response = await this.#fetch(question, completionTokens, signal)
      if (response.ok) {
        this.#completionTokens = completionTokens
        return response
      }
      const excerpt = response.body ? await excerptOf(response.body) : ''
      const wait = this.#readRetryWait(response)
      if (!completionTokens && this.#dialect.refusesMaxTokens(response.status, excerpt)) completionTokens = true
      else if (wait !== null && retries-- > 0) {
        quiet.stop()
        await this.#pause(wait, signal)
      } else throw new AnswerFault(`the server answered ${response.status}`, { excerpt, status: response.status })
    }
  }

  #fetch(question: ModelRequest, completionTokens: boolean, signal: AbortSignal): Promise<Response> {
    return postJson(this.#settings, this.#dialect.path, this.#dialect.body(question, completionTokens), signal)
  }

  /** How long to wait for a second try. Null: too long, or the server does not say. */
  #readRetryWait(response: Response): number | null {
    const ms = retryAfterOf(response, this.#now())
    return ms !== null && ms <= MAX_RETRY_WAIT_MS ? ms : null
  }
}

/** The chunks of a body; each starts the time for the next. */
async function* watchChunks(response: Response, quiet: TimeLimit, stallMs: number, ended: () => boolean) {
  if (!response.body) return
  for await (const chunk of response.body) {
    quiet.stop()
    yield chunk
    quiet.set(ended() ? Math.min(stallMs, USAGE_WAIT_MS) : stallMs)
  }
}
