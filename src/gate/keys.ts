import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Address } from './client-address'

/** API keys: their form, how one is made, and the identities that stand for keys and addresses wherever data rests. */

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
export function findKeyFault(key: string): string | null {
  if (key === '') return 'is empty'
  if (!isVisible(key)) return 'contains a blank, or a character that is not visible ASCII, or was sent more than once'
  if (key.length < 8) return 'is shorter than 8 characters'
  if (key.length > 255) return 'is longer than 255 characters'
  if (key.slice(0, PREFIX.length).toLowerCase() !== PREFIX) return null
  if (!SATCHEL_KEY.test(key)) return 'starts with satchel_ but does not go on with 36 letters and digits'
  const body = key.slice(PREFIX.length, PREFIX.length + BODY_LENGTH)
  // As text: 62^6 is more than 2^32, so comparing numbers would let a second spelling pass.
  return key.endsWith(checkOf(body)) ? null : 'has a typo: its last 6 characters do not match the others'
}

function isVisible(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x21 || code > 0x7e) return false
  }
  return true
}

/** CRC-32 (reflected 0xEDB88320, as in ISO 3309) of the body in base 62, padded to 6 digits. Shows typos, proves nothing. */
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
function hmacIdentity(secret: Uint8Array, label: string, value: string | Uint8Array): string {
  return new Bun.CryptoHasher('sha256', secret).update(`${label}\0`).update(value).digest().toString('hex', 0, 16)
}

/** The identities under one secret of 32 bytes. */
export function createIdentity(secret: Uint8Array): Identity {
  return {
    key: (key) => hmacIdentity(secret, 'satchel/key/v1', key),
    address: (network) => hmacIdentity(secret, 'satchel/address/v1', network ?? 'unknown'),
    address48: (network) => hmacIdentity(secret, 'satchel/address48/v1', network),
    // The address always has the same length: no two pairs are alike when joined.
    scratch: (address, site) => (site === '' ? address : hmacIdentity(secret, 'satchel/scratch/v1', address + site)),
  }
}

/** The secret under which keys and addresses are hashed. Another secret would orphan every workspace, so it is guarded. */

export interface Secret {
  /** 32 bytes. */
  readonly key: Uint8Array
  /** 32 hexadecimal digits that tell one secret from another; both databases keep it. */
  readonly fingerprint: string
  /** The file's mode lets others than its owner read it. */
  readonly readableByOthers: boolean
}

/**
 * The secret: `value` (the text of SATCHEL_SECRET), else the file `secret` in `folder`, made at the first start.
 * @param databaseExists whether a database is in the folder already; then a missing file is not made again
 * @param random fills the bytes it is given
 * @throws Error with one sentence when it is not 32 bytes, or the file is missing beside a database
 */
export function loadSecret(
  value: string | undefined,
  folder: string,
  databaseExists: boolean,
  random: (bytes: Uint8Array) => Uint8Array,
): Secret {
  if (value !== undefined) return secretOf(parseSecret(value, 'SATCHEL_SECRET'), false)
  const file = join(folder, 'secret')
  if (!existsSync(file)) {
    if (databaseExists)
      throw new Error(`The file ${file} is missing: put it back, since every workspace depends on it.`)
    writeSecret(file, random(new Uint8Array(32)))
  }
  const key = parseSecret(readFileSync(file, 'utf8').trim(), `The file ${file}`)
  return secretOf(key, (statSync(file).mode & 0o077) !== 0)
}

function secretOf(key: Uint8Array, readableByOthers: boolean): Secret {
  return { key, fingerprint: hmacIdentity(key, 'satchel/fingerprint/v1', ''), readableByOthers }
}

/** Reads 32 bytes. `where` begins the sentence that says what is wrong with them. */
export function parseSecret(text: string, where: string): Uint8Array {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Uint8Array.fromHex(text)
  if (/^[0-9A-Za-z_-]{43}=?$/.test(text)) return new Uint8Array(Buffer.from(text, 'base64url'))
  throw new Error(`${where} must be 32 bytes, written as 64 hexadecimal digits or in base64url.`)
}

/** Writes the file of the secret, whole or not at all: half a secret at the next start would be as bad as none. */
export function writeSecret(file: string, key: Uint8Array): void {
  const draft = `${file}.new`
  rmSync(draft, { force: true })
  const handle = openSync(draft, 'wx', 0o600)
  try {
    writeSync(handle, `${key.toHex()}\n`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(draft, file)
}

/**
 * Refuses a database that was filled under another secret. `stored` is its fingerprint, null when it has none yet.
 * @throws Error with one sentence
 */
export function checkFingerprint(stored: string | null, fingerprint: string, database: string): void {
  if (stored === null || stored === fingerprint) return
  throw new Error(
    `${database} belongs to another secret: start with the SATCHEL_SECRET or the file "secret" it was made with.`,
  )
}
