import type { AnyElysia } from 'elysia'
import { ApiError } from './api-error'
import { target } from './security-headers'

/** A part of a request that a route has a schema for, or has not. */
export type Part = 'query' | 'body'

/** The methods of each path of the API, and the answer to all others. */
export interface Methods {
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
        const allowed = allowedOn.get(target(request.url).path)
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
