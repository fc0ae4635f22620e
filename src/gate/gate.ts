/**
 * The gate: who is calling, and may they. Every request under /api passes it exactly once, before routing, parsing and
 * validation; every answer leaves with its headers, whatever made it.
 */
import { Elysia } from 'elysia'
import { DatabaseUnavailable, type WorkspaceId } from '../db/database'
import { internal, problem } from '../http/problem'
import { secure } from '../http/security-headers'
import { target } from '../http/target'
import { badHost, badKey, preflight, tooMany, unavailable } from './answers'
import { Clients, type Holder, type Place } from './clients'
import { type Answer, type Counter, type Log, MeterUnavailable } from './counter-port'
import type { Identity } from './keys'
import type { Charge, GateSettings, Tier } from './tiers'
import { type Caller, type Desk, Visit } from './visit'
import { type Warning, Warnings } from './warnings'

export type { Caller, Usage } from './visit'

/** What the gate asks of a running server. */
interface Socket {
  requestIP(request: Request): { address: string } | null
}

export interface GateDeps {
  settings: GateSettings
  /** Its `hour` is the newest hour that was counted in before this start. */
  meter: Counter & { readonly hour: number }
  identity: Identity
  /** ms since 1970. */
  now: () => number
  /** A UUIDv7. */
  ids: () => string
  log: Log
  /** Whether a key's workspace holds nothing: a key whose workspace holds something is known. */
  workspaceIsEmpty: (id: WorkspaceId) => Promise<boolean>
  /** The file of the secret can be read by others: worth a warning. */
  secretReadable?: boolean
  /** The address at the other end of the connection, or null. */
  peer?: (request: Request, server: Socket | null) => string | null
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
  return new Elysia({ name: 'gate' })
    .onRequest(({ request, server }) => keeper.receive(request, server))
    .wrap((next) => async (request: Request): Promise<Response> => {
      let answer: Response
      try {
        // Elysia types `next` as a handler of its context; it is the fetch function.
        answer = await (next as unknown as Handle)(request)
      } catch (error) {
        answer = keeper.crashed(request, error)
      }
      return keeper.stamp(request, answer)
    })
}

function isApi(path: string): boolean {
  return path.startsWith('/api') && (path.length === 4 || path[4] === '/')
}

/** The router does not cut a path at `#`, and may find another route there: that is no look, it pays. */
function isLook({ method, url }: Request): boolean {
  return (method === 'GET' || method === 'HEAD') && !url.includes('#')
}

function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method')
}

const HOUR_MS = 3_600_000

/** Decides about each request, and remembers what it decided. */
class Keeper {
  readonly visits = new WeakMap<Request, Visit>()
  readonly warnings: Warnings
  readonly #deps: GateDeps
  readonly #desk: Desk
  readonly #clients: Clients
  readonly #peer: NonNullable<GateDeps['peer']>
  #hour: number

  constructor(deps: GateDeps) {
    this.#deps = deps
    this.#desk = deps
    this.#hour = deps.meter.hour
    this.#peer = deps.peer ?? ((request, server) => server?.requestIP(request)?.address ?? null)
    this.warnings = new Warnings(deps.log)
    this.#clients = new Clients(deps.settings, deps.identity, this.warnings)
    if (deps.secretReadable) this.warnings.give('secret_readable')
  }

