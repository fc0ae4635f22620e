import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Session } from '../../db/database'
import type { RequestPlugin } from '../../http/api'
import { invalid, refuses } from '../../http/api-error'
import { declareErrorFormat, PLAIN_PROBLEM } from '../../http/error-format'
import { alsoAnswers, nameSchemas, Problem } from '../../http/schema'
import { writeInstant } from '../../http/values'
import { type Embeddings, type TextVectors, toShortestNumbers } from '../embeddings'
import {
  EMBEDDING_CODES,
  type OllamaEmbedded,
  ollamaEmbedded,
  ollamaEmbedding,
  ollamaEmbeddingRequest,
  ollamaEmbedRequest,
} from '../embeddings-schema'
import { answerLoad, requireModel, resolveModel, withTag } from '../engines'
import { type ChatResponder, readAnswerFormat } from '../stream'
import {
  atPrompt,
  GENERATE_STREAMS,
  generateAnswer,
  generateRequest,
  loadedGenerate,
  promptToChat,
  refuseNotOffered,
  toGenerateAnswer,
} from './generate'
import {
  MODEL_DETAILS,
  ollamaModel,
  ollamaModelDetails,
  ollamaModels,
  ollamaVersion,
  runningModels,
  shownModel,
  showRequest,
} from './schema'

/** Paths whose requests Ollama's page shows as `curl -d` sends them: JSON under the media type of forms. */
export const CURL_PATHS = ['/api/chat', '/api/generate']

declareErrorFormat(PLAIN_PROBLEM, [
  '/api/generate',
  '/api/embed',
  '/api/embeddings',
  '/api/tags',
  '/api/show',
  '/api/ps',
  '/api/version',
])
/** Ollama's paths that are not offered. Its clients must be able to read the 404. */
declareErrorFormat(PLAIN_PROBLEM, ['/api/pull', '/api/push', '/api/create', '/api/copy', '/api/delete', '/api/blobs'])

/** The version of Ollama whose API is followed. */
const OLLAMA_VERSION = '0.12.0'

interface Deps {
  /** The version of this server. */
  readonly version: string
  /** When this server started, in milliseconds since 1970. */
  readonly since: number
  readonly respond: ChatResponder
  readonly embeddings: Embeddings
  /** Lists the models that a caller may use. */
  readonly models: (session: Session) => string[]
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly api: RequestPlugin
}

const MODELS = {
  OllamaModel: ollamaModel,
  OllamaModels: ollamaModels,
  OllamaModelDetails: ollamaModelDetails,
  OllamaShowRequest: showRequest,
  OllamaShownModel: shownModel,
  OllamaRunningModels: runningModels,
  OllamaVersion: ollamaVersion,
  OllamaEmbedRequest: ollamaEmbedRequest,
  OllamaEmbeddings: ollamaEmbedded,
  OllamaEmbeddingRequest: ollamaEmbeddingRequest,
  OllamaEmbedding: ollamaEmbedding,
  OllamaGenerateRequest: generateRequest,
  OllamaGenerated: generateAnswer,
  OllamaLoaded: loadedGenerate,
}

const describe = (operationId: string, summary: string, description: string, ...codes: Parameters<typeof refuses>) => ({
  operationId,
  ...refuses(...codes),
  summary,
  description: `${description} So that clients of Ollama connect; POST /api/chat is its chat call.`,
})

nameSchemas(MODELS)

