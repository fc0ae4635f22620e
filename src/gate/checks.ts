import { DatabaseUnavailable, payerOf, type Workspace, type WorkspaceId } from '../db/database'
import { errorResponse } from '../http/api-error'
import type { ApiKey, ClientNetwork } from './clients'
import { type Counter, type MaybePromise, MeterUnavailable, whenReady } from './counter-port'
import { countingUnavailable, createPreflightResponse, invalidKey, tooManyRequests } from './errors'
import type { RequestContext } from './request-context'
import { type Charge, type CounterSubject, createCharge, type GateSettings, KEY_IDLE_DAYS } from './tiers'

/** The order of checks: preflight, the key's form, is the key known, admission, and the charge. */

export interface CheckDeps {
  settings: GateSettings
  meter: Counter
  /** ms since 1970. */
  now: () => number
  /** Whether a key's workspace holds nothing: a key whose workspace holds something is known. */
  workspaceIsEmpty: (id: WorkspaceId) => Promise<boolean>
  /** Whose feed a path shows to anybody who knows it; null at once for all other paths. */
  findFeedOwner?: (path: string) => Promise<FeedOwner | null> | null
}

/** Who pays for a request instead of its caller, who presented something of theirs. */
interface FeedOwner {
  readonly workspace: Workspace
  /** Stands for what was presented: 32 hexadecimal digits that tell nothing of it. */
  readonly subject: CounterSubject
}

export class Checks {
  readonly #deps: CheckDeps

  constructor(deps: CheckDeps) {
    this.#deps = deps
  }

  /** What refuses or answers the request, or undefined when it may pass. Counts it, once, whatever becomes of it. */
  decide(context: RequestContext, network: ClientNetwork, request: Request): MaybePromise<Response | undefined> {
    try {
      const answer = this.#check(context, network, request)
      return answer instanceof Promise ? answer.catch((error) => this.#failed(context, error)) : answer
    } catch (error) {
      return this.#failed(context, error)
    }
  }

  #check(context: RequestContext, network: ClientNetwork, request: Request): MaybePromise<Response | undefined> {
    if (isPreflight(request)) return this.#preflight(context)
    if (context.keyFault !== null) return this.#malformed(context, network, context.keyFault)
    // Its path is all that it presents: what only looks is read, and nothing else is done in the name of the owner.
    const owned = isRead(request) ? (this.#deps.findFeedOwner?.(context.path) ?? null) : null
    if (!owned) return this.#caller(context, network, request)
    return owned.then((owner) =>
      owner ? this.#forOwner(context, network, owner) : this.#caller(context, network, request),
    )
  }

  /** Counted on the owner, and on what was presented; the ceilings of the caller's network hold as for the owner's tier. */
  #forOwner(
    context: RequestContext,
    network: ClientNetwork,
    { workspace, subject }: FeedOwner,
  ): MaybePromise<Response | undefined> {
    const { settings } = this.#deps
    const isKey = workspace.kind === 'key'
    const own = createCharge(isKey ? 'api' : 'free', payerOf(workspace), settings)
    context.actFor(workspace, own)
    const ceilings = isKey ? network.ceilings : network.freeCharges.slice(1)
    return this.#charge(context, [own, ...ceilings, createCharge('feed', subject, settings)])
  }

