import type { RequestDeadline } from '../db/database'
import type { Timer } from '../lib/steps'
import { ApiError, busy, invalid, MAX_FAULTS_REPORTED, shortenName } from './api-error'

/** Bytes that a request body may have, unless a route sets another limit. */
export const MAX_BODY_BYTES = 2 * 1024 * 1024
/** Levels that JSON may nest: far more than sensible requests need, and far fewer than would overflow the stack. */
const MAX_JSON_DEPTH = 64

/** The body of a route that also takes text of another media type than JSON. */
export interface TextBody {
  readonly mediaType: string
  /** Reads a text, which can be stored, as the equivalent JSON. May throw ApiError. */
  read(text: string, request: Request): unknown
}

const JSON_TYPE = 'application/json'
/** The media type of forms, under which `curl -d` sends JSON. */
const FORM_TYPE = 'application/x-www-form-urlencoded'

/** Whether a page in a browser made a request: headers say so that a page can neither set nor omit. */
function isFromPage({ headers }: Request): boolean {
  return headers.has('origin') || headers.has('sec-fetch-site')
}

/**
 * Reads a request body of /api, which must be JSON in UTF-8. Returns null for an empty body, so that the schema
 * decides.
 * @param asCurl whether it may also have the media type that `curl -d` sends. Not from a page: pages of other sites can
 * send that type without a preflight
 * @param textBody the other media type that the route takes; an empty text is read, too
 * @throws ApiError too_large, unsupported_media_type, invalid_json, or invalid_request for text that cannot be stored
 */
export async function readJson(request: Request, asCurl = false, textBody?: TextBody): Promise<unknown> {
  const bytes = await readBytes(request, MAX_BODY_BYTES)
  const type = readMediaType(request)
  if (textBody && type === textBody.mediaType) {
    refuseEncoded(request, 'body')
    const text = decode(bytes)
    if (!isStorable(text)) throw invalid('', 'unstorable_text', 'Text must not hold NUL or half a surrogate pair.')
    return textBody.read(text, request)
  }
  if (bytes.length === 0) return null
  if (type !== JSON_TYPE && !(type === FORM_TYPE && asCurl && !isFromPage(request))) {
    const types = [JSON_TYPE, ...(textBody ? [textBody.mediaType] : [])].join(' or ')
    throw new ApiError('unsupported_media_type', `Send the body as Content-Type: ${types}.`)
  }
  refuseEncoded(request, 'body')
  return parseJson(decode(bytes))
}

/** Refuses a compressed body. @throws ApiError unsupported_media_type */
export function refuseEncoded(request: Request, noun: 'body' | 'file'): void {
  if ((request.headers.get('content-encoding') ?? 'identity') !== 'identity')
    throw new ApiError('unsupported_media_type', `Send the ${noun} as it is, without Content-Encoding.`)
}

/** Refuses a body for a route without one, except `{}`. @throws ApiError invalid_request */
export function refuseMembers(body: NonNullable<unknown>): void {
  if (typeof body !== 'object' || Array.isArray(body))
    throw invalid('', 'invalid_value', 'the body must be empty or {}: this endpoint takes none')
  const names = Object.keys(body).slice(0, MAX_FAULTS_REPORTED)
  const errors = names.map((name) => ({
    pointer: `/${escapePointer(name)}`,
    code: 'invalid_value',
    detail: `${shortenName(name)} is not known here`,
  }))
  if (errors[0]) throw new ApiError('invalid_request', errors[0].detail, { errors })
}

/** Counts while it reads, so that it holds at most `limit`. @throws ApiError too_large, or unavailable if too slow */
export async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  if (!request.body) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of receiveChunks(request, limit)) {
    size += chunk.length
    if (size > limit) throw new ApiError('too_large', `The body may have at most ${limit} bytes.`)
    chunks.push(chunk)
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
}

/** Reads the media type of a body, in lower case without parameters; returns `another charset` if it is not UTF-8. */
export function readMediaType(request: Request): string {
  const [type = '', ...parameters] = (request.headers.get('content-type') ?? '').toLowerCase().split(';')
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='))
  if (charset && !/^charset="?utf-?8"?$/.test(charset)) return 'another charset'
  return type.trim()
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ApiError('invalid_json', 'The body is not valid UTF-8.')
  }
}