/** Creates the routes of Ollama's API other than chat. */
export function ollamaRoutes({ version, since, respond, embeddings, models, now, api }: Deps) {
  const modified_at = writeInstant(since)
  const toModel = (untagged: string) => {
    const name = withTag(untagged)
    const digest = new Bun.CryptoHasher('sha256').update(name).digest('hex')
    return { name, model: name, modified_at, size: 0, digest, details: MODEL_DETAILS }
  }

  return (
    new Elysia({ prefix: '/api', tags: ['Clients of Ollama'] })
      // These two answer the same to every caller, so they need no session.
      .get('/version', () => ({ version: OLLAMA_VERSION, satchel: version }), {
        response: { 200: ollamaVersion },
        detail: describe(
          'getOllamaVersion',
          'Get the version, as Ollama does',
          'The version of the Ollama API that is followed, and the version of this server.',
        ),
      })
      .get('/ps', () => ({ models: [] }), {
        response: { 200: runningModels },
        detail: describe(
          'listLoadedOllamaModels',
          'List loaded models, as Ollama does',
          'Always empty: no model is loaded here.',
        ),
      })
      .use(api)
      .get('/tags', ({ session }) => ({ models: models(session).map(toModel) }), {
        response: { 200: ollamaModels },
        detail: describe(
          'listOllamaModels',
          'List chat models, as Ollama does',
          'Models, not tags of notes: those are at /api/notes/tags.',
        ),
      })
      .post(
        '/show',
        ({ body, once }) =>
          once(async (session) => ({
            status: 200,
            headers: {},
            body: toShownModel(body.model ?? body.name, models(session)),
          })),
        {
          idempotent: true,
          body: showRequest,
          response: { 200: shownModel, 404: Problem },
          detail: describe(
            'getOllamaModel',
            'Show a chat model, as Ollama does',
            'Takes `model`, or `name` as older clients send it.',
            'model_not_found',
          ),
        },
      )
      .post(
        '/embed',
        async ({ body: sent, request, session, reply }) => {
          const body = { ...sent, model: resolveModel(sent.model, embeddings.models) }
          return reply.send(await embeddings.answer({ request, session, body }, toEmbedded))
        },
        {
          body: ollamaEmbedRequest,
          response: { 200: ollamaEmbedded, ...EMBEDDING_ERRORS },
          detail: describe(
            'embedAsOllama',
            'Make embeddings, as Ollama does',
            'Makes vectors of texts, by the model that the operator has configured for search by meaning; without one 501 `embeddings_unavailable`.',
            'unsupported_parameter',
            ...EMBEDDING_CODES,
          ),
        },
      )
      .post(
        '/embeddings',
        async ({ body: { model, prompt }, request, session, reply }) => {
          const body = { input: prompt, model: resolveModel(model, embeddings.models) }
          return reply.send(await embeddings.answer({ request, session, body }, toEmbedding))
        },
        {
          body: ollamaEmbeddingRequest,
          response: { 200: ollamaEmbedding, ...EMBEDDING_ERRORS },
          detail: describe(
            'embedPromptAsOllama',
            'Make an embedding, as Ollama did',
            'The older form of POST /api/embed, for one text.',
            ...EMBEDDING_CODES,
          ),
        },
      )
      .post(
        '/generate',
        async ({ body, request, session, reply }) => {
          const mine = models(session)
          refuseNotOffered(body)
          if (!body.prompt && !body.confirm?.length) return { ...answerLoad(body, mine, now()), response: '' as const }
          const { chat, warnings } = promptToChat({ ...body, model: resolveModel(body.model, mine) })
          const received = { request, body, session, reply }
          const format = readAnswerFormat(request.headers.get('accept'), body.stream ?? false)
          const stream = format === 'json' ? null : GENERATE_STREAMS[format]
          return respond(received, chat, { stream, toBody: toGenerateAnswer, warnings }).catch((error: unknown) => {
            throw atPrompt(error)
          })
        },
        {
          body: generateRequest,
          response: {
            200: Type.Union([generateAnswer, loadedGenerate], { examples: generateAnswer.examples }),
            404: Problem,
            502: Problem,
            504: Problem,
          },
          detail: {
            ...alsoAnswers({ 'text/event-stream': {} }),
            ...describe(
              'generateAsOllama',
              'Answer a prompt, as Ollama does',
              'Answers as POST /api/chat answers a single message, with the text in `response`. Without `stream: true` the answer is one JSON object.',
              'confirmation_unknown',
              'model_not_found',
              'unsupported_parameter',
              'upstream_failed',
              'upstream_timeout',
            ),
          },
        },
      )
  )
}

const EMBEDDING_ERRORS = { 404: Problem, 501: Problem, 502: Problem, 504: Problem }

function toShownModel(model: string | undefined, models: readonly string[]) {
  if (model === undefined) throw invalid('/model', 'required', 'model is required')
  requireModel(model, models)
  return {
    details: MODEL_DETAILS,
    model_info: { 'general.architecture': 'satchel' },
    capabilities: ['completion'],
  }
}

function toEmbedded({ model, vectors, tokens, durationMs }: TextVectors): OllamaEmbedded {
  return {
    model,
    embeddings: vectors.map(toShortestNumbers),
    total_duration: durationMs * 1e6,
    load_duration: 0,
    prompt_eval_count: tokens,
  }
}

function toEmbedding({ vectors: [vector] }: TextVectors): { embedding: number[] } {
  return { embedding: vector ? toShortestNumbers(vector) : [] }
}
