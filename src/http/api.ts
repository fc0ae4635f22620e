import { type AnyElysia, Elysia } from 'elysia'
import { ApiError, errorResponse, invalid } from './api-error'
import { readJson, refuseMembers } from './body'
import { parseTarget } from './security-headers'
import { toApiError } from './validation'

/** The parameters that may stand more than once; of any other, all but the last would be dropped silently. */
const REPEATABLE: ReadonlySet<string> = new Set(['tag'])

/**
 * Refuses a query string that would not be read as it was sent: a parameter given twice, or bytes that are not UTF-8,
 * which would become another text; and any parameter where the route has none (`taken` is false). Throws
 * invalid_request.
 */
export function checkQuery(url: string, taken = true): void {
  const start = url.indexOf('?')
  if (start < 0) return
  const seen = new Set<string>()
  for (const part of url.slice(start + 1).split('&')) {
    // The router decodes names as well: `%6cimit` is `limit`.
    const [name = ''] = (part.includes('%') ? decoded(part) : part).split('=', 1)
    if (!taken && part !== '') throw invalid(`/${name}`, 'invalid_value', `${name} is not known here`)
    if (seen.has(name) && !REPEATABLE.has(name)) throw invalid(`/${name}`, 'repeated', `${name} may be given only once`)
    seen.add(name)
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    const [name = ''] = part.split('=', 1)
    throw invalid(`/${name}`, 'invalid_encoding', `${name} must be percent-encoded UTF-8`)
  }
}

interface Deps {
  readonly log: { error(fields: object, message: string): void }
  /** The id that ties an answer to the log. */
  readonly requestId: (request: Request) => string
  /** Whether a route is there for the method; a body is read for no other. */
  readonly hasMethod: (route: string, method: string) => boolean
  /** Whether a route has a schema for a part of the request; where it has none, it takes nothing. */
  readonly declares: Methods['declares']
  /** Paths whose routes take files and read them themselves. Everything else takes JSON. */
  readonly filePaths: readonly string[]
}

/** What all routes share: one body parser, one look at the query string, and one shape of error. */
export function apiBasics({ log, requestId, hasMethod, declares, filePaths }: Deps) {
  const takesFile = (route: string, method: string) => /^(POST|PUT)$/.test(method) && filePaths.includes(route)
  return new Elysia({ name: 'api-basics' })
    .onError({ as: 'global' }, ({ code, error, request }) => {
      const refusal = toApiError(code, error)
      const id = requestId(request)
      // The 503 of a refusal of ours has no cause worth a line; a fault of the database has.
      if (refusal.code === 'internal' || (refusal.code === 'unavailable' && !(error === refusal)))
        log.error({ request_id: id, err: error }, `answered ${refusal.code}`)
      return errorResponse(refusal, parseTarget(request.url).path, id)
    })
    .onParse({ as: 'global' }, ({ request, route }) =>
      // Null, not undefined: that would wake Elysia's own parsers.
      hasMethod(route, request.method) && !takesFile(route, request.method) ? readJson(request) : null,
    )
    .onTransform({ as: 'global' }, ({ request, route, body }) => {
      // What is no route of /api (the pages) reads no query, nor minds one.
      const ours = hasMethod(route, request.method === 'HEAD' ? 'GET' : request.method)
      checkQuery(request.url, !ours || declares(route, request.method, 'query'))
      if (ours && !declares(route, request.method, 'body') && !takesFile(route, request.method)) refuseMembers(body)
    })
}

/**
 * Sends the answers of all routes there are as their handlers give them: to check each against its schema takes a tenth of
 * a request, and would at best make a 500 of an answer that is a little off. The tests leave it on, and so find those.
 */
export function skipResponseValidation(app: AnyElysia): void {
  for (const { hooks } of app.routes)
    for (const [status, schema] of Object.entries(hooks.response ?? {})) hooks.response[status] = unchecked(schema)
}

/** Elysia's own mark. It is not enumerable: the OpenAPI document has no such word. */
function unchecked(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.defineProperty({ ...schema }, 'noValidate', { value: true })
}

/** A part of a request that a route has a schema for, or has not. */
type Part = 'query' | 'body'

/** The methods of each path of the API, and the answer to all others. */
interface Methods {
  /** Whether a route has the method itself; what only falls to `answerOthers` needs no body read. */
  has(route: string, method: string): boolean
  /** Whether the route says what it takes there. Where it does not, it takes nothing. */
  declares(route: string, method: string, part: Part): boolean
  /**
   * Adds to each path of the app an answer for the methods that it does not have: 405 with Allow, or 204 to OPTIONS.
   * Elysia alone would say 404. Call it when all routes of /api are registered.
   */
  answerOthers(app: AnyElysia): void
}

export function createMethods(): Methods {
  const methodsOf = new Map<string, Set<string>>()
  const declared = { query: new Set<string>(), body: new Set<string>() }
  return {
    has: (route, method) => methodsOf.get(route)?.has(method) ?? false,
    declares: (route, method, part) => declared[part].has(`${method === 'HEAD' ? 'GET' : method} ${route}`),
    answerOthers(app) {
      for (const { path, method, hooks } of app.routes) {
        if (path.startsWith('/api')) methodsOf.set(path, (methodsOf.get(path) ?? new Set()).add(method))
        for (const part of ['query', 'body'] as const) if (hooks[part]) declared[part].add(`${method} ${path}`)
      }
      const allowedOn = new Map([...methodsOf].map(([path, methods]) => [path, allowed(methods)]))
      // The router tries every pattern with the method before it tries `.all`: PATCH of a fixed path would reach `/:id`.
      app.onRequest(({ request }) => {
        const allowed = allowedOn.get(parseTarget(request.url).path)
        if (allowed && !allowed.includes(request.method)) return answerOther(request, allowed)
      })
      for (const [path, allowed] of allowedOn)
        app.all(path, ({ request }) => answerOther(request, allowed), { detail: { hide: true } })
    },
  }
}

/** 204 to OPTIONS; any other method is refused. */
function answerOther(request: Request, allowed: readonly string[]): Response {
  const allow = [...allowed, 'OPTIONS'].join(', ')
  if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: { Allow: allow } })
  throw new ApiError('method_not_allowed', `This path answers ${allow}.`, {}, { Allow: allow })
}

/** HEAD comes with GET. */
function allowed(methods: ReadonlySet<string>): string[] {
  return ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(
    (method) => methods.has(method) || (method === 'HEAD' && methods.has('GET')),
  )
}
