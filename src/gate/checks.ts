import { DatabaseUnavailable, payerOf, type Workspace, type WorkspaceId } from '../db/database'
import { errorResponse } from '../http/error-format'
import type { ApiKey, ClientNetwork } from './clients'
import { type Counter, type MaybePromise, MeterUnavailable, type Newcomer, whenReady } from './counter-port'
import { countingUnavailable, createPreflightResponse, invalidKey, tooManyRequests } from './errors'
import type { Identity } from './keys'
import type { RequestContext } from './request-context'
import {
  type Charge,
  type CounterSubject,
  createCharge,
  FOREIGN_KEY_IDLE_DAYS,
  type GateSettings,
  KEY_IDLE_DAYS,
} from './tiers'

export interface CheckDeps {
  settings: GateSettings
  meter: Counter
  identity: Identity
  /** Whether a key's workspace is empty. A key of our own format whose workspace is not empty counts as known. */
  workspaceIsEmpty: (id: WorkspaceId) => Promise<boolean>
  secretPaths?: SecretPaths
}

/** Paths below some prefixes that are secret, as the token in the path of a calendar feed is. */
interface SecretPaths {
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

interface KeyedRequest {
  readonly context: RequestContext
  readonly apiKey: ApiKey
  /** The charge of the key, and those of the network's ceilings. */
  readonly own: readonly Charge[]
  readonly newcomer: Newcomer
  readonly readsUsage: boolean
}

/** In this order: preflight, the form of the key, whether the key is known, admission, and the charge. */
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

