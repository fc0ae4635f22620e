import type { AnyElysia } from 'elysia'
import { Refusal } from './problem'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** The methods of each path of the API, and the answer to all others. */
export interface Methods {
  /** Whether a route has the method itself; what only falls to `answerOthers` needs no body read. */
  has(route: string, method: string): boolean
  /**
   * Refuses a method that a fixed path does not have: the router would find `/notes/:id` for GET /notes/import before
   * any answer to all methods. Throws method_not_allowed.
   */
  require(path: string, method: string): void
  /**
   * Adds to each path of the app an answer for the methods that it does not have: 405 with Allow, or 204 to OPTIONS.
   * Elysia alone would say 404. Call it when all routes of /api are registered.
   */
  answerOthers(app: AnyElysia): void
}

export function createMethods(): Methods {
  const methodsOf = new Map<string, Set<string>>()
  return {
    has: (route, method) => methodsOf.get(route)?.has(method) ?? false,
    require(path, method) {
      const methods = methodsOf.get(path)
      const served = method === 'HEAD' ? 'GET' : method
      if (methods && METHODS.includes(served) && !methods.has(served)) throw notAllowed(allowed(methods))
    },
    answerOthers(app) {
      for (const { path, method } of app.routes) {
        if (path.startsWith('/api')) methodsOf.set(path, (methodsOf.get(path) ?? new Set()).add(method))
      }
      for (const [path, methods] of methodsOf) answerOthersAt(app, path, allowed(methods))
    },
  }
}

function answerOthersAt(app: AnyElysia, path: string, allow: string): void {
  app.all(
    path,
    ({ request }) => {
      if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: { Allow: allow } })
      throw notAllowed(allow)
    },
    { detail: { hide: true } },
  )
}

function notAllowed(allow: string): Refusal {
  return new Refusal('method_not_allowed', `This path answers ${allow}.`, {}, { Allow: allow })
}

/** The value of Allow: HEAD comes with GET, OPTIONS always works. */
function allowed(methods: ReadonlySet<string>): string {
  const all = ['GET', 'HEAD', ...METHODS.slice(1)].filter(
    (method) => methods.has(method) || (method === 'HEAD' && methods.has('GET')),
  )
  return [...all, 'OPTIONS'].join(', ')
}
