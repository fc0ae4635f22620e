import type { Context } from '../../db/database'
import {
  AnswerFault,
  count,
  list,
  mediaTypeOf,
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
import { EMBED_BATCH_TEXTS, type Encoder, EncoderUnavailable, toUnitVectors } from './encoder'

/** The address of the model and its limits. */
export interface RemoteSettings extends OtherServer {
  readonly model: string
  /** Milliseconds for one call, from the request to the end of its answer. */
  readonly totalMs: number
}

export type RemoteDeps = Pick<Context, 'now' | 'log'>

/**
 * UTF-16 units of an answer for each text: enough for a vector of 8,192 numbers with about 30 characters each. The
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
    return parseVectors(await readBody(response, input.length * UNITS_PER_TEXT), input.length)
  }

  function logFailure({ message, status, lasting }: AnswerFault): void {
    const level = lasting ? 'error' : 'warn'
    if (logged === 'error' || logged === level) return
    logged = level
    log[level]({ model, fault: message, status }, 'the model for embeddings did not answer')
  }

  return {
    name: model,
    async embed(texts, signal) {
      if (texts.length > EMBED_BATCH_TEXTS) throw new RangeError(`an encoder takes at most ${EMBED_BATCH_TEXTS} texts`)
      if (texts.length === 0) return []
      const limit = new TimeLimit('the server did not answer in time')
      const both = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal
      limit.set(settings.totalMs)
      try {
        const vectors = await ask(texts, both)
        logged = null
        return vectors
      } catch (error) {
        signal?.throwIfAborted()
        const fault = limit.signal.aborted ? limit.signal.reason : toAnswerFault(error)
        if (!(fault instanceof AnswerFault)) throw fault
        logFailure(fault)
        throw toUnavailable(fault)
      } finally {
        limit.stop()
      }
    },
  }
}

/** Converts a fault. The message holds nothing that the server sent but its status. */
function toUnavailable(fault: AnswerFault): EncoderUnavailable {
  const sentence = `The model for embeddings is not available: ${fault.message}.`
  const why = fault.code === 'upstream_timeout' ? 'timeout' : 'failed'
  return new EncoderUnavailable(sentence, why, fault.retryAfterMs)
}

async function readBody(response: Response, limit: number): Promise<string> {
  const type = mediaTypeOf(response.headers.get('content-type'))
  // A page for people, mostly from a proxy.
  if (type.startsWith('text/html')) throw new AnswerFault('the answer is text/html')
  return response.body ? readWholeText(response.body, limit) : ''
}

/**
 * Parses the vectors, in the order of their `index`, which a server may leave out. Throws an AnswerFault for anything
 * else.
 */
function parseVectors(json: string, wanted: number): Float32Array[] {
  const data = list(member(parseAnswer(json), 'data'))
  if (data.length !== wanted) throw new AnswerFault(`the answer holds ${data.length} vectors for ${wanted} texts`)
  const vectors: number[][] = []
  data.forEach((one, i) => {
    vectors[count(member(one, 'index')) ?? i] = list(member(one, 'embedding')) as number[]
  })
  const units = toUnitVectors(vectors, wanted)
  if (!units) throw new AnswerFault('the answer holds no usable vectors')
  return units
}
