/**
 * Client addresses: a strict parser to 16 bytes, the networks that requests are counted by, and the walk over a chain
 * of proxies to the client. IPv4 is stored IPv4-mapped (::ffff:0:0/96), so one address always has the same bytes,
 * however it is written.
 */

/** 16 bytes; IPv4 as its IPv4-mapped IPv6 address. */
export type Address = Uint8Array

/** All addresses whose first `bits` of 128 equal those of `address`. */
export interface NetworkRange {
  readonly address: Address
  readonly bits: number
}

/** Bytes of a chain that are read, from its right end: entries further left may be forged by the client. */
const MAX_CHAIN_BYTES = 4096
/** Entries of a chain that are read, from its right end. */
const MAX_CHAIN_ENTRIES = 32

/** The standard headers in which proxies name the client, in lower case. Only CLIENT_IP_HEADER's is believed. */
export const FORWARDING_HEADERS: readonly string[] = ['x-forwarded-for', 'forwarded']

/** A zone: unreserved characters, or a `%` of their percent encoding (RFC 6874). */
const ZONE = /%[0-9A-Za-z._~%-]+$/

/**
 * Parses `v4`, `v6` or `v6%zone` (the zone is dropped); returns null for anything else. IPv4 is four decimal numbers
 * without leading zeros; octal, hexadecimal and shorter forms are refused.
 */
export function parseAddress(text: string): Address | null {
  if (!text.includes(':')) return parseIPv4(text)
  const plain = text.includes('%') ? text.replace(ZONE, '') : text
  const [head = '', tail, ...more] = plain.split('::')
  const start = parseGroups(head, tail === undefined)
  const end = parseGroups(tail ?? '', true)
  if (!start || !end || more.length > 0) return null
  // Two colons stand for one group of zeros or more.
  const length = start.length + end.length
  if (tail === undefined ? length !== 16 : length > 14) return null
  const address = new Uint8Array(16)
  address.set(start)
  address.set(end, 16 - end.length)
  return address
}

function parseIPv4(text: string): Address | null {
  const numbers = parseNumbers(text)
  if (!numbers) return null
  const address = new Uint8Array(16)
  address.set([0xff, 0xff, ...numbers], 10)
  return address
}

function parseNumbers(text: string): number[] | null {
  const numbers = text.split('.').map((part) => parseDecimal(part, 255))
  return numbers.length === 4 && numbers.every((number) => number !== null) ? numbers : null
}

/**
 * Parses groups of hexadecimal digits between colons to bytes; returns null if one is invalid.
 * @param mayEndInIPv4 whether the last group may be `v4`
 */
function parseGroups(text: string, mayEndInIPv4: boolean): number[] | null {
  if (text === '') return []
  const bytes: number[] = []
  const groups = text.split(':')
  for (const [i, group] of groups.entries()) {
    const numbers = mayEndInIPv4 && i === groups.length - 1 ? parseNumbers(group) : null
    const value = /^[\da-f]{1,4}$/i.test(group) ? Number.parseInt(group, 16) : null
    if (numbers) bytes.push(...numbers)
    else if (value === null) return null
    else bytes.push(value >> 8, value & 0xff)
  }
  return bytes
}

/** Parses a decimal number without a sign or leading zeros; returns null if it is invalid or exceeds `max`. */
function parseDecimal(text: string, max: number): number | null {
  const value = /^(?:0|[1-9]\d{0,4})$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY
  return value <= max ? value : null
}

/** An entry is `v4`, `v4:port`, `v6`, `[v6]` or `[v6]:port`, with optional blanks and quotes around it. */
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

/** Trims spaces and tabs alone; `trim` would also drop characters that are invalid in a header. */
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

function inRange(address: Address, range: NetworkRange): boolean {
  const wholeBytes = range.bits >> 3
  for (let i = 0; i < wholeBytes; i++) if (address[i] !== range.address[i]) return false
  const restBits = range.bits & 7
  const difference = (address[wholeBytes] ?? 0) ^ (range.address[wholeBytes] ?? 0)
  return restBits === 0 || (difference & (0xff00 >> restBits) & 0xff) === 0
}

