/** A gate on a small app of its own: every status, a settable clock and peer, a real meter file. */
import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Elysia } from 'elysia'
import { Meter } from '../../src/gate/counter'
import type { MeterOptions } from '../../src/gate/counter.sqlite'
import { createGate, type GateDeps } from '../../src/gate/gate'
import { createIdentity } from '../../src/gate/keys'
import type { GateSettings } from '../../src/gate/tiers'
import { ApiError, type ErrorCode, internal } from '../../src/http/api-error'
import { errorResponse } from '../../src/http/error-format'
import { TEMPORARY } from '../support/temporary'

export const SECRET = new Uint8Array(32).fill(7)
export const KEY = 'satchel_Qm7vX2pLr9TzK4wNc8HyB3sJd6FgA13finxh'
export const OTHER_KEY = 'satchel_SatchelGateTestVector00000007900YhCD'
export const HOUR_MS = 3_600_000
/** 08:36:08 in an hour: 1432 seconds are left. */
export const NOW = 500_000 * HOUR_MS + HOUR_MS - 1_432_000

/** Seconds to the end of the hour of NOW. */
export const REST = 1432
export const DAY_MS = 24 * HOUR_MS

export const SETTINGS: GateSettings = {
  freeLimitPerHour: 20,
  apiLimitPerHour: 1000,
  networkCeilingPerHour: 5000,
  newKeysPerDay: 20,
  trustedProxies: [],
  clientIpHeader: 'X-Forwarded-For',
  corsOrigin: '*',
}

/** A log that keeps its lines. */
export function makeLog() {
  const lines: string[] = []
  const write = (fields: object, message: string): void => {
    lines.push(`${message} ${JSON.stringify(fields, (_, v) => (v instanceof Error ? `${v.message} ${v.stack}` : v))}`)
  }
  return { lines, info: write, warn: write, error: write }
}

export function makeFolder(): string {
  return mkdtempSync(join(TEMPORARY, 'satchel-gate-'))
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}

export function makeMeter(folder: string, options: Partial<MeterOptions> = {}): Meter {
  return new Meter({
    path: join(folder, 'meter.db'),
    fingerprint: 'test',
    now: () => NOW,
    log: makeLog(),
    cacheEntries: 1000,
    retryMs: 5,
    ...options,
  })
}

export interface Options {
  settings?: Partial<GateSettings>
  meter?: Partial<MeterOptions>
  deps?: Partial<GateDeps>
  folder?: string
}

export interface Ask {
  from?: string | null
  key?: string
  method?: string
  headers?: Record<string, string>
  body?: string
}

export type World = ReturnType<typeof makeWorld>

/** The world. `call` asks without a socket, as `from`; `listen` opens one on loopback. */
export function makeWorld(options: Options = {}) {
  const folder = options.folder ?? makeFolder()
  const log = makeLog()
  const settings = { ...SETTINGS, ...options.settings }
  const meter = makeMeter(folder, { log, ...options.meter })
  const time = { now: NOW }
  const peers = new WeakMap<Request, string | null>()
  const owned = new Set<string>()
  let listening = false
  const identity = createIdentity(SECRET)
  const door = createGate({
    settings,
    meter,
    identity,
    log,
    now: () => time.now,
    ids: () => Bun.randomUUIDv7(),
    workspaceIsEmpty: async (id) => !owned.has(id),
    peer: (request, server) =>
      listening ? (server?.requestIP(request)?.address ?? null) : (peers.get(request) ?? null),
    ...options.deps,
  })
  const app = makeApp(door)
  return {
    app,
    folder,
    log,
    meter,
    time,
    door,
    identity,
    /** Workspaces that hold something. */
    owned,
    async call(path: string, ask: Ask = {}): Promise<Response> {
      const { from = '203.0.113.9', key, method = 'GET', headers = {}, body } = ask
      const request = new Request(`http://localhost${path}`, {
        method,
        headers: { ...headers, ...(key === undefined ? {} : { 'X-API-Key': key }) },
        ...(body === undefined ? {} : { body }),
      })
      peers.set(request, from)
      return await app.handle(request)
    },
    listen(): number {
      listening = true
      app.listen({ port: 0, hostname: '127.0.0.1' })
      return app.server?.port ?? 0
    },
    async close(): Promise<void> {
      if (app.server) await app.stop(true)
      meter.close()
      if (!options.folder) removeFolder(folder)
    },
  }
}

