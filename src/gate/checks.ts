import { DatabaseUnavailable, payerOf, type Workspace, type WorkspaceId } from '../db/database'
import { errorResponse } from '../http/error-format'
import type { ApiKey, ClientNetwork } from './clients'
import { type Counter, type MaybePromise, MeterUnavailable, whenReady } from './counter-port'
import { countingUnavailable, createPreflightResponse, invalidKey, tooManyRequests } from './errors'
import type { RequestContext } from './request-context'
import { type Charge, type CounterSubject, createCharge, type GateSettings, KEY_IDLE_DAYS } from './tiers'

/** The parts of the server that the checks use. */
export interface CheckDeps {
  settings: GateSettings
  meter: Counter
  /** Milliseconds since 1970. */
  now: () => number
  /** Whether a key's workspace is empty. A key whose workspace is not empty counts as known. */
  workspaceIsEmpty: (id: WorkspaceId) => Promise<boolean>
  secretPaths?: SecretPaths
}

/** Paths below some prefixes that are secret, as the token in the path of a calendar feed is. */
export interface SecretPaths {
  readonly prefixes: readonly string[]
  /** Finds the owner of what a path shows; returns null, not a promise, for a path without a secret. */
  readonly findOwner: (path: string) => Promise<PathOwner | null> | null
}

/** The owner of a secret path. A request for it counts towards the owner's limits instead of the caller's. */
interface PathOwner {
  readonly workspace: Workspace
  /** A hash of the secret: 32 hexadecimal digits. */
  readonly subject: CounterSubject
}

/**
 * Checks each request, in this order: preflight, the form of the key, whether the key is known, admission, and the
 * charge.
 */
export class Checks {
  readonly #deps: CheckDeps

  constructor(deps: CheckDeps) {
    this.#deps = deps
  }

  /**
   * Decides about a request. Returns a response that refuses or answers it, or undefined if it may pass. Counts every
   * request once, except preflights and reads of /api/usage.
   */
  decide(context: RequestContext, client: ClientNetwork, request: Request): MaybePromise<Response | undefined> {
    try {
      const answer = this.#check(context, client, request)
      return answer instanceof Promise ? answer.catch((error) => this.#answerFailure(context, error)) : answer
    } catch (error) {
      return this.#answerFailure(context, error)
    }
  }

  #check(context: RequestContext, client: ClientNetwork, request: Request): MaybePromise<Response | undefined> {
    if (isPreflight(request)) return this.#preflight(context)
    if (context.keyFault !== null) return this.#refuseMalformedKey(context, client, context.keyFault)
    // A secret path is a credential for reading alone: no other request acts for its owner.
    const { secretPaths } = this.#deps
    const isSecret = secretPaths?.prefixes.some((prefix) => context.path.startsWith(prefix)) && isRead(request)
    const pathOwner = isSecret ? secretPaths?.findOwner(context.path) : null
    if (!pathOwner) return this.#checkCaller(context, client, request)
    return pathOwner.then((owner) =>
      owner ? this.#chargeOwner(context, client, owner) : this.#checkCaller(context, client, request),
    )
  }

