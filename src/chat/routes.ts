import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Session } from '../db/database'
import { declareErrorFormat, PLAIN_PROBLEM } from '../http/error-format'
import type { RequestPlugin } from '../http/request'
import { nameSchemas, Problem } from '../http/schema'
import { answerLoad, resolveModel } from './models'
import { refuseUnsupported } from './request'
import type { ChatResponder } from './responder'
import { chatAnswer, chatOptions, chatRequest, chatScope, chatUsage, loadedChat } from './schema'
import { CHAT_STREAMS, readAnswerFormat } from './stream'
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
  /** Lists the models that a caller may use. */
  readonly models: (session: Session) => string[]
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly api: RequestPlugin
}

const MODELS = {
  ChatRequest: chatRequest,
  ChatOptions: chatOptions,
  ChatScope: chatScope,
  ChatAnswer: chatAnswer,
  LoadedChat: loadedChat,
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
declareErrorFormat(PLAIN_PROBLEM, ['/api/chat'])

/** Creates the route POST /api/chat. */
export function chatRoutes({ responder, models, now, api }: Deps) {
  return new Elysia({ tags: ['Chat / AI'] }).use(api).post(
    '/api/chat',
    async ({ body, request, server, session, reply }) => {
      const mine = models(session)
      if (body.messages.length === 0 && !body.confirm?.length) {
        refuseUnsupported(body)
        return { ...answerLoad(body, mine, now()), message: { role: 'assistant' as const, content: '' as const } }
      }
      const received = { request, body, server, session, reply }
      const asked = { ...body, model: resolveModel(body.model, mine) }
      const format = readAnswerFormat(request.headers.get('accept'), body.stream ?? false)
      if (format === 'json') return reply.send(await responder.answerWhole(received, asked))
      // Elysia's types have no handler that returns either an object or a Response.
      return (await responder.answerStreamed(received, asked, CHAT_STREAMS[format])) as never
    },
    {
      body: chatRequest,
      response: {
        200: Type.Union([chatAnswer, loadedChat], { examples: chatAnswer.examples }),
        404: Problem,
        502: Problem,
        504: Problem,
      },
      detail: {
        operationId: 'chat',
        summary: 'Ask about what is stored, or have something done',
        description:
          'Answers the last user message from your own workspace, each statement with a citation, and lists what it did in ' +
          '`actions`. With `stream: true` the answer comes as NDJSON, with `Accept: text/event-stream` as Server-Sent Events; ' +
          'both end with an object with `done: true`, or with an error object. Conversations are not stored. The JSON of the ' +
          'request may also have the media type of forms, as `curl -d` sends it.',
      },
    },
  )
}
