import type { Session } from '../db/database'
import { type Outcome, readIdempotencyKey } from '../http/idempotency'
import type { ChatAnswer } from './schema'
import type { Chat, ChatCall } from './service'
import { type StreamDeps, type StreamFormat, streamAnswer } from './stream'

/** The part that the three chat APIs share: it passes a request to the service, and returns the answer. */

interface ResponderDeps extends StreamDeps {
  readonly chat: Pick<Chat, 'answer'>
}

/** A request as a handler receives it. */
export interface ReceivedRequest {
  readonly request: Request
  /** The body as it was sent, to recognize a repeat under an Idempotency-Key. */
  readonly body: unknown
  readonly session: Session
  readonly reply: { readonly requestId: string }
}

export type ChatResponder = ReturnType<typeof createResponder>

/** Creates the responder of the chat APIs. */
export function createResponder({ chat, ...stream }: ResponderDeps) {
  const toCall = (
    { request, body, session }: ReceivedRequest,
    chatRequest: ChatCall['request'],
    warnings: readonly string[],
  ) => ({ session, request: chatRequest, repeatable: readIdempotencyKey(request, body), warnings })

  return {
    /** Returns the whole answer at once. */
    async answerWhole(
      received: ReceivedRequest,
      chatRequest: ChatCall['request'],
      warnings: readonly string[] = [],
    ): Promise<Outcome<ChatAnswer>> {
      const { signal } = received.request
      const { answer, replayed } = await chat.answer({
        ...toCall(received, chatRequest, warnings),
        signal,
        emit: () => {},
      })
      return { status: 200, headers: replayed ? { 'Idempotency-Replayed': 'true' } : {}, body: answer }
    },

    /** Streams the answer while it is made. */
    answerStreamed(
      received: ReceivedRequest,
      chatRequest: ChatCall['request'],
      format: StreamFormat,
      warnings: readonly string[] = [],
    ): Promise<Response> {
      const { request, reply } = received
      const call = toCall(received, chatRequest, warnings)
      const from = { signal: request.signal, requestId: reply.requestId }
      return streamAnswer(stream, from, format, (emit, signal) => chat.answer({ ...call, signal, emit }))
    },
  }
}
