/**
 * What is wrong with an answer of a server that is not ours, in words for the log. Callers see what the engine of chat
 * and the encoder of search make of it.
 */
export class AnswerFault extends Error {
  override readonly name = 'AnswerFault'
  readonly excerpt: string
  readonly status: number | null
  readonly retryAfterMs: number | null
  readonly code: 'upstream_failed' | 'upstream_timeout'

  /**
   * `excerpt`: what the server sent, as far as it was kept; `status`: of its response, where that is what failed;
   * `retryAfterMs`: how long it asked us to wait.
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

  /** Whether it will stay until somebody changes the settings: a key that is not taken, an address that moved. */
  get lasting(): boolean {
    return this.status !== null && (this.status === 401 || this.status === 403 || this.status < 400)
  }
}

/** Requests to a server of somebody else's, which the operator has named. */

export interface OtherServer {
  /** With the version where the server has one: `https://host/v1`. */
  readonly baseUrl: string
  /** Sent as a bearer token to `baseUrl` alone; null where the server wants none. */
  readonly apiKey: string | null
}

/** Posts JSON to a path below the base URL. Nothing goes anywhere else: redirects are answers, since the key would go with them. */
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
    // Bun's own limit of five minutes would cut what ours allow.
    timeout: false,
  })
}

/** Failures of the network carry a code; anything else that is thrown is a fault of ours and stays what it is. */
export function toAnswerFault(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : null
  return error instanceof AnswerFault || code === null ? error : new AnswerFault(`the connection failed: ${code}`)
}

/** How long a busy server wants us to wait, in milliseconds: `Retry-After` in seconds or as a date. Null: it does not say. */
export function readRetryAfter({ status, headers }: Response, now: number): number | null {
  const after = headers.get('retry-after')?.trim() ?? ''
  if ((status !== 429 && status !== 503) || after === '') return null
  const ms = /^\d+$/.test(after) ? Number(after) * 1000 : Math.max(0, dateOf(after) - now)
  return Number.isNaN(ms) ? null : ms
}

/** The platform takes many things for dates, such as 6.5; in a header a date is of one form. */
function dateOf(text: string): number {
  return /^[A-Z][a-z]{2}, .* GMT$/.test(text) ? Date.parse(text) : Number.NaN
}

/** The media type of a Content-Type, without its parameters. */
export function mediaTypeOf(contentType: string | null): string {
  return (contentType?.split(';')[0] ?? '').trim().toLowerCase()
}

/** The text of a body. Throws an AnswerFault over `limit` UTF-16 units. */
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

/** Bytes of a failing answer that are read at all: more than the log takes, so that a key at the cut is seen whole. */
const EXCERPT_BYTES = 8 * 1024

/** The start of a body; the rest is left unread. */
export async function readExcerpt(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let excerpt = ''
  for await (const chunk of chunks) {
    excerpt += decoder.decode(chunk.subarray(0, EXCERPT_BYTES), { stream: true })
    if (excerpt.length >= EXCERPT_BYTES) break
  }
  return excerpt
}

/** JSON of a server that promises nothing: everything of it may be missing, null or of another type. */

/** A member of what may be an object; undefined if it is none or has none. */
export function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}

/** A text; anything else is none. Content that comes as an array of parts is that of its text parts. */
export function text(value: unknown): string {
  if (Array.isArray(value))
    return value.map((part) => (member(part, 'type') === 'text' ? text(member(part, 'text')) : '')).join('')
  return typeof value === 'string' ? value : ''
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A count from 0; null if it is none. */
export function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

/** Throws an AnswerFault for what is no JSON, and for an error in the place of an answer. */
export function parseAnswer(json: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    if (error instanceof SyntaxError) throw new AnswerFault('the answer is no JSON', { excerpt: json })
    throw error
  }
  if ((member(value, 'error') ?? null) !== null) throw new AnswerFault('the answer is an error', { excerpt: json })
  return value
}

/** A time limit as a signal: aborted with an `upstream_timeout` when the time set last is over. */
export class TimeLimit {
  readonly #controller = new AbortController()
  readonly #what: string
  #timer: ReturnType<typeof setTimeout> | undefined

  /** `what` took too long, for the log. */
  constructor(what: string) {
    this.#what = what
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Starts the time again. */
  set(ms: number): void {
    this.stop()
    const expire = () => this.#controller.abort(new AnswerFault(this.#what, { code: 'upstream_timeout' }))
    this.#timer = setTimeout(expire, ms)
  }

  /** Without a time set the limit is never reached. */
  stop(): void {
    clearTimeout(this.#timer)
  }
}
