import type { Context, Session } from '../db/database'
import { ApiError } from '../http/api-error'
import { AnswerFault } from '../http/outgoing'
import type { FindOutcome, Outcome, RunOnce } from '../http/responses'
import type { Encoder } from '../search/meaning/remote'
import { type Budget, noSuchModel } from './engines'
import { estimateTokens, isEmptyMember, unsupportedParameter } from './request'
import type { ReceivedRequest } from './stream'

/** Texts of one request for embeddings, at most. */
export const MAX_EMBEDDED_TEXTS = 256
/** Characters (code points) of each text, at most; the model may read less of it. */
export const MAX_EMBEDDED_CHARS = 8192

interface EmbeddingsDeps extends Pick<Context, 'now'> {
  /** Null if the operator has configured no model. */
  readonly encoder: Encoder | null
  readonly budget: Budget
  readonly runOnce: RunOnce
  readonly findOutcome: FindOutcome
}

interface EmbeddingsRequest extends Pick<ReceivedRequest, 'request' | 'session'> {
  readonly body: {
    readonly model?: string | null
    readonly input: string | readonly string[]
    readonly dimensions?: unknown
  }
}

/** The vectors of a request, in the order of its texts. */
export interface TextVectors {
  readonly model: string
  readonly vectors: readonly Float32Array[]
  /** The tokens of the texts, estimated. */
  readonly tokens: number
  readonly durationMs: number
}

export type Embeddings = ReturnType<typeof createEmbeddings>

/** Makes embeddings for API clients, within the budget of a key or an address. */
export function createEmbeddings({ encoder, budget, runOnce, findOutcome, now }: EmbeddingsDeps) {
  async function embed(session: Session, texts: readonly string[], model: Encoder, signal: AbortSignal) {
    const { usedUp, leave } = await budget.enter(session, signal)
    if (usedUp) throw new ApiError('quota_exceeded', usedUp)
    const started = now()
    try {
      const vectors = await model.embed(texts, signal)
      const tokens = texts.reduce((sum, text) => sum + estimateTokens(text), 0)
      await budget.addTokens(session, tokens)
      return { model: model.name, vectors, tokens, durationMs: now() - started }
    } catch (error) {
      throw error instanceof AnswerFault ? toUnavailableError(error) : error
    } finally {
      leave()
    }
  }

  return {
    /** The names of the models for embeddings. */
    models: encoder ? [encoder.name] : [],

    /**
     * Answers a request with the body that `toBody` makes of the vectors. They are made before anything is stored under
     * an Idempotency-Key, so that no transaction waits for a model.
     * @throws ApiError embeddings_unavailable, unsupported_parameter, model_not_found, quota_exceeded, unavailable,
     * upstream_failed, upstream_timeout
     */
    async answer<Body>(received: EmbeddingsRequest, toBody: (made: TextVectors) => Body): Promise<Outcome<Body>> {
      const { request, body, session } = received
      if (!encoder)
        throw new ApiError(
          'embeddings_unavailable',
          'This server makes no embeddings: its operator has set no model for them.',
          {},
          // Stops OpenAI's clients from retrying, which would not help.
          { 'X-Should-Retry': 'false' },
        )
      if (!isEmptyMember(body.dimensions))
        throw unsupportedParameter(
          '/dimensions',
          'dimensions is not offered: vectors are as long as the model makes them',
        )
      if (body.model && body.model !== 'auto' && body.model !== encoder.name) throw noSuchModel([encoder.name])
      const stored = await findOutcome<Body>(request, session, body)
      if (stored) return stored
      const texts = typeof body.input === 'string' ? [body.input] : body.input
      const responseBody = toBody(await embed(session, texts, encoder, request.signal))
      return runOnce(request, session, body, async () => ({ status: 200, headers: {}, body: responseBody }))
    },
  }
}

function toUnavailableError({ message, code, retryAfterMs }: AnswerFault): ApiError {
  const after = retryAfterMs === null ? {} : { 'Retry-After': String(Math.ceil(retryAfterMs / 1000)) }
  return new ApiError(code, message, {}, after)
}

/** Returns the numbers of a vector, each with the digits that distinguish 32-bit floats. */
export function toShortestNumbers(vector: Float32Array): number[] {
  return Array.from(vector, (value) => Number(value.toPrecision(9)))
}
