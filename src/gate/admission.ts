/** One request under /api: who asks, in which tier, what it is charged, why it is refused, and the headers that tell. */
import { DatabaseUnavailable, payerOf, type Workspace, type WorkspaceId } from '../db/database'
import { createPreflightResponse, isPreflight } from '../http/answer'
import { ApiError } from '../http/api-error'
import { errorResponse } from '../http/error-format'
import type { ApiKey, ClientNetwork, KeyFault, Site } from './clients'
import type { Identity } from './keys'
import {
  type Charge,
  type Counter,
  type CounterSubject,
  createCharge,
  DETAIL_HOURS,
  FOREIGN_KEY_IDLE_DAYS,
  type GateSettings,
  HOUR_MS,
  KEY_IDLE_DAYS,
  MeterUnavailable,
  type Newcomer,
  POLICIES,
  type TakeResult,
  type Tier,
} from './tiers'

export interface AdmissionDeps {
  readonly settings: GateSettings
  readonly meter: Counter
  readonly identity: Identity
  /** Makes a UUIDv7. */
  readonly ids: () => string
  /** Whether a key's workspace is empty. A key of our own format whose workspace is not empty counts as known. */
  readonly workspaceIsEmpty: (id: WorkspaceId) => Promise<boolean>
  readonly secretPaths?: SecretPaths
}

/** Paths below some prefixes that are secret, as the token in the path of a calendar feed is. */
interface SecretPaths {
  readonly prefixes: readonly string[]
  /** Finds the owner of what a path shows; returns null for a path without a secret. */
  readonly findOwner: (path: string) => Promise<PathOwner | null> | null
}

/** The owner of a secret path. A request for it counts towards the owner's limits instead of the caller's. */
interface PathOwner {
  readonly workspace: Workspace
  /** A hash of the secret: 32 hexadecimal digits. */
  readonly subject: CounterSubject
}

export type HourlyUsage = Awaited<ReturnType<Admission['usage']>>

/** What handlers learn of who is calling. */
export type Caller = Pick<Admission, 'tier' | 'workspace' | 'scratch' | 'network' | 'requestId' | 'usage'>

export class Admission {
  readonly path: string
  /** The caller's key; null without one or if it is invalid. */
  readonly #apiKey: ApiKey | null
  readonly #keyFault: string | null
  tier: Tier
  #limit: number
  readonly hour: number
  /**
   * Seconds to the end of the hour, 1..10800, since the hour may be held for two more. The decision cannot change
   * before this, for policies of 24 hours either.
   */
  readonly #reset: number
  /** The network that the request comes from. */
  client: ClientNetwork | null = null
  /** Only the scratch space depends on it. */
  site: Site = { name: '', kind: 'foreign', isHostRewritten: false }
  /** What the tier's limit has left, for the headers. */
  #remaining = 0
  isAdmitted = false
  /** Whether it only reads the usage, which costs no request. */
  #readsUsage = false
  /** Whether the server could not begin to serve it, so that it is given back what it was charged. */
  isUnserved = false
  /** What it was charged, less its admission. */
  #charged: readonly Charge[] = []
  /** The owner of the calendar feed for whom the request is served and counted; null: it is the caller. */
  #owner: { readonly workspace: Workspace; readonly charge: Charge } | null = null
  #requestId = ''
  readonly #deps: AdmissionDeps

  /** Makes a provisional decision, from the headers alone: no requests are left. */
  constructor(deps: AdmissionDeps, path: string, key: ApiKey | KeyFault | null, hour: number, now: number) {
    this.#deps = deps
    this.path = path
    const isFault = key !== null && 'fault' in key
    this.#apiKey = isFault ? null : key
    this.#keyFault = isFault ? key.fault : null
    this.tier = this.#apiKey ? 'api' : 'free'
    this.#limit = this.#apiKey ? deps.settings.apiLimitPerHour : deps.settings.freeLimitPerHour
    this.hour = hour
    this.#reset = Math.max(1, Math.ceil(((hour + 1) * HOUR_MS - now) / 1000))
  }

