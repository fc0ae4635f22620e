/**
 * The gate: identifies the caller and decides whether the request may pass. Every request under /api passes it once,
 * before routing, parsing and validation. Every response gets its headers, whatever made it.
 */
import { Elysia } from 'elysia'
import type { Context, Workspace } from '../db/database'
import { allowOrigin, compressAnswer, isPreflight, parseTarget, setSecurityHeaders } from '../http/answer'
import { ApiError, internal } from '../http/api-error'
import { errorResponse } from '../http/error-format'
import { Deadline, deadlineOf, type HoldingServer } from '../http/request'
import type { NetworkRange } from '../lib/client-address'
import { startTimer, type Timer } from '../lib/steps'
import { Admission, type AdmissionDeps, type Caller } from './admission'
import { createClients, createWarnings } from './clients'
import { resolveHour } from './counter'
import { HOUR_MS, type OpenCounter, type Tier } from './tiers'

/** The part of Bun's server that finds the address of a peer. */
export interface PeerLookup extends HoldingServer {
  requestIP(request: Request): { address: string } | null
}

export interface GateDeps extends AdmissionDeps, Pick<Context, 'now' | 'log'> {
  meter: AdmissionDeps['meter'] & Pick<OpenCounter, 'hour'>
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

/** A clock that is behind by less than this causes no warning, since those of several machines always differ a little. */
const MAX_CLOCK_DIFFERENCE_MS = 60_000

type Handle = (request: Request) => Response | Promise<Response>

export function createGate(deps: GateDeps) {
  const { meter, settings, log, observer, now, ids, peer = peerOf, timer = startTimer } = deps
  const admissions = new WeakMap<Request, Admission>()
  const warnings = createWarnings(log)
  const clients = createClients(settings, deps.identity, warnings)
  let lastHour = meter.hour
  if (deps.isSecretReadable) warnings.warn('secret_readable')

  /** Decides and counts. Returns a response if the request ends here. Never throws: Elysia would answer 200. */
  async function receive(request: Request, server: PeerLookup | null): Promise<Response | undefined> {
    try {
      const { headers } = request
      const { authority, path } = parseTarget(request.url)
      // Two Host headers arrive joined by a comma, and one of them would name another site.
      const hasValidHost = authority !== '' && !headers.get('host')?.includes(',')
      if (!isApiPath(path)) return hasValidHost ? undefined : errorResponse(invalidHost(), path, idOf(request))
      const admission = createAdmission(request, path)
      new Deadline(request, timer, deps.mayTakeLonger?.has(path) ?? false, server)
      // Read before any await: once the connection is closed, the peer has no address.
      admission.client = clients.findNetwork(peer(request, server), headers)
      admission.site = clients.readSite(authority, headers)
      if (admission.site.isHostRewritten) warnings.warn('host_rewritten')
      const refusal = await admission.decide(request)
      if (hasValidHost && admission.tier === 'free') deps.noteScratchRequest?.(admission.workspace, admission.hour)
      if (refusal) return refusal
      // Without a valid Host the router would see another path than the gate.
      if (!hasValidHost) return errorResponse(invalidHost(), path, admission.requestId)
      admission.isAdmitted = true
      return undefined
    } catch (error) {
      return failWith500(request, error)
    }
  }

  /** The decision is provisional, so that even a failure of the gate has the headers. */
  function createAdmission(request: Request, path: string): Admission {
    const at = now()
    // Another process may have counted in a later hour, if it shares the counter.
    const last = Math.max(lastHour, meter.hour)
    lastHour = resolveHour(last, Math.floor(at / HOUR_MS))
    if (lastHour < last) warnings.warn('clock_was_ahead')
    else if (at < lastHour * HOUR_MS - MAX_CLOCK_DIFFERENCE_MS) warnings.warn('clock_behind')
    const apiKey = isPreflight(request) ? null : clients.readApiKey(request.headers)
    const admission = new Admission(deps, path, apiKey, lastHour, at)
    admissions.set(request, admission)
    return admission
  }

  function idOf(request: Request): string {
    return admissions.get(request)?.requestId ?? deps.requestIdOutsideApi?.(request) ?? ids()
  }

  /** Waits for the response, but no longer than the deadline of the request. */
  async function answerInTime(request: Request, handled: Promise<Response>): Promise<Response> {
    const first = await (deadlineOf(request)?.race(handled) ?? handled)
    if (first instanceof Response) return first
    // What comes too late is not sent.
    handled.then((response) => response.body?.cancel()).catch(() => {})
    return errorResponse(first, parseTarget(request.url).path, idOf(request))
  }

  /** Logs an error and makes a generic 500. */
  function failWith500(request: Request, error: unknown): Response {
    log.error({ err: error, request_id: admissions.get(request)?.requestId }, 'a request failed')
    return errorResponse(internal(), parseTarget(request.url).path, idOf(request))
  }

  /** Sets the headers of every response, and those of the gate under /api. Returns the response, or a copy of it. */
  function finishResponse(request: Request, known: Admission | undefined, response: Response): Response {
    const answer =
      response.type === 'error' ? failWith500(request, new Error('A handler returned Response.error().')) : response
    const path = known?.path ?? parseTarget(request.url).path
    // The gate may have failed before it made the admission. The headers are needed all the same.
    const admission = known ?? (isApiPath(path) ? createAdmission(request, path) : undefined)
    try {
      return stampHeaders(request, path, admission, answer)
    } catch {
      // The headers of some responses (redirects, fetched ones) are immutable; those of a copy are not.
      return stampHeaders(request, path, admission, new Response(answer.body, answer))
    }
  }

  function stampHeaders(request: Request, path: string, admission: Admission | undefined, answer: Response): Response {
    setSecurityHeaders(answer, path)
    if (!admission) return answer
    if (!answer.headers.has('cache-control')) answer.headers.set('Cache-Control', 'no-store')
    admission.setHeaders(answer.headers)
    allowOrigin(answer, settings.corsOrigin, request)
    return answer
  }

  async function answer(received: Request, handle: Handle): Promise<Response> {
    const request = addHostToProbe(received)
    const began = observer?.begin() ?? 0
    let response: Response
    try {
      const handled = handle(request)
      response = handled instanceof Promise ? await answerInTime(request, handled) : handled
    } catch (error) {
      response = failWith500(request, error)
    }
    deadlineOf(request)?.end()
    const admission = admissions.get(request)
    if (admission?.isUnserved) await admission.giveBack()
    const packed = compressAnswer(request, finishResponse(request, admission, response))
    const finished = packed instanceof Promise ? await packed : packed
    observer?.recordAnswer(request, finished.status, admissions.get(request) ?? null, began)
    return finished
  }

  return {
    /** `use` it once, at the top level of the app, before all other plugins. */
    plugin: new Elysia({ name: 'gate' })
      // Elysia decides from the source text of a hook whether to await it; it awaits an arrow that returns a call, as
      // here.
      .onRequest(({ request, server }) => receive(request, server))
      // Elysia types `next` as a handler of its context; it is the fetch function.
      .wrap((next) => (request: Request) => answer(request, next as unknown as Handle)),
    /** @throws Error if the request did not pass the gate, so a bypass is noticed */
    callerOf(request: Request): Caller {
      const admission = admissions.get(request)
      if (!admission?.isAdmitted) throw new Error('This request did not pass the gate.')
      return admission
    },
    /** The id and tier of a request under /api, for the log and for errors, even if refused; null outside /api. */
    contextOf: (request: Request): { readonly requestId: string; readonly tier: Tier } | null =>
      admissions.get(request) ?? null,
    /** Learns that the server could not begin to serve a request, which is given back what it was charged. */
    noteUnserved: (request: Request): void => admissions.get(request)?.leaveUnserved(),
    /** Whether a caller may read /metrics. @param allowed see METRICS_ALLOW */
    mayObserve: (request: Request, from: string | null, allowed: readonly NetworkRange[]): boolean =>
      clients.mayObserve(from, request.headers, allowed),
    /** The warnings given so far, for /metrics. */
    warnings: warnings.given,
  }
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

/** Whether a path is under /api. Case matters and nothing is decoded, so that gate and router see the same path. */
const isApiPath = (path: string): boolean => path.startsWith('/api') && (path.length === 4 || path[4] === '/')

const invalidHost = () =>
  new ApiError(
    'invalid_request',
    'The Host header is missing, was sent twice, or is not a host name with an optional port.',
  )
