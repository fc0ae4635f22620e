import type { Log, Session } from '../db/database'
import { type ApiError, errorBody } from '../http/api-error'
import { type Outcome, readIdempotencyKey } from '../http/responses'
import { toApiError } from '../http/validation'
import type { AnswerEvent, AnswerHead, EmitAnswer } from './answer-run'
import type { ChatAnswer } from './schema'
import type { Chat, ChatCall } from './service'

/** The form in which one of the APIs streams an answer. */
export interface StreamFormat {
  /** The media type. */
  readonly type: string
  /** Writes an event; '' for events that this API does not send. */
  event(event: AnswerEvent, about: AnswerHead): string
  done(answer: ChatAnswer): string
  failure(refusal: ApiError, requestId: string): string
  /** Writes what keeps the connection alive. `about` is null before an engine has started. */
  keepAlive(about: AnswerHead | null): string
}

export interface StreamDeps {
  readonly log: Pick<Log, 'error'>
  /** Milliseconds of silence after which `keepAlive` is sent. */
  readonly keepAliveMs: number
}

interface StreamRequest {
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal
  readonly requestId: string
}

type AnswerWork = (emit: EmitAnswer, signal: AbortSignal) => Promise<{ readonly answer: ChatAnswer }>

/**
 * Streams an answer while it is made. Errors before the first byte are thrown; after it the stream ends with the error.
 * It has exactly one end or error. A caller that disconnects aborts the work.
 */
export async function streamAnswer(
  deps: StreamDeps,
  request: StreamRequest,
  format: StreamFormat,
  work: AnswerWork,
): Promise<Response> {
  const stream = new StreamBody(deps.keepAliveMs, format)
  const signal = AbortSignal.any([request.signal, stream.cancelled])
  const finished = work((event, about) => stream.writeEvent(event, about), signal).then(
    ({ answer }) => stream.end(format.done(answer)),
    (error: unknown) => {
      if (!stream.isOpen) return stream.fail(error)
      const refusal = toApiError('UNKNOWN', error)
      if (refusal.code === 'internal')
        deps.log.error({ request_id: request.requestId, err: error }, 'a stream ended in internal')
      stream.end(format.failure(refusal, request.requestId))
    },
  )
  await Promise.race([stream.opened, finished])
  await stream.opened
  const replayed = stream.about?.replayed ? { 'Idempotency-Replayed': 'true' } : {}
  return new Response(stream.body, {
    headers: { 'Content-Type': format.type, 'Cache-Control': 'no-store', ...replayed },
  })
}

/** The body of a streamed response, which opens with its first byte. */
class StreamBody {
  readonly body: ReadableStream<Uint8Array>
  readonly opened: Promise<void>
  about: AnswerHead | null = null
  isOpen = false
  readonly #format: StreamFormat
  readonly #cancelled = new AbortController()
  readonly #encoder = new TextEncoder()
  readonly #timer: NodeJS.Timeout
  readonly #resolve: () => void
  readonly #reject: (error: unknown) => void
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null

  constructor(keepAliveMs: number, format: StreamFormat) {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.opened = promise
    this.#resolve = resolve
    this.#reject = reject
    this.#format = format
    this.body = new ReadableStream({
      start: (controller) => {
        this.#controller = controller
      },
      cancel: () => {
        this.#controller = null
        clearTimeout(this.#timer)
        this.#cancelled.abort()
      },
    })
    this.#timer = setTimeout(() => {
      this.#write(this.#format.keepAlive(this.about))
      this.#timer.refresh()
    }, keepAliveMs)
  }

  /** Aborted when the caller stops reading. */
  get cancelled(): AbortSignal {
    return this.#cancelled.signal
  }

  writeEvent(event: AnswerEvent, about: AnswerHead): void {
    this.about = about
    this.#write(this.#format.event(event, about))
  }

  end(text: string): void {
    this.#write(text)
    clearTimeout(this.#timer)
    this.#controller?.close()
    this.#controller = null
  }

  fail(error: unknown): void {
    clearTimeout(this.#timer)
    this.#reject(error)
  }

  #write(text: string): void {
    if (text === '' || !this.#controller) return
    this.#controller.enqueue(this.#encoder.encode(text))
    this.#timer.refresh()
    this.isOpen = true
    this.#resolve()
  }
}

/** The formats of an answer. */
type AnswerFormat = 'json' | 'ndjson' | 'sse'

/** Chooses the format: Server-Sent Events if `Accept` names them, whatever `stream` says. */
export function readAnswerFormat(accept: string | null, stream: boolean): AnswerFormat {
  const ranges = (accept ?? '').toLowerCase().split(',')
  const events = ranges.some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
    return type === 'text/event-stream' && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
  })
  if (events) return 'sse'
  return stream ? 'ndjson' : 'json'
}

/** The objects in which one of Ollama's calls puts the text of an answer. */
interface AnswerObjects {
  /** Makes the object of a piece of text. */
  delta(about: AnswerHead, text: string): object
  /** Makes the last object, which is the answer without its text: the deltas contained that. */
  last(answer: ChatAnswer): object
}

/** Creates the formats in which one of Ollama's calls streams. */
export function createStreamFormats(objects: AnswerObjects): Readonly<Record<'ndjson' | 'sse', StreamFormat>> {
  return { ndjson: createNdjson(objects), sse: createSse(objects) }
}

/** One JSON object a line: deltas, actions, citations, and the last. */
function createNdjson({ delta, last }: AnswerObjects): StreamFormat {
  return {
    type: 'application/x-ndjson',
    event(event, about) {
      if (event.name === 'start') return ''
      if (event.name === 'delta') return writeLine(delta(about, event.data))
      return writeLine({ ...delta(about, ''), event: event.name, [event.name]: event.data })
    },
    done: (answer) => writeLine(last(answer)),
    failure: (refusal, requestId) => writeLine(errorBody(refusal, requestId)),
    keepAlive: (about) => (about ? writeLine(delta(about, '')) : ''),
  }
}

/** The same as Server-Sent Events. JSON has no raw line breaks, so each object is one line of data. */
function createSse({ delta, last }: AnswerObjects): StreamFormat {
  return {
    type: 'text/event-stream; charset=utf-8',
    event(event, about) {
      if (event.name === 'start') return ''
      return writeSse(event.name, event.name === 'delta' ? delta(about, event.data) : event.data)
    },
    done: (answer) => writeSse('done', last(answer)),
    failure: (refusal, requestId) => writeSse('error', errorBody(refusal, requestId)),
    keepAlive: () => ': ping\n\n',
  }
}

/** The formats of POST /api/chat. */
export const CHAT_STREAMS = createStreamFormats({
  delta: ({ model, created_at }, content) => ({
    model,
    created_at,
    message: { role: 'assistant', content },
    done: false,
  }),
  last: (answer) => ({ ...answer, message: { role: 'assistant', content: '' } }),
})

const writeLine = (data: object): string => `${JSON.stringify(data)}\n`
const writeSse = (name: AnswerEvent['name'] | 'done' | 'error', data: object): string =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

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
  readonly reply: { readonly requestId: string; send<Body>(outcome: Outcome<Body>): Body }
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
        chat.answer({ ...call, signal, streams: true, emit }),
      )) as never
    const { answer, replayed } = await chat.answer({ ...call, signal, streams: false, emit: () => {} })
    const headers: Record<string, string> = replayed ? { 'Idempotency-Replayed': 'true' } : {}
    return reply.send({ status: 200, headers, body: toBody(answer) })
  }
}
