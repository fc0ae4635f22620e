import { invalid } from '../../http/api-error'

// Names of media, and the references to them in Markdown: `media:name`, percent-encoded.

/** The longest name, in bytes of UTF-8. */
const MAX_NAME_BYTES = 255
/** The longest address: every byte of the name may be percent-encoded. */
const MAX_ADDRESS_CHARS = 3 * MAX_NAME_BYTES
const SCHEME = 'media:'

/**
 * Returns the name in NFC. Throws invalid_request at /name unless it has 1 to 255 bytes, and no slash, backslash,
 * control character, leading dot or half of a surrogate pair.
 */
export function readMediaName(raw: string): string {
  const name = raw.normalize('NFC')
  const bytes = Buffer.byteLength(name)
  if (bytes < 1 || bytes > MAX_NAME_BYTES)
    throw invalid('/name', 'invalid_name', `the name of a medium must have 1 to ${MAX_NAME_BYTES} bytes`)
  if (/[/\\\p{Cc}\p{Cs}\u2028\u2029]|^\./u.test(name))
    throw invalid(
      '/name',
      'invalid_name',
      'the name of a medium must be without slash, backslash, control character and leading dot',
    )
  return name
}

/** Makes a name for other bytes if the name is taken: `cat.png` becomes `cat-0a1b2c3d.png`, at most 255 bytes long. */
export function makeFreeName(name: string, sha256: string): string {
  const dot = name.lastIndexOf('.')
  const extension = dot > 0 && name.length - dot <= 16 ? name.slice(dot) : ''
  const end = `-${sha256.slice(0, 8)}${extension}`
  const room = MAX_NAME_BYTES - Buffer.byteLength(end)
  return cutBytes(name.slice(0, name.length - extension.length), room) + end
}

/** Cuts a text to as many whole code points as fit. */
function cutBytes(text: string, max: number): string {
  if (Buffer.byteLength(text) <= max) return text
  let cut = ''
  let bytes = 0
  for (const letter of text) {
    bytes += Buffer.byteLength(letter)
    if (bytes > max) break
    cut += letter
  }
  return cut.normalize('NFC')
}

