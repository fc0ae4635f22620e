import { Elysia } from 'elysia'
import { readJson, refuseMembers } from './body'
import { refusalOf } from './errors'
import type { Methods } from './methods'
import { problem } from './problem'
import { checkQuery } from './query'
import { target } from './target'

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
      const refusal = refusalOf(code, error)
      const id = requestId(request)
      // The 503 of a refusal of ours has no cause worth a line; a fault of the database has.
      if (refusal.code === 'internal' || (refusal.code === 'unavailable' && !(error === refusal)))
        log.error({ request_id: id, err: error }, `answered ${refusal.code}`)
      return problem(refusal, target(request.url).path, id)
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
