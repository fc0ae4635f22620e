import { isIPv4, isIPv6 } from 'node:net'

/**
 * Addresses: a strict parser to 16 bytes, the networks that are counted, and the walk over a proxy chain to the client.
 * IPv4 lives in ::ffff:0:0/96, so one form serves all, and equal bits are the same caller however they are spelled.
 */

/** 16 bytes; IPv4 as its IPv4-mapped IPv6 address. */
export type Address = Uint8Array

/** All addresses whose first `bits` of 128 equal those of `address`. */
export interface NetworkRange {
  readonly address: Address
  readonly bits: number
}

/** How much of a chain is read, from its right end. What a client puts on the left lies beyond, or changes nothing. */
const CHAIN_BYTES = 4096
const CHAIN_ENTRIES = 32

/** The headers in which proxies name the client, in lower case; a server believes one of them, or one of its own choice. */
export const FORWARDING_HEADERS: readonly string[] = ['x-forwarded-for', 'forwarded']

/** A zone is one or more unreserved characters of RFC 6874, or the `%` of its percent encoding. */
const ZONE = /%[0-9A-Za-z._~%-]+$/

/**
 * Reads `v4`, `v6` or `v6%zone` (the zone is dropped); null for anything else. IPv4 is four decimals without leading
 * zeros, never octal, hexadecimal or fewer parts.
 */
export function parseAddress(text: string): Address | null {
  if (!text.includes(':')) return parseIPv4(text)
  const plain = text.includes('%') ? text.replace(ZONE, '') : text
  if (plain.includes('%') || !isIPv6(plain)) return null
  const [head = '', tail = ''] = plain.split('::')
  const address = new Uint8Array(16)
  address.set(bytesOf(head))
  const end = bytesOf(tail)
  address.set(end, 16 - end.length)
  return address
}

function parseIPv4(text: string): Address | null {
  if (!isIPv4(text)) return null
  const address = new Uint8Array(16)
  address.set([0xff, 0xff, ...bytesOf(text)], 10)
  return address
}

/** The bytes of groups between colons, the last of which may be IPv4; each is known to be well-formed. */
function bytesOf(groups: string): number[] {
  if (groups === '') return []
  return groups.split(':').flatMap((group) => {
    if (group.includes('.')) return group.split('.').map(Number)
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 0xff]
  })
}

/** A decimal number without sign or leading zeros, at most `max`. */
function parseDecimal(text: string, max: number): number | null {
  const value = /^(?:0|[1-9]\d{0,4})$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY
  return value <= max ? value : null
}

/** Reads an entry of a chain: `v4`, `v4:port`, `v6`, `[v6]` or `[v6]:port`, with blanks and quotes around it. */
export function parseEntry(entry: string): Address | null {
  let text = trimBlanks(entry)
  if (text.length > 1 && text.startsWith('"') && text.endsWith('"')) text = text.slice(1, -1)
  if (text.startsWith('[')) return parseBracketed(text)
  const colon = text.indexOf(':')
  if (colon < 0 || text.includes(':', colon + 1)) return parseAddress(text)
  return isPort(text.slice(colon + 1)) ? parseIPv4(text.slice(0, colon)) : null
}

function parseBracketed(text: string): Address | null {
  const end = text.indexOf(']')
  const inner = text.slice(1, end)
  if (end < 0 || !inner.includes(':')) return null
  const rest = text.slice(end + 1)
  return rest === '' || (rest.startsWith(':') && isPort(rest.slice(1))) ? parseAddress(inner) : null
}

function isPort(text: string): boolean {
  return parseDecimal(text, 65535) !== null
}

/** Drops spaces and tabs only: `trim` would also drop characters that no header may carry. */
function trimBlanks(text: string): string {
  return text.replace(/^[ \t]+|[ \t]+$/g, '')
}

const IPV4_MAPPED: NetworkRange = { address: bytes([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]), bits: 96 }
const NAT64: NetworkRange = { address: bytes([0, 0x64, 0xff, 0x9b]), bits: 96 }
const LOOPBACK = parseRanges('127.0.0.0/8, ::1')
/** RFC 1918 and 4193, and the link-local networks of RFC 3927 and 4291. */
const PRIVATE = [
  ...LOOPBACK,
  ...parseRanges('10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 169.254.0.0/16, fc00::/7, fe80::/10'),
]

function bytes(start: readonly number[]): Address {
  const address = new Uint8Array(16)
  address.set(start)
  return address
}

/** Is `address` in `range`? */
function inRange(address: Address, range: NetworkRange): boolean {
  const whole = range.bits >> 3
  for (let i = 0; i < whole; i++) if (address[i] !== range.address[i]) return false
  const rest = range.bits & 7
  return rest === 0 || (((address[whole] ?? 0) ^ (range.address[whole] ?? 0)) & (0xff00 >> rest) & 0xff) === 0
}

/** Is `address` in one of `ranges`? */
export function inRanges(address: Address, ranges: readonly NetworkRange[]): boolean {
  return ranges.some((range) => inRange(address, range))
}

/** 127.0.0.0/8 or ::1, before NAT64 is unwrapped: nobody outside may claim to be this machine. */
export function isLoopback(address: Address): boolean {
  return inRanges(address, LOOPBACK)
}

/** Loopback, private or link-local: where a proxy of one's own is. */
export function isPrivate(address: Address): boolean {
  return inRanges(address, PRIVATE)
}

