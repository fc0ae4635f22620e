/**
 * The gate: identifies the caller and decides whether the request may pass. Every request under /api passes it once,
 * before routing, parsing and validation. Every response gets its headers, whatever made it.
 */
import { Elysia } from 'elysia'
import type { Log, Workspace } from '../db/database'
import { compressAnswer, parseTarget, setSecurityHeaders } from '../http/answer'
import { ApiError, internal } from '../http/api-error'
import { Deadline, deadlineOf } from '../http/deadline'
import { errorResponse } from '../http/error-format'
import { startTimer, type Timer } from '../lib/steps'
import { Admission, type AdmissionDeps, type Caller, isPreflight } from './admission'
import { Clients, hasOneHost, Warnings } from './clients'
import { resolveHour } from './counter'
import { type Counter, type GateSettings, HOUR_MS, type OpenCounter, type Tier } from './tiers'

/** The part of Bun's server that finds the address of a peer, and sets after how many silent seconds it cuts a connection. */
export interface PeerLookup {
  requestIP(request: Request): { address: string } | null
  timeout?(request: Request, seconds: number): void
}

export interface GateDeps extends AdmissionDeps {
  meter: Counter & Pick<OpenCounter, 'hour'>
  /** Milliseconds since 1970. */
  now: () => number
  log: Log
  /** Whether others can read the file of the secret, which causes a warning. */
  isSecretReadable?: boolean
  /** Returns the address of the peer, or null. */
  peer?: (request: Request, server: PeerLookup | null) => string | null
  observer?: TrafficObserver
  /** Replaces setTimeout in tests, for the time in which requests are answered. */
  timer?: Timer
  /** The paths whose answers have no common time limit. */
  mayTakeLonger?: ReadonlySet<string>
  /** Called for each request for a scratch space, refused or not, with its hour since 1970. Must not throw or block. */
  noteScratchRequest?: (workspace: Workspace, hour: number) => void
  requestIdOutsideApi?: (request: Request) => string
}

/** Observes every response, under /api or not. Its methods must not throw. */
interface TrafficObserver {
  begin(): number
  /** Called before a response is sent. `admission` is null outside /api. */
  recordAnswer(
    request: Request,
    status: number,
    admission: Pick<Admission, 'path' | 'requestId' | 'tier'> | null,
    began: number,
  ): void
}

export function createGate(deps: GateDeps) {
  const gate = new Gate(deps)
  return {
    /** `use` it once, at the top level of the app, before all other plugins. */
    plugin: pluginOf(gate),
    /** @throws Error if the request did not pass the gate, so a bypass is noticed */
    callerOf(request: Request): Caller {
      const admission = gate.admissions.get(request)
      if (!admission?.isAdmitted) throw new Error('This request did not pass the gate.')
      return admission
    },
    /** The id and tier of a request under /api, for the log and for errors, even if refused; null outside /api. */
    contextOf: (request: Request): { readonly requestId: string; readonly tier: Tier } | null =>
      gate.admissions.get(request) ?? null,
    /** Learns that the server could not begin to serve a request, which is given back what it was charged. */
    noteUnserved: (request: Request): void => gate.admissions.get(request)?.leaveUnserved(),
    /** The warnings given so far, for /metrics. */
    warnings: gate.warnings.given,
  }
}

/** Time after which a silent connection is cut, unless the answer is still being made. */
export const IDLE_SECONDS = 30
/** A clock that is behind by less than this causes no warning, since those of several machines always differ a little. */
const MAX_CLOCK_DIFFERENCE_MS = 60_000

type Handle = (request: Request) => Response | Promise<Response>

function pluginOf(gate: Gate) {
  return (
    new Elysia({ name: 'gate' })
      // Elysia decides from the source text of a hook whether to await it; it awaits an arrow that returns a call, as
      // here.
      .onRequest(({ request, server }) => gate.receive(request, server))
      .wrap((next) => async (received: Request): Promise<Response> => {
        const request = addHostToProbe(received)
        const began = gate.observer?.begin() ?? 0
        let answer: Response
        try {
          // Elysia types `next` as a handler of its context; it is the fetch function.
          const handled = (next as unknown as Handle)(request)
          answer = handled instanceof Promise ? await gate.answerInTime(request, handled) : handled
        } catch (error) {
          answer = gate.failWith500(request, error)
        }
        gate.endDeadline(request)
        const admission = gate.admissions.get(request) ?? null
        if (admission?.isUnserved) await admission.giveBack()
        const packed = compressAnswer(request, gate.finishResponse(request, answer))
        const finished = packed instanceof Promise ? await packed : packed
        gate.observer?.recordAnswer(request, finished.status, gate.admissions.get(request) ?? null, began)
        return finished
      })
  )
}

