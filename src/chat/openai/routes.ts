import { Elysia } from 'elysia'
import type { Session } from '../../db/database'
import { declareErrorFormat } from '../../http/error-format'
import type { RequestPlugin } from '../../http/request'
import { nameSchemas } from '../../http/schema'
import type { Embeddings } from '../embeddings'
import { openAiEmbeddings, openAiEmbeddingsRequest } from '../embeddings-schema'
import { OPENAI_ERRORS, OpenAiError } from '../errors'
import type { ChatResponder } from '../responder'
import { createOpenAiStream, toChatCompletion, toEmbeddings } from './answer'
import { toChatRequest } from './request'
import { chatCompletion, chatCompletionRequest, openAiModel, openAiModels } from './schema'

interface Deps {
  readonly responder: ChatResponder
  readonly embeddings: Embeddings
  readonly models: (session: Session) => string[]
  /** When this server started, in milliseconds since 1970. */
  readonly since: number
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

/** Creates the routes below /api/openai. */
export function openAiRoutes({ responder, embeddings, models, since, api }: Deps) {
  const created = Math.floor(since / 1000)
  return new Elysia({ prefix: '/api/openai', tags: ['Chat / AI'] })
    .use(api)
    .post(
      '/chat/completions',
      async ({ body, request, server, session, reply }) => {
        const received = { request, body, server, session, reply }
        const { chatRequest, warnings } = toChatRequest(body)
        const origin = originOf(request)
        const format = createOpenAiStream(origin, body.stream_options?.include_usage ?? false)
        // Elysia's types have no handler that returns either an object or a Response.
        if (body.stream) return (await responder.answerStreamed(received, chatRequest, format, warnings)) as never
        const { body: answer, ...outcome } = await responder.answerWhole(received, chatRequest, warnings)
        return reply.send({ ...outcome, body: toChatCompletion(answer, origin) })
      },
      {
        body: chatCompletionRequest,
        response: { 200: chatCompletion, 404: OpenAiError, 502: OpenAiError, 504: OpenAiError },
        detail: {
          operationId: 'createOpenaiChatCompletion',
          summary: 'Chat, as OpenAI does',
          description:
            'The same chat for OpenAI clients: their base URL is `{base}/api/openai`, and the key is sent in `X-API-Key`. ' +
            'Citations are `annotations`; everything else of Satchel is in `x_satchel`, where the request may set mode ' +
            '(default `read`), scope, confirm and time_zone. With `stream: true` the answer comes as Server-Sent Events.',
        },
      },
    )
    .post(
      '/embeddings',
      async ({ body, request, server, session, reply }) => {
        const format = body.encoding_format ?? 'float'
        const received = { request, server, session, body }
        return reply.send(await embeddings.answer(received, (made) => toEmbeddings(made, format)))
      },
      {
        body: openAiEmbeddingsRequest,
        response: { 200: openAiEmbeddings, 404: OpenAiError, 501: OpenAiError, 502: OpenAiError, 504: OpenAiError },
        detail: {
          operationId: 'createOpenaiEmbeddings',
          summary: 'Make embeddings, as OpenAI does',
          description:
            'Vectors of texts, by the model that the operator has set for search by meaning; without one 501 ' +
            '`embeddings_unavailable`. Their tokens count towards those of the day.',
        },
      },
    )
    .get(
      '/models',
      ({ session }) => ({
        object: 'list' as const,
        data: models(session).map((id) => ({ id, object: 'model' as const, created, owned_by: 'satchel' })),
      }),
      {
        response: { 200: openAiModels },
        detail: {
          operationId: 'listOpenaiModels',
          summary: 'List chat models, as OpenAI does',
          description: 'The models that this caller may use.',
        },
      },
    )
}

/** Returns scheme and host of a request; the gate lets through only URLs with both. */
function originOf({ url }: Request): string {
  return url.slice(0, url.indexOf('/', url.indexOf('//') + 2))
}
