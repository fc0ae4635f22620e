import type { Session } from '../db/database'
import { type Outcome, repeatableOf } from '../http/idempotency'
import type { ChatAnswer, ChatRequest } from './schema'
import type { ChatService } from './service'
import { type StreamDeps, type StreamFormat, streamAnswer } from './stream'

/** What the faces of chat share: from a request on the wire to the core, and back. */

export interface ResponderDeps extends StreamDeps {
  readonly chat: ChatService
  /** The workspace of whoever sent the request. */
  readonly session: (request: Request) => Session
  /** The id that ties an answer to the log. */
  readonly requestId: (request: Request) => string
}

/** What a handler has in hand. */
export interface ReceivedRequest {
  readonly request: Request
  /** As it was sent, to tell a repeat under an Idempotency-Key. */
  readonly body: unknown
  /** Null without a socket. */
  readonly server: { timeout(request: Request, seconds: number): void } | null
}

export interface ChatResponder {
  /** The whole answer at once. */
  whole(received: ReceivedRequest, asked: ChatRequest, warnings?: readonly string[]): Promise<Outcome<ChatAnswer>>
  /** The answer while it is made. */
  streamed(
    received: ReceivedRequest,
    asked: ChatRequest,
    wire: StreamFormat,
    warnings?: readonly string[],
  ): Promise<Response>
}

export function createResponder({ chat, session, requestId, ...stream }: ResponderDeps): ChatResponder {
  const callOf = ({ request, body, server }: ReceivedRequest, asked: ChatRequest, warnings: readonly string[] = []) => {
    // A model may be silent for longer than idle connections may; the engine has limits of its own.
    server?.timeout(request, 0)
    return {
      session: session(request),
      request: asked,
      repeatable: repeatableOf(request, body),
      warnings,
    }
  }

  return {
    async whole(received, asked, warnings) {
      const call = callOf(received, asked, warnings)
      const { answer, replayed } = await chat.answer({ ...call, signal: received.request.signal, emit: () => {} })
      return { status: 200, headers: replayed ? { 'Idempotency-Replayed': 'true' } : {}, body: answer }
    },

    streamed(received, asked, wire, warnings) {
      const { request } = received
      const call = callOf(received, asked, warnings)
      const from = { signal: request.signal, requestId: requestId(request) }
      return streamAnswer(stream, from, wire, (emit, signal) => chat.answer({ ...call, signal, emit }))
    },
  }
}