/** The depth is checked first; text that cannot be stored is refused. @throws ApiError invalid_json, invalid_request */
export function parseJson(text: string): unknown {
  if (depthOf(text) > MAX_JSON_DEPTH)
    throw new ApiError('invalid_json', `The body may nest at most ${MAX_JSON_DEPTH} levels deep.`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new ApiError('invalid_json', 'The body is not valid JSON.')
  }
  // In valid UTF-8 only an escape can produce NUL or half a surrogate pair, and only a long number or a large exponent
  // is out of range. Most bodies have neither, and need no second pass.
  if (/\\u|[eE]\+?\d{3}|\d{40}/.test(text)) refuseUnstorable(value, '')
  if (/\\u|toString/.test(text)) keepPrintable(value)
  return value
}

/** Elysia writes an invalid value as text, which a member `toString` would break. JSON does not show the method. */
function keepPrintable(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  if (Object.hasOwn(value, 'toString'))
    Object.defineProperty(value, Symbol.toPrimitive, { value: () => '[object Object]' })
  for (const member of Object.values(value)) keepPrintable(member)
}

/** Computes how deep the brackets of a JSON text nest, without recursion. Brackets inside strings do not count. */
function depthOf(text: string): number {
  let level = 0
  let deepest = 0
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (char === 0x22) i = endOfString(text, i)
    else if (char === 0x7b || char === 0x5b) deepest = Math.max(deepest, ++level)
    else if (char === 0x7d || char === 0x5d) level--
  }
  return deepest
}

/** Finds the end of the string that begins at `start`. It searches for quotes, so long strings are fast. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = end
    while (text.charCodeAt(escapes - 1) === 0x5c) escapes--
    if ((end - escapes) % 2 === 0) return end
  }
  return text.length
}

/** Refuses values that cannot be stored. @throws ApiError invalid_request */
function refuseUnstorable(value: unknown, pointer: string): void {
  if (typeof value === 'string') {
    if (!isStorable(value))
      throw invalid(pointer, 'unstorable_text', 'Text must not hold NUL or half a surrogate pair.')
  } else if (typeof value === 'number') {
    // JSON would store it as null.
    if (!Number.isFinite(value))
      throw invalid(pointer, 'out_of_range', 'A number must be in the range of JSON numbers.')
  } else if (Array.isArray(value)) {
    value.forEach((item, i) => {
      refuseUnstorable(item, `${pointer}/${i}`)
    })
  } else if (value && typeof value === 'object') {
    for (const [name, member] of Object.entries(value)) {
      const at = `${pointer}/${escapePointer(name)}`
      if (!isStorable(name))
        throw invalid(pointer, 'unstorable_text', 'A name must not hold NUL or half a surrogate pair.')
      refuseUnstorable(member, at)
    }
  }
}

/** Escapes a name for a JSON Pointer (RFC 6901). */
function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Whether a text can be stored and sent as UTF-8: no NUL, no lone surrogate. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** A JSON merge patch (RFC 7396, section 2): absent members stay, null removes, objects merge, others replace. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name]
    // Not an assignment: `__proto__` must become a member, not a prototype.
    else define(result, name, mergePatch(Object.hasOwn(result, name) ? result[name] : undefined, value))
  }
  return result
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function define(object: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
}

/**
 * Time in which a request under /api is answered, from the last part of its body: below the 25 s that the documentation
 * promises, and the 30 s after which Bun and many proxies cut a silent connection.
 */
export const ANSWER_MS = 24_000
/** A body of the most bytes that its route takes arrives at this rate at least, after a first minute, as Bun wants it. */
const BYTES_PER_MS = 16
const MINUTE_MS = 60_000

/** Time after which a silent connection is cut, unless the answer is still being made. */
export const IDLE_SECONDS = 30

/** The part of Bun's server that sets after how many silent seconds it cuts a connection. */
export interface HoldingServer {
  timeout?(request: Request, seconds: number): void
}

const deadlines = new WeakMap<Request, Deadline>()

export function deadlineOf(request: Request): Deadline | undefined {
  return deadlines.get(request)
}

/** Yields the chunks of the body of a request, see Deadline.receiveBody. @param limit bytes that it may have */
export function receiveChunks(request: Request, limit: number): AsyncIterable<Uint8Array> {
  const body: ReadableStream<Uint8Array> = request.body ?? new ReadableStream({ start: (empty) => empty.close() })
  return deadlineOf(request)?.receiveBody(body, limit) ?? body
}

/**
 * The time limit of one request. When it is over, or the caller has disconnected, what waits for the request is refused
 * and what runs for it ends. A change that has begun is finished and answered: a 503 says that nothing was changed.
 */
