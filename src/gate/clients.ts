import type { SiteKind, Workspace, WorkspaceId } from '../db/database'
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
import { findKeyFault, type Identity, isForeignFormat, isKeyInAuthorization } from './keys'
import { type Charge, type CounterSubject, createCharge, type GateSettings } from './tiers'
import type { Warnings } from './warnings'

export interface ClientNetwork {
  /** The charges of a request without a key; that of the tier itself comes first. */
  readonly freeCharges: readonly [Charge, ...Charge[]]
  /** The charges of a request with a key, in addition to that of the key. */
  readonly ceilings: readonly Charge[]
  /** The charges for the admission of an unknown key. */
  readonly admission: readonly Charge[]
  /** The charges for the network's first use of a key in a foreign format. */
  readonly firstUse: readonly Charge[]
  /** A hash of the network. Its scratch spaces are identified and summed up by it. */
  readonly subject: CounterSubject
}

/** The facts derived from a well-formed key. The key itself is not kept here. */
export interface ApiKey {
  readonly id: CounterSubject
  readonly workspace: Workspace
  readonly charge: Charge
  /** See isForeignFormat. */
  readonly isForeign: boolean
}

/** A key that is refused. `fault` is a sentence that says what is wrong with it, without repeating it. */
export interface KeyFault {
  readonly fault: string
}

interface Peer {
  readonly address: Address
  /** Whether it is one of TRUSTED_PROXIES. */
  readonly isTrusted: boolean
  /** Whether it is loopback, private or link-local. */
  readonly isLocal: boolean
}

/** Ignoring a key in Authorization would let the caller write, unnoticed, into a shared scratch space. */
const KEY_IN_AUTHORIZATION = 'A key in Authorization is not read: send it in the header X-API-Key.'
/** Entries of each cache. Only these caches hold raw addresses and keys, and only in memory. */
const MAX_CACHED = 5000

