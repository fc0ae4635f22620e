import { Elysia } from 'elysia'
import type { Session } from '../../db/database'
import { invalid } from '../../http/api-error'
import type { RequestPlugin } from '../../http/request'
import { nameSchemas, Problem } from '../../http/schema'
import { writeInstant } from '../../http/values'
import { type Embeddings, type TextVectors, toShortestNumbers } from '../embeddings'
import { type OllamaEmbedded, ollamaEmbedded, ollamaEmbedRequest } from '../embeddings-schema'
import { noSuchModel } from '../engines'
import { unsupportedParameter } from '../request'
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

/** The version of Ollama whose API is followed. */
const OLLAMA_VERSION = '0.12.0'

interface Deps {
  /** The version of this server. */
  readonly version: string
  /** When this server started, in milliseconds since 1970. */
  readonly since: number
  readonly embeddings: Embeddings
  readonly models: (session: Session) => string[]
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
}

const describe = (operationId: string, summary: string, description: string) => ({
  operationId,
  summary,
  description: `${description} So that clients of Ollama connect; POST /api/chat is its chat call.`,
})

nameSchemas(MODELS)

/** Creates the routes of Ollama's API other than chat. */
export function ollamaRoutes({ version, since, embeddings, models, api }: Deps) {
  const modified_at = writeInstant(since)
  const toModel = (name: string) => ({
    name,
    model: name,
    modified_at,
    size: 0,
    digest: new Bun.CryptoHasher('sha256').update(name).digest('hex'),
    details: MODEL_DETAILS,
  })

  return (
    new Elysia({ prefix: '/api', tags: ['Chat / AI'] })
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
          ),
        },
      )
      .post(
        '/embed',
        async ({ body, request, server, session, reply }) => {
          if (body.truncate === false)
            throw unsupportedParameter(
              '/truncate',
              'truncate: false is not offered: the model reads as much of a text as it can',
            )
          return reply.send(await embeddings.answer({ request, server, session, body }, toEmbedded))
        },
        {
          body: ollamaEmbedRequest,
          response: { 200: ollamaEmbedded, 404: Problem, 501: Problem, 502: Problem, 504: Problem },
          detail: describe(
            'embedAsOllama',
            'Make embeddings, as Ollama does',
            'Makes vectors of texts, by the model that the operator has configured for search by meaning; without one 501 `embeddings_unavailable`.',
          ),
        },
      )
  )
}

function toShownModel(model: string | undefined, models: readonly string[]) {
  if (model === undefined) throw invalid('/model', 'required', 'model is required')
  if (model !== 'auto' && !models.includes(model)) throw noSuchModel(models)
  return { details: MODEL_DETAILS, model_info: { 'general.architecture': 'satchel' }, capabilities: ['completion'] }
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
