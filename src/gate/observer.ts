/** Who may look at what is for the operator alone. */
import {
  clientBehind,
  FORWARDING_HEADERS,
  inRanges,
  isLoopback,
  type NetworkRange,
  parseAddress,
} from './client-address'
import type { GateSettings } from './tiers'

/**
 * Whether a request comes from this machine or from one of the networks `allowed`. Of what was forwarded only a client
 * that a trusted proxy names and that is `allowed` counts: an undeclared proxy hides who asks, and a chain that ends at
 * a trusted proxy says no more. Without a forwarding header a trusted proxy asks for itself, or hides somebody: it must
 * be `allowed`.
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
  const isTrusted = inRanges(address, trustedProxies)
  if (![...FORWARDING_HEADERS, clientIpHeader].some((name) => headers.has(name)))
    return inRanges(address, allowed) || (isLoopback(address) && !isTrusted)
  if (!isTrusted) return false
  const { client } = clientBehind(address, clientIpHeader, headers.get(clientIpHeader), trustedProxies)
  return inRanges(client, allowed) && !inRanges(client, trustedProxies)
}
