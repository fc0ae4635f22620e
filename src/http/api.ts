import { type AnyElysia, Elysia } from 'elysia'
import { DatabaseFull, DatabaseTooSlow, DatabaseUnavailable, type Session } from '../db/database'
import { parseTarget } from './answer'
import { ApiError, invalid } from './api-error'
import { errorResponse } from './error-format'
import { readJson, refuseMembers, type TextBody } from './request'
import { changed, type Outcome, type RunOnce, send, sendResource, type Tagged } from './responses'
import { toApiError } from './validation'

/** The parameters that may be repeated. Of any other, Elysia would silently drop all but the last value. */
const REPEATABLE: ReadonlySet<string> = new Set(['tag', 'label'])

/**
 * Refuses a query string that would not be read as it was sent: one with a repeated parameter, with bytes that are
 * not UTF-8, or with NUL, at which a text ends for SQLite.
 * @param hasParameters whether the route has any parameters; if not, all are refused
 * @throws ApiError invalid_request
 */
export function checkQuery(url: string, hasParameters = true): void {
  const start = url.indexOf('?')
  if (start < 0) return
  const seen = new Set<string>()
  for (const part of url.slice(start + 1).split('&')) {
    // The router decodes names as well: `%6cimit` is `limit`.
    const [name = ''] = (part.includes('%') ? decodePart(part) : part).split('=', 1)
    if (!hasParameters && part !== '') throw invalid(`/${name}`, 'invalid_value', `${name} is not known here`)
    if (seen.has(name) && !REPEATABLE.has(name)) throw invalid(`/${name}`, 'repeated', `${name} may be given only once`)
    seen.add(name)
  }
}

function decodePart(part: string): string {
  const [name = ''] = part.split('=', 1)
  if (part.includes('%00')) throw invalid(`/${name}`, 'unstorable_text', `${name} must not hold NUL`)
  try {
    return decodeURIComponent(part)
  } catch {
    throw invalid(`/${name}`, 'invalid_encoding', `${name} must be percent-encoded UTF-8`)
  }
}

interface Deps {
  readonly log: { error(fields: object, message: string): void }
  readonly requestId: (request: Request) => string
  /** Learns of a request that could not be served at all. */
  readonly noteUnserved?: (request: Request) => void
  /** A body is not read for any other method. */
  readonly methods: Pick<ReturnType<typeof createMethods>, 'find'>
  /** Paths whose routes take files and read them themselves. Everything else takes JSON. */
  readonly filePaths: readonly string[]
  /** Paths that also take JSON under the media type that `curl -d` sends. */
  readonly curlPaths: readonly string[]
  /** The text that a route takes besides JSON, by method and route: `POST /api/notes`. */
  readonly textBodies?: Readonly<Record<string, TextBody>>
}

/** The plugin that all routes share: the body parser, the check of the query string, and the format of errors. */
export function apiBasics({ log, requestId, noteUnserved, methods, filePaths, curlPaths, textBodies = {} }: Deps) {
  const takesFile = (route: string, method: string) => /^(POST|PUT)$/.test(method) && filePaths.includes(route)
  return new Elysia({ name: 'api-basics' })
    .onError({ as: 'global' }, ({ code, error, request }) => {
      const apiError = toApiError(code, error)
      const id = requestId(request)
      // What we throw ourselves is not logged; what is caused by the database is.
      if (apiError.code === 'internal' || error instanceof DatabaseUnavailable)
        log.error({ request_id: id, err: error }, `answered ${apiError.code}`)
      if (error instanceof DatabaseUnavailable && !(error instanceof DatabaseTooSlow || error instanceof DatabaseFull))
        noteUnserved?.(request)
      return errorResponse(apiError, parseTarget(request.url).path, id)
    })
    .onParse({ as: 'global' }, ({ request, route }) =>
      // Null, not undefined: otherwise Elysia's own parsers would run.
      methods.find(route, request.method) && !takesFile(route, request.method)
        ? readJson(request, curlPaths.includes(route), textBodies[`${request.method} ${route}`])
        : null,
    )
    .onTransform({ as: 'global' }, ({ request, route, body }) => {
      // Other paths (the pages) ignore the query.
      const declared = methods.find(route, request.method === 'HEAD' ? 'GET' : request.method)
      checkQuery(request.url, declared?.query ?? true)
      if (body !== null && body !== undefined && declared?.body === false && !takesFile(route, request.method))
        refuseMembers(body)
    })
}

/**
 * Turns off the validation of responses for all routes so far. It takes a tenth of the time of a request, and could
 * only replace a slightly wrong response by a 500. It stays on in tests, which find such responses.
 */
