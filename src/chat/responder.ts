import type { Session } from '../db/database'
import { readIdempotencyKey } from '../http/idempotency'
import type { Reply } from '../http/request'
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
  readonly reply: Pick<Reply, 'requestId' | 'send'>
}

interface AnswerForm<Body> {
  /** Null: the whole answer is returned at once. */
  readonly stream: StreamFormat | null
  readonly toBody: (answer: ChatAnswer) => Body
  /** See ChatCall. */
  readonly warnings: readonly string[]
}

export type ChatResponder = ReturnType<typeof createResponder>

/** Creates the function that answers a request in the form of one of the chat APIs. */
export function createResponder({ chat, ...deps }: ResponderDeps) {
  return async <Body>(
    { request, body, session, reply }: ReceivedRequest,
    chatRequest: ChatCall['request'],
    { stream, toBody, warnings }: AnswerForm<Body>,
  ): Promise<Body> => {
    const call = { session, request: chatRequest, repeatable: readIdempotencyKey(request, body), warnings }
    const { signal } = request
    if (stream)
      // Elysia's types have no handler that returns either an object or a Response.
      return (await streamAnswer(deps, { signal, requestId: reply.requestId }, stream, (emit, signal) =>
        chat.answer({ ...call, signal, emit }),
      )) as never
    const { answer, replayed } = await chat.answer({ ...call, signal, emit: () => {} })
    const headers: Record<string, string> = replayed ? { 'Idempotency-Replayed': 'true' } : {}
    return reply.send({ status: 200, headers, body: toBody(answer) })
  }
}
