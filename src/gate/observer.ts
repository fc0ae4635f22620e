/** Who may look at what is for the operator alone. */
import { clientBehind, inRanges, isLoopback, type NetworkRange, parseAddress } from './client-address'
import type { GateSettings } from './tiers'

const FORWARDING = ['x-forwarded-for', 'forwarded']

/**
 * Whether a request comes from this machine or from one of the networks `allowed`. A proxy that is not declared is
 * refused, and everyone behind it: the address of the peer is then not the one that asks.
 * @param peer the address at the other end of the connection, or null
 */
export function mayObserve(
  headers: Headers,
  peer: string | null,
  { trustedProxies, clientIpHeader }: Pick<GateSettings, 'trustedProxies' | 'clientIpHeader'>,
  allowed: readonly NetworkRange[],
): boolean {
  const address = peer === null ? null : parseAddress(peer)
  if (!address) return false
  const header = clientIpHeader.toLowerCase()
  const trusted = inRanges(address, trustedProxies)
  if (!trusted && [...FORWARDING, header].some((name) => headers.has(name))) return false
  const client = trusted ? clientBehind(address, header, headers.get(header), trustedProxies).client : address
  return isLoopback(client) || inRanges(client, allowed)
}
