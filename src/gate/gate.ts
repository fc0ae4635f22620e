/**
 * The gate: who is calling, and may they. Every request under /api passes it exactly once, before routing, parsing and
 * validation; every answer leaves with its headers, whatever made it.
 */
import { Elysia } from 'elysia'
import type { Log } from '../db/context'
import type { Workspace } from '../db/database'
import { errorResponse, internal } from '../http/api-error'
import { parseTarget, setSecurityHeaders } from '../http/security-headers'
import { type CheckDeps, Checks, isApiPath, isPreflight } from './checks'
import { Clients, hasOneHost, readSite } from './clients'
import type { Counter, MaybePromise } from './counter-port'
import { invalidHost } from './errors'
import type { Identity } from './keys'
import { type Caller, type ContextDeps, RequestContext } from './request-context'
import type { Tier } from './tiers'
import { HOUR_MS, resolveHour } from './tiers'
import { type Warning, Warnings } from './warnings'

export type { Caller, HourlyUsage } from './request-context'

/** What the gate asks of a running server. */
export interface PeerLookup {
  requestIP(request: Request): { address: string } | null
}

export interface GateDeps extends CheckDeps {
  /** Its `hour` is the one that was counted in last, before this start, too. */
  meter: Counter & { readonly hour: number }
  identity: Identity
  /** A UUIDv7. */
  ids: () => string
  log: Log
  /** The file of the secret can be read by others: worth a warning. */
  secretReadable?: boolean
  /** The address at the other end of the connection, or null. */
  peer?: (request: Request, server: PeerLookup | null) => string | null
  observer?: TrafficObserver
  /** Called for each request for a scratch space, refused or not, with its hour since 1970. It neither throws nor waits. */
  noteScratchRequest?: (workspace: Workspace, hour: number) => void
  /** The id of a request outside /api. */
  requestIdOutsideApi?: (request: Request) => string
}

/** Called for every answer as it leaves, under /api or not. Neither may throw. */
export interface TrafficObserver {
  /** A moment, for `answered`. */
  begin(): number
  recordAnswer(
    request: Request,
    status: number,
    context: Pick<RequestContext, 'path' | 'requestId' | 'tier'> | null,
    began: number,
  ): void
}

export interface GateApi {
  /** Use it once, at the top level of the app, before everything else. */
  readonly plugin: ReturnType<typeof pluginOf>
  /** The caller of a request under /api. @throws Error when the gate did not let it through: no way round is a free pass */
  callerOf(request: Request): Caller
  /** For the log and for errors: the id and tier of any request under /api, let through or not; null outside. */
  contextOf(request: Request): { readonly requestId: string; readonly tier: Tier } | null
  /** What is likely set up wrongly, for /metrics. */
  readonly warnings: ReadonlySet<Warning>
}

/** Makes the gate. */
export function createGate(deps: GateDeps): GateApi {
  const gate = new Gate(deps)
  return {
    plugin: pluginOf(gate),
    callerOf(request) {
      const context = gate.contexts.get(request)
      if (!context?.admitted) throw new Error('This request did not pass the gate.')
      return context
    },
    contextOf: (request) => gate.contexts.get(request) ?? null,
    warnings: gate.warnings.given,
  }
}

type Handle = (request: Request) => Response | Promise<Response>

function pluginOf(gate: Gate) {
  return (
    new Elysia({ name: 'gate' })
      // Elysia awaits a hook that is async, or whose text has a call behind the arrow, as here.
      .onRequest(({ request, server }) => gate.receive(request, server))
      .wrap((next) => async (request: Request): Promise<Response> => {
        const began = gate.watch?.begin() ?? 0
        let answer: Response
        try {
          // Elysia types `next` as a handler of its context; it is the fetch function.
          const handled = (next as unknown as Handle)(request)
          answer = handled instanceof Promise ? await handled : handled
        } catch (error) {
          answer = gate.crashed(request, error)
        }
        const stamped = gate.setHeaders(request, answer)
        gate.watch?.recordAnswer(request, stamped.status, gate.contexts.get(request) ?? null, began)
        return stamped
      })
  )
}

/** The address at the other end of the connection, or null: there is none without a socket, or once it is closed. */
export function peerOf(request: Request, server: PeerLookup | null): string | null {
  return server?.requestIP(request)?.address ?? null
}

/** Decides about each request, and remembers what it decided. */
class Gate {
  readonly contexts = new WeakMap<Request, RequestContext>()
  readonly warnings: Warnings
  readonly watch: TrafficObserver | undefined
  readonly #deps: GateDeps
  readonly #contextDeps: ContextDeps
  readonly #clients: Clients
  readonly #checks: Checks
  readonly #peer: NonNullable<GateDeps['peer']>
  #hour: number

