import type { Workspace, WorkspaceId } from '../db/database'
import { parseAuthority } from '../http/security-headers'
import {
  type Address,
  FORWARDING_HEADERS,
  inRanges,
  isLoopback,
  isPrivate,
  networksOf,
  parseAddress,
  resolveClient,
} from './client-address'
import { findKeyFault, type Identity, isKeyInAuthorization } from './keys'
import { type Charge, type CounterSubject, createCharge, type GateSettings } from './tiers'
import type { Warnings } from './warnings'

/** Finds the network that a request comes from and the API key that it sends. Both are cached. */

/** A caller's network and everything that is charged to it. */
export interface ClientNetwork {
  /** What a request without a key pays; the tier's own policy comes first. */
  readonly freeCharges: readonly [Charge, ...Charge[]]
  /** What a request with any key pays beside the key's own charge. */
  readonly ceilings: readonly Charge[]
  /** What the admission of an unknown key pays. */
  readonly admission: readonly Charge[]
  /** A hash of the network: its scratch spaces are identified and summed up by it. */
  readonly subject: CounterSubject
}

/** A well-formed key. */
export interface ApiKey {
  readonly id: CounterSubject
  readonly workspace: Workspace
  readonly charge: Charge
}

interface Peer {
  readonly address: Address
  readonly trusted: boolean
  /** Loopback, private or link-local. */
  readonly local: boolean
  readonly loopback: boolean
  /** User-Agent values (hashes) seen in `hour`. */
  readonly agents: Set<number | bigint>
  lastAgent: string | null
  hour: number
}

const AGENTS_OF_ONE = 20
/** Refused, since a caller who sends it so would write into the scratch space of the address, which others may share. */
const KEY_IN_AUTHORIZATION = 'A key in Authorization is not read: send it in the header X-API-Key.'
/** Raw addresses and keys live in these caches only, never longer than the process. */
const CACHED = 5000

export class Clients {
  readonly #settings: GateSettings
  readonly #identity: Identity
  readonly #warnings: Warnings
  readonly #header: string
  readonly #forwarding: readonly string[]
  readonly #peers = new Map<string, Peer | null>()
  readonly #networks = new Map<string, ClientNetwork>()
  readonly #apiKeys = new Map<string, ApiKey>()
  readonly #unknown: ClientNetwork

  constructor(settings: GateSettings, identity: Identity, warnings: Warnings) {
    this.#settings = settings
    this.#identity = identity
    this.#warnings = warnings
    this.#header = settings.clientIpHeader.toLowerCase()
    this.#forwarding = [...new Set([...FORWARDING_HEADERS, this.#header])]
    this.#unknown = this.#makeNetwork(null, false)
  }

  /** The network a request comes from. `socket` is the peer's address; without one all callers are one. */
  findNetwork(socket: string | null, headers: Headers, hour: number): ClientNetwork {
    const peer = socket === null ? null : this.#peerOf(socket)
    if (!socket || !peer) return this.#unknown
    if (peer.trusted) return this.#placeBehind(peer, headers)
    if (!peer.local) return this.#networkAt(socket, peer.address, true)
    // On loopback, programs are many and a proxy shows itself by its header.
    if (!peer.loopback) this.#watch(peer, headers, hour)
    const proxied = this.#forwarding.some((name) => headers.has(name))
    if (proxied) this.#warnings.warn('undeclared_proxy')
    return this.#networkAt(socket, peer.address, !proxied)
  }

