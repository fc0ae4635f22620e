/** Sends requests to the server that the page came from. The key travels in X-API-Key, and only there. */
import { signal } from '@preact/signals'
import { say } from '../words/say'

/** Address of the server, with a slash at the end: the app lies one folder below it. */
export const SERVER = new URL('../', document.baseURI).href

const TIMEOUT_MS = 30_000

/** The request reached nobody, or its answer did not arrive: it may or may not have been carried out. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
  constructor() {
    super(say`The server cannot be reached.`)
  }
}

/** The server refused a request. `message` is a sentence for people. */
export class Refused extends Error {
  override readonly name = 'Refused'
  constructor(
    readonly status: number,
    /** One of the stable codes of /docs/errors; `unknown` for an answer that is not Satchel's. */
    readonly code: string,
    message: string,
    /** Seconds after which a repeat may succeed; null if the server does not say. */
    readonly retryAfter: number | null,
  ) {
    super(message)
  }
}

/** What is left of the hour: the newest figures that the server sent; null before the first answer. */
export const hour = signal<{ limit: number; remaining: number; endsAt: number } | null>(null)

/** A clock of the device that is wrong by more than this is set right: the server refuses what is of its future. */
const MAX_SKEW_MS = 60_000

let skewMs: number | null = null

/** What the clock of the server is ahead of that of the device, in milliseconds, by its latest answer; null: there is none. */
export const clockSkewMs = (): number | null => skewMs

export interface Request {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** From the server's base address, such as `api/notes`. */
  readonly path: string
  /** Members that are undefined are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  /** Sent as JSON; a Blob is sent as it is. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Aborts the request. Without it, the request is given up after 30 seconds. */
  readonly signal?: AbortSignal
}

export type Api = ReturnType<typeof createApi>

/** Makes the functions that send requests with `key`; null: without one. */
export function createApi(key: string | null) {
  /**
   * Sends a request and returns its answer, whatever its body is.
   * @throws Refused for any status but 2xx; Unreachable; the reason of an aborted signal
   */
  async function open({ method = 'GET', path, query, body, headers, signal }: Request): Promise<Response> {
    const url = new URL(path, SERVER)
    for (const [name, value] of Object.entries(query ?? {}))
      if (value !== undefined) url.searchParams.set(name, String(value))
    const sent = new Headers({ Accept: 'application/json', ...headers })
    if (key !== null) sent.set('X-API-Key', key)
    const isJson = body !== undefined && !(body instanceof Blob)
    if (isJson) sent.set('Content-Type', 'application/json')
    const content = isJson ? JSON.stringify(body) : (body as Blob | undefined)
    const limit = signal ?? AbortSignal.timeout(TIMEOUT_MS)
    const response = await fetch(url, {
      method,
      headers: sent,
      signal: limit,
      ...(content !== undefined && { body: content }),
    }).catch((error: unknown) => {
      throw isStopped(signal) ? error : new Unreachable()
    })
    return accepted(response)
  }

  return {
    open,
    /** As `open`, for an answer in JSON: null if it has no body. What is not JSON was not written by the server. */
    async call<T>(request: Request): Promise<T> {
      const response = await open(request)
      const text = await response.text().catch(() => {
        throw isStopped(request.signal) ? request.signal?.reason : new Unreachable()
      })
      return readJson(text) as T
    },
  }
}

/** Takes note of what an answer says of the hour, and of the clock of the server. Throws Refused for any status but 2xx. */
export async function accepted(response: Response): Promise<Response> {
  readHour(response.headers)
  readClock(response.headers)
  if (!response.ok) throw await readRefusal(response)
  return response
}

/** Throws Unreachable for what the sign-in page of a network or a proxy answers in place of the server. */
export function readJson(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    throw new Unreachable()
  }
}

/** Whether the caller wanted no answer any more; a time limit of the caller is as good as no connection. */
const isStopped = (signal: AbortSignal | undefined) =>
  signal?.aborted === true && signal.reason?.name !== 'TimeoutError'

/** Reads `RateLimit: "api";r=998;t=3540`, as of draft-ietf-httpapi-ratelimit-headers. */
function readHour(headers: Headers): void {
  const [, remaining, seconds] = /;r=(\d+);t=(\d+)/.exec(headers.get('RateLimit') ?? '') ?? []
  const limit = headers.get('X-RateLimit-Limit')
  if (limit === null || remaining === undefined) return
  hour.value = { limit: Number(limit), remaining: Number(remaining), endsAt: Date.now() + Number(seconds) * 1000 }
}

function readClock(headers: Headers): void {
  const skew = Date.parse(headers.get('Date') ?? '') - Date.now()
  if (Number.isFinite(skew)) skewMs = Math.abs(skew) > MAX_SKEW_MS ? skew : 0
}

async function readRefusal(response: Response): Promise<Refused> {
  const text = await response.text().catch(() => '')
  const wait = response.headers.get('Retry-After')
  const problem = readProblem(text)
  return new Refused(
    response.status,
    problem?.code ?? 'unknown',
    problem?.detail ?? say`The server answered ${`${response.status} ${response.statusText}`.trim()}.`,
    wait === null || !/^\d+$/.test(wait) ? null : Number(wait),
  )
}

/** The code and the sentence of a problem (RFC 9457); null for a body of another make: a proxy may speak for the server. */
function readProblem(text: string): { code: string; detail: string } | null {
  try {
    const { code, detail } = JSON.parse(text)
    return typeof code === 'string' && typeof detail === 'string' ? { code, detail } : null
  } catch {
    return null
  }
}

/** What to say to a person about a failure. Throws what is none of the server or the network: a fault of the app. */
export function inWords(error: unknown): string {
  if (error instanceof Refused || error instanceof Unreachable) return error.message
  throw error
}
