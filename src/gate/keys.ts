/** API keys: their form, how one is made, and the identities that stand for keys and addresses wherever data rests. */
import type { Address } from './client-address'

const PREFIX = 'satchel_'
const BODY_LENGTH = 30
const CHECK_LENGTH = 6
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SATCHEL_KEY = new RegExp(`^${PREFIX}[0-9A-Za-z]{${BODY_LENGTH + CHECK_LENGTH}}$`)

/**
 * Whether the header Authorization carries a key of ours, right or mistyped: wherever a word begins with its prefix, or as
 * user or password of Basic (RFC 7617), also in the alphabet of URLs. Other clients' tokens, as `Bearer unused`, are none.
 */
export function isKeyInAuthorization(authorization: string): boolean {
  const basic = /^basic +([\w+/-]+=*) *$/i.exec(authorization)?.[1]
  const text = basic === undefined ? authorization : Buffer.from(basic, 'base64').toString('latin1')
  return /\bsatchel_/i.test(text)
}

/** The rule that `key` breaks, as the end of a sentence that begins with "The key"; null when it may be used. */
export function keyFault(key: string): string | null {
  if (key === '') return 'is empty'
  if (!isVisible(key)) return 'contains a blank, or a character that is not visible ASCII, or was sent more than once'
  if (key.length < 8) return 'is shorter than 8 characters'
  if (key.length > 255) return 'is longer than 255 characters'
  if (key.slice(0, PREFIX.length).toLowerCase() !== PREFIX) return null
  if (!SATCHEL_KEY.test(key)) return 'starts with satchel_ but does not go on with 36 letters and digits'
  const body = key.slice(PREFIX.length, PREFIX.length + BODY_LENGTH)
  // As text: 62^6 is more than 2^32, so comparing numbers would let a second spelling pass.
  return key.endsWith(checkOf(body)) ? null : 'has a typing slip: its last 6 characters do not fit the others'
}

function isVisible(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x21 || code > 0x7e) return false
  }
  return true
}

/** CRC-32 (reflected 0xEDB88320, as in ISO 3309) of the body in base 62, padded to 6 digits. Shows slips, proves nothing. */
function checkOf(body: string): string {
  let rest = Bun.hash.crc32(body)
  let text = ''
  for (let i = 0; i < CHECK_LENGTH; i++) {
    text = DIGITS.charAt(rest % 62) + text
    rest = Math.floor(rest / 62)
  }
  return text
}

/** Makes a key. `random` fills the bytes it is given, e.g. `(bytes) => crypto.getRandomValues(bytes)`. */
export function newKey(random: (bytes: Uint8Array) => Uint8Array): string {
  let body = ''
  while (body.length < BODY_LENGTH) {
    for (const byte of random(new Uint8Array(BODY_LENGTH))) {
      // 248 = 4 x 62: a byte from there on would make the first digits likelier than the others.
      if (byte < 248 && body.length < BODY_LENGTH) body += DIGITS.charAt(byte % 62)
    }
  }
  return PREFIX + body + checkOf(body)
}

/** Names of callers, 32 hexadecimal digits: what is stored and counted in place of keys and addresses. */
export interface Identity {
  key(key: string): string
  /** `null` is a caller without a usable address: all of them are one. */
  address(network: Address | null): string
  address48(network: Address): string
  /** The scratch space of an address (as `address` names it) at a site; at '' it has the name of the address. */
  scratch(address: string, site: string): string
}

/**
 * The first 16 bytes of HMAC-SHA-256(secret, label 0x00 value). Not a slow hash: it runs on every request, and the
 * secret is what protects weak keys and the small IPv4 space.
 */
export function hmacIdentity(secret: Uint8Array, label: string, value: string | Uint8Array): string {
  return new Bun.CryptoHasher('sha256', secret).update(`${label}\0`).update(value).digest().toString('hex', 0, 16)
}

/** The identities under one secret of 32 bytes. */
export function identityOf(secret: Uint8Array): Identity {
  return {
    key: (key) => hmacIdentity(secret, 'satchel/key/v1', key),
    address: (network) => hmacIdentity(secret, 'satchel/address/v1', network ?? 'unknown'),
    address48: (network) => hmacIdentity(secret, 'satchel/address48/v1', network),
    // The address always has the same length: no two pairs are alike when joined.
    scratch: (address, site) => (site === '' ? address : hmacIdentity(secret, 'satchel/scratch/v1', address + site)),
  }
}
