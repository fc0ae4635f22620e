/**
 * The gate: who is calling, and may they. Every request under /api passes it exactly once, before routing, parsing and
 * validation; every answer leaves with its headers, whatever made it.
 */
import { Elysia } from 'elysia'
import type { Workspace } from '../db/database'
import { internal, problem } from '../http/problem'
import { secure } from '../http/security-headers'
import { target } from '../http/target'
import { badHost } from './answers'
import { type CheckDeps, Checks } from './checks'
import { Clients } from './clients'
import type { Answer, Counter, Log } from './counter-port'
import { HOUR_MS, heldHour } from './hour'
import type { Identity } from './keys'
import { isApi, isPreflight } from './request-kind'
import { hasOneHost, siteOf } from './site'
import type { Tier } from './tiers'
import { type Caller, type Desk, Visit } from './visit'
import { type Warning, Warnings } from './warnings'

export type { Caller, Usage } from './visit'

/** What the gate asks of a running server. */
export interface Socket {
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
  peer?: (request: Request, server: Socket | null) => string | null
  watch?: Watch
  /** Is told of each request for a scratch space, refused or not, and its hour since 1970. It neither throws nor waits. */
  asked?: (workspace: Workspace, hour: number) => void
  /** The id of a request outside /api. */
  outsideId?: (request: Request) => string
}

/** Is told of every answer as it leaves, under /api or not. Neither may throw. */
export interface Watch {
  /** A moment, for `answered`. */
  begin(): number
  answered(
    request: Request,
    status: number,
    visit: Pick<Visit, 'path' | 'requestId' | 'tier'> | null,
    began: number,
  ): void
}

export interface Gate {
  /** Use it once, at the top level of the app, before everything else. */
  readonly plugin: ReturnType<typeof pluginOf>
  /** The caller of a request under /api. @throws Error when the gate did not let it through: no way round is a free pass */
  callerOf(request: Request): Caller
  /** For the log and for errors: the id and tier of any request under /api, let through or not; null outside. */
  visitOf(request: Request): { readonly requestId: string; readonly tier: Tier } | null
  /** What is likely set up wrongly, for /metrics. */
  readonly warnings: ReadonlySet<Warning>
}

/** Makes the gate. */
export function gate(deps: GateDeps): Gate {
  const keeper = new Keeper(deps)
  return {
    plugin: pluginOf(keeper),
    callerOf(request) {
      const visit = keeper.visits.get(request)
      if (!visit?.admitted) throw new Error('This request did not pass the gate.')
      return visit
    },
    visitOf: (request) => keeper.visits.get(request) ?? null,
    warnings: keeper.warnings.given,
  }
}

type Handle = (request: Request) => Response | Promise<Response>

function pluginOf(keeper: Keeper) {
  return (
    new Elysia({ name: 'gate' })
      // Elysia awaits a hook that is async, or whose text has a call behind the arrow, as here.
      .onRequest(({ request, server }) => keeper.receive(request, server))
      .wrap((next) => async (request: Request): Promise<Response> => {
        const began = keeper.watch?.begin() ?? 0
        let answer: Response
        try {
          // Elysia types `next` as a handler of its context; it is the fetch function.
          const handled = (next as unknown as Handle)(request)
          answer = handled instanceof Promise ? await handled : handled
        } catch (error) {
          answer = keeper.crashed(request, error)
        }
        const stamped = keeper.stamp(request, answer)
        keeper.watch?.answered(request, stamped.status, keeper.visits.get(request) ?? null, began)
        return stamped
      })
  )
}

/** The address at the other end of the connection, or null: there is none without a socket, or once it is closed. */
export function peerOf(request: Request, server: Socket | null): string | null {
  return server?.requestIP(request)?.address ?? null
}

/** Decides about each request, and remembers what it decided. */
class Keeper {
  readonly visits = new WeakMap<Request, Visit>()
  readonly warnings: Warnings
  readonly watch: Watch | undefined
  readonly #deps: GateDeps
  readonly #desk: Desk
  readonly #clients: Clients
  readonly #checks: Checks
  readonly #peer: NonNullable<GateDeps['peer']>
  #hour: number

