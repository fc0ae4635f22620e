/** The context of one request: its caller, the decision of the gate, and the headers that report it. */
import type { Workspace, WorkspaceId } from '../db/database'
import type { ApiKey, ClientNetwork, KeyFault, Site } from './clients'
import { type Counter, type History, MeterUnavailable } from './counter-port'
import { countingUnavailable } from './errors'
import type { Identity } from './keys'
import type { Charge, GateSettings, Tier } from './tiers'
import { HOUR_MS } from './tiers'

/** The usage of a caller, for GET /api/usage. Reading it is not counted. */
export interface HourlyUsage {
  tier: Tier
  /** Requests an hour. */
  limit: number
  remaining: number
  /** 1..10800. */
  resetSeconds: number
  /** The newest 48 hours of this caller, the oldest first. */
  history: History
}

export interface Caller {
  readonly tier: Tier
  /** The key's workspace; without a key the scratch space of the address and site. */
  readonly workspace: Workspace
  /** The scratch space of the caller's address and site, in either tier. */
  readonly scratch: Workspace
  /** A hash of the caller's network, like the address of `scratch`; undefined if its keys share no limit. */
  readonly network: string | undefined
  /** A UUIDv7, which errors and the log show. */
  readonly requestId: string
  /** Reads the caller's usage. @throws ApiError unavailable if the meter cannot be read */
  usage(): Promise<HourlyUsage>
}

export interface ContextDeps {
  readonly settings: GateSettings
  readonly meter: Counter
  readonly identity: Identity
  readonly ids: () => string
}

const HISTORY_HOURS = 48

/** The headers that scripts of other origins may read. */
const EXPOSED_HEADERS = [
  'X-Tier',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'RateLimit-Policy',
  'RateLimit',
  'Retry-After',
  'ETag',
  'Location',
  'Allow',
  'Idempotency-Replayed',
  'X-Links-Updated',
].join(', ')

export class RequestContext implements Caller {
  readonly path: string
  /** The caller's key; null without one or if it is invalid. */
  readonly apiKey: ApiKey | null
  readonly keyFault: string | null
  tier: Tier
  limit: number
  readonly hour: number
  /**
   * Seconds to the end of the hour, 1..10800, since the hour may be held for two more. The decision of the gate cannot
   * change before this, for policies of 24 hours either.
   */
  readonly reset: number
  client: ClientNetwork | null = null
  /** Only the scratch space depends on it. */
  site: Site = { name: '', kind: 'foreign', isHostRewritten: false }
  /** What the tier's limit has left, for the headers. */
  remaining = 0
  isAdmitted = false
  /** What it was charged, less its admission. */
  charged: readonly Charge[] = []
  /** Whether the server could not begin to serve it, so that it is given back what it was charged. */
  isUnserved = false
  /** The owner of the calendar feed for whom the request is served and counted; null: it is the caller. */
  #owner: { readonly workspace: Workspace; readonly charge: Charge } | null = null
  #requestId = ''
  readonly #contextDeps: ContextDeps

  /** Makes a context with a provisional decision, from the headers alone: no requests are left. */
  constructor(deps: ContextDeps, path: string, key: ApiKey | KeyFault | null, hour: number, now: number) {
    this.#contextDeps = deps
    this.path = path
    const isFault = key !== null && 'fault' in key
    this.apiKey = isFault ? null : key
    this.keyFault = isFault ? key.fault : null
    this.tier = this.apiKey ? 'api' : 'free'
    this.limit = this.apiKey ? deps.settings.apiLimitPerHour : deps.settings.freeLimitPerHour
    this.hour = hour
    this.reset = Math.max(1, Math.ceil(((hour + 1) * HOUR_MS - now) / 1000))
  }

  get requestId(): string {
    this.#requestId ||= this.#contextDeps.ids()
    return this.#requestId
  }

  get scratch(): Workspace {
    if (!this.client) throw new Error('The gate has not found the network of this request.')
    const { subject: address } = this.client
    const { name, kind: siteKind } = this.site
    const id = this.#contextDeps.identity.scratch(address, name) as WorkspaceId
    return { id, kind: 'scratch', address, siteKind }
  }

  get network(): string | undefined {
    return this.client?.ceilings.length ? this.client.subject : undefined
  }

  get workspace(): Workspace {
    return this.#owner?.workspace ?? this.apiKey?.workspace ?? this.scratch
  }

  get charge(): Charge | undefined {
    return this.#owner?.charge ?? this.apiKey?.charge ?? this.client?.freeCharges[0]
  }

  /** Makes the request act for the owner of a calendar feed. @param charge the charge of the owner's tier */
  actFor(workspace: Workspace, charge: Charge): void {
    this.#owner = { workspace, charge }
    this.tier = workspace.kind === 'key' ? 'api' : 'free'
    this.limit = charge.limit
  }

  /** Takes what is left of some charges, of which that of the tier comes first. */
  setRemaining([left = 0]: readonly number[]): undefined {
    this.remaining = left
  }

  /** Sets the headers of the gate, and overwrites those that a handler set. */
  setHeaders(headers: Headers, origin: string | null): void {
    headers.set('X-Tier', this.tier)
    headers.set('X-RateLimit-Limit', String(this.limit))
    headers.set('X-RateLimit-Remaining', String(this.remaining))
    headers.set('RateLimit-Policy', `"${this.tier}";q=${this.limit};w=3600`)
    headers.set('RateLimit', `"${this.tier}";r=${this.remaining};t=${this.reset}`)
    allowOrigin(headers, this.#contextDeps.settings.corsOrigin, origin)
  }

  async usage(): Promise<HourlyUsage> {
    const { tier, limit, remaining, reset, charge, hour } = this
    if (!charge) throw new Error('The gate has not found the network of this request.')
    try {
      const history = await this.#contextDeps.meter.history(charge, HISTORY_HOURS, hour)
      return { tier, limit, remaining, resetSeconds: reset, history }
    } catch (error) {
      throw error instanceof MeterUnavailable ? countingUnavailable() : error
    }
  }
}

function allowOrigin(headers: Headers, allowed: GateSettings['corsOrigin'], origin: string | null): void {
  if (allowed === '*') {
    headers.set('Access-Control-Allow-Origin', '*')
  } else {
    headers.append('Vary', 'Origin')
    if (origin !== null && allowed.includes(origin)) headers.set('Access-Control-Allow-Origin', origin)
    else headers.delete('Access-Control-Allow-Origin')
  }
  headers.set('Access-Control-Expose-Headers', EXPOSED_HEADERS)
}
