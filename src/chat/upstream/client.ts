import { setTimeout as sleep } from 'node:timers/promises'
import type { Context, Log } from '../../db/database'
import { AnswerFault, postJson, readExcerpt, readRetryAfter, TimeLimit, toAnswerFault } from '../../http/outgoing'
import type { UpstreamCause } from '../engine'
import { readPieces } from './answer-stream'
import {
  type AnswerPiece,
  COMPLETIONS_PATH,
  type ModelRequest,
  type Refused,
  readRefusal,
  toBody,
} from './chat-completions'

/** The limits of a chat request with the language model. */
const UPSTREAM_LIMITS = {
  /** Tokens of prompt and answer together. */
  contextTokens: 8192,
  /** Milliseconds until the first byte of each answer. Local models load slowly. */
  firstByteMs: 60_000,
  /** Milliseconds between two pieces of an answer. */
  stallMs: 60_000,
  /** Milliseconds for the whole chat request. */
  totalMs: 180_000,
  /** Requests to the model, for one chat request. */
  maxSteps: 6,
  /** Calls of tools, for one chat request. */
  maxToolCalls: 12,
  /** Tokens that the model may write, for one chat request. Its reasoning does not count. */
  maxOutputTokens: 1024,
  /** Tokens of reasoning that a model which thinks may write besides, in each answer. */
  reasoningTokens: 8192,
}

export type UpstreamLimits = Readonly<typeof UPSTREAM_LIMITS>

/** The address of the language model. */
export interface UpstreamSettings {
  /** The base URL, with the version if the server has one: `https://host/v1`. */
  readonly baseUrl: string
  readonly model: string
  /** Sent as a bearer token to `baseUrl` only; null if the server needs none. */
  readonly apiKey: string | null
  /** Other limits than UPSTREAM_LIMITS; for tests. */
  readonly limits?: Partial<UpstreamLimits>
}

export function limitsOf({ limits }: UpstreamSettings): UpstreamLimits {
  return { ...UPSTREAM_LIMITS, ...limits }
}

export interface UpstreamDependencies extends Pick<Context, 'now'> {
  readonly log: Pick<Log, 'warn' | 'error'>
  /** Waits for some milliseconds; rejects when the signal is aborted. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** The longest wait before a second try that a server may request. */
const MAX_RETRY_WAIT_MS = 5000
/**
 * After the reason of its end, an answer has only its usage left: a server that closes the connection late is cut off.
 */
const USAGE_WAIT_MS = 2000

/** The server does not take a part of the request without which the model may still answer. */
export class ModelRefusal extends AnswerFault {
  constructor(
    readonly refused: Refused,
    options: ConstructorParameters<typeof AnswerFault>[1],
  ) {
    super(`the server takes no ${refused}`, options)
  }
}

/** No connection to the server could be made. */
export class Unreachable extends AnswerFault {}

/** The model had no tokens left for an answer. */
export class OutOfTokens extends AnswerFault {}

/** Why the model did not answer, for the warnings of who answers instead. */
export function findCause(fault: AnswerFault): UpstreamCause {
  const { code, status, excerpt } = fault
  if (status === 401 || status === 403) return 'upstream_unauthorized'
  const isUnpaid = status === 402 || (status === 429 && /quota|billing|credit|balance/i.test(excerpt))
  if (isUnpaid || fault instanceof OutOfTokens) return 'upstream_out_of_tokens'
  return fault instanceof Unreachable ? 'upstream_unreachable' : code
}

/** Sends requests to one model at one address. Redirects are faults, since they would carry the key elsewhere. */
export class ModelClient {
  readonly #settings: UpstreamSettings
  readonly #limits: UpstreamLimits
  readonly #now: () => number
  readonly #pause: NonNullable<UpstreamDependencies['pause']>
  /** The members that the server refuses: learned from its answers and remembered until the process ends. */
  readonly #refused = new Set<Refused>()
  /** Whether the model thinks before it answers, which takes tokens. Learned and remembered like that. */
  thinks = false
  /**
   * How the model's text begins: `unopened` with reasoning that ends in `</think>` and has no beginning, as templates do
   * that open it themselves; null before the first whole answer.
   */
  beginning: 'plain' | 'unopened' | null = null

  constructor(settings: UpstreamSettings, { now, pause }: UpstreamDependencies) {
    this.#settings = settings
    this.#limits = limitsOf(settings)
    this.#now = now
    this.#pause = pause ?? ((ms, signal) => sleep(ms, undefined, { signal }))
  }

  /**
   * Yields the answer piece by piece. `signal` closes the connection, as does leaving the loop early. With `mayRetry`,
   * a server that is briefly busy is asked once more. Throws an AnswerFault, or the signal's reason.
   */
  async *ask(question: ModelRequest, signal: AbortSignal, mayRetry: boolean): AsyncGenerator<AnswerPiece> {
    const quiet = new TimeLimit('the server was silent for too long')
    const both = AbortSignal.any([signal, quiet.signal])
    let ended = false
    try {
      const response = await this.#send(question, both, quiet, mayRetry)
      const chunks = watchChunks(response, quiet, this.#limits.stallMs, () => ended)
      for await (const piece of readPieces(response.headers.get('content-type') ?? '', chunks)) {
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

  /** Sends a request until the response has an answer. @throws AnswerFault, ModelRefusal of tools or images */
  async #send(question: ModelRequest, signal: AbortSignal, quiet: TimeLimit, mayRetry: boolean): Promise<Response> {
    let retries = mayRetry ? 1 : 0
    for (;;) {
      quiet.set(this.#limits.firstByteMs)
      const response = await this.#fetch(question, signal)
      if (response.ok) return response
      const excerpt = response.body ? await readExcerpt(response.body) : ''
      const fault = { excerpt, status: response.status }
      const refused = readRefusal(response.status, excerpt, question)
      const wait = this.#readRetryWait(response)
      if (refused === 'tools' || refused === 'images') throw new ModelRefusal(refused, fault)
      if (refused !== null && !this.#refused.has(refused)) this.#refused.add(refused)
      else if (wait !== null && retries-- > 0) {
        quiet.stop()
        await this.#pause(wait, signal)
      } else throw new AnswerFault(`the server answered ${response.status}`, fault)
    }
  }

  async #fetch(question: ModelRequest, signal: AbortSignal): Promise<Response> {
    try {
      return await postJson(this.#settings, COMPLETIONS_PATH, toBody(question, this.#refused), signal)
    } catch (error) {
      const fault = toAnswerFault(error)
      throw fault instanceof AnswerFault && !signal.aborted ? new Unreachable(fault.message) : fault
    }
  }

  /**
   * Reads how long to wait before a second try, in milliseconds; null if that is too long, or the server does not say.
   */
  #readRetryWait(response: Response): number | null {
    const ms = readRetryAfter(response, this.#now())
    return ms !== null && ms <= MAX_RETRY_WAIT_MS ? ms : null
  }
}

/** Yields the chunks of a body; each restarts the time limit for the next. */
async function* watchChunks(response: Response, quiet: TimeLimit, stallMs: number, ended: () => boolean) {
  if (!response.body) return
  for await (const chunk of response.body) {
    quiet.stop()
    yield chunk
    quiet.set(ended() ? Math.min(stallMs, USAGE_WAIT_MS) : stallMs)
  }
}
