import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Session } from '../db/database'
import type { RequestPlugin } from '../http/api'
import { refuses } from '../http/api-error'
import { declareErrorFormat, PLAIN_PROBLEM } from '../http/error-format'
import { alsoAnswers, nameSchemas, Problem } from '../http/schema'
import {
  actionResult,
  actionTarget,
  changedText,
  changePreview,
  chatAction,
  chatCitation,
  chatConfirmation,
  chatUndo,
  undoBody,
  undoStep,
} from '../tools/schema'
import { answerLoad, resolveModel } from './engines'
import { chatAnswer, chatOptions, chatRequest, chatScope, chatUsage, loadedChat } from './schema'
import { CHAT_STREAMS, type ChatResponder, readAnswerFormat } from './stream'

interface Deps {
  readonly respond: ChatResponder
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
  ChatUndoBody: undoBody,
  ChatUndoStep: undoStep,
  ChatActionResult: actionResult,
}

nameSchemas(MODELS)
declareErrorFormat(PLAIN_PROBLEM, ['/api/chat'])

/** Creates the route POST /api/chat. */
export function chatRoutes({ respond, models, now, api }: Deps) {
  return new Elysia({ tags: ['Chat'] }).use(api).post(
    '/api/chat',
    async ({ body, request, session, reply }) => {
      const mine = models(session)
      if (body.messages.length === 0 && !body.confirm?.length)
        return { ...answerLoad(body, mine, now()), message: { role: 'assistant' as const, content: '' as const } }
      const received = { request, body, session, reply }
      const chatRequest = { ...body, model: resolveModel(body.model, mine) }
      const format = readAnswerFormat(request.headers.get('accept'), body.stream ?? false)
      const stream = format === 'json' ? null : CHAT_STREAMS[format]
      return respond(received, chatRequest, { stream, toBody: (answer) => answer, warnings: [] })
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
        ...alsoAnswers({ 'text/event-stream': {} }),
        ...refuses(
          'confirmation_unknown',
          'model_not_found',
          'unsupported_parameter',
          'upstream_failed',
          'upstream_timeout',
        ),
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
