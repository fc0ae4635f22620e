import { Elysia } from 'elysia'
import type { Session } from '../db/database'
import type { Once, Outcome } from '../http/idempotency'
import { send } from '../http/reply'
import { Problem } from '../http/schema'
import { type ChatAnswer, chatAnswer, chatRequest } from './schema'
import type { ChatService } from './service'
import { type Form, formFor, ndjson, serverSentEvents } from './stream'

interface Dependencies {
  readonly chat: ChatService
  readonly once: Once
  /** The workspace of whoever sent the request. */
  readonly session: (request: Request) => Session
}

const ASK = {
  summary: 'Ask about your notes',
  description:
    'Answers the last user message with sentences of your own notes, each with a citation, or says that none answers. ' +
    'With `stream: true` the answer comes as NDJSON, with `Accept: text/event-stream` as Server-Sent Events; both end ' +
    'in an object with `done: true`. Nothing of a conversation is stored.',
  tags: ['Chat / AI'],
}

/** POST /api/chat. */
export function chatRoutes({ chat, once, session }: Dependencies) {
  return new Elysia().post(
    '/api/chat',
    async ({ body, request, set }) =>
      send(
        set,
        await once(request, session(request), body, async (within) =>
          answered(await chat.answer(within, body, headerWarnings(request.headers))),
        ),
      ),
    {
      body: chatRequest,
      response: { 200: chatAnswer, 404: Problem },
      detail: ASK,
      // Refusals come by here too, as finished responses, and then nothing is known of the body.
      mapResponse: ({ body, request, responseValue }) =>
        responseValue instanceof Response
          ? undefined
          : inForm(responseValue as ChatAnswer, formFor(request.headers.get('accept'), body.stream ?? false)),
    },
  )
}

function answered(answer: ChatAnswer): Outcome<ChatAnswer> {
  return { status: 200, headers: {}, body: answer }
}

/** Clients of other chat servers put keys there; a caller who falls to the free tier by that finds it out by this. */
function headerWarnings(headers: Headers): string[] {
  const misplaced = /^(?:bearer\s+)?satchel_/i.test(headers.get('authorization') ?? '') && !headers.has('x-api-key')
  return misplaced ? ['key_in_authorization_ignored'] : []
}

/** The local engine has its whole answer at once, so a stream is written at once too. JSON is left to the framework. */
function inForm(answer: ChatAnswer, form: Form): Response | undefined {
  if (form === 'ndjson') return streamed(ndjson(answer), 'application/x-ndjson')
  if (form === 'sse') return streamed(serverSentEvents(answer), 'text/event-stream; charset=utf-8')
  return undefined
}

function streamed(text: string, type: string): Response {
  return new Response(text, { headers: { 'Content-Type': type, 'Cache-Control': 'no-store' } })
}
