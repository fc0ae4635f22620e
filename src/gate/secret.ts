/** The secret under which keys and addresses are hashed. Another secret would orphan every workspace, so it is guarded. */
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
import { hmacIdentity } from './keys'

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
 * @param databaseExists whether a database is in the folder already; then a missing file is not made anew
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