/** Probes whose answers depend on no header. Health checks over HTTP/1.0, as those of HAProxy, send them without a Host. */
const PROBES = ['/healthz', '/readyz']
const PROBE_METHODS = ['GET', 'HEAD', 'OPTIONS']

/** Gives a probe without a Host the URL that the router finds its route by. Returns all other requests as they are. */
function addHostToProbe(request: Request): Request {
  const { url, method, headers } = request
  if (!PROBES.includes(url) || headers.get('host') || !PROBE_METHODS.includes(method)) return request
  return new Request(`http://localhost${url}`, { method })
}

/** Returns the address of the peer; null without a server or after the connection has closed. */
export function peerOf(request: Request, server: PeerLookup | null): string | null {
  return server?.requestIP(request)?.address ?? null
}

class Gate {
  readonly admissions = new WeakMap<Request, Admission>()
  readonly warnings: Warnings
  readonly observer: TrafficObserver | undefined
  readonly #deps: GateDeps
  readonly #clients: Clients
  readonly #peer: NonNullable<GateDeps['peer']>
  readonly #timer: Timer
  /** The servers of requests whose connections are not cut before the answer. */
  readonly #holding = new WeakMap<Request, PeerLookup>()
  #hour: number

  constructor(deps: GateDeps) {
    this.#deps = deps
    this.observer = deps.observer
    this.#hour = deps.meter.hour
    this.#peer = deps.peer ?? peerOf
    this.#timer = deps.timer ?? startTimer
    this.warnings = new Warnings(deps.log)
    this.#clients = new Clients(deps.settings, deps.identity, this.warnings)
    if (deps.isSecretReadable) this.warnings.warn('secret_readable')
  }