/** Finds the network that a request comes from and the API key that it sends. Both are cached. */
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

  /** @param peerAddress the address of the peer; all requests without one share a network */
  findNetwork(peerAddress: string | null, headers: Headers): ClientNetwork {
    const peer = peerAddress === null ? null : this.#readPeer(peerAddress)
    if (!peerAddress || !peer) return this.#unknown
    if (peer.isTrusted) return this.#findBehindProxy(peer, headers)
    if (!peer.isLocal) return this.#getNetwork(peerAddress, peer.address, true)
    // On loopback it is normal that many programs call; a proxy there is recognized by its headers.
    const isProxied = this.#forwarding.some((name) => headers.has(name))
    if (isProxied) this.#warnings.warn('undeclared_proxy')
    return this.#getNetwork(peerAddress, peer.address, !isProxied)
  }

  #readPeer(text: string): Peer | null {
    const cached = this.#peers.get(text)
    if (cached !== undefined) return cached
    const address = parseAddress(text)
    const peer = address && {
      address,
      isTrusted: inRanges(address, this.#settings.trustedProxies),
      isLocal: isPrivate(address),
    }
    return remember(this.#peers, text, peer)
  }

  #findBehindProxy(peer: Peer, headers: Headers): ClientNetwork {
    const { trustedProxies } = this.#settings
    const chain = headers.get(this.#header)
    const hasOther = FORWARDING_HEADERS.some((name) => name !== this.#header && headers.has(name))
    if (hasOther) this.#warnings.warn('other_forwarding_header')
    if (chain === null) this.#warnings.warn('missing_forwarding_header')
    const { client, isIncomplete } = resolveClient(peer.address, this.#header, chain, trustedProxies)
    if (isIncomplete) this.#warnings.warn('unreadable_chain')
    // Never exempt: a loopback address in the chain is the proxy's own machine, or was forged by the client.
    return this.#getNetwork(client.toHex(), client, false)
  }

  /** Returns the cached network of an address. @param canBeExempt whether loopback is exempt from most limits */
  #getNetwork(name: string, client: Address, canBeExempt: boolean): ClientNetwork {
    // `~` distinguishes the network of an address that is not exempt.
    const key = canBeExempt ? name : `~${name}`
    return (
      this.#networks.get(key) ??
      remember(this.#networks, key, this.#makeNetwork(client, canBeExempt && isLoopback(client)))
    )
  }

  #makeNetwork(client: Address | null, isExempt: boolean): ClientNetwork {
    const networks = client && networksOf(client)
    const subject = this.#identity.address(networks?.network ?? null)
    const free = createCharge('free', subject, this.#settings)
    if (isExempt) return { freeCharges: [free], ceilings: [], admission: [], firstUse: [], subject }
    const subject48 = networks?.network48 ? this.#identity.address48(networks.network48) : null
    const enabled = (...charges: (Charge | null)[]): Charge[] =>
      charges.filter((charge) => charge !== null).filter((charge) => charge.limit > 0)
    const chargeOf48 = (policy: 'free-48' | 'new-keys-48' | 'foreign-keys-48'): Charge | null =>
      subject48 === null ? null : createCharge(policy, subject48, this.#settings)
    return {
      freeCharges: [free, ...enabled(chargeOf48('free-48'))],
      ceilings: enabled(createCharge('network', subject, this.#settings)),
      admission: enabled(createCharge('new-keys-day', subject, this.#settings), chargeOf48('new-keys-48')),
      firstUse: enabled(createCharge('foreign-keys-day', subject, this.#settings), chargeOf48('foreign-keys-48')),
      subject,
    }
  }

  /** Reads the key of a request. Returns a fault (a sentence) if the key is invalid, or null without a key. */
  readApiKey(headers: Headers): ApiKey | KeyFault | null {
    const key = headers.get('x-api-key')
    // An empty header is a malformed key, not a missing one.
    if (key !== null) return this.#parseKey(key)
    const authorization = headers.get('authorization')
    return authorization !== null && isKeyInAuthorization(authorization) ? { fault: KEY_IN_AUTHORIZATION } : null
  }

  #parseKey(key: string): ApiKey | KeyFault {
    const cached = this.#apiKeys.get(key)
    if (cached) return cached
    const fault = findKeyFault(key)
    if (fault) return { fault: `The key in X-API-Key ${fault}.` }
    const id = this.#identity.key(key)
    return remember(this.#apiKeys, key, {
      id,
      workspace: { id: id as WorkspaceId, kind: 'key' },
      charge: createCharge('api', id, this.#settings),
      isForeign: isForeignFormat(key),
    })
  }
}

/** Adds to a cache. A full one is cleared, which is cheaper than tracking the least recent use on every request. */
function remember<T>(cache: Map<string, T>, name: string, value: T): T {
  if (cache.size >= MAX_CACHED) cache.clear()
  cache.set(name, value)
  return value
}

/**
 * The site that a request belongs to. Each site has its own scratch space, so that a web page of another site, even one
 * that uses DNS rebinding, only sees an empty space.
 */
export interface Site {
  /** '' for the loopback names; else the host name and, for a page of another origin, that origin. */
  readonly name: string
  readonly kind: SiteKind
  /** Whether the browser says that the page is of the same site, although Host differs: a proxy has rewritten Host. */
  readonly isHostRewritten: boolean
}

export function readSite({ url, headers }: Pick<Request, 'url' | 'headers'>): Site {
  const host = withoutDefaultPort(parseAuthority(url).toLowerCase())
  const origin = headers.get('origin')
  const fetchSite = headers.get('sec-fetch-site')
  const differs = origin !== null && withoutDefaultPort(origin.toLowerCase().replace(/^https?:\/\//, '')) !== host
  const isSameSite = fetchSite === 'same-origin' || fetchSite === 'none'
  const isForeign = fetchSite === 'cross-site' || fetchSite === 'same-site' || (!isSameSite && differs)
  const { name, isDnsName } = parseHostName(host)
  // A program sends no Origin, and a page of https has proved its name by a certificate.
  const isRebindable = isDnsName && origin?.startsWith('http:')
  return {
    name: isForeign ? `${name} ${origin ?? 'null'}` : name,
    kind: isForeign ? 'foreign' : isRebindable ? 'rebindable' : 'own',
    // A page can send the origin `null` to its own site as well.
    isHostRewritten: fetchSite === 'same-origin' && differs && origin !== 'null',
  }
}

/** Two Host headers arrive joined by a comma, and one of them would name another site. */
export function hasOneHost(headers: Headers): boolean {
  return !headers.get('host')?.includes(',')
}

/** Drops port 80 or 443. The scheme is ignored, since a proxy that terminates TLS changes it. */
function withoutDefaultPort(host: string): string {
  return host.replace(/:(80|443)?$/, '')
}

/** Parses the host name without its port; '' for all names and addresses of loopback, which need no name server. */
function parseHostName(host: string): { name: string; isDnsName: boolean } {
  const name = host.replace(/:\d*$/, '')
  if (name === 'localhost' || name.endsWith('.localhost')) return { name: '', isDnsName: false }
  const address = parseAddress(name.replace(/^\[(.*)\]$/, '$1'))
  return { name: address && isLoopback(address) ? '' : name, isDnsName: address === null }
}