  /** Charges the owner of a secret path, the path, and the caller's network at the ceilings of the owner's tier. */
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
    if (apiKey) {
      const own = [apiKey.charge, ...client.ceilings]
      return this.#checkKey({ context, apiKey, own, newcomer: this.#newcomerOf(context, client, apiKey), readsUsage })
    }
    return readsUsage ? this.#peek(context, client.freeCharges) : this.#charge(context, client.freeCharges)
  }

  async #answerFailure(context: RequestContext, error: unknown): Promise<Response> {
    if (!(error instanceof MeterUnavailable) && !(error instanceof DatabaseUnavailable)) throw error
    // What memory has of a foreign key would show that it is in use.
    if (!context.apiKey?.isForeign) await this.#setLimitsWithoutCharge(context)
    return errorResponse(countingUnavailable(), context.path, context.requestId)
  }

  /** A preflight is not counted and never refused: a browser would report a refusal as a network error. */
  async #preflight(context: RequestContext): Promise<Response> {
    await this.#setLimitsWithoutCharge(context)
    return createPreflightResponse()
  }

  /** Sets the rate limit headers without charging, as far as memory has the counts while meter.db fails. */
  async #setLimitsWithoutCharge(context: RequestContext): Promise<void> {
    const { charge, hour } = context
    if (!charge) return
    try {
      context.setRemaining(await this.#deps.meter.peek([charge], hour, true))
    } catch (error) {
      if (!(error instanceof MeterUnavailable)) throw error
    }
  }

  /** Gives back what was charged for a request that the server could not begin to serve. */
  async giveBack(context: RequestContext): Promise<void> {
    const { charged, hour } = context
    try {
      context.setRemaining(await this.#deps.meter.giveBack(charged, hour))
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
    return whenReady(this.#deps.meter.peek(charges, context.hour), (left) => context.setRemaining(left))
  }

  #charge(context: RequestContext, charges: readonly Charge[]): MaybePromise<Response | undefined> {
    return whenReady(this.#deps.meter.take(charges, context.hour), ({ granted, left }) => {
      context.setRemaining(left)
      if (granted) context.charged = charges
      return granted ? undefined : this.#refuse(context, usedUp(charges, left))
    })
  }

  #checkKey(keyed: KeyedRequest): MaybePromise<Response | undefined> {
    return whenReady(this.#deps.meter.lastSeen(keyed.newcomer.key), (day) =>
      // A day in the future was recorded while the clock was ahead.
      day !== null && day >= dayOf(keyed.context.hour) ? this.#chargeKnownKey(keyed) : this.#checkIdleKey(keyed, day),
    )
  }

  /** Makes what is remembered of a key: the key, or, in a foreign format, that this network has used it. */
  #newcomerOf({ hour }: RequestContext, client: ClientNetwork, { id, isForeign }: ApiKey): Newcomer {
    const today = dayOf(hour)
    if (!isForeign) return { key: id, since: today - KEY_IDLE_DAYS, charges: client.admission }
    const key = this.#deps.identity.networkKey(client.subject, id)
    return { key, since: today - FOREIGN_KEY_IDLE_DAYS, charges: client.firstUse }
  }

  #chargeKnownKey(keyed: KeyedRequest): MaybePromise<Response | undefined> {
    const { context, apiKey, own, readsUsage } = keyed
    const { meter } = this.#deps
    const taken = readsUsage
      ? whenReady(meter.peek(own, context.hour), (left) => ({ granted: true, left }))
      : meter.take(own, context.hour)
    return whenReady(taken, ({ granted, left }) => {
      // Once the ceiling is used up, not even a read of the usage may show which keys this network has used.
      if (apiKey.isForeign && (readsUsage || !granted) && left.includes(0, 1))
        return this.#refuseForeignKey(keyed, left.slice(1))
      context.setRemaining(left)
      if (granted && !readsUsage) context.charged = own
      return granted ? undefined : this.#refuse(context, usedUp(own, left))
    })
  }

  /** Checks a key that was not used today. @param day the day of its last use; null if it is not in the table */
  async #checkIdleKey(keyed: KeyedRequest, day: number | null): Promise<Response | undefined> {
    const { context, apiKey, newcomer } = keyed
    if (day === null || day < newcomer.since) {
      if (apiKey.isForeign) return await this.#checkFirstUse(keyed)
      if (await this.#deps.workspaceIsEmpty(apiKey.workspace.id)) return await this.#admit(keyed)
    }
    // Before the charge, since it may fail.
    await this.#deps.meter.markKeyUsed(newcomer.key, context.hour)
    return await this.#chargeKnownKey(keyed)
  }

  /** Admits an unknown key. A read of /api/usage costs no request, but admits the key as any other request does. */
  async #admit({ context, own, newcomer, readsUsage }: KeyedRequest): Promise<Response | undefined> {
    const { meter } = this.#deps
    const { granted, left, isNew } = await meter.take(readsUsage ? [] : own, context.hour, newcomer)
    if (granted && !readsUsage) context.charged = own
    context.setRemaining(readsUsage ? await meter.peek(own, context.hour) : left)
    const charges = isNew ? [...own, ...newcomer.charges] : own
    return granted ? undefined : await this.#refuse(context, usedUp(readsUsage ? newcomer.charges : charges, left))
  }

  /**
   * Charges the network's first use of a foreign key, the same on every path. Its ceiling pays for a refusal too. Until
   * the use is granted, nothing that depends on the key itself is read: the answer would show that the key exists.
   */
  async #checkFirstUse(keyed: KeyedRequest): Promise<Response | undefined> {
    const { context, own, newcomer, readsUsage } = keyed
    const { meter } = this.#deps
    const [charge, ceilings] = [own.slice(0, 1), own.slice(1)]
    const network = await meter.take(ceilings, context.hour)
    if (!network.granted) return await this.#refuseForeignKey(keyed, network.left)
    const use = await meter.take([], context.hour, newcomer)
    if (!use.granted) return await this.#refuseForeignKey(keyed, network.left, use.left)
    const { granted, left } = readsUsage
      ? { granted: true, left: await meter.peek(charge, context.hour) }
      : await meter.take(charge, context.hour)
    if (granted && !readsUsage) context.charged = own
    context.setRemaining(left)
    return granted ? undefined : await this.#refuse(context, charge)
  }

  /**
   * Refuses a foreign key as if nothing had ever been counted for it, so that all keys get the same answer.
   * @param ceilingsLeft what the network's ceilings have left
   * @param useLeft what the charges for a first use have left; absent if the ceilings refused
   */
  #refuseForeignKey(
    { context, own, newcomer }: KeyedRequest,
    ceilingsLeft: readonly number[],
    useLeft?: readonly number[],
  ): Promise<Response> {
    context.setRemaining([own[0]?.limit ?? 0])
    const violated = useLeft ? usedUp(newcomer.charges, useLeft) : usedUp(own.slice(1), ceilingsLeft)
    return this.#refuse(context, violated)
  }

  /** Answers 429 with the charges that refused, and counts the refusal. */
  async #refuse(context: RequestContext, violated: readonly Charge[]): Promise<Response> {
    for (const refused of violated) await this.#deps.meter.refuse(refused, context.hour)
    return errorResponse(tooManyRequests(violated, context.tier, context.reset), context.path, context.requestId)
  }
}

function usedUp(charges: readonly Charge[], left: readonly number[]): Charge[] {
  return charges.filter((_, i) => left[i] === 0)
}

/** Returns the day (since 1970) of an hour (since 1970). */
function dayOf(hour: number): number {
  return Math.floor(hour / 24)
}

/** Whether a path is under /api. Case matters and nothing is decoded, so that gate and router see the same path. */
export function isApiPath(path: string): boolean {
  return path.startsWith('/api') && (path.length === 4 || path[4] === '/')
}

/** With a `#` in its URL the router may find another route than the gate, so that is no read. */
function isRead({ method, url }: Request): boolean {
  return (method === 'GET' || method === 'HEAD') && !url.includes('#')
}

export function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method')
}
