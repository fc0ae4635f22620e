/** Serves public/ under the page's policy and answers the three endpoints it calls, until the app itself can be started here. */

import { join, normalize } from 'node:path'

const PUBLIC = join(import.meta.dir, '../../public')
const POLICY = { 'Content-Security-Policy': "default-src 'self'", 'X-Content-Type-Options': 'nosniff' }
const LIMITS = { free: 20, api: 1000 }
const HOUR_MS = 3_600_000

interface Caller {
  used: number
  notes: { id: string; title: string; body: string }[]
}

function usageOf(caller: Caller, tier: 'free' | 'api', now: number) {
  const history = Array.from({ length: 48 }, (_, at) => ({
    hour: new Date((Math.floor(now / HOUR_MS) - 47 + at) * HOUR_MS).toISOString(),
    used: at === 47 ? Math.min(caller.used, LIMITS[tier]) : 0,
    refused: at === 47 ? Math.max(0, caller.used - LIMITS[tier]) : 0,
  }))
  const empty = caller.notes.length === 0
  const workspace = {
    kind: tier === 'api' ? 'key' : 'scratch',
    created_at: empty ? null : new Date(now).toISOString(),
    expires_at: empty || tier === 'api' ? null : new Date(now + 24 * HOUR_MS).toISOString(),
    resources: caller.notes.length,
    size_bytes: JSON.stringify(caller.notes).length - 2,
    quotas:
      tier === 'api' ? { resources: 100_000, size_bytes: 256 * 2 ** 20 } : { resources: 200, size_bytes: 2 ** 20 },
  }
  const remaining = Math.max(0, LIMITS[tier] - caller.used)
  return { tier, limit: LIMITS[tier], remaining, reset_seconds: 1432, workspace, history }
}

function problem(status: number, code: string, detail: string) {
  const body = { type: `/docs/errors#${code}`, title: code, status, code, detail, error: detail, request_id: 'r1' }
  return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/problem+json' } })
}

async function route(request: Request, path: string, caller: Caller, tier: 'free' | 'api') {
  if (path === '/api/usage') return Response.json(usageOf(caller, tier, Date.now()))
  if (caller.used > LIMITS[tier]) return problem(429, 'rate_limited', 'Slow down, or add an API key (see /).')
  if (path === '/api/notes' && request.method === 'GET')
    return Response.json({ items: caller.notes, next_cursor: null })
  const sent = await request.json()
  if (path === '/api/notes') {
    const note = { id: String(caller.notes.length + 1), title: sent.title ?? 'Untitled', body: sent.body ?? '' }
    caller.notes.push(note)
    return Response.json(note, { status: 201 })
  }
  const content = String(sent.messages.at(-1).content)
  if (content.trim() === '') return problem(400, 'invalid_request', 'content must not be blank')
  const found = caller.notes.find(({ body }) => body !== '')
  const reply = found ? `From "${found.title}": "${found.body}" [1]` : 'I found no note that answers this.'
  return Response.json({
    message: { role: 'assistant', content: reply },
    citations: found ? [{ n: 1, id: found.id }] : [],
  })
}

/** Starts on a free port of the loopback address. */
export function startStandIn() {
  const callers = new Map<string, Caller>()
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const path = new URL(request.url).pathname
      if (!path.startsWith('/api/')) return serveFile(path)
      const key = request.headers.get('X-API-Key')
      const tier = key === null ? 'free' : 'api'
      const caller = callers.get(key ?? '') ?? { used: 0, notes: [] }
      callers.set(key ?? '', caller)
      if (path !== '/api/usage') caller.used++
      const response = await route(request, path, caller, tier)
      response.headers.set('X-Tier', tier)
      response.headers.set('X-RateLimit-Limit', String(LIMITS[tier]))
      response.headers.set('X-RateLimit-Remaining', String(Math.max(0, LIMITS[tier] - caller.used)))
      if (response.status === 429) response.headers.set('Retry-After', '1432')
      return response
    },
  })
  return { url: server.url.href, stop: () => server.stop(true) }
}

async function serveFile(path: string) {
  const file = Bun.file(join(PUBLIC, normalize(path === '/' ? '/index.html' : path)))
  if (!(await file.exists())) return new Response('Not found', { status: 404, headers: POLICY })
  return new Response(file, { headers: POLICY })
}