/** The first `bits` of `address`, the others zero. */
function prefix(address: Address, bits: number): Address {
  const network = new Uint8Array(16)
  for (let i = 0; i < 16; i++) {
    const kept = Math.min(8, Math.max(0, bits - i * 8))
    network[i] = (address[i] ?? 0) & (0xff00 >> kept) & 0xff
  }
  return network
}

/** The networks an address is counted under: /32 of IPv4, else /64 and /48. NAT64 (64:ff9b::/96) counts as its IPv4. */
export function networksOf(address: Address): { network: Address; network48: Address | null } {
  if (inRange(address, IPV4_MAPPED)) return { network: address, network48: null }
  if (!inRange(address, NAT64)) return { network: prefix(address, 64), network48: prefix(address, 48) }
  const ipv4 = IPV4_MAPPED.address.slice()
  ipv4.set(address.subarray(12), 12)
  return { network: ipv4, network48: null }
}

/**
 * Reads a list of networks and single addresses, separated by commas; an empty text is an empty list.
 * @throws Error with one sentence when an item is unreadable, has host bits set, or is wider than IPv4 /8 or IPv6 /7.
 */
export function parseRanges(text: string): NetworkRange[] {
  if (trimBlanks(text) === '') return []
  return text.split(',').map((item) => parseRange(trimBlanks(item)))
}

function parseRange(item: string): NetworkRange {
  const slash = item.indexOf('/')
  const host = slash < 0 ? item : item.slice(0, slash)
  const address = host.includes('%') ? null : parseAddress(host)
  if (!address) throw new Error(`"${item}" is not an address or a network such as 10.0.0.0/8 or 2001:db8::/32.`)
  const bits = slash < 0 ? 128 : prefixLength(item, slash, host.includes(':'))
  if (prefix(address, bits).some((byte, i) => byte !== address[i])) {
    throw new Error(`"${item}" has bits set after its prefix length: write the first address of the network.`)
  }
  const range = { address, bits }
  // A short IPv6 prefix over ::ffff:0:0/96 would hold all of IPv4, however it is spelled.
  if (bits < 7 || (bits < 104 && (inRange(address, IPV4_MAPPED) || inRange(IPV4_MAPPED.address, range)))) {
    throw new Error(`"${item}" is too wide to be trusted: the widest are /8 for IPv4 and /7 for IPv6.`)
  }
  return range
}

function prefixLength(item: string, slash: number, ipv6: boolean): number {
  const length = parseDecimal(item.slice(slash + 1), ipv6 ? 128 : 32)
  if (length === null) throw new Error(`"${item}" has no prefix length from 0 to ${ipv6 ? 128 : 32}.`)
  return ipv6 ? length : 96 + length
}

/** Where a request comes from, as far as its chain says. */
export interface ChainResult {
  /** A trusted proxy, if the chain names nobody else, or cannot be read up to who it names. */
  readonly client: Address
  /** The walk ended at a trusted proxy although the chain goes on, or has no entry at all. */
  readonly unreadable: boolean
}

/**
 * Walks the chain of a trusted peer from the right, where our own proxies wrote, and stops at the first address that
 * is not trusted, before the first entry that cannot be read, or after CHAIN_ENTRIES or CHAIN_BYTES. What is left
 * of that is never looked at. Empty elements are skipped (RFC 9110, 5.6.1).
 * @param name the one header that is believed; `chain` its value, all lines joined in order, or null
 */
export function resolveClient(
  peer: Address,
  name: string,
  chain: string | null,
  trusted: readonly NetworkRange[],
): ChainResult {
  if (chain === null) return { client: peer, unreadable: false }
  const header = name.toLowerCase()
  let client = peer
  let read = 0
  // A header other than the two standard ones holds a single value.
  for (const element of FORWARDING_HEADERS.includes(header) ? splitFromRight(chain, ',') : [chain]) {
    if (trimBlanks(element) === '') continue
    const address = read === CHAIN_ENTRIES ? null : parseEntry(header === 'forwarded' ? forwardedFor(element) : element)
    if (!address) return { client, unreadable: true }
    client = address
    read++
    if (!inRanges(address, trusted)) return { client, unreadable: false }
  }
  return { client, unreadable: read === 0 || chain.length > CHAIN_BYTES }
}

/** The `for=` of one element of Forwarded (RFC 7239), or an empty text, which no address is. */
function forwardedFor(element: string): string {
  const values = [...splitFromRight(element, ';')]
    .map(trimBlanks)
    .filter((pair) => pair.slice(0, 4).toLowerCase() === 'for=')
  return values.length === 1 ? (values[0] ?? '').slice(4) : ''
}

/**
 * Splits outside quoted strings, from the right: an open quote that a client forged on the left then cannot swallow
 * what our proxies appended, nor can a comma inside a quoted value pass for one of their entries. Reads the last
 * CHAIN_BYTES only: a part whose separator on the left lies before them is left out.
 */
function* splitFromRight(text: string, separator: ',' | ';'): Generator<string> {
  const first = Math.max(0, text.length - CHAIN_BYTES)
  let end = text.length
  let quoted = false
  for (let i = text.length - 1; i >= first; i--) {
    if (text[i] === '"' && !isEscaped(text, i)) quoted = !quoted
    else if (text[i] === separator && !quoted) {
      yield text.slice(i + 1, end)
      end = i
    }
  }
  if (first === 0) yield text.slice(0, end)
}

function isEscaped(text: string, at: number): boolean {
  let start = at
  while (start > 0 && text[start - 1] === '\\') start--
  return (at - start) % 2 === 1
}