export class Deadline implements RequestDeadline {
  readonly late: Promise<void>
  readonly #request: Request
  readonly #timer: Timer
  /** Whether there is no limit once the body has arrived; disconnecting still ends the work. */
  readonly isExempt: boolean
  readonly #becomeLate: () => void
  #answer: ((error: ApiError) => void) | null = null
  /** The server, if it does not cut the connection before the answer. */
  readonly #holding: HoldingServer | null
  #cancelTimer = () => {}
  #isLate = false
  #isArriving = false
  #isChanged = false
  #open = 0
  #reason: ApiError | null = null
  #stopper: AbortController | null = null

  constructor(request: Request, timer: Timer, isExempt: boolean, server: HoldingServer | null = null) {
    deadlines.set(request, this)
    this.#request = request
    this.#timer = timer
    this.isExempt = isExempt
    const late = Promise.withResolvers<void>()
    this.late = late.promise
    this.#becomeLate = late.resolve
    // Bun would cut a body that arrives slowly, and an answer that takes long, without a status.
    this.#holding = isExempt || (request.method !== 'GET' && request.method !== 'HEAD') ? server : null
    this.#holding?.timeout?.(request, 0)
    this.restart()
  }

  get signal(): AbortSignal {
    if (this.#stopper) return this.#stopper.signal
    const stopper = new AbortController()
    this.#stopper = stopper
    const { signal } = this.#request
    const leave = () => stopper.abort(disconnected())
    if (this.#reason) stopper.abort(this.#reason)
    else if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    return stopper.signal
  }

  /** Waits for the answer. Resolves with an error instead as soon as the time is over and nothing was changed. */
  race<Answer>(handled: Promise<Answer>): Promise<Answer | ApiError> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer | ApiError>()
    if (this.#reason) resolve(this.#reason)
    this.#answer = resolve
    handled.then(resolve, reject)
    return promise
  }

  check(): void {
    if (this.#isChanged) return
    if (this.#reason) throw this.#reason
    if (this.#request.signal.aborted) throw disconnected()
  }

  begin(): (isChanged: boolean) => void {
    this.check()
    this.#open++
    return (isChanged) => {
      this.#open--
      this.#isChanged ||= isChanged
      if (this.#isLate) this.#refuse()
    }
  }

  restart(): void {
    this.#cancelTimer()
    const isLimited = !this.isExempt || this.#isArriving
    if (isLimited && !this.#isLate) this.#cancelTimer = this.#timer(ANSWER_MS, () => this.#expire())
  }

  /**
   * Yields the chunks of the request's body. The time begins again with each of them.
   * @param limit bytes that the body may have
   * @throws ApiError unavailable if the next one, or the whole body, takes too long
   */
  async *receiveBody(body: ReadableStream<Uint8Array>, limit: number): AsyncGenerator<Uint8Array> {
    const reader = body.getReader()
    const { signal } = this
    const stop = () => void reader.cancel().catch(() => {})
    signal.addEventListener('abort', stop, { once: true })
    const cancelTotal = this.#timer(MINUTE_MS + limit / BYTES_PER_MS, () => this.#expire())
    this.#isArriving = true
    this.restart()
    try {
      for (;;) {
        const { value, done } = await reader.read()
        signal.throwIfAborted()
        if (done) break
        this.restart()
        yield value
      }
    } finally {
      this.#isArriving = false
      this.restart()
      cancelTotal()
      signal.removeEventListener('abort', stop)
      reader.releaseLock()
    }
  }

  end(): void {
    this.#cancelTimer()
    this.#holding?.timeout?.(this.#request, IDLE_SECONDS)
  }

  #expire(): void {
    this.#isLate = true
    this.#becomeLate()
    this.#refuse()
  }

  #refuse(): void {
    // What a body has stored before it is whole is seen by nobody.
    if (this.#reason || (!this.#isArriving && (this.#isChanged || this.#open > 0))) return
    this.#reason = this.#isArriving ? bodyTooSlow() : tooLong()
    this.#stopper?.abort(this.#reason)
    this.#answer?.(this.#reason)
  }
}

const disconnected = () => busy('The caller disconnected.')
const bodyTooSlow = () => busy('The body took too long to arrive. Nothing was changed.')
const tooLong = () =>
  busy(
    `This was not done within ${ANSWER_MS / 1000} seconds, and was stopped. Nothing was changed; try again in a moment.`,
  )