export function inRanges(address: Address, ranges: readonly NetworkRange[]): boolean {
  return ranges.some((range) => inRange(address, range))
}

/** Whether an address is 127.0.0.0/8 or ::1. NAT64 is not unwrapped, so that no remote address counts as loopback. */
export function isLoopback(address: Address): boolean {
  return inRanges(address, LOOPBACK)
}

/** Whether an address is loopback, private or link-local, as that of a reverse proxy usually is. */
export function isPrivate(address: Address): boolean {
  return inRanges(address, PRIVATE)
}

/** Returns the first `bits` of an address, with the others set to zero. */
function prefix(address: Address, bits: number): Address {
  const network = new Uint8Array(16)
  for (let i = 0; i < 16; i++) {
    const kept = Math.min(8, Math.max(0, bits - i * 8))
    network[i] = (address[i] ?? 0) & (0xff00 >> kept) & 0xff
  }
  return network
}

/** The networks that an address is counted by: IPv4 /32, or IPv6 /64 and /48. NAT64 (64:ff9b::/96) is IPv4. */
export function networksOf(address: Address): { network: Address; network48: Address | null } {
  if (inRange(address, IPV4_MAPPED)) return { network: address, network48: null }
  if (!inRange(address, NAT64)) return { network: prefix(address, 64), network48: prefix(address, 48) }
  const ipv4 = IPV4_MAPPED.address.slice()
  ipv4.set(address.subarray(12), 12)
  return { network: ipv4, network48: null }
}

/**
 * Parses a comma-separated list of networks and single addresses; an empty text is an empty list.
 * @throws Error of one sentence if an item is invalid, has host bits set, or is wider than IPv4 /8 or IPv6 /7.
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
  // A short IPv6 prefix over ::ffff:0:0/96 would contain all of IPv4.
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

interface ChainResult {
  /** The client; the last trusted proxy if the chain names nobody else, or is unreadable before the client. */
  readonly client: Address
  /** Whether the walk ended at a trusted proxy although the chain continues, or because it has no entries. */
  readonly isIncomplete: boolean
}

/**
 * Finds the client of a trusted peer. Walks the chain from the right, where our own proxies wrote, and stops at the
 * first address that is not trusted, before the first unreadable entry, or after MAX_CHAIN_ENTRIES or MAX_CHAIN_BYTES.
 * Entries to the left are never read. Empty elements are skipped (RFC 9110, 5.6.1).
 * @param name the header that is believed
 * @param chain its value, all lines joined in order; null without the header
 */
export function resolveClient(
  peer: Address,
  name: string,
  chain: string | null,
  trusted: readonly NetworkRange[],
): ChainResult {
  if (chain === null) return { client: peer, isIncomplete: false }
  const header = name.toLowerCase()
  let client = peer
  let read = 0
  // A header other than the two standard ones holds a single value.
  for (const element of FORWARDING_HEADERS.includes(header) ? splitFromRight(chain, ',') : [chain]) {
    if (trimBlanks(element) === '') continue
    const address =
      read === MAX_CHAIN_ENTRIES ? null : parseEntry(header === 'forwarded' ? forwardedFor(element) : element)
    if (!address) return { client, isIncomplete: true }
    client = address
    read++
    if (!inRanges(address, trusted)) return { client, isIncomplete: false }
  }
  return { client, isIncomplete: read === 0 || chain.length > MAX_CHAIN_BYTES }
}

/** Returns the `for=` of one element of Forwarded (RFC 7239), or '', which is not a valid address. */
function forwardedFor(element: string): string {
  const values = [...splitFromRight(element, ';')]
    .map(trimBlanks)
    .filter((pair) => pair.slice(0, 4).toLowerCase() === 'for=')
  return values.length === 1 ? (values[0] ?? '').slice(4) : ''
}

/**
 * Splits a text outside quoted strings, from the right. A quote that a client leaves open on the left then cannot hide
 * what our proxies appended, and a comma inside a quoted value does not start an entry. Reads the last MAX_CHAIN_BYTES
 * only; a part that begins before them is left out.
 */
function* splitFromRight(text: string, separator: ',' | ';'): Generator<string> {
  const first = Math.max(0, text.length - MAX_CHAIN_BYTES)
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
