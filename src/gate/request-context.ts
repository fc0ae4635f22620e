/** One request at the gate: what is known of its caller, what was decided, and the headers that say so. */
import type { Workspace, WorkspaceId } from '../db/database'
import type { ApiKey, ClientNetwork } from './clients'
import { type Counter, type History, MeterUnavailable } from './counter-port'
import { countingUnavailable } from './errors'
import type { Identity } from './keys'
import type { Charge, GateSettings, Tier } from './tiers'
import { HOUR_MS } from './tiers'

/** What GET /api/usage says of the caller. Reading it is not counted. */
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

/** Who is calling, as the gate found. */
export interface Caller {
  readonly tier: Tier
  /** The key's workspace; without a key the scratch space of the address and site. */
  readonly workspace: Workspace
  /** The scratch space of the caller's address and site, whichever the tier. */
  readonly scratch: Workspace
  /** A hash of the caller's network, like the address of `scratch`; undefined where its keys have no ceiling together. */
  readonly network: string | undefined
  /** UUIDv7: it is in errors and in the log. */
  readonly requestId: string
  /** @throws ApiError `unavailable` when the meter cannot be read */
  usage(): Promise<HourlyUsage>
}

/** What every context needs. */
export interface ContextDeps {
  readonly settings: GateSettings
  readonly meter: Counter
  readonly identity: Identity
  readonly ids: () => string
}

const HISTORY_HOURS = 48

/** A header that every answer under /api shows to scripts of other origins. */
const EXPOSED = [
  'X-Tier',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'RateLimit-Policy',
  'RateLimit',
  'Retry-After',
  'X-Key-Status',
  'ETag',
  'Location',
  'Allow',
  'Idempotency-Replayed',
  'X-Links-Updated',
].join(', ')

export class RequestContext implements Caller {
  readonly path: string
  /** The caller's key; null without one, and with one that breaks a rule. */
  readonly apiKey: ApiKey | null
  readonly keyFault: string | null
  tier: Tier
  limit: number
  readonly hour: number
  /** Seconds to the end of the hour, 1..10800: it may be held for two more. No earlier can any answer of the gate change, of 24 hour policies too. */
  readonly reset: number
  client: ClientNetwork | null = null
  /** See Site; nothing else depends on it. */
  site = ''
  remaining = 0
  keyStatus: 'new' | 'known' | null = null
  /** The gate let the request through. */
  admitted = false
  /** In whose name the request is served and counted, if not in its caller's. */
  #owner: { readonly workspace: Workspace; readonly charge: Charge } | null = null
  #policies: string
  #levels: string
  #requestId = ''
  readonly #contextDeps: ContextDeps

  /** A provisional verdict, from the headers alone: nothing left. */
  constructor(deps: ContextDeps, path: string, apiKey: ApiKey | string | null, hour: number, now: number) {
    this.#contextDeps = deps
    this.path = path
    this.apiKey = typeof apiKey === 'string' ? null : apiKey
    this.keyFault = typeof apiKey === 'string' ? apiKey : null
    this.tier = this.apiKey ? 'api' : 'free'
    this.limit = this.apiKey ? deps.settings.apiLimitPerHour : deps.settings.freeLimitPerHour
    this.hour = hour
    this.reset = Math.max(1, Math.ceil(((hour + 1) * HOUR_MS - now) / 1000))
    this.#policies = `"${this.tier}";q=${this.limit};w=3600`
    this.#levels = `"${this.tier}";r=0;t=${this.reset}`
  }

  get requestId(): string {
    this.#requestId ||= this.#contextDeps.ids()
    return this.#requestId
  }

  get scratch(): Workspace {
    if (!this.client) throw new Error('The gate has not found the network of this request.')
    const { subject: address } = this.client
    const id = this.#contextDeps.identity.scratch(address, this.site) as WorkspaceId
    return { id, kind: 'scratch', address }
  }

  get network(): string | undefined {
    return this.client?.ceilings.length ? this.client.subject : undefined
  }

  get workspace(): Workspace {
    return this.#owner?.workspace ?? this.apiKey?.workspace ?? this.scratch
  }

  /** The tier's own charge. */
  get charge(): Charge | undefined {
    return this.#owner?.charge ?? this.apiKey?.charge ?? this.client?.freeCharges[0]
  }

  /** From here on the context is one of the owner of `workspace`, whose own charge is `charge`. */
  actFor(workspace: Workspace, charge: Charge): void {
    this.#owner = { workspace, charge }
    this.tier = workspace.kind === 'key' ? 'api' : 'free'
    this.limit = charge.limit
  }

  /**
   * Notes what is left. The tier's own policy comes first; another is named only when it has less left than the tier
   * or refused. Admission policies are named only when they refused: they say nothing about an ordinary request.
   */
  setRemaining(charges: readonly Charge[], left: readonly number[], granted: boolean): undefined {
    const own = left[0] ?? 0
    this.#policies = charges[0]?.field ?? this.#policies
    this.remaining = own
    this.#levels = `"${this.tier}";r=${own};t=${this.reset}`
    for (let i = 1; i < charges.length; i++) {
      const { policy, field } = charges[i] as Charge
      const rest = left[i] ?? 0
      const refused = !granted && rest === 0
      if (!refused && (rest >= own || policy.startsWith('new-keys'))) continue
      this.#policies += `, ${field}`
      this.#levels += `, "${policy}";r=${rest};t=${this.reset}`
    }
  }

  /** Writes the headers of the verdict, over whatever a handler set under the same names. */
  setHeaders(headers: Headers, origin: string | null): void {
    headers.set('X-Tier', this.tier)
    headers.set('X-RateLimit-Limit', String(this.limit))
    headers.set('X-RateLimit-Remaining', String(this.remaining))
    headers.set('RateLimit-Policy', this.#policies)
    headers.set('RateLimit', this.#levels)
    if (this.keyStatus) headers.set('X-Key-Status', this.keyStatus)
    else headers.delete('X-Key-Status')
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
  headers.set('Access-Control-Expose-Headers', EXPOSED)
}
