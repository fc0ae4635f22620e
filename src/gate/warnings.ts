import type { Log } from '../db/context'
import {
  FORWARDING_HEADERS,
  inRanges,
  isLoopback,
  type NetworkRange,
  parseAddress,
  resolveClient,
} from './client-address'
import type { GateSettings } from './tiers'

/** What is likely set up wrongly: each is logged once per process, without any address, and shown in /metrics. */

const WARNINGS = {
  undeclared_proxy:
    'a forwarding header came from a local or private peer that is not in TRUSTED_PROXIES: all behind it share one limit',
  missing_forwarding_header: 'a peer in TRUSTED_PROXIES sent no CLIENT_IP_HEADER: its own address is limited',
  other_forwarding_header:
    'a peer in TRUSTED_PROXIES sent another forwarding header than CLIENT_IP_HEADER: it is ignored',
  unreadable_chain:
    'a peer in TRUSTED_PROXIES sent a CLIENT_IP_HEADER that cannot be read up to the client: a proxy is limited in its place',
  many_agents:
    'one private peer sent over 20 User-Agent values in an hour: if it is a proxy, name it in TRUSTED_PROXIES',
  host_rewritten:
    'a page of this site reached it under another Host than the browser sent: let the proxy pass Host on as it is',
  clock_behind: 'the clock is behind the newest hour counted: that hour goes on until the clock has passed it',
  clock_was_ahead:
    'the clock is over two hours behind the newest hour counted, so it was ahead: it is followed, and what was counted in hours to come waits for them',
  secret_readable: 'the file "secret" can be read by others than its owner: set its mode to 0600',
} as const

export type Warning = keyof typeof WARNINGS

export class Warnings {
  readonly #log: Log
  readonly #given = new Set<Warning>()

  constructor(log: Log) {
    this.#log = log
  }

  /** Those given so far. */
  get given(): ReadonlySet<Warning> {
    return this.#given
  }

  warn(warning: Warning): void {
    if (this.#given.has(warning)) return
    this.#given.add(warning)
    this.#log.warn({ warning }, WARNINGS[warning])
  }
}

/** Who may look at what is for the operator alone. */

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
  const { client } = resolveClient(address, clientIpHeader, headers.get(clientIpHeader), trustedProxies)
  return inRanges(client, allowed) && !inRanges(client, trustedProxies)
}
