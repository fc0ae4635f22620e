/**
 * Client addresses: a strict parser, the networks that requests are counted by, and the walk over a chain of proxies to
 * the client.
 */

/** 32 hexadecimal digits in lower case, however it was written; IPv4 as its IPv4-mapped IPv6 address. */
export type Address = string

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

const IPV4_MAPPED = '00000000000000000000ffff'
/** A zone: unreserved characters, or a `%` of their percent encoding (RFC 6874). */
const ZONE = /%[0-9A-Za-z._~%-]+$/

/**
 * Parses `v4`, `v6` or `v6%zone` (the zone is dropped); returns null for anything else. IPv4 is four decimal numbers
 * without leading zeros; octal, hexadecimal and shorter forms are refused.
 */
export function parseAddress(text: string): Address | null {
  if (!text.includes(':')) {
    const digits = parseIPv4(text)
    return digits && IPV4_MAPPED + digits
  }
  const [head = '', tail, ...more] = text.replace(ZONE, '').split('::')
  const start = parseGroups(head, tail === undefined)
  const end = parseGroups(tail ?? '', true)
  if (start === null || end === null || more.length > 0) return null
  const missing = 32 - start.length - end.length
  // Two colons stand for one group of zeros or more.
  if (tail === undefined ? missing !== 0 : missing < 4) return null
  return start.padEnd(32 - end.length, '0') + end
}

/** Parses four decimal numbers to 8 hexadecimal digits; returns null if the text is anything else. */
function parseIPv4(text: string): string | null {
  const numbers = text.split('.').map((part) => parseDecimal(part, 255))
  if (numbers.length !== 4 || numbers.includes(null)) return null
  return Uint8Array.from(numbers as number[]).toHex()
}

/**
 * Parses groups of hexadecimal digits between colons to all their digits; returns null if one is invalid.
 * @param mayEndInIPv4 whether the last group may be `v4`
 */
function parseGroups(text: string, mayEndInIPv4: boolean): string | null {
  const groups = text === '' ? [] : text.split(':')
  const ipv4 = mayEndInIPv4 ? parseIPv4(groups.at(-1) ?? '') : null
  if (ipv4 !== null) groups.pop()
  if (!groups.every((group) => /^[\da-f]{1,4}$/i.test(group))) return null
  return groups.map((group) => group.toLowerCase().padStart(4, '0')).join('') + (ipv4 ?? '')
}

/** Parses a decimal number without a sign or leading zeros; returns null if it is invalid or exceeds `max`. */
function parseDecimal(text: string, max: number): number | null {
  const value = /^(?:0|[1-9]\d{0,4})$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY
  return value <= max ? value : null
}

/** An entry is `v4`, `v4:port`, `v6`, `[v6]` or `[v6]:port`, with optional blanks and quotes around it. */
export function parseEntry(entry: string): Address | null {
  const text = trimBlanks(entry).replace(/^"(.*)"$/s, '$1')
  const [, v6, v4, port = '0'] = /^(?:\[([^\]]*)\]|([^:[]*))(?::([^:]*))?$/.exec(text) ?? []
  if (v6?.includes(':') === false || parseDecimal(port, 65535) === null) return null
  return parseAddress(v6 ?? v4 ?? text)
}

/** Trims spaces and tabs alone; `trim` would also drop characters that are invalid in a header. */
function trimBlanks(text: string): string {
  return text.replace(/^[ \t]+|[ \t]+$/g, '')
}

const NAT64 = '0064ff9b0000000000000000'
const LOOPBACK = parseRanges('127.0.0.0/8, ::1')
/** RFC 1918 and 4193, and the link-local networks of RFC 3927 and 4291. */
const PRIVATE = [
  ...LOOPBACK,
  ...parseRanges('10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 169.254.0.0/16, fc00::/7, fe80::/10'),
]

function firstBits(address: Address, bits: number): bigint {
  return BigInt(`0x${address}`) >> BigInt(128 - bits)
}

export function inRanges(address: Address, ranges: readonly NetworkRange[]): boolean {
  return ranges.some((range) => firstBits(address, range.bits) === firstBits(range.address, range.bits))
}

/** Whether an address is 127.0.0.0/8 or ::1. NAT64 is not unwrapped, so that no remote address counts as loopback. */
export function isLoopback(address: Address): boolean {
  return inRanges(address, LOOPBACK)
}

/** Whether an address is loopback, private or link-local, as that of a reverse proxy usually is. */
export function isPrivate(address: Address): boolean {
  return inRanges(address, PRIVATE)
}

/** The networks that an address is counted by: IPv4 /32, or IPv6 /64 and /48. NAT64 (64:ff9b::/96) is IPv4. */
export function networksOf(address: Address): { network: Address; network48: Address | null } {
  if (address.startsWith(IPV4_MAPPED)) return { network: address, network48: null }
  if (address.startsWith(NAT64)) return { network: IPV4_MAPPED + address.slice(24), network48: null }
  return { network: address.slice(0, 16).padEnd(32, '0'), network48: address.slice(0, 12).padEnd(32, '0') }
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
  const [shift, max] = host.includes(':') ? [0, 128] : [96, 32]
  const length = slash < 0 ? max : parseDecimal(item.slice(slash + 1), max)
  if (length === null) throw new Error(`"${item}" has no prefix length from 0 to ${max}.`)
  const bits = shift + length
  if (firstBits(address, bits) << BigInt(128 - bits) !== firstBits(address, 128))
    throw new Error(`"${item}" has bits set after its prefix length: write the first address of the network.`)
  // A short IPv6 prefix over ::ffff:0:0/96 would contain all of IPv4.
  const hasIPv4 = address.startsWith(IPV4_MAPPED) || inRanges(`${IPV4_MAPPED}00000000`, [{ address, bits }])
  if (bits < 7 || (bits < 104 && hasIPv4))
    throw new Error(`"${item}" is too wide to be trusted: the widest are /8 for IPv4 and /7 for IPv6.`)
  return { address, bits }
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