/** Writes the address of a medium in Markdown. */
export function writeMediaReference(name: string): string {
  return SCHEME + encodeURIComponent(name).replace(/[()'*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
}

/** Returns the name in the address of a medium; null for any other address. */
export function readMediaReference(address: string): string | null {
  return address.startsWith(SCHEME) ? decodeAddress(address.slice(SCHEME.length)) : null
}

/** Returns the names of the media that Markdown refers to, each once, in order. */
export function listMediaNames(markdown: string): string[] {
  return [...new Set(findReferences(markdown).map(({ name }) => name))]
}

/** Replaces the names of media in Markdown. Names that are not in the map stay as written. */
export function renameMedia(markdown: string, renamed: ReadonlyMap<string, string>): string {
  let from = 0
  let result = ''
  for (const { start, end, name } of findReferences(markdown)) {
    const other = renamed.get(name)
    if (other === undefined) continue
    result += markdown.slice(from, start) + writeMediaReference(other)
    from = end
  }
  return result + markdown.slice(from)
}

interface Reference {
  readonly start: number
  readonly end: number
  readonly name: string
}

function findReferences(markdown: string): Reference[] {
  const found: Reference[] = []
  for (let at = markdown.indexOf(SCHEME); at >= 0; at = markdown.indexOf(SCHEME, at + 1)) {
    const before = markdown[at - 1] ?? ' '
    const start = at + SCHEME.length
    const end = /[\s(<"'=]/.test(before) ? findEnd(markdown, start, before) : start
    if (end > start) found.push({ start: at, end, name: decodeAddress(markdown.slice(start, end)) })
    at = Math.max(at, end - 1)
  }
  return found
}

/** Returns where an address ends that began after `before`: at its bracket, its quote, or white space. */
function findEnd(text: string, start: number, before: string): number {
  const limit = Math.min(text.length, start + MAX_ADDRESS_CHARS)
  const closing = { '<': '>', '"': '"', "'": "'" }[before]
  let depth = 0
  for (let at = start; at < limit; at++) {
    const sign = text[at] ?? ''
    if (closing ? sign === closing || sign === '\n' : /\s/.test(sign)) return at
    if (closing) continue
    if (sign === '(') depth += 1
    if (sign === ')' && depth-- === 0) return at
  }
  return limit
}

/** Decodes an address. An invalid `%` is kept. */
function decodeAddress(address: string): string {
  const whole = address.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => {
    const raw = Buffer.from(bytes.replaceAll('%', ''), 'hex')
    const text = raw.toString()
    return Buffer.from(text).equals(raw) ? text : bytes
  })
  return whole.normalize('NFC')
}

// The type of a file is detected from its first bytes, not its name. No file is served as a type that a browser would
// run.

interface MediaType {
  readonly type: string
  /** Whether browsers should save it instead of showing it. */
  readonly attachment: boolean
}

const UNKNOWN: MediaType = { type: 'application/octet-stream', attachment: true }

/** Signatures of WHATWG's MIME Sniffing, section 6, without the guesses: https://mimesniff.spec.whatwg.org/ */
const SIGNATURES: readonly (readonly [type: string, matches: (bytes: Uint8Array) => boolean])[] = [
  ['image/png', starts(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)],
  ['image/jpeg', starts(0xff, 0xd8, 0xff)],
  ['image/gif', (bytes) => has(bytes, 0, 'GIF87a') || has(bytes, 0, 'GIF89a')],
  ['image/webp', (bytes) => has(bytes, 0, 'RIFF') && has(bytes, 8, 'WEBP')],
  ['audio/wav', (bytes) => has(bytes, 0, 'RIFF') && has(bytes, 8, 'WAVE')],
  ['audio/ogg', (bytes) => has(bytes, 0, 'OggS\0')],
  ['audio/mpeg', (bytes) => has(bytes, 0, 'ID3') || isMp3Frame(bytes)],
  ['video/mp4', isMp4],
  ['video/webm', (bytes) => starts(0x1a, 0x45, 0xdf, 0xa3)(bytes) && isWebm(bytes)],
]

/** Returns the type to serve a file with. */
export function detectMediaType(bytes: Uint8Array): MediaType {
  const [type] = SIGNATURES.find(([, matches]) => matches(bytes)) ?? []
  return type ? { type, attachment: false } : UNKNOWN
}

function starts(...signature: number[]): (bytes: Uint8Array) => boolean {
  return (bytes) => signature.every((byte, index) => bytes[index] === byte)
}

function has(bytes: Uint8Array, at: number, ascii: string): boolean {
  for (let i = 0; i < ascii.length; i++) if (bytes[at + i] !== ascii.charCodeAt(i)) return false
  return true
}

/** Whether it begins with a valid header of MPEG audio, layer III (ISO 11172-3, 2.4.1.3). */
function isMp3Frame(bytes: Uint8Array): boolean {
  const [sync = 0, version = 0, rates = 0] = bytes
  const isLayer3 = sync === 0xff && (version & 0xe0) === 0xe0 && (version & 0x06) === 0x02 && (version & 0x18) !== 0x08
  const bitRate = rates >> 4
  return isLayer3 && bitRate !== 0 && bitRate !== 15 && (rates & 0x0c) !== 0x0c
}

/** Whether it begins with a box `ftyp` of a brand of MP4. QuickTime and HEIF have the same box, with other brands. */
function isMp4(bytes: Uint8Array): boolean {
  if (!has(bytes, 4, 'ftyp')) return false
  return ['mp4', 'iso', 'avc1', 'M4A ', 'M4V ', 'dash', 'MSNV'].some((brand) => has(bytes, 8, brand))
}

/** Whether EBML declares the document type WebM among its first elements. Matroska begins the same way. */
function isWebm(bytes: Uint8Array): boolean {
  for (let at = 4; at < Math.min(bytes.length, 64) - 6; at++)
    if (bytes[at] === 0x42 && bytes[at + 1] === 0x82) return has(bytes, at + 3, 'webm')
  return false
}