  /** Decides and counts. Returns a response if the request ends here. Never throws: Elysia would answer 200. */
  async receive(request: Request, server: PeerLookup | null): Promise<Response | undefined> {
    try {
      const { absolute, path } = parseTarget(request.url)
      const hasValidHost = absolute && hasOneHost(request.headers)
      if (!isApiPath(path)) return hasValidHost ? undefined : errorResponse(invalidHost(), path, this.#idOf(request))
      const admission = this.#createAdmission(request, path)
      this.#startDeadline(request, path, server)
      // Read before any await: once the connection is closed, the peer has no address.
      admission.client = this.#clients.findNetwork(this.#peer(request, server), request.headers)
      admission.site = this.#clients.readSite(request)
      if (admission.site.isHostRewritten) this.warnings.warn('host_rewritten')
      const refusal = await admission.decide(request)
      if (hasValidHost && admission.tier === 'free')
        this.#deps.noteScratchRequest?.(admission.workspace, admission.hour)
      if (refusal) return refusal
      // Without a valid Host the router would see another path than the gate.
      if (!hasValidHost) return errorResponse(invalidHost(), path, admission.requestId)
      admission.isAdmitted = true
      return undefined
    } catch (error) {
      return this.failWith500(request, error)
    }
  }

  #startDeadline(request: Request, path: string, server: PeerLookup | null): void {
    const { isExempt } = new Deadline(request, this.#timer, this.#deps.mayTakeLonger?.has(path) ?? false)
    const hasBody = request.method !== 'GET' && request.method !== 'HEAD'
    // Bun would cut a body that arrives slowly, and an answer that takes long, without a status.
    if (!server?.timeout || !(hasBody || isExempt)) return
    server.timeout(request, 0)
    this.#holding.set(request, server)
  }

  /** Waits for the response, but no longer than the deadline of the request. */
  async answerInTime(request: Request, handled: Promise<Response>): Promise<Response> {
    const deadline = deadlineOf(request)
    const first = await (deadline ? Promise.race([handled, deadline.refused]) : handled)
    if (first instanceof Response) return first
    // What comes too late is not sent.
    handled.then((response) => response.body?.cancel()).catch(() => {})
    return errorResponse(first, parseTarget(request.url).path, this.#idOf(request))
  }

  endDeadline(request: Request): void {
    deadlineOf(request)?.end()
    this.#holding.get(request)?.timeout?.(request, IDLE_SECONDS)
  }

  /** The decision is provisional, so that even a failure of the gate has the headers. */
  #createAdmission(request: Request, path: string): Admission {
    const now = this.#deps.now()
    const present = Math.floor(now / HOUR_MS)
    // Another process may have counted in a later hour, if it shares the counter.
    const last = Math.max(this.#hour, this.#deps.meter.hour)
    const hour = resolveHour(last, present)
    if (hour < last) this.warnings.warn('clock_was_ahead')
    else if (now < hour * HOUR_MS - MAX_CLOCK_DIFFERENCE_MS) this.warnings.warn('clock_behind')
    this.#hour = hour
    const apiKey = isPreflight(request) ? null : this.#clients.readApiKey(request.headers)
    const admission = new Admission(this.#deps, path, apiKey, this.#hour, now)
    this.admissions.set(request, admission)
    return admission
  }

  #idOf(request: Request): string {
    return this.admissions.get(request)?.requestId ?? this.#deps.requestIdOutsideApi?.(request) ?? this.#deps.ids()
  }

  /** Logs an error and makes a generic 500. */
  failWith500(request: Request, error: unknown): Response {
    this.#deps.log.error({ err: error, request_id: this.admissions.get(request)?.requestId }, 'a request failed')
    return errorResponse(internal(), parseTarget(request.url).path, this.#idOf(request))
  }

  /** Sets the headers of every response, and those of the gate under /api. Returns the response, or a copy of it. */
  finishResponse(request: Request, response: Response): Response {
    const answer =
      response.type === 'error'
        ? this.failWith500(request, new Error('A handler returned Response.error().'))
        : response
    const known = this.admissions.get(request)
    const path = known?.path ?? parseTarget(request.url).path
    // The gate may have failed before it made the admission. The headers are needed all the same.
    const admission = known ?? (isApiPath(path) ? this.#createAdmission(request, path) : null)
    try {
      return this.#stampHeaders(request, path, admission, answer)
    } catch {
      // The headers of some responses (redirects, fetched ones) are immutable; those of a copy are not.
      return this.#stampHeaders(request, path, admission, new Response(answer.body, answer))
    }
  }

  #stampHeaders(request: Request, path: string, admission: Admission | null, answer: Response): Response {
    setSecurityHeaders(answer, path)
    if (!admission) return answer
    if (!answer.headers.has('cache-control')) answer.headers.set('Cache-Control', 'no-store')
    admission.setHeaders(answer.headers)
    allowOrigin(answer.headers, this.#deps.settings.corsOrigin, request)
    return answer
  }
}

/** Whether a path is under /api. Case matters and nothing is decoded, so that gate and router see the same path. */
const isApiPath = (path: string): boolean => path.startsWith('/api') && (path.length === 4 || path[4] === '/')

const invalidHost = () =>
  new ApiError(
    'invalid_request',
    'The Host header is missing, was sent twice, or is not a host name with an optional port.',
  )

/** The headers that scripts of other origins may read. */
const EXPOSED_HEADERS = [
  ...['X-Tier', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'RateLimit-Policy', 'RateLimit', 'Retry-After', 'ETag'],
  ...['Location', 'Allow', 'Idempotency-Replayed', 'X-Links-Updated'],
].join(', ')

function allowOrigin(headers: Headers, allowed: GateSettings['corsOrigin'], request: Request): void {
  if (allowed === '*') {
    headers.set('Access-Control-Allow-Origin', '*')
  } else {
    const origin = request.headers.get('origin')
    headers.append('Vary', 'Origin')
    if (origin !== null && allowed.includes(origin)) headers.set('Access-Control-Allow-Origin', origin)
    else headers.delete('Access-Control-Allow-Origin')
  }
  headers.set('Access-Control-Expose-Headers', EXPOSED_HEADERS)
}
