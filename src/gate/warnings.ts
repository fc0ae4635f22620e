import type { Log } from '../db/database'
import {
  FORWARDING_HEADERS,
  inRanges,
  isLoopback,
  type NetworkRange,
  parseAddress,
  resolveClient,
} from './client-address'
import type { GateSettings } from './tiers'

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

export type Warning = keyof typeof WARNINGS

/** Gives each warning once. */
export class Warnings {
  readonly #log: Log
  readonly #given = new Set<Warning>()

  constructor(log: Log) {
    this.#log = log
  }

  get given(): ReadonlySet<Warning> {
    return this.#given
  }

  warn(warning: Warning): void {
    if (this.#given.has(warning)) return
    this.#given.add(warning)
    this.#log.warn({ warning }, WARNINGS[warning])
  }
}

/**
 * Whether a caller may read /metrics: it must be this machine, or in one of the networks `allowed`. A forwarded request
 * is allowed only if a trusted proxy names a client that is in `allowed` and not itself a trusted proxy, since other
 * chains do not show who is calling. A trusted proxy without a forwarding header may also hide its client, so it must
 * be in `allowed` itself.
 * @param peer the address of the peer, or null
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
