import { Elysia } from 'elysia'
import type { RequestPlugin } from '../http/request'
import { nameSchemas, Problem } from '../http/schema'
import type { ChatResponder } from './responder'
import { chatAnswer, chatRequest, chatScope, chatUsage } from './schema'
import { readAnswerFormat, STREAM_FORMATS } from './stream'
import {
  actionTarget,
  changedText,
  changePreview,
  chatAction,
  chatCitation,
  chatConfirmation,
  chatUndo,
} from './tools/schema'

interface Deps {
  readonly responder: ChatResponder
  readonly api: RequestPlugin
}

const MODELS = {
  ChatRequest: chatRequest,
  ChatScope: chatScope,
  ChatAnswer: chatAnswer,
  ChatUsage: chatUsage,
  ChatAction: chatAction,
  ChatActionTarget: actionTarget,
  ChatActionPreview: changePreview,
  ChatActionText: changedText,
  ChatCitation: chatCitation,
  ChatConfirmation: chatConfirmation,
  ChatUndo: chatUndo,
}

nameSchemas(MODELS)

/** Creates the route POST /api/chat. */
export function chatRoutes({ responder, api }: Deps) {
  return new Elysia({ tags: ['Chat / AI'] }).use(api).post(
    '/api/chat',
    async ({ body, request, server, session, reply }) => {
      const received = { request, body, server, session, reply }
      const format = readAnswerFormat(request.headers.get('accept'), body.stream ?? false)
      if (format === 'json') return reply.send(await responder.answerWhole(received, body))
      // Elysia's types have no handler that returns either an object or a Response.
      return (await responder.answerStreamed(received, body, STREAM_FORMATS[format])) as never
    },
    {
      body: chatRequest,
      response: { 200: chatAnswer, 404: Problem, 502: Problem, 504: Problem },
      detail: {
        operationId: 'chat',
        summary: 'Ask about what is stored, or have something done',
        description:
          'Answers the last user message from your own workspace, each statement with a citation, and lists what it did in ' +
          '`actions`. With `stream: true` the answer comes as NDJSON, with `Accept: text/event-stream` as Server-Sent Events; ' +
          'both end with an object with `done: true`, or with an error object. Conversations are not stored.',
      },
    },
  )
}