/** Routes that answer with each status, and faults that escape Elysia. */
function makeApp(door: ReturnType<typeof createGate>) {
  const stream = () => new Response('a\nb\n', { headers: { 'Content-Type': 'text/plain', Vary: 'Accept' } })
  const refuse = (code: ErrorCode) => (): never => {
    throw new ApiError(code, 'No.')
  }
  const crash = (): never => {
    throw new Error('secret detail')
  }
  return new Elysia({
    handler: { standardHostname: false },
    normalize: false,
    serve: { hostname: '127.0.0.1', reusePort: false, maxRequestBodySize: Number.MAX_SAFE_INTEGER },
  })
    .onError({ as: 'global' }, ({ code, error, request }) => {
      const { pathname } = new URL(request.url)
      const id = door.contextOf(request)?.requestId ?? 'outside'
      if (error instanceof ApiError) return errorResponse(error, pathname, id)
      if (code === 'PARSE' && error.cause instanceof ApiError) return errorResponse(error.cause, pathname, id)
      if (code === 'NOT_FOUND') return errorResponse(new ApiError('not_found', 'There is nothing here.'), pathname, id)
      if (pathname === '/api/throwing-error-hook') throw new Error('the error hook failed')
      return errorResponse(internal(), pathname, id)
    })
    .use(door.plugin)
    .onParse(async ({ request }) => {
      const text = await request.text()
      if (text === '') return null
      if (request.headers.get('content-type') !== 'application/json') {
        throw new ApiError('unsupported_media_type', 'Send JSON.')
      }
      if (text.length > 100) throw new ApiError('too_large', 'At most 100 bytes.')
      try {
        return JSON.parse(text)
      } catch {
        throw new ApiError('invalid_json', 'The body is not JSON.')
      }
    })
    .get('/api', () => ({ name: 'test' }))
    .get('/api/ok', ({ request }) => ({ tier: door.callerOf(request).tier, ...door.callerOf(request).workspace }))
    .get('/api/usage', async ({ request }) => await door.callerOf(request).usage())
    .post('/api/echo', ({ body }) => new Response(JSON.stringify(body), { status: 201, headers: { Location: '/x' } }))
    .get('/api/static', 'fixed')
    .get('/api/204', () => new Response(null, { status: 204 }))
    .get('/api/304', () => new Response(null, { status: 304, headers: { ETag: '"1"' } }))
    .get('/api/400', () => errorResponse(new ApiError('invalid_request', 'No.'), '/api/400', 'x'))
    .get('/api/412', refuse('precondition_failed'))
    .all('/api/405', () =>
      errorResponse(new ApiError('method_not_allowed', 'No.', {}, { Allow: 'GET' }), '/api/405', 'x'),
    )
    .get('/api/quota', refuse('quota_exceeded'))
    .get('/api/crash', crash)
    .get('/api/throwing-error-hook', crash)
    .get('/api/bad-header', ({ set }) => {
      set.headers['x-bad'] = 'a\r\nb: c'
      return 'x'
    })
    .get('/api/response-error', () => Response.error())
    .get('/api/redirect', () => Response.redirect('http://localhost/x', 302))
    .get(
      '/api/forged',
      () => new Response('x', { headers: { 'X-Tier': 'gold', 'X-RateLimit-Remaining': '7', RateLimit: 'x' } }),
    )
    .get('/api/stream', stream)
    .get('/api/item/:id', ({ params }) => params.id)
    .get('/', () => 'page')
    .get('/healthz', () => 'ok')
    .get('/outside', ({ request }) => door.callerOf(request).tier)
}

/** How often `policy` was charged, from the file itself; the meter must be closed. */
export function counted(folder: string, sql: string): unknown[][] {
  const db = new Database(join(folder, 'meter.db'))
  try {
    return db.query(sql).values() as unknown[][]
  } finally {
    db.close()
  }
}