  /**
   * Charges the owner of what a secret path shows, such as a feed, that itself, and the network of the caller with the ceilings of the owner's tier.
   */
  #chargeOwner(
    context: RequestContext,
    client: ClientNetwork,
    { workspace, subject }: PathOwner,
  ): MaybePromise<Response | undefined> {
    const { settings } = this.#deps
    const isKey = workspace.kind === 'key'
    const own = createCharge(isKey ? 'api' : 'free', payerOf(workspace), settings)
    context.actFor(workspace, own)
    const ceilings = isKey ? client.ceilings : client.freeCharges.slice(1)
    return this.#charge(context, [own, ...ceilings, createCharge('feed', subject, settings)])
  }

  #checkCaller(context: RequestContext, client: ClientNetwork, request: Request): MaybePromise<Response | undefined> {
    const { path, apiKey } = context
    const readsUsage = path === '/api/usage' && isRead(request)
    if (apiKey) return this.#checkKey(context, client, apiKey, readsUsage)
    return readsUsage ? this.#peek(context, client.freeCharges) : this.#charge(context, client.freeCharges)
  }

  async #answerFailure(context: RequestContext, error: unknown): Promise<Response> {
    if (!(error instanceof MeterUnavailable) && !(error instanceof DatabaseUnavailable)) throw error
    await this.#setLimitsWithoutCharge(context)
    return errorResponse(countingUnavailable(), context.path, context.requestId)
  }

  /**
   * Answers a preflight. It is not counted and never refused, since a browser would report a refusal as a network
   * error.
   */
  async #preflight(context: RequestContext): Promise<Response> {
    await this.#setLimitsWithoutCharge(context)
    return createPreflightResponse()
  }

  /** Sets the rate limit headers without charging, as far as memory has the counts while meter.db fails. */
  async #setLimitsWithoutCharge(context: RequestContext): Promise<void> {
    const { charge, hour } = context
    if (!charge) return
    try {
      context.setRemaining([charge], await this.#deps.meter.peek([charge], hour, true), true)
    } catch (error) {
      if (!(error instanceof MeterUnavailable)) throw error
    }
  }

  /** Gives back what was charged for a request that the server could not begin to serve. */
  async giveBack(context: RequestContext): Promise<void> {
    const { charged, hour } = context
    try {
      context.setRemaining(charged, await this.#deps.meter.giveBack(charged, hour), true)
    } catch (error) {
      if (!(error instanceof MeterUnavailable)) throw error
    }
  }

  async #refuseMalformedKey(context: RequestContext, client: ClientNetwork, fault: string): Promise<Response> {
    const refused = await this.#charge(context, client.freeCharges)
    if (refused) return refused
    return errorResponse(invalidKey(fault), context.path, context.requestId)
  }

  #peek(context: RequestContext, charges: readonly Charge[]): MaybePromise<undefined> {
    return whenReady(this.#deps.meter.peek(charges, context.hour), (left) => context.setRemaining(charges, left, true))
  }

  #charge(context: RequestContext, charges: readonly Charge[]): MaybePromise<Response | undefined> {
    return whenReady(this.#deps.meter.take(charges, context.hour), ({ granted, left }) => {
      context.setRemaining(charges, left, granted)
      if (granted) context.charged = charges
      return granted ? undefined : this.#refuse(context, charges, left)
    })
  }

  #checkKey(
    context: RequestContext,
    client: ClientNetwork,
    apiKey: ApiKey,
    readsUsage: boolean,
  ): MaybePromise<Response | undefined> {
    const own = [apiKey.charge, ...client.ceilings]
    return whenReady(this.#deps.meter.lastSeen(apiKey.id), (day) =>
      // A day in the future was recorded while the clock was ahead.
      day !== null && day >= dayOf(context.hour)
        ? this.#chargeKnownKey(context, own, readsUsage)
        : this.#checkIdleKey(context, client, apiKey, own, readsUsage, day),
    )
  }

  #chargeKnownKey(
    context: RequestContext,
    own: readonly Charge[],
    readsUsage: boolean,
  ): MaybePromise<Response | undefined> {
    context.keyStatus = 'known'
    return readsUsage ? this.#peek(context, own) : this.#charge(context, own)
  }

  /** Checks a key that was not used today. @param day the day of its last use; null if it is not in the table */
  async #checkIdleKey(
    context: RequestContext,
    client: ClientNetwork,
    apiKey: ApiKey,
    own: readonly Charge[],
    readsUsage: boolean,
    day: number | null,
  ): Promise<Response | undefined> {
    const { meter, now } = this.#deps
    if (!(await this.#isKnown(apiKey, day, dayOf(context.hour)))) {
      return await this.#admit(context, client, apiKey, own, readsUsage)
    }
    // Before the charge, since it may fail.
    await meter.markKeyUsed(apiKey.id, now(), context.hour)
    return await this.#chargeKnownKey(context, own, readsUsage)
  }

  /** Whether a key was used recently, or its workspace is not empty. @param day the day of its last use */
  async #isKnown(apiKey: ApiKey, day: number | null, today: number): Promise<boolean> {
    if (day !== null && day >= today - KEY_IDLE_DAYS) return true
    return !(await this.#deps.workspaceIsEmpty(apiKey.workspace.id))
  }

  /** Admits an unknown key. A read of /api/usage costs no request, but admits the key as any other request does. */
  async #admit(
    context: RequestContext,
    client: ClientNetwork,
    apiKey: ApiKey,
    own: readonly Charge[],
    readsUsage: boolean,
  ) {
    const { meter, now } = this.#deps
    const since = dayOf(context.hour) - KEY_IDLE_DAYS
    const newcomer = { key: apiKey.id, at: now(), since, charges: client.admission }
    const { granted, left, isNew } = await meter.take(readsUsage ? [] : own, context.hour, newcomer)
    context.keyStatus = isNew ? 'new' : 'known'
    if (granted && !readsUsage) context.charged = own
    const seen = readsUsage ? await meter.peek(own, context.hour) : []
    const charges = isNew ? [...own, ...client.admission] : own
    context.setRemaining(charges, [...seen, ...left], granted)
    return granted ? undefined : await this.#refuse(context, readsUsage ? client.admission : charges, left)
  }

  /** Answers 429 with the policies that have nothing left, and counts the refusal. */
  async #refuse(context: RequestContext, charges: readonly Charge[], left: readonly number[]): Promise<Response> {
    const violated = charges.filter((_, i) => left[i] === 0)
    for (const refused of violated) await this.#deps.meter.refuse(refused, context.hour)
    return errorResponse(tooManyRequests(violated, context.tier, context.reset), context.path, context.requestId)
  }
}

/** Returns the day (since 1970) of an hour (since 1970). */
function dayOf(hour: number): number {
  return Math.floor(hour / 24)
}

/** Whether a path is under /api. Case matters and nothing is decoded, so that gate and router see the same path. */
export function isApiPath(path: string): boolean {
  return path.startsWith('/api') && (path.length === 4 || path[4] === '/')
}

/**
 * Whether a request only reads. With a `#` in its URL the router may find another route than the gate, so that does not
 * count.
 */
function isRead({ method, url }: Request): boolean {
  return (method === 'GET' || method === 'HEAD') && !url.includes('#')
}

/** Whether a request is a browser's preflight. */
export function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method')
}
