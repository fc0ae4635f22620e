import { Elysia, t } from 'elysia'
import type { RequestPlugin } from '../../http/api'
import { refuses } from '../../http/api-error'
import { declareErrorFormat } from '../../http/error-format'
import { alsoAnswers, nameSchemas } from '../../http/schema'
import type { Embeddings } from '../embeddings'
import { EMBEDDING_CODES, openAiEmbeddings, openAiEmbeddingsRequest } from '../embeddings-schema'
import type { ChatResponder } from '../stream'
import { createOpenAiStream, toChatCompletion, toEmbeddings } from './answer'
import { OPENAI_ERRORS, OpenAiError } from './errors'
import type { ModelNames } from './models'
import { toChatRequest } from './request'
import { chatCompletion, chatCompletionRequest, openAiModel, openAiModels } from './schema'

interface Deps {
  readonly respond: ChatResponder
  readonly embeddings: Embeddings
  readonly models: ModelNames
  readonly api: RequestPlugin
}

const MODELS = {
  OpenAiChatCompletionRequest: chatCompletionRequest,
  OpenAiChatCompletion: chatCompletion,
  OpenAiEmbeddingsRequest: openAiEmbeddingsRequest,
  OpenAiEmbeddings: openAiEmbeddings,
  OpenAiModel: openAiModel,
  OpenAiModels: openAiModels,
}

nameSchemas(MODELS)
declareErrorFormat(OPENAI_ERRORS, ['/api/openai'])

const modelName = t.Object({ id: t.String({ description: 'One of GET /api/openai/models, or `auto`.' }) })

/**
 * Creates the routes below /api/openai, and the same below /api/openai/v1, since some clients add `/v1` themselves. The
 * API document has only the first.
 */
export function openAiRoutes(deps: Deps) {
  return new Elysia().use(routesBelow('/api/openai', {}, deps)).use(routesBelow('/api/openai/v1', { hide: true }, deps))
}

function routesBelow(prefix: string, detail: { hide?: boolean }, { respond, embeddings, models, api }: Deps) {
  return new Elysia({ prefix, tags: ['Clients of OpenAI'], detail })
    .use(api)
    .post(
      '/chat/completions',
      async ({ body, request, session, reply }) => {
        const received = { request, body, session, reply }
        const { chatRequest, warnings } = toChatRequest(body, models.read(session, body.model ?? 'auto'))
        const origin = originOf(request)
        const stream = body.stream ? createOpenAiStream(origin, body.stream_options?.include_usage ?? false) : null
        return respond(received, chatRequest, {
          stream,
          toBody: (answer) => toChatCompletion(answer, origin),
          warnings,
        })
      },
      {
        body: chatCompletionRequest,
        response: { 200: chatCompletion, 404: OpenAiError, 502: OpenAiError, 504: OpenAiError },
        detail: {
          operationId: 'createOpenaiChatCompletion',
          ...alsoAnswers({ 'text/event-stream': {} }),
          ...refuses('model_not_found', 'unsupported_parameter', 'upstream_failed', 'upstream_timeout'),
          summary: 'Chat, as OpenAI does',
          description:
            'The same chat for OpenAI clients: their base URL is `{base}/api/openai` or `{base}/api/openai/v1`, and the key is sent in `X-API-Key`. ' +
            'Citations are `annotations`; everything else of Satchel is in `x_satchel`, where the request may set mode ' +
            '(default `read`, and `write` for a model whose name ends in `-write`), scope, confirm and time_zone. With `stream: true` the answer comes as Server-Sent Events.',
        },
      },
    )
    .post(
      '/embeddings',
      async ({ body, request, session, reply }) => {
        const format = body.encoding_format ?? 'float'
        const received = { request, session, body }
        return reply.send(await embeddings.answer(received, (made) => toEmbeddings(made, format)))
      },
      {
        body: openAiEmbeddingsRequest,
        response: { 200: openAiEmbeddings, 404: OpenAiError, 501: OpenAiError, 502: OpenAiError, 504: OpenAiError },
        detail: {
          operationId: 'createOpenaiEmbeddings',
          ...refuses('unsupported_parameter', ...EMBEDDING_CODES),
          summary: 'Make embeddings, as OpenAI does',
          description:
            'Vectors of texts, by the model that the operator has set for search by meaning; without one 501 ' +
            '`embeddings_unavailable`. Their tokens count towards those of the day.',
        },
      },
    )
    .get('/models', ({ session }) => ({ object: 'list' as const, data: models.list(session) }), {
      response: { 200: openAiModels },
      detail: {
        operationId: 'listOpenaiModels',
        summary: 'List chat models, as OpenAI does',
        description:
          'The models that this caller may use. Each has a second name, which ends in `-write`: under it the mode is ' +
          '`write`, unless `x_satchel` sets another.',
      },
    })
    .get('/models/:id', ({ session, params }) => models.get(session, params.id), {
      params: modelName,
      response: { 200: openAiModel, 404: OpenAiError },
      detail: {
        operationId: 'getOpenaiModel',
        ...refuses('model_not_found'),
        summary: 'Get a chat model, as OpenAI does',
        description: 'A model that this caller may use; 404 `model_not_found` for any other name.',
      },
    })
}

/** Returns scheme and host of a request; the gate lets through only URLs with both. */
function originOf({ url }: Request): string {
  return url.slice(0, url.indexOf('/', url.indexOf('//') + 2))
}
