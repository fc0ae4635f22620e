import { Elysia } from 'elysia'
import { send } from '../http/responses'
import { Problem } from '../http/schema'
import type { ChatResponder } from './responder'
import { chatAnswer, chatRequest } from './schema'
import { NDJSON, readAnswerFormat, SSE } from './stream'

const ASK = {
  operationId: 'chat',
  summary: 'Ask about what is stored, or have something done',
  description:
    'Answers the last user message from your own workspace, each statement with a citation, and lists what it did under ' +
    '`actions`. With `stream: true` the answer comes as NDJSON, with `Accept: text/event-stream` as Server-Sent Events; ' +
    'both end in an object with `done: true`, or in an error object. Nothing of a conversation is stored.',
  tags: ['Chat / AI'],
}

/** POST /api/chat. */
export function chatRoutes({ face }: { readonly face: ChatResponder }) {
  return new Elysia({ name: 'chat-routes' }).post(
    '/api/chat',
    async ({ body, request, server, set }) => {
      const form = readAnswerFormat(request.headers.get('accept'), body.stream ?? false)
      const received = { request, body, server }
      if (form === 'json') return send(set, await face.whole(received, body))
      // Elysia's types know no handler that answers with an object or a Response.
      return (await face.streamed(received, body, form === 'sse' ? SSE : NDJSON)) as never
    },
    { body: chatRequest, response: { 200: chatAnswer, 404: Problem, 502: Problem, 504: Problem }, detail: ASK },
  )
}