export function skipResponseValidation(app: AnyElysia): void {
  for (const { hooks } of app.routes)
    for (const [status, schema] of Object.entries(hooks.response ?? {}))
      hooks.response[status] = withoutValidation(schema)
}

/** Elysia's mark against validation is not enumerable, so the API document does not show it. */
function withoutValidation(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.defineProperty({ ...schema }, 'noValidate', { value: true })
}

/** Whether a method of a route has a schema for a part of the request. Without one the part must be empty. */
type Declared = Readonly<Record<'query' | 'body', boolean>>

export function createMethods() {
  const methodsOf = new Map<string, Map<string, Declared>>()
  return {
    /** Finds a method that a route has itself, other than by `answerOthers`. */
    find: (route: string, method: string): Declared | undefined => methodsOf.get(route)?.get(method),
    /**
     * Adds to each path of the app a response for the methods that it does not have: 405 with Allow, or 204 for OPTIONS.
     * Elysia alone would answer 404. Call it after all routes of /api are registered.
     */
    answerOthers(app: AnyElysia): void {
      for (const { path, method, hooks } of app.routes)
        if (path.startsWith('/api')) {
          const declared = { query: Boolean(hooks.query), body: Boolean(hooks.body) }
          methodsOf.getOrInsertComputed(path, () => new Map<string, Declared>()).set(method, declared)
        }
      const allowedOn = new Map([...methodsOf].map(([path, methods]) => [path, listAllowed(methods)]))
      // The router tries all patterns with the method before `.all`, so a PATCH of a fixed path would reach `/:id`.
      app.onRequest(({ request }) => {
        const allowed = allowedOn.get(parseTarget(request.url).path)
        if (allowed && !allowed.includes(request.method)) return answerOther(request, allowed)
      })
      for (const [path, allowed] of allowedOn)
        app.all(path, ({ request }) => answerOther(request, allowed), { detail: { hide: true } })
    },
  }
}

/** Answers OPTIONS with 204. @throws ApiError method_not_allowed for any other method */
function answerOther(request: Request, allowed: readonly string[]): Response {
  const allow = [...allowed, 'OPTIONS'].join(', ')
  if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: { Allow: allow } })
  throw new ApiError('method_not_allowed', `This path has the methods ${allow}.`, {}, { Allow: allow })
}

/** Lists the methods to allow; HEAD is allowed with GET. */
function listAllowed(methods: ReadonlyMap<string, Declared>): string[] {
  return ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(
    (method) => methods.has(method) || (method === 'HEAD' && methods.has('GET')),
  )
}

interface RequestDeps {
  /** Returns the session of a request. @throws ApiError unavailable while its workspace is being erased */
  readonly sessionOf: (request: Request) => Session
  readonly runOnce: RunOnce
  readonly requestIdOf: (request: Request) => string
}

class Reply {
  readonly #request: Request
  readonly #set: ResponseSettings
  readonly #requestIdOf: (request: Request) => string

  constructor(request: Request, set: ResponseSettings, requestIdOf: (request: Request) => string) {
    this.#request = request
    this.#set = set
    this.#requestIdOf = requestIdOf
  }

  get requestId(): string {
    return this.#requestIdOf(this.#request)
  }

  /** Responds with a resource that was read: 200 with its ETag, or 304 if the caller already has it. */
  read<Resource>(tagged: Tagged<Resource>): Resource {
    return sendResource(this.#request, this.#set, tagged)
  }

  /** Responds with a resource that was changed: 200 with its ETag. */
  changed<Resource>(tagged: Tagged<Resource>): Resource {
    return send(this.#set, changed(tagged))
  }

  /** Responds to a deletion: 204. */
  deleted(): void {
    this.#set.status = 204
  }

  send<Body>(outcome: Outcome<Body>): Body {
    return send(this.#set, outcome)
  }
}

type ResponseSettings = Parameters<typeof send>[0]

/**
 * The plugin that gives every route of the API `session`, the session of the request, and `reply`, which makes
 * responses. A route with `idempotent: true` also gets `once`, which does its work once for each Idempotency-Key and
 * responds with the outcome.
 */
export function requestPlugin({ sessionOf, runOnce, requestIdOf }: RequestDeps) {
  return new Elysia({ name: 'request' })
    .resolve({ as: 'scoped' }, ({ request, set }) => ({
      session: sessionOf(request),
      reply: new Reply(request, set, requestIdOf),
    }))
    .macro({
      idempotent: {
        resolve: ({ request, set, body }) => ({
          once: async <Body>(work: (session: Session) => Promise<Outcome<Body>>): Promise<Body> =>
            send(set, await runOnce(request, sessionOf(request), body, work)),
        }),
      },
    })
}

export type RequestPlugin = ReturnType<typeof requestPlugin>
