import type { Address } from '../lib/client-address'

/** API keys, the hashes that replace keys and addresses in stored data, and the secret of these hashes. */

const PREFIX = 'satchel_'
const BODY_LENGTH = 30
const CHECK_LENGTH = 6
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SATCHEL_KEY = new RegExp(`^${PREFIX}[0-9A-Za-z]{${BODY_LENGTH + CHECK_LENGTH}}$`)

/**
 * Whether an Authorization header contains one of our keys, valid or mistyped: a word with our prefix, also as user or
 * password of Basic (RFC 7617), in either alphabet of base64. Other tokens, such as `Bearer unused`, do not count.
 */
export function isKeyInAuthorization(authorization: string): boolean {
  const basic = /^basic +([\w+/-]+=*) *$/i.exec(authorization)?.[1]
  const text = basic === undefined ? authorization : Buffer.from(basic, 'base64').toString('latin1')
  return /\bsatchel_/i.test(text)
}

/** Returns the fault of a key as the end of a sentence that begins with "The key"; null if it is valid. */
export function findKeyFault(key: string): string | null {
  if (key === '') return 'is empty'
  if (!/^[\x21-\x7e]+$/.test(key))
    return 'contains a blank, or a character that is not visible ASCII, or was sent more than once'
  if (key.length < 8) return 'is shorter than 8 characters'
  if (key.length > 255) return 'is longer than 255 characters'
  if (key.slice(0, PREFIX.length).toLowerCase() !== PREFIX) return null
  if (!SATCHEL_KEY.test(key)) return 'starts with satchel_ but does not continue with 36 letters and digits'
  const body = key.slice(PREFIX.length, PREFIX.length + BODY_LENGTH)
  // Compared as text: 62^6 is more than 2^32, so as numbers a second spelling would be valid.
  return key.endsWith(checkOf(body)) ? null : 'has a typo: its last 6 characters do not match the others'
}

/** Whether a valid key is in another format than ours, so that it may be easy to guess. */
export function isForeignFormat(key: string): boolean {
  return !key.startsWith(PREFIX)
}

/** CRC-32 (reflected 0xEDB88320, ISO 3309) in base 62, padded to 6 digits. It only detects typos. */
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
export function createKey(random: (bytes: Uint8Array) => Uint8Array): string {
  let body = ''
  while (body.length < BODY_LENGTH) {
    for (const byte of random(new Uint8Array(BODY_LENGTH))) {
      // 248 = 4 x 62: larger bytes would make the first digits more likely than the others.
      if (byte < 248 && body.length < BODY_LENGTH) body += DIGITS.charAt(byte % 62)
    }
  }
  return PREFIX + body + checkOf(body)
}

/**
 * The first 16 bytes of HMAC-SHA-256(secret, label 0x00 value), as hexadecimal digits. It is not a slow hash, since it
 * runs on every request; the secret protects weak keys and the small IPv4 space.
 */
function hmacIdentity(secret: Uint8Array, label: string, value: string | Uint8Array): string {
  return new Bun.CryptoHasher('sha256', secret).update(`${label}\0`).update(value).digest().toString('hex', 0, 16)
}

/** Makes the hashes that are stored and counted in place of keys and addresses. @param secret 32 bytes */
export function createIdentity(secret: Uint8Array) {
  return {
    key: (key: string) => hmacIdentity(secret, 'satchel/key/v1', key),
    /** Hashes a network; null for callers without a usable address, who all share one hash. */
    address: (network: Address | null) =>
      hmacIdentity(secret, 'satchel/address/v1', network === null ? 'unknown' : Uint8Array.fromHex(network)),
    address48: (network: Address) => hmacIdentity(secret, 'satchel/address48/v1', Uint8Array.fromHex(network)),
    /** Hashes a network and a key together. Both are hashes of a fixed length, so no two pairs join to the same text. */
    networkKey: (address: string, key: string) => hmacIdentity(secret, 'satchel/network-key/v1', address + key),
    /** Hashes the hash of an address with a site; for the site '' it returns the address itself. */
    scratch: (address: string, site: string) =>
      site === '' ? address : hmacIdentity(secret, 'satchel/scratch/v1', address + site),
  }
}

export type Identity = ReturnType<typeof createIdentity>

/** Returns what identifies a secret of 32 bytes: 32 hexadecimal digits, which all databases store. */
export function fingerprintOf(secret: Uint8Array): string {
  return hmacIdentity(secret, 'satchel/fingerprint/v1', '')
}

/** Creates the signatures of addresses that work without a key: 32 hexadecimal digits of a text. */
export function createAddressSigner(secret: Uint8Array): (text: string) => string {
  return (text) => hmacIdentity(secret, 'satchel/attachment/v1', text)
}