  #caller(context: RequestContext, network: ClientNetwork, request: Request): MaybePromise<Response | undefined> {
    const { path, apiKey } = context
    const readsUsage = path === '/api/usage' && isRead(request)
    if (apiKey) return this.#keyed(context, network, apiKey, readsUsage)
    return readsUsage ? this.#peek(context, network.freeCharges) : this.#charge(context, network.freeCharges)
  }

  async #failed(context: RequestContext, error: unknown): Promise<Response> {
    if (!(error instanceof MeterUnavailable) && !(error instanceof DatabaseUnavailable)) throw error
    await this.#recall(context)
    return errorResponse(countingUnavailable(), context.path, context.requestId)
  }

  /** Uncounted, and never refused: a browser would report the refusal of a preflight as a network failure. */
  async #preflight(context: RequestContext): Promise<Response> {
    await this.#recall(context)
    return createPreflightResponse()
  }

  /** What is left, as far as it is known without the file. */
  async #recall(context: RequestContext): Promise<void> {
    const { charge, hour } = context
    if (!charge) return
    try {
      context.setRemaining([charge], await this.#deps.meter.peek([charge], hour), true)
    } catch (error) {
      if (!(error instanceof MeterUnavailable)) throw error
    }
  }

  async #malformed(context: RequestContext, network: ClientNetwork, fault: string): Promise<Response> {
    const refused = await this.#charge(context, network.freeCharges)
    if (refused) return refused
    return errorResponse(invalidKey(fault), context.path, context.requestId)
  }

  #peek(context: RequestContext, charges: readonly Charge[]): MaybePromise<undefined> {
    return whenReady(this.#deps.meter.peek(charges, context.hour), (left) => context.setRemaining(charges, left, true))
  }

  #charge(context: RequestContext, charges: readonly Charge[]): MaybePromise<Response | undefined> {
    return whenReady(this.#deps.meter.take(charges, context.hour), ({ granted, left }) => {
      context.setRemaining(charges, left, granted)
      return granted ? undefined : this.#refuse(context, charges, left)
    })
  }

  #keyed(
    context: RequestContext,
    network: ClientNetwork,
    apiKey: ApiKey,
    readsUsage: boolean,
  ): MaybePromise<Response | undefined> {
    const own = [apiKey.charge, ...network.ceilings]
    return whenReady(this.#deps.meter.lastSeen(apiKey.id), (day) =>
      // A day to come was noted while the clock was ahead.
      day !== null && day >= dayOf(context.hour)
        ? this.#known(context, own, readsUsage)
        : this.#rarelyUsed(context, network, apiKey, own, readsUsage, day),
    )
  }

  #known(context: RequestContext, own: readonly Charge[], readsUsage: boolean): MaybePromise<Response | undefined> {
    context.keyStatus = 'known'
    return readsUsage ? this.#peek(context, own) : this.#charge(context, own)
  }

  /** A key that was not used today: `day` is when it was, null when it is not in the table. */
  async #rarelyUsed(
    context: RequestContext,
    network: ClientNetwork,
    apiKey: ApiKey,
    own: readonly Charge[],
    readsUsage: boolean,
    day: number | null,
  ): Promise<Response | undefined> {
    const { meter, now } = this.#deps
    if (!(await this.#isKnown(apiKey, day, dayOf(context.hour)))) {
      return await this.#admit(context, network, apiKey, own, readsUsage)
    }
    const refused = await this.#known(context, own, readsUsage)
    if (!refused) await meter.markKeyUsed(apiKey.id, now(), context.hour)
    return refused
  }

  /** Is the key in use, or does its workspace hold something? `day` is when it was last used. */
  async #isKnown(apiKey: ApiKey, day: number | null, today: number): Promise<boolean> {
    if (day !== null && day >= today - KEY_IDLE_DAYS) return true
    return !(await this.#deps.workspaceIsEmpty(apiKey.workspace.id))
  }

  /** A look at the usage of an unknown key costs no request, but the key is admitted as by any other. */
  async #admit(
    context: RequestContext,
    network: ClientNetwork,
    apiKey: ApiKey,
    own: readonly Charge[],
    readsUsage: boolean,
  ) {
    const { meter, now } = this.#deps
    const since = dayOf(context.hour) - KEY_IDLE_DAYS
    const newcomer = { key: apiKey.id, at: now(), since, charges: network.admission }
    const { granted, left, isNew } = await meter.take(readsUsage ? [] : own, context.hour, newcomer)
    context.keyStatus = isNew ? 'new' : 'known'
    const seen = readsUsage ? await meter.peek(own, context.hour) : []
    const charges = isNew ? [...own, ...network.admission] : own
    context.setRemaining(charges, [...seen, ...left], granted)
    return granted ? undefined : await this.#refuse(context, readsUsage ? network.admission : charges, left)
  }

  /** 429, naming the policies that have nothing left. */
  async #refuse(context: RequestContext, charges: readonly Charge[], left: readonly number[]): Promise<Response> {
    const violated = charges.filter((_, i) => left[i] === 0)
    for (const refused of violated) await this.#deps.meter.refuse(refused, context.hour)
    return errorResponse(tooManyRequests(violated, context.tier, context.reset), context.path, context.requestId)
  }
}

function dayOf(hour: number): number {
  return Math.floor(hour / 24)
}

/** What kind of request it is, from its text alone: the gate and the router must see the same path. */

/** Under /api: case matters, nothing is decoded. */
export function isApiPath(path: string): boolean {
  return path.startsWith('/api') && (path.length === 4 || path[4] === '/')
}

/**
 * Whether a request for /api/usage only looks. The router does not cut a path at `#`, and may find another route there: that pays.
 */
function isRead({ method, url }: Request): boolean {
  return (method === 'GET' || method === 'HEAD') && !url.includes('#')
}

/** A browser's question whether a request of another origin may follow. */
export function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method')
}