  /** Decides and counts; a response refuses the request. Never throws: Elysia would answer 200. */
  async receive(request: Request, server: Socket | null): Promise<Response | undefined> {
    try {
      const { absolute, path } = target(request.url)
      const visit = isApi(path) ? this.#open(request, path) : null
      if (visit) {
        // Asked before the first await: a request that was closed meanwhile has no address any more.
        visit.place = this.#clients.placeOf(this.#peer(request, server), request.headers, visit.hour)
        const decided = this.#decide(visit, visit.place, request)
        const refusal = decided instanceof Promise ? await decided : decided
        if (refusal) return refusal
      }
      if (!absolute) return problem(badHost(), path, visit?.requestId ?? this.#deps.ids())
      if (visit) visit.admitted = true
      return undefined
    } catch (error) {
      return this.crashed(request, error)
    }
  }

  /** Begins a visit with a provisional verdict, so that a failure of the gate itself goes out stamped, too. */
  #open(request: Request, path: string): Visit {
    const now = this.#deps.now()
    const present = Math.floor(now / HOUR_MS)
    if (present > this.#hour) this.#hour = present
    else if (present < this.#hour) this.warnings.give('clock_behind')
    const key = request.headers.get('x-api-key')
    // An empty header is a malformed key, not a missing one.
    const holder = key === null || isPreflight(request) ? null : this.#clients.holderOf(key)
    const visit = new Visit(this.#desk, path, holder, this.#hour, now)
    this.visits.set(request, visit)
    return visit
  }

  #decide(visit: Visit, place: Place, request: Request): Answer<Response | undefined> {
    try {
      const answer = this.#check(visit, place, request)
      return answer instanceof Promise ? answer.catch((error) => this.#failed(visit, error)) : answer
    } catch (error) {
      return this.#failed(visit, error)
    }
  }

  #check(visit: Visit, place: Place, request: Request): Answer<Response | undefined> {
    if (isPreflight(request)) return this.#preflight(visit)
    const { path, holder, keyFault } = visit
    const looking = path === '/api/usage' && isLook(request)
    if (holder) {
      if (!holder.guessable || !place.guesses) return this.#keyed(visit, place, holder, looking)
      return this.#guarded(visit, place, holder, looking, place.guesses)
    }
    if (keyFault !== null) return this.#malformed(visit, place, keyFault)
    return looking ? this.#look(visit, place.free) : this.#charge(visit, place.free, place)
  }

  async #failed(visit: Visit, error: unknown): Promise<Response> {
    if (!(error instanceof MeterUnavailable) && !(error instanceof DatabaseUnavailable)) throw error
    await this.#recall(visit)
    return problem(unavailable(), visit.path, visit.requestId)
  }

  /** Uncounted, and never refused: a browser would report the refusal of a preflight as a network failure. */
  async #preflight(visit: Visit): Promise<Response> {
    await this.#recall(visit)
    return preflight()
  }

