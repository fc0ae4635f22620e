import { Elysia } from 'elysia'
import type { Session } from '../../db/database'
import { send } from '../../http/responses'
import { Problem } from '../../http/schema'
import type { Embeddings } from '../embeddings'
import { openAiEmbeddings, openAiEmbeddingsRequest } from '../embeddings-schema'
import type { ChatResponder } from '../responder'
import { openAiWire, toChatCompletion, toEmbeddings } from './answer'
import { toChatRequest } from './request'
import { chatCompletion, chatCompletionRequest, openAiModels } from './schema'

interface Dependencies {
  readonly face: ChatResponder
  readonly embeddings: Embeddings
  readonly models: (session: Session) => string[]
  readonly session: (request: Request) => Session
  /** When this server started, in milliseconds since 1970. */
  readonly since: number
}

const COMPLETE = {
  operationId: 'createOpenaiChatCompletion',
  summary: 'Chat, as OpenAI does',
  description:
    "The same chat for OpenAI's clients: their base URL is `{base}/api/openai`, and the key travels in `X-API-Key`. " +
    'Citations are `annotations`; all else of ours is under `x_satchel`, where the request may set mode (default ' +
    '`read`), scope, confirm and timezone. With `stream: true` the answer comes as Server-Sent Events.',
  tags: ['Chat / AI'],
}
const EMBED = {
  operationId: 'createOpenaiEmbeddings',
  summary: 'Make embeddings, as OpenAI does',
  description:
    'Vectors of texts, by the model that the operator has set for search by meaning; without one 501 ' +
    '`embeddings_unavailable`. Their tokens count towards those of the day.',
  tags: ['Chat / AI'],
}
const MODELS = {
  operationId: 'listOpenaiModels',
  summary: 'List chat models, as OpenAI does',
  description: 'What this caller may use.',
  tags: ['Chat / AI'],
}

/** The paths below /api/openai. */
export function openAiRoutes({ face, embeddings, models, session, since }: Dependencies) {
  const created = Math.floor(since / 1000)
  return new Elysia({ name: 'chat-openai' })
    .post(
      '/api/openai/chat/completions',
      async ({ body, request, server, set }) => {
        const { asked, warnings } = toChatRequest(body)
        const origin = originOf(request)
        const received = { request, body, server }
        const wire = openAiWire(origin, body.stream_options?.include_usage ?? false)
        // Elysia's types know no handler that answers with an object or a Response.
        if (body.stream) return (await face.streamed(received, asked, wire, warnings)) as never
        const { body: answer, ...outcome } = await face.whole(received, asked, warnings)
        return send(set, { ...outcome, body: toChatCompletion(answer, origin) })
      },
      {
        body: chatCompletionRequest,
        response: { 200: chatCompletion, 404: Problem, 502: Problem, 504: Problem },
        detail: COMPLETE,
      },
    )
    .post(
      '/api/openai/embeddings',
      async ({ body, request, server, set }) => {
        const format = body.encoding_format ?? 'float'
        return send(set, await embeddings.answer({ request, server, body }, (made) => toEmbeddings(made, format)))
      },
      {
        body: openAiEmbeddingsRequest,
        response: { 200: openAiEmbeddings, 404: Problem, 501: Problem, 502: Problem, 504: Problem },
        detail: EMBED,
      },
    )
    .get(
      '/api/openai/models',
      ({ request }) => ({
        object: 'list' as const,
        data: models(session(request)).map((id) => ({ id, object: 'model' as const, created, owned_by: 'satchel' })),
      }),
      { response: { 200: openAiModels }, detail: MODELS },
    )
}

/** The gate let through only addresses with a scheme and a host. */
function originOf({ url }: Request): string {
  return url.slice(0, url.indexOf('/', url.indexOf('//') + 2))
}
