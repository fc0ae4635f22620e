import type { Context } from '../../db/database'
import {
  AnswerFault,
  count,
  list,
  member,
  type OtherServer,
  parseAnswer,
  postJson,
  readExcerpt,
  readRetryAfter,
  readWholeText,
  TimeLimit,
  toAnswerFault,
} from '../../http/outgoing'

/** Texts of one request, at most. */
const TEXTS_PER_REQUEST = 64
/** Numbers of one vector, at most: more than most models have. */
export const MAX_DIMENSIONS = 8192

/** A model that turns texts into vectors. */
export interface Encoder {
  /** The name of the model: vectors that were made under another name are replaced. */
  readonly name: string
  /**
   * Returns a unit vector for each text, in order. No text may be empty.
   * @throws AnswerFault, whose sentence has no key and nothing that a server sent; the reason of `signal` once that is
   *   aborted
   */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>
  /** As `embed`; null if that fails, or takes longer than `ms`. */
  embedInTime(texts: readonly string[], ms: number): Promise<Float32Array[] | null>
}

/** The address of the model and its limits. */
export interface RemoteSettings extends OtherServer {
  readonly model: string
  /** Milliseconds for one request, from the request to the end of its answer. */
  readonly totalMs: number
}

export type RemoteDeps = Pick<Context, 'now' | 'log'>

/**
 * UTF-16 units of an answer for each text: enough for MAX_DIMENSIONS numbers with about 30 characters each. The
 * limit is tight, since parsing 16 MiB of nothing but brackets takes seconds and gigabytes.
 */
const UNITS_PER_TEXT = 256 * 1024

/** Creates an encoder for a server with OpenAI's `/v1/embeddings`: Ollama, llama.cpp, a hosted one. */
export function createRemoteEncoder(settings: RemoteSettings, { now, log }: RemoteDeps): Encoder {
  const { model } = settings
  /** The level at which the present failure was logged, so that not every question logs it again. */
  let logged: 'warn' | 'error' | null = null

  async function ask(input: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
    const response = await postJson(settings, '/embeddings', { model, input, encoding_format: 'float' }, signal)
    if (!response.ok) {
      if (response.body) await readExcerpt(response.body)
      const { status } = response
      throw new AnswerFault(`the server answered ${status}`, { status, retryAfterMs: readRetryAfter(response, now()) })
    }
    const text = response.body ? await readWholeText(response.body, input.length * UNITS_PER_TEXT) : ''
    return parseVectors(text, input.length)
  }

  function logFailure({ message, status, lasting }: AnswerFault): void {
    const level = lasting ? 'error' : 'warn'
    if (logged === 'error' || logged === level) return
    logged = level
    log[level]({ model, fault: message, status }, 'the model for embeddings did not answer')
  }

  async function askInTime(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    const limit = new TimeLimit('the server did not answer in time')
    limit.set(settings.totalMs)
    try {
      const vectors = await ask(texts, signal ? AbortSignal.any([signal, limit.signal]) : limit.signal)
      logged = null
      return vectors
    } catch (error) {
      signal?.throwIfAborted()
      const fault = limit.signal.aborted ? limit.signal.reason : toAnswerFault(error)
      if (!(fault instanceof AnswerFault)) throw fault
      logFailure(fault)
      throw withoutAnswer(fault)
    } finally {
      limit.stop()
    }
  }

  async function embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    const vectors: Float32Array[] = []
    for (let at = 0; at < texts.length; at += TEXTS_PER_REQUEST)
      vectors.push(...(await askInTime(texts.slice(at, at + TEXTS_PER_REQUEST), signal)))
    return vectors
  }

  return {
    name: model,
    embed,
    async embedInTime(texts, ms) {
      const limit = AbortSignal.timeout(ms)
      return await embed(texts, limit).catch((error: unknown) => {
        if (limit.aborted || error instanceof AnswerFault) return null
        throw error
      })
    },
  }
}

/** The message holds nothing that the server sent but its status. */
function withoutAnswer({ message, code, status, retryAfterMs }: AnswerFault): AnswerFault {
  return new AnswerFault(`The model for embeddings is not available: ${message}.`, { code, status, retryAfterMs })
}

/**
 * Parses the vectors, in the order of their `index`, which a server may leave out. Throws an AnswerFault for anything
 * else.
 */
function parseVectors(json: string, wanted: number): Float32Array[] {
  const data = list(member(parseAnswer(json), 'data'))
  if (data.length !== wanted) throw new AnswerFault(`the answer holds ${data.length} vectors for ${wanted} texts`)
  const vectors = Array<Float32Array | null>(wanted).fill(null)
  data.forEach((one, i) => {
    vectors[count(member(one, 'index')) ?? i] = toUnitVector(list(member(one, 'embedding')))
  })
  const isUsable = (vector: Float32Array | null) => vector !== null && vector.length === vectors[0]?.length
  if (vectors.length !== wanted || !vectors.every(isUsable)) throw new AnswerFault('the answer holds no usable vectors')
  return vectors as Float32Array[]
}

/** Normalizes a vector; null if it has no direction: no numbers, only zeros, or any that is not finite. */
function toUnitVector(values: readonly unknown[]): Float32Array | null {
  if (values.length > MAX_DIMENSIONS || !values.every((value) => Number.isFinite(value))) return null
  const numbers = values as readonly number[]
  const norm = Math.hypot(...numbers)
  return norm > 0 && Number.isFinite(norm) ? Float32Array.from(numbers, (value) => value / norm) : null
}
