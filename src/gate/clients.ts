import type { Log, SiteKind, Workspace, WorkspaceId } from '../db/database'
import {
  type Address,
  FORWARDING_HEADERS,
  inRanges,
  isLoopback,
  isPrivate,
  type NetworkRange,
  networksOf,
  parseAddress,
  resolveClient,
} from '../lib/client-address'
import { Cache } from '../lib/steps'
import { findKeyFault, type Identity, isForeignFormat, isKeyInAuthorization } from './keys'
import { type Charge, type CounterSubject, createCharge, type GateSettings, type PolicyName } from './tiers'

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
/** Longer names of hosts, in UTF-16 units, are not kept: a name of DNS has 253 at most. */
const MAX_HOST_LENGTH = 260

/** Finds the network that a request comes from, its site, and the API key that it sends. All are cached. */
export function createClients(settings: GateSettings, identity: Identity, warnings: Warnings) {
  const { trustedProxies } = settings
  const header = settings.clientIpHeader.toLowerCase()
  const forwarding = [...new Set([...FORWARDING_HEADERS, header])]
  const peers = new Cache<string, Peer | null>(MAX_CACHED)
  const networks = new Cache<string, ClientNetwork>(MAX_CACHED)
  const apiKeys = new Cache<string, ApiKey>(MAX_CACHED)
  const hosts = new Cache<string, Host>(MAX_CACHED)
  const unknown = makeNetwork(null, false)

  function readPeer(text: string): Peer | null {
    const cached = peers.get(text)
    if (cached !== undefined) return cached
    const address = parseAddress(text)
    const isTrusted = address !== null && inRanges(address, trustedProxies)
    return peers.keep(text, address === null ? null : { address, isTrusted, isLocal: isPrivate(address) })
  }

  function findBehindProxy(peer: Peer, headers: Headers): ClientNetwork {
    const chain = headers.get(header)
    const hasOther = FORWARDING_HEADERS.some((name) => name !== header && headers.has(name))
    if (hasOther) warnings.warn('other_forwarding_header')
    if (chain === null) warnings.warn('missing_forwarding_header')
    const { client, isIncomplete } = resolveClient(peer.address, header, chain, trustedProxies)
    if (isIncomplete) warnings.warn('unreadable_chain')
    // Never exempt: a loopback address in the chain is the proxy's own machine, or was forged by the client.
    return getNetwork(client, client, false)
  }

  /** Returns the cached network of an address. @param canBeExempt whether loopback is exempt from most limits */
  function getNetwork(name: string, client: Address, canBeExempt: boolean): ClientNetwork {
    // `~` distinguishes the network of an address that is not exempt.
    const key = canBeExempt ? name : `~${name}`
    return networks.get(key) ?? networks.keep(key, makeNetwork(client, canBeExempt && isLoopback(client)))
  }

  function makeNetwork(client: Address | null, isExempt: boolean): ClientNetwork {
    const { network, network48 } = client === null ? { network: null, network48: null } : networksOf(client)
    const subject = identity.address(network)
    const subject48 = network48 && identity.address48(network48)
    /** The charge of a policy, if it is on and the network is not exempt from it. */
    const ifOn = (policy: PolicyName, of: CounterSubject | null): Charge[] => {
      const charge = isExempt || of === null ? null : createCharge(policy, of, settings)
      return charge && charge.limit > 0 ? [charge] : []
    }
    return {
      freeCharges: [createCharge('free', subject, settings), ...ifOn('free-48', subject48)],
      ceilings: ifOn('network', subject),
      admission: [...ifOn('new-keys-day', subject), ...ifOn('new-keys-48', subject48)],
      firstUse: [...ifOn('foreign-keys-day', subject), ...ifOn('foreign-keys-48', subject48)],
      subject,
    }
  }

  function parseKey(key: string): ApiKey | KeyFault {
    const cached = apiKeys.get(key)
    if (cached) return cached
    const fault = findKeyFault(key)
    if (fault) return { fault: `The key in X-API-Key ${fault}.` }
    const id = identity.key(key)
    const workspace = { id: id as WorkspaceId, kind: 'key' } as const
    return apiKeys.keep(key, {
      ...{ id, workspace },
      charge: createCharge('api', id, settings),
      isForeign: isForeignFormat(key),
    })
  }

  function parseHost(text: string): Host {
    const authority = withoutDefaultPort(text.toLowerCase())
    const name = authority.replace(/:\d*$/, '')
    const address = parseAddress(name.replace(/^\[(.*)\]$/, '$1'))
    const isLocalName = name === 'localhost' || name.endsWith('.localhost')
    // All names and addresses of loopback are one site, and need no name server.
    const site = isLocalName || (address && isLoopback(address)) ? '' : name
    const ofPrograms = { name: site, kind: 'own', isHostRewritten: false } as const
    const host = { authority, isDnsName: address === null && !isLocalName, ofPrograms }
    return text.length > MAX_HOST_LENGTH ? host : hosts.keep(text, host)
  }

  return {
    /** @param peerAddress the address of the peer; all requests without one share a network */
    findNetwork(peerAddress: string | null, headers: Headers): ClientNetwork {
      const peer = peerAddress === null ? null : readPeer(peerAddress)
      if (!peerAddress || !peer) return unknown
      if (peer.isTrusted) return findBehindProxy(peer, headers)
      if (!peer.isLocal) return getNetwork(peerAddress, peer.address, true)
      // On loopback it is normal that many programs call; a proxy there is recognized by its headers.
      const isProxied = forwarding.some((name) => headers.has(name))
      if (isProxied) warnings.warn('undeclared_proxy')
      return getNetwork(peerAddress, peer.address, !isProxied)
    },

    /**
     * Whether a caller may read /metrics: it must be this machine, or in one of the networks `allowed`. A forwarded
     * request is allowed only if a trusted proxy names a client that is in `allowed` and not itself a trusted proxy,
     * since other chains do not show who is calling. A trusted proxy without a forwarding header may also hide its
     * client, so it must be in `allowed` itself.
     */
    mayObserve(peerAddress: string | null, headers: Headers, allowed: readonly NetworkRange[]): boolean {
      const peer = peerAddress === null ? null : readPeer(peerAddress)
      if (!peer) return false
      if (!forwarding.some((name) => headers.has(name)))
        return inRanges(peer.address, allowed) || (isLoopback(peer.address) && !peer.isTrusted)
      const { client } = resolveClient(peer.address, header, headers.get(header), trustedProxies)
      return peer.isTrusted && inRanges(client, allowed) && !inRanges(client, trustedProxies)
    },

    /** Reads the key of a request. Returns a fault (a sentence) if the key is invalid, or null without a key. */
    readApiKey(headers: Headers): ApiKey | KeyFault | null {
      const key = headers.get('x-api-key')
      // An empty header is a malformed key, not a missing one.
      if (key !== null) return parseKey(key)
      const authorization = headers.get('authorization')
      return authorization !== null && isKeyInAuthorization(authorization) ? { fault: KEY_IN_AUTHORIZATION } : null
    },

    /** @param authority the host of the request, with its port */
    readSite(authority: string, headers: Headers): Site {
      const host = hosts.get(authority) ?? parseHost(authority)
      const origin = headers.get('origin')
      const fetchSite = headers.get('sec-fetch-site')
      if (origin === null && fetchSite === null) return host.ofPrograms
      const differs =
        origin !== null && withoutDefaultPort(origin.toLowerCase().replace(/^https?:\/\//, '')) !== host.authority
      const isSameSite = fetchSite === 'same-origin' || fetchSite === 'none'
      const isForeign = fetchSite === 'cross-site' || fetchSite === 'same-site' || (!isSameSite && differs)
      // A program sends no Origin, and a page of https has proved its name by a certificate.
      const isRebindable = host.isDnsName && origin?.startsWith('http:')
      return {
        name: isForeign ? `${host.ofPrograms.name} ${origin ?? 'null'}` : host.ofPrograms.name,
        kind: isForeign ? 'foreign' : isRebindable ? 'rebindable' : 'own',
        // A page can send the origin `null` to its own site as well.
        isHostRewritten: fetchSite === 'same-origin' && differs && origin !== 'null',
      }
    },
  }
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

/** The host that a request names. */
interface Host {
  /** With its port, unless that is 80 or 443. */
  readonly authority: string
  readonly isDnsName: boolean
  /** The site of requests that name neither a page nor its relation to the host. */
  readonly ofPrograms: Site
}

/** Drops port 80 or 443. The scheme is ignored, since a proxy that terminates TLS changes it. */
function withoutDefaultPort(host: string): string {
  return host.replace(/:(80|443)?$/, '')
}

/**
 * Likely faults of the setup. Each is logged once per process, without any address, and shown in /metrics; `satchel
 * doctor` prints it.
 */
export const WARNINGS = {
  undeclared_proxy:
    'a forwarding header came from a local or private peer that is not in TRUSTED_PROXIES: all behind it share one limit, unless you name it there',
  missing_forwarding_header:
    'a peer in TRUSTED_PROXIES sent no CLIENT_IP_HEADER: its own address is limited; let the proxy send it, or name the header that it sends',
  other_forwarding_header:
    'a peer in TRUSTED_PROXIES sent a forwarding header other than CLIENT_IP_HEADER: it is ignored; set CLIENT_IP_HEADER if it is the one to believe',
  unreadable_chain:
    'a peer in TRUSTED_PROXIES sent a CLIENT_IP_HEADER that is unreadable before it names the client: a proxy is limited instead; look at what the proxy writes there',
  host_rewritten:
    'a page of this site reached it under a Host other than the browser sent: make the proxy pass Host on unchanged',
  clock_behind: 'the clock is behind the newest hour counted: that hour continues until the clock has passed it',
  clock_was_ahead:
    'the clock is over two hours behind the newest hour counted, so it must have been ahead before: the present time is used, and counts of future hours stay until then',
  secret_readable: 'others than its owner can read the file "secret": set its mode to 0600',
} as const

type Warning = keyof typeof WARNINGS

/** Gives each warning once; those that were given are in `given`. */
export function createWarnings(log: Log) {
  const given = new Set<Warning>()
  const warn = (warning: Warning): void => {
    if (!given.has(warning)) log.warn({ warning }, WARNINGS[warning])
    given.add(warning)
  }
  return { given: given as ReadonlySet<string>, warn }
}

type Warnings = ReturnType<typeof createWarnings>