  /** A UUIDv7, which errors and the log show. */
  get requestId(): string {
    this.#requestId ||= this.#deps.ids()
    return this.#requestId
  }

  get #network(): ClientNetwork {
    if (!this.client) throw new Error('The gate has not found the network of this request.')
    return this.client
  }

  /** The scratch space of the caller's address and site, in either tier. */
  get scratch(): Workspace {
    const { subject: address } = this.#network
    const { name, kind: siteKind } = this.site
    const id = this.#deps.identity.scratch(address, name) as WorkspaceId
    return { id, kind: 'scratch', address, siteKind }
  }

  /** A hash of the caller's network, like the address of `scratch`; undefined if its keys share no limit. */
  get network(): string | undefined {
    return this.client?.ceilings.length ? this.client.subject : undefined
  }

  /** The key's workspace; without a key the scratch space of the address and site. */
  get workspace(): Workspace {
    return this.#owner?.workspace ?? this.#apiKey?.workspace ?? this.scratch
  }

  get #charge(): Charge {
    return this.#owner?.charge ?? this.#apiKey?.charge ?? this.#network.freeCharges[0]
  }

  /**
   * Reads the caller's usage, with the hours for which it is kept, the oldest first. Reading it is not counted.
   * @throws ApiError unavailable if the meter cannot be read
   */
  async usage() {
    try {
      const history = await this.#deps.meter.history(this.#charge, DETAIL_HOURS, this.hour)
      return { tier: this.tier, limit: this.#limit, remaining: this.#remaining, resetSeconds: this.#reset, history }
    } catch (error) {
      throw error instanceof MeterUnavailable ? countingUnavailable() : error
    }
  }

  /**
   * Decides, in this order: preflight, the form of the key, whose secret the path has, whether the key is known, its
   * admission, and the charge. Counts every request once, except preflights and reads of /api/usage.
   * @returns a response that refuses or answers the request; undefined if it may pass
   */
  async decide(request: Request): Promise<Response | undefined> {
    try {
      if (!isPreflight(request)) return await this.#check(request)
      // Not counted and never refused: a browser would report a refusal as a network error.
      await this.#showLimits()
      return createPreflightResponse()
    } catch (error) {
      if (!(error instanceof MeterUnavailable) && !(error instanceof DatabaseUnavailable)) throw error
      // What memory has of a foreign key would show that it is in use.
      if (!this.#apiKey?.isForeign) await this.#showLimits()
      return this.#answer(countingUnavailable())
    }
  }

  /** Sets what is left without charging, as far as memory has the counts while meter.db fails. */
  #showLimits(): Promise<void> {
    return this.#learnRemaining(() => this.#deps.meter.peek([this.#charge], this.hour, true))
  }

  /** Learns what is left, unless the meter fails: the answer does not depend on it. */
  async #learnRemaining(ask: () => ReturnType<Counter['peek']>): Promise<void> {
    try {
      this.#setRemaining(await ask())
    } catch (error) {
      if (!(error instanceof MeterUnavailable)) throw error
    }
  }

  async #check(request: Request): Promise<Response | undefined> {
    const { freeCharges } = this.#network
    if (this.#keyFault !== null)
      return (await this.#take(freeCharges)) ?? this.#answer(new ApiError('invalid_api_key', this.#keyFault))
    const isReading = isRead(request)
    // A secret path is a credential for reading alone: no other request acts for its owner.
    const { secretPaths } = this.#deps
    const isSecret = isReading && secretPaths?.prefixes.some((prefix) => this.path.startsWith(prefix))
    const owner = isSecret ? await secretPaths?.findOwner(this.path) : null
    if (owner) return await this.#chargeOwner(owner)
    this.#readsUsage = isReading && this.path === '/api/usage'
    return await (this.#apiKey ? this.#checkKey(this.#apiKey) : this.#take(freeCharges))
  }

  /** Charges the owner of a secret path, the path, and the caller's network at the ceilings of the owner's tier. */
  async #chargeOwner({ workspace, subject }: PathOwner): Promise<Response | undefined> {
    const { settings } = this.#deps
    const { ceilings, freeCharges } = this.#network
    const isKey = workspace.kind === 'key'
    const charge = createCharge(isKey ? 'api' : 'free', payerOf(workspace), settings)
    this.#owner = { workspace, charge }
    this.tier = isKey ? 'api' : 'free'
    this.#limit = charge.limit
    const ofNetwork = isKey ? ceilings : freeCharges.slice(1)
    return await this.#take([charge, ...ofNetwork, createCharge('feed', subject, settings)])
  }

  async #checkKey(apiKey: ApiKey): Promise<Response | undefined> {
    const { meter } = this.#deps
    const [own, newcomer] = [[apiKey.charge, ...this.#network.ceilings], this.#newcomerOf(apiKey)]
    const { key, since } = newcomer
    const day = await meter.lastSeen(key)
    // A day in the future was recorded while the clock was ahead.
    if (day === null || day < dayOf(this.hour)) {
      const isUnknown = day === null || day < since
      if (isUnknown && apiKey.isForeign) return await this.#checkFirstUse(own, newcomer)
      if (isUnknown && (await this.#deps.workspaceIsEmpty(apiKey.workspace.id))) return await this.#admit(own, newcomer)
      // Before the charge, since it may fail.
      await meter.markKeyUsed(key, this.hour)
    }
    const result = await this.#spend(own)
    // Once the ceiling is used up, not even a read of the usage may show which keys this network has used.
    if (apiKey.isForeign && (this.#readsUsage || !result.granted) && result.left.includes(0, 1))
      return await this.#refuseForeignKey(own, newcomer, result.left.slice(1))
    return await this.#settle(own, result)
  }

  /** Makes what is remembered of a key: the key, or, in a foreign format, that this network has used it. */
  #newcomerOf({ id, isForeign }: ApiKey): Newcomer {
    const { admission, firstUse, subject } = this.#network
    const today = dayOf(this.hour)
    if (!isForeign) return { key: id, since: today - KEY_IDLE_DAYS, charges: admission }
    const key = this.#deps.identity.networkKey(subject, id)
    return { key, since: today - FOREIGN_KEY_IDLE_DAYS, charges: firstUse }
  }

  /** Admits an unknown key. A read of /api/usage costs no request, but admits the key as any other request does. */
  async #admit(own: readonly Charge[], newcomer: Newcomer): Promise<Response | undefined> {
    const { meter } = this.#deps
    const paid = this.#readsUsage ? [] : own
    const result = await meter.take(paid, this.hour, newcomer)
    const refusal = await this.#settle(result.isNew ? [...paid, ...newcomer.charges] : paid, result, paid)
    if (this.#readsUsage) this.#setRemaining(await meter.peek(own, this.hour))
    return refusal
  }

  /**
   * Charges the network's first use of a foreign key, the same on every path. Its ceiling pays for a refusal too. Until
   * the use is granted, nothing that depends on the key itself is read: the answer would show that the key exists.
   */
  async #checkFirstUse(own: readonly Charge[], newcomer: Newcomer): Promise<Response | undefined> {
    const { meter } = this.#deps
    const network = await meter.take(own.slice(1), this.hour)
    if (!network.granted) return await this.#refuseForeignKey(own, newcomer, network.left)
    const use = await meter.take([], this.hour, newcomer)
    if (!use.granted) return await this.#refuseForeignKey(own, newcomer, network.left, use.left)
    const ofKey = own.slice(0, 1)
    return await this.#settle(ofKey, await this.#spend(ofKey), own)
  }

  /**
   * Refuses a foreign key as if nothing had ever been counted for it, so that all keys get the same answer.
   * @param ceilingsLeft what the network's ceilings have left
   * @param useLeft what the charges for a first use have left; absent if the ceilings refused
   */
  #refuseForeignKey(
    own: readonly Charge[],
    newcomer: Newcomer,
    ceilingsLeft: readonly number[],
    useLeft?: readonly number[],
  ): Promise<Response> {
    this.#setRemaining([own[0]?.limit ?? 0])
    return this.#refuse(useLeft ? usedUp(newcomer.charges, useLeft) : usedUp(own.slice(1), ceilingsLeft))
  }

  /** Charges the request; a read of the usage only looks. */
  async #spend(charges: readonly Charge[]): Promise<Pick<TakeResult, 'granted' | 'left'>> {
    const { meter } = this.#deps
    return this.#readsUsage
      ? { granted: true, left: await meter.peek(charges, this.hour) }
      : meter.take(charges, this.hour)
  }

  async #take(charges: readonly Charge[]): Promise<Response | undefined> {
    return await this.#settle(charges, await this.#spend(charges))
  }

  /** Keeps what charges came to. @param charged all that the request was charged */
  async #settle(
    charges: readonly Charge[],
    { granted, left }: Pick<TakeResult, 'granted' | 'left'>,
    charged = charges,
  ): Promise<Response | undefined> {
    this.#setRemaining(left)
    if (!granted) return await this.#refuse(usedUp(charges, left))
    if (!this.#readsUsage) this.#charged = charged
    return undefined
  }

  /** Answers 429 with the charges that refused, and counts the refusal. */
  async #refuse(violated: readonly Charge[]): Promise<Response> {
    for (const refused of violated) await this.#deps.meter.refuse(refused, this.hour)
    return this.#answer(tooManyRequests(violated, this.tier, this.#reset))
  }

  #answer(error: ApiError): Response {
    return errorResponse(error, this.path, this.requestId)
  }

  /** Takes what is left of some charges, of which that of the tier comes first. */
  #setRemaining([left = 0]: readonly number[]): void {
    this.#remaining = left
  }

  /** Learns that the server could not begin to serve it. */
  leaveUnserved(): void {
    this.isUnserved = this.#charged.length > 0
  }

  /** Gives back what was charged for a request that the server could not begin to serve. */
  giveBack(): Promise<void> {
    return this.#learnRemaining(() => this.#deps.meter.giveBack(this.#charged, this.hour))
  }

  /** Overwrites what a handler set. */
  setHeaders(headers: Headers): void {
    headers.set('X-Tier', this.tier)
    headers.set('X-RateLimit-Limit', String(this.#limit))
    headers.set('X-RateLimit-Remaining', String(this.#remaining))
    headers.set('RateLimit-Policy', `"${this.tier}";q=${this.#limit};w=3600`)
    headers.set('RateLimit', `"${this.tier}";r=${this.#remaining};t=${this.#reset}`)
  }
}

const usedUp = (charges: readonly Charge[], left: readonly number[]): Charge[] =>
  charges.filter((_, i) => left[i] === 0)

/** Returns the day (since 1970) of an hour (since 1970). */
const dayOf = (hour: number): number => Math.floor(hour / 24)

/** With a `#` in its URL the router may find another route than the gate, so that is no read. */
const isRead = ({ method, url }: Request): boolean => (method === 'GET' || method === 'HEAD') && !url.includes('#')

/** Names the policies that refused. @param reset seconds until the end of the hour */
function tooManyRequests(violated: readonly Charge[], tier: Tier, reset: number): ApiError {
  const [first] = violated
  const limit = first ? `${first.limit} ${POLICIES[first.policy].description}` : 'The limit is used up'
  const isNewKey = violated.some(({ hours }) => hours === 24)
  const isForeign = violated.some(({ policy }) => policy.startsWith('foreign-keys'))
  const otherKey = isForeign ? 'Use a key made on the key page (see /)' : 'Use a key you already have'
  const advice = tier === 'free' ? 'Slow down, or add an API key (see /)' : 'Slow down'
  return new ApiError(
    isNewKey ? 'too_many_new_keys' : 'rate_limited',
    isNewKey
      ? `${limit}. ${otherKey}, or try again in ${reset} s at the earliest.`
      : `${limit}. ${advice}. Resets in ${reset} s.`,
    { violated_policies: violated.map(({ policy }) => policy) },
    { 'Retry-After': String(reset) },
  )
}

const countingUnavailable = () =>
  new ApiError('unavailable', 'The server cannot count requests right now. Try again in a moment.')
