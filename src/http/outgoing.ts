/** An answer is wrong, late or missing. The message is for the log; callers see what chat or search makes of it. */
export class AnswerFault extends Error {
  override readonly name = 'AnswerFault'
  readonly excerpt: string
  readonly status: number | null
  readonly retryAfterMs: number | null
  readonly code: 'upstream_failed' | 'upstream_timeout'

  /**
   * `excerpt`: the start of its answer; `status`: that of its response, if that is the fault; `retryAfterMs`: how long
   * it asked us to wait.
   */
  constructor(
    message: string,
    {
      excerpt = '',
      status = null,
      retryAfterMs = null,
      code = 'upstream_failed',
    }: Partial<Pick<AnswerFault, 'excerpt' | 'status' | 'retryAfterMs' | 'code'>> = {},
  ) {
    super(message)
    this.excerpt = excerpt
    this.status = status
    this.retryAfterMs = retryAfterMs
    this.code = code
  }

  /** Whether the fault stays until the operator changes the settings: a refused key, or an address that redirects. */
  get lasting(): boolean {
    return this.status !== null && (this.status === 401 || this.status === 403 || this.status < 400)
  }
}

export interface OtherServer {
  /** The base address, with a version if it has one: `https://host/v1`. */
  readonly baseUrl: string
  /** The bearer token, which is sent to `baseUrl` alone; null if the server needs none. */
  readonly apiKey: string | null
}

/** Posts JSON to a path below the base URL. It follows no redirect, which would send the key to another server. */
export function postJson({ baseUrl, apiKey }: OtherServer, path: string, body: object, signal: AbortSignal) {
  return fetch(baseUrl.replace(/\/+$/, '') + path, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(apiKey === null ? {} : { Authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify(body),
    redirect: 'manual',
    signal,
    // Bun's own limit of five minutes could be shorter than ours.
    timeout: false,
  })
}

/** Turns an error of the network, which has a code, into an AnswerFault; returns any other error as it is. */
export function toAnswerFault(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : null
  return error instanceof AnswerFault || code === null ? error : new AnswerFault(`the connection failed: ${code}`)
}

/** How long a busy server asks us to wait, in milliseconds: `Retry-After` has seconds or a date; null without one. */
export function readRetryAfter({ status, headers }: Response, now: number): number | null {
  const after = headers.get('retry-after')?.trim() ?? ''
  if ((status !== 429 && status !== 503) || after === '') return null
  const ms = /^\d+$/.test(after) ? Number(after) * 1000 : Math.max(0, parseHttpDate(after) - now)
  return Number.isNaN(ms) ? null : ms
}

/** Parses the date of a header, which has one format. Date.parse alone would also accept other texts, such as 6.5. */
function parseHttpDate(text: string): number {
  return /^[A-Z][a-z]{2}, .* GMT$/.test(text) ? Date.parse(text) : Number.NaN
}

export function mediaTypeOf(contentType: string | null): string {
  return (contentType?.split(';')[0] ?? '').trim().toLowerCase()
}

/** Reads the text of a body. @throws AnswerFault over `limit` UTF-16 units */
export async function readWholeText(chunks: AsyncIterable<Uint8Array>, limit: number): Promise<string> {
  const decoder = new TextDecoder()
  const parts: string[] = []
  let length = 0
  for await (const chunk of chunks) {
    const part = decoder.decode(chunk, { stream: true })
    parts.push(part)
    length += part.length
    if (length > limit) throw new AnswerFault(`the answer is over ${limit / 2 ** 20} MiB`, { excerpt: parts[0] ?? '' })
  }
  return parts.join('') + decoder.decode()
}

/** Bytes that are read of a failed answer: more than the log shows, so that no API key is cut before it is masked. */
const MAX_EXCERPT_BYTES = 8 * 1024

/** Reads the start of a body; the rest is not read. */
export async function readExcerpt(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let excerpt = ''
  for await (const chunk of chunks) {
    excerpt += decoder.decode(chunk.subarray(0, MAX_EXCERPT_BYTES), { stream: true })
    if (excerpt.length >= MAX_EXCERPT_BYTES) break
  }
  return excerpt
}

// The answer of another server is untrusted: every member may be missing, null or of another type.

/** Returns a member of a value; undefined if the value is not an object or has no such member. */
export function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}

/** Returns a text; '' for any other value. Joins the text parts if it is a list of content parts. */
export function toText(value: unknown): string {
  if (Array.isArray(value))
    return value.map((part) => (member(part, 'type') === 'text' ? toText(member(part, 'text')) : '')).join('')
  return typeof value === 'string' ? value : ''
}

/** Returns a list; an empty one for any other value. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Returns a whole number from 0; null for any other value. */
export function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

/** Parses the JSON of an answer. @throws AnswerFault if it is not JSON, or is an error */
export function parseAnswer(json: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    if (error instanceof SyntaxError) throw new AnswerFault('the answer is not JSON', { excerpt: json })
    throw error
  }
  if ((member(value, 'error') ?? null) !== null) throw new AnswerFault('the answer is an error', { excerpt: json })
  return value
}

/** A time limit as a signal, which is aborted with an `upstream_timeout` when the time is over. */
export class TimeLimit {
  readonly #controller = new AbortController()
  readonly #message: string
  #timer: ReturnType<typeof setTimeout> | undefined

  /** @param message says what took too long, for the log */
  constructor(message: string) {
    this.#message = message
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  set(ms: number): void {
    this.stop()
    const expire = () => this.#controller.abort(new AnswerFault(this.#message, { code: 'upstream_timeout' }))
    this.#timer = setTimeout(expire, ms)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
