import { parseAuthority } from '../http/security-headers'
import {
  type Address,
  FORWARDING_HEADERS,
  formatAddress,
  inRanges,
  isLoopback,
  parseAddress,
  resolveClient,
} from './client-address'
import type { GateSettings } from './tiers'

/** What the server takes a request for. `satchel doctor` asks for it, and nobody else sees it. */
export interface RequestView {
  /** Whether TRUSTED_PROXIES names any proxy. */
  readonly has_proxies: boolean
  /** The address that connects; null without one. */
  readonly peer: string | null
  /** Whether the peer is one of TRUSTED_PROXIES. */
  readonly is_trusted: boolean
  /** CLIENT_IP_HEADER. */
  readonly header: string
  /** Its value, all lines joined in order; null without it. */
  readonly value: string | null
  /** The headers in which proxies name clients that the request has, in lower case. */
  readonly forwarding: readonly string[]
  /** The address that the request is counted by; null without one. */
  readonly client: string | null
  /** The number of addresses read from the value, from its right end to the client. */
  readonly read: number
  /** Whether the value ends, or is unreadable, before it names the client. */
  readonly is_incomplete: boolean
  /** Whether the client is one of TRUSTED_PROXIES, or of this machine. */
  readonly client_is: 'trusted' | 'loopback' | 'other'
  /** The scheme and the host with its port that addresses in answers begin with. */
  readonly scheme: string
  readonly host: string
}

/** Describes what a request is taken for. @param peer the address of the peer, or null */
export function viewRequest(
  { url, headers }: Pick<Request, 'url' | 'headers'>,
  peer: string | null,
  { trustedProxies, clientIpHeader }: Pick<GateSettings, 'trustedProxies' | 'clientIpHeader'>,
): RequestView {
  const address = peer === null ? null : parseAddress(peer)
  const is_trusted = address !== null && inRanges(address, trustedProxies)
  const value = headers.get(clientIpHeader)
  const found =
    address && is_trusted
      ? resolveClient(address, clientIpHeader, value, trustedProxies)
      : { client: address, isIncomplete: false, read: 0 }
  const kindOf = (client: Address) =>
    isLoopback(client) ? 'loopback' : inRanges(client, trustedProxies) ? 'trusted' : 'other'
  return {
    has_proxies: trustedProxies.length > 0,
    peer: address && formatAddress(address),
    is_trusted,
    header: clientIpHeader,
    value,
    forwarding: [...new Set([...FORWARDING_HEADERS, clientIpHeader.toLowerCase()])].filter((name) => headers.has(name)),
    client: found.client && formatAddress(found.client),
    read: found.read,
    is_incomplete: found.isIncomplete,
    client_is: found.client ? kindOf(found.client) : 'other',
    scheme: url.slice(0, url.indexOf(':')),
    host: parseAuthority(url),
  }
}