  #peerOf(socket: string): Peer | null {
    const cached = this.#peers.get(socket)
    if (cached !== undefined) return cached
    const address = parseAddress(socket)
    const peer = address && {
      address,
      trusted: inRanges(address, this.#settings.trustedProxies),
      local: isPrivate(address),
      loopback: isLoopback(address),
      agents: new Set<number | bigint>(),
      lastAgent: null,
      hour: 0,
    }
    return remember(this.#peers, socket, peer)
  }

  #placeBehind(peer: Peer, headers: Headers): ClientNetwork {
    const { trustedProxies } = this.#settings
    const chain = headers.get(this.#header)
    const other = FORWARDING_HEADERS.some((name) => name !== this.#header && headers.has(name))
    if (other) this.#warnings.warn('other_forwarding_header')
    if (chain === null) this.#warnings.warn('missing_forwarding_header')
    const { client, unreadable } = resolveClient(peer.address, this.#header, chain, trustedProxies)
    if (unreadable) this.#warnings.warn('unreadable_chain')
    // Never exempt: what a chain calls loopback is a proxy's own machine, or a client's lie that a proxy passed on.
    return this.#networkAt(client.toHex(), client, false)
  }

  /** Many programs behind one private peer are the sign of a proxy that nobody declared. */
  #watch(peer: Peer, headers: Headers, hour: number): void {
    const agent = headers.get('user-agent')
    if (agent === null || (agent === peer.lastAgent && hour === peer.hour)) return
    if (hour !== peer.hour) peer.agents.clear()
    peer.hour = hour
    peer.lastAgent = agent
    if (peer.agents.size <= AGENTS_OF_ONE) peer.agents.add(Bun.hash(agent))
    if (peer.agents.size > AGENTS_OF_ONE) this.#warnings.warn('many_agents')
  }

  /** @param exempt whether loopback is exempt here */
  #networkAt(name: string, client: Address, exempt: boolean): ClientNetwork {
    const key = exempt ? name : `~${name}`
    return (
      this.#networks.get(key) ?? remember(this.#networks, key, this.#makeNetwork(client, exempt && isLoopback(client)))
    )
  }

  #makeNetwork(client: Address | null, exempt: boolean): ClientNetwork {
    const networks = client && networksOf(client)
    const subject = this.#identity.address(networks?.network ?? null)
    const free = createCharge('free', subject, this.#settings)
    if (exempt) return { freeCharges: [free], ceilings: [], admission: [], subject: subject }
    const subject48 = networks?.network48 ? this.#identity.address48(networks.network48) : null
    const on = (...charges: (Charge | null)[]): Charge[] => charges.filter((c) => c !== null).filter((c) => c.limit > 0)
    const wide = (policy: 'free-48' | 'new-keys-48'): Charge | null =>
      subject48 === null ? null : createCharge(policy, subject48, this.#settings)
    return {
      freeCharges: [free, ...on(wide('free-48'))],
      ceilings: on(createCharge('network', subject, this.#settings)),
      admission: on(createCharge('new-keys-day', subject, this.#settings), wide('new-keys-48')),
      subject: subject,
    }
  }

  /** The key in X-API-Key, or a sentence that says what is wrong with the key; null without one. */
  readApiKey(headers: Headers): ApiKey | string | null {
    const key = headers.get('x-api-key')
    // An empty header is a malformed key, not a missing one.
    if (key !== null) return this.#holderOf(key)
    const authorization = headers.get('authorization')
    return authorization !== null && isKeyInAuthorization(authorization) ? KEY_IN_AUTHORIZATION : null
  }

  #holderOf(key: string): ApiKey | string {
    const cached = this.#apiKeys.get(key)
    if (cached) return cached
    const fault = findKeyFault(key)
    if (fault) return `The key in X-API-Key ${fault}.`
    const id = this.#identity.key(key)
    return remember(this.#apiKeys, key, {
      id,
      workspace: { id: id as WorkspaceId, kind: 'key' },
      charge: createCharge('api', id, this.#settings),
    })
  }
}

/** Starting over when it is full costs less than an order of use on every request. */
function remember<T>(cache: Map<string, T>, name: string, value: T): T {
  if (cache.size >= CACHED) cache.clear()
  cache.set(name, value)
  return value
}

/**
 * The site that a request belongs to. Each has its own scratch space, so that a web page of another site, also one
 * whose name was made to lead here, meets an empty space of its own.
 */

interface Site {
  /** '' for the loopback names; else the host name and, for a page of another origin, that origin. */
  readonly name: string
  /** The page is of this very site, by the browser's word, and yet was addressed otherwise: a proxy changed Host. */
  readonly hostRewritten: boolean
}

/** The host that a request was sent to, and the origin of the page that sent it. */
export function readSite({ url, headers }: Pick<Request, 'url' | 'headers'>): Site {
  const host = withoutDefaultPort(parseAuthority(url).toLowerCase())
  const origin = headers.get('origin')
  const fetchSite = headers.get('sec-fetch-site')
  const differs =
    origin !== null && withoutDefaultPort(origin.toLowerCase().replace(/^[a-z][a-z0-9+.-]*:\/\//, '')) !== host
  const own = fetchSite === 'same-origin' || fetchSite === 'none'
  const foreign = fetchSite === 'cross-site' || fetchSite === 'same-site' || (!own && differs)
  const name = nameOf(host)
  return {
    name: foreign ? `${name} ${origin ?? 'null'}` : name,
    // A page may hide its origin from its own site, too.
    hostRewritten: fetchSite === 'same-origin' && differs && origin !== 'null',
  }
}

/** Whether the Host header was sent once: two lines arrive joined by a comma, and one of them names another site. */
export function hasOneHost(headers: Headers): boolean {
  return !headers.get('host')?.includes(',')
}

/** The scheme is left aside, as a proxy that ends TLS changes it: both default ports are none. */
function withoutDefaultPort(host: string): string {
  return host.replace(/:(80|443)?$/, '')
}

/** The host name without its port; '' for every name and address of the loopback: no name server is needed for them. */
function nameOf(host: string): string {
  const name = host.replace(/:\d*$/, '')
  if (name === 'localhost' || name.endsWith('.localhost')) return ''
  const address = parseAddress(name.replace(/^\[(.*)\]$/, '$1'))
  return address && isLoopback(address) ? '' : name
}