  constructor(deps: GateDeps) {
    this.#deps = deps
    this.watch = deps.watch
    this.#desk = deps
    this.#hour = deps.meter.hour
    this.#peer = deps.peer ?? peerOf
    this.warnings = new Warnings(deps.log)
    this.#checks = new Checks(deps)
    this.#clients = new Clients(deps.settings, deps.identity, this.warnings)
    if (deps.secretReadable) this.warnings.give('secret_readable')
  }

  /** Decides and counts; a response refuses the request. Never throws: Elysia would answer 200. */
  receive(request: Request, server: Socket | null): Answer<Response | undefined> {
    try {
      const { absolute, path } = target(request.url)
      const addressed = absolute && hasOneHost(request.headers)
      if (!isApi(path)) return addressed ? undefined : problem(badHost(), path, this.#idOf(request))
      const visit = this.#open(request, path)
      // Asked before any await: a request that was closed meanwhile has no address any more.
      visit.place = this.#clients.placeOf(this.#peer(request, server), request.headers, visit.hour)
      const { name, hostRewritten } = siteOf(request)
      visit.site = name
      if (hostRewritten) this.warnings.give('host_rewritten')
      const decided = this.#checks.decide(visit, visit.place, request)
      if (!(decided instanceof Promise)) return this.#conclude(visit, decided, addressed)
      return decided
        .then((refusal) => this.#conclude(visit, refusal, addressed))
        .catch((error) => this.crashed(request, error))
    } catch (error) {
      return this.crashed(request, error)
    }
  }

  /** Begins a visit with a provisional verdict, so that a failure of the gate itself goes out stamped, too. */
  #open(request: Request, path: string): Visit {
    const now = this.#deps.now()
    const present = Math.floor(now / HOUR_MS)
    const hour = heldHour(this.#hour, present)
    if (hour < this.#hour) this.warnings.give('clock_was_ahead')
    else if (present < hour) this.warnings.give('clock_behind')
    this.#hour = hour
    const holder = isPreflight(request) ? null : this.#clients.holderIn(request.headers)
    const visit = new Visit(this.#desk, path, holder, this.#hour, now)
    this.visits.set(request, visit)
    return visit
  }

  /** The last step: a request without one absolute URL would be routed by another path than the one that was judged. */
  #conclude(visit: Visit, refusal: Response | undefined, addressed: boolean): Response | undefined {
    if (addressed && visit.tier === 'free') this.#deps.asked?.(visit.workspace, visit.hour)
    if (refusal) return refusal
    if (!addressed) return problem(badHost(), visit.path, visit.requestId)
    visit.admitted = true
    return undefined
  }

  #idOf(request: Request): string {
    return this.visits.get(request)?.requestId ?? this.#deps.outsideId?.(request) ?? this.#deps.ids()
  }

  /** Whatever threw: the log has it, the caller gets the fixed sentence. */
  crashed(request: Request, error: unknown): Response {
    this.#deps.log.error({ err: error, request_id: this.visits.get(request)?.requestId }, 'a request failed')
    return problem(internal(), target(request.url).path, this.#idOf(request))
  }

  /** Stamps an answer under /api; every answer gets the headers that keep browsers from misusing it. */
  stamp(request: Request, response: Response): Response {
    const answer =
      response.type === 'error' ? this.crashed(request, new Error('A handler returned Response.error().')) : response
    const known = this.visits.get(request)
    const path = known?.path ?? target(request.url).path
    // A gate that failed before it began a visit still owes the headers.
    const visit = known ?? (isApi(path) ? this.#open(request, path) : null)
    try {
      return this.#head(request, path, visit, answer)
    } catch {
      // The headers of some responses (a redirect's, a fetched one's) cannot be changed; those of a copy can.
      return this.#head(request, path, visit, new Response(answer.body, answer))
    }
  }

  #head(request: Request, path: string, visit: Visit | null, answer: Response): Response {
    secure(answer, path)
    if (!visit) return answer
    if (!answer.headers.has('cache-control')) answer.headers.set('Cache-Control', 'no-store')
    visit.stamp(answer.headers, this.#deps.settings.corsOrigin === '*' ? null : request.headers.get('origin'))
    return answer
  }
}