  constructor(deps: GateDeps) {
    this.#deps = deps
    this.watch = deps.observer
    this.#contextDeps = deps
    this.#hour = deps.meter.hour
    this.#peer = deps.peer ?? peerOf
    this.warnings = new Warnings(deps.log)
    this.#checks = new Checks(deps)
    this.#clients = new Clients(deps.settings, deps.identity, this.warnings)
    if (deps.secretReadable) this.warnings.warn('secret_readable')
  }

  /** Decides and counts; a response refuses the request. Never throws: Elysia would answer 200. */
  receive(request: Request, server: PeerLookup | null): MaybePromise<Response | undefined> {
    try {
      const { absolute, path } = parseTarget(request.url)
      const addressed = absolute && hasOneHost(request.headers)
      if (!isApiPath(path)) return addressed ? undefined : errorResponse(invalidHost(), path, this.#idOf(request))
      const context = this.#open(request, path)
      // Asked before any await: a request that was closed meanwhile has no address any more.
      context.client = this.#clients.findNetwork(this.#peer(request, server), request.headers, context.hour)
      const { name, hostRewritten } = readSite(request)
      context.site = name
      if (hostRewritten) this.warnings.warn('host_rewritten')
      const decided = this.#checks.decide(context, context.client, request)
      if (!(decided instanceof Promise)) return this.#conclude(context, decided, addressed)
      return decided
        .then((refusal) => this.#conclude(context, refusal, addressed))
        .catch((error) => this.crashed(request, error))
    } catch (error) {
      return this.crashed(request, error)
    }
  }

  /** Makes the context with a provisional verdict, so that a failure of the gate itself gets the headers, too. */
  #open(request: Request, path: string): RequestContext {
    const now = this.#deps.now()
    const present = Math.floor(now / HOUR_MS)
    const hour = resolveHour(this.#hour, present)
    if (hour < this.#hour) this.warnings.warn('clock_was_ahead')
    else if (present < hour) this.warnings.warn('clock_behind')
    this.#hour = hour
    const apiKey = isPreflight(request) ? null : this.#clients.readApiKey(request.headers)
    const context = new RequestContext(this.#contextDeps, path, apiKey, this.#hour, now)
    this.contexts.set(request, context)
    return context
  }

  /** The last step: a request without one absolute URL would be routed by another path than the one that was judged. */
  #conclude(context: RequestContext, refusal: Response | undefined, addressed: boolean): Response | undefined {
    if (addressed && context.tier === 'free') this.#deps.noteScratchRequest?.(context.workspace, context.hour)
    if (refusal) return refusal
    if (!addressed) return errorResponse(invalidHost(), context.path, context.requestId)
    context.admitted = true
    return undefined
  }

  #idOf(request: Request): string {
    return this.contexts.get(request)?.requestId ?? this.#deps.requestIdOutsideApi?.(request) ?? this.#deps.ids()
  }

  /** Whatever threw: the log has it, the caller gets the fixed sentence. */
  crashed(request: Request, error: unknown): Response {
    this.#deps.log.error({ err: error, request_id: this.contexts.get(request)?.requestId }, 'a request failed')
    return errorResponse(internal(), parseTarget(request.url).path, this.#idOf(request))
  }

  /** Stamps an answer under /api; every answer gets the headers that keep browsers from misusing it. */
  setHeaders(request: Request, response: Response): Response {
    const answer =
      response.type === 'error' ? this.crashed(request, new Error('A handler returned Response.error().')) : response
    const known = this.contexts.get(request)
    const path = known?.path ?? parseTarget(request.url).path
    // A gate that failed before it made a context still owes the headers.
    const context = known ?? (isApiPath(path) ? this.#open(request, path) : null)
    try {
      return this.#head(request, path, context, answer)
    } catch {
      // The headers of some responses (a redirect's, a fetched one's) cannot be changed; those of a copy can.
      return this.#head(request, path, context, new Response(answer.body, answer))
    }
  }

  #head(request: Request, path: string, context: RequestContext | null, answer: Response): Response {
    setSecurityHeaders(answer, path)
    if (!context) return answer
    if (!answer.headers.has('cache-control')) answer.headers.set('Cache-Control', 'no-store')
    context.setHeaders(answer.headers, this.#deps.settings.corsOrigin === '*' ? null : request.headers.get('origin'))
    return answer
  }
}