  /** What is left, as far as it can be told without the file. */
  async #recall(visit: Visit): Promise<void> {
    const { charge, hour } = visit
    if (!charge) return
    try {
      const { left } = await this.#deps.meter.peek([charge], hour)
      visit.level([charge], left, true)
    } catch (error) {
      if (!(error instanceof MeterUnavailable)) throw error
    }
  }

  async #malformed(visit: Visit, place: Place, fault: string): Promise<Response> {
    const refused = await this.#charge(visit, place.free, place)
    if (refused) return refused
    return problem(badKey(fault), visit.path, visit.requestId)
  }

  #look(visit: Visit, charges: readonly Charge[]): Answer<undefined> {
    return whenever(this.#deps.meter.peek(charges, visit.hour), ({ left }) => visit.level(charges, left, true))
  }

  #charge(visit: Visit, charges: readonly Charge[], place: Place): Answer<Response | undefined> {
    return whenever(this.#deps.meter.take(charges, visit.hour), ({ granted, left }) => {
      visit.level(charges, left, granted)
      return granted ? undefined : this.#refuse(visit, place, charges, left)
    })
  }

  #keyed(visit: Visit, place: Place, holder: Holder, looking: boolean): Answer<Response | undefined> {
    const own = [holder.charge, ...place.network]
    return whenever(this.#deps.meter.lastSeen(holder.id), (day) =>
      day === dayOf(visit.hour)
        ? this.#known(visit, place, own, looking)
        : this.#seldom(visit, place, holder, own, looking, day),
    )
  }

  #known(visit: Visit, place: Place, own: readonly Charge[], looking: boolean): Answer<Response | undefined> {
    visit.keyStatus = 'known'
    return looking ? this.#look(visit, own) : this.#charge(visit, own, place)
  }

  /** A key that was not used today: `day` is when it was, null when it is not in the table. */
  async #seldom(
    visit: Visit,
    place: Place,
    holder: Holder,
    own: readonly Charge[],
    looking: boolean,
    day: number | null,
  ): Promise<Response | undefined> {
    const { meter, now } = this.#deps
    if (!(await this.#isKnown(holder, day, dayOf(visit.hour)))) {
      return await this.#admit(visit, place, holder, own, looking)
    }
    const refused = await this.#known(visit, place, own, looking)
    if (!refused) await meter.sawKey(holder.id, now(), visit.hour)
    return refused
  }

  /** Is the key in use, or does its workspace hold something? `day` is when it was last used. */
  async #isKnown(holder: Holder, day: number | null, today: number): Promise<boolean> {
    if (day !== null && day >= this.#oldest(today)) return true
    return !(await this.#deps.workspaceIsEmpty(holder.workspace.id))
  }

  /** The day before which a key's last use is forgotten. */
  #oldest(today: number): number {
    const { keyIdleDays } = this.#deps.settings
    return keyIdleDays === 0 ? 0 : today - keyIdleDays
  }

  /** A look at the usage of an unknown key costs no request, but the key is admitted as by any other. */
  async #admit(visit: Visit, place: Place, holder: Holder, own: readonly Charge[], looking: boolean) {
    const { meter, now } = this.#deps
    const since = this.#oldest(dayOf(visit.hour))
    const newcomer = { key: holder.id, at: now(), since, charges: place.admission }
    const { granted, left, isNew } = await meter.take(looking ? [] : own, visit.hour, newcomer)
    visit.keyStatus = isNew ? 'new' : 'known'
    const seen = looking ? (await meter.peek(own, visit.hour)).left : []
    const charges = isNew ? [...own, ...place.admission] : own
    visit.level(charges, [...seen, ...left], granted)
    return granted ? undefined : await this.#refuse(visit, place, looking ? place.admission : charges, left)
  }

  /** A network that tried too many unknown keys gets one answer for every key that could be a guess. */
  async #guarded(visit: Visit, place: Place, holder: Holder, looking: boolean, guesses: Charge) {
    const { meter, settings } = this.#deps
    const most = settings.keyGuessesPerHour
    const { refused } = most === 0 ? { refused: [] } : await meter.peek([guesses], visit.hour)
    if (most === 0 || (refused[0] ?? 0) < most) return await this.#keyed(visit, place, holder, looking)
    visit.level([holder.charge, guesses], [0, 0], false)
    return await this.#refuse(visit, place, [guesses], [0])
  }

  /** 429, naming the policies that have nothing left. */
  async #refuse(visit: Visit, place: Place, charges: readonly Charge[], left: readonly number[]): Promise<Response> {
    const violated = charges.filter((_, i) => left[i] === 0)
    const refusal = tooMany(violated, visit.tier, visit.reset)
    const guess = refusal.code === 'too_many_new_keys' ? place.guesses : null
    for (const charge of new Set(guess ? [...violated, guess] : violated))
      await this.#deps.meter.refuse(charge, visit.hour)
    return problem(refusal, visit.path, visit.requestId)
  }

  /** Whatever threw: the log has it, the caller gets the fixed sentence. */
  crashed(request: Request, error: unknown): Response {
    this.#deps.log.error({ err: error, request_id: this.visits.get(request)?.requestId }, 'a request failed')
    return problem(internal(), target(request.url).path, this.visits.get(request)?.requestId ?? this.#deps.ids())
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

/** Goes on as soon as an answer is here. Most are at once, and a promise for each would cost as much as the rest. */
function whenever<T, U>(answer: Answer<T>, next: (value: T) => Answer<U>): Answer<U> {
  return answer instanceof Promise ? answer.then(next) : next(answer)
}

function dayOf(hour: number): number {
  return Math.floor(hour / 24)
}
