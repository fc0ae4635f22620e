import type { AnyElysia } from 'elysia'
import { Refusal } from './problem'

/**
 * Adds to each path of the app an answer for the methods that it does not have: 405 with Allow, or 204 to OPTIONS.
 * Elysia alone would say 404. Call it when all routes of /api are registered.
 */
export function answerOtherMethods(app: AnyElysia): void {
  const methodsOf = new Map<string, Set<string>>()
  for (const { path, method } of app.routes) {
    if (path.startsWith('/api')) methodsOf.set(path, (methodsOf.get(path) ?? new Set()).add(method))
  }
  for (const [path, methods] of methodsOf) {
    const allow = allowed(methods)
    // By name as well: else GET /notes/import would come to /notes/:id, which the router finds before any `all`.
    for (const method of METHODS.filter((known) => !methods.has(known)))
      app.route(method, path, ({ request }) => answer(request, allow), { detail: { hide: true } })
    app.all(path, ({ request }) => answer(request, allow), { detail: { hide: true } })
  }
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

function answer(request: Request, allow: string): Response {
  if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: { Allow: allow } })
  throw new Refusal('method_not_allowed', `This path answers ${allow}.`, {}, { Allow: allow })
}

/** The value of Allow: HEAD comes with GET, OPTIONS always works. */
function allowed(methods: ReadonlySet<string>): string {
  const all = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(
    (method) => methods.has(method) || (method === 'HEAD' && methods.has('GET')),
  )
  return [...all, 'OPTIONS'].join(', ')
}
