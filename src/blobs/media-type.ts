// The type of a file is detected from its first bytes, not its name. No file is served as a type that a browser would
// run.

/** That of all other files: browsers save one instead of showing it. */
export const UNKNOWN_TYPE = 'application/octet-stream'

/**
 * Signatures of WHATWG's MIME Sniffing, section 6, without the guesses: https://mimesniff.spec.whatwg.org/ Beside them AVIF
 * and FLAC, which browsers show as well; FLAC begins with a block of 34 bytes.
 */
const SIGNATURES: readonly (readonly [type: string, matches: (bytes: Uint8Array) => boolean])[] = [
  ['image/png', starts(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)],
  ['image/jpeg', starts(0xff, 0xd8, 0xff)],
  ['image/gif', (bytes) => has(bytes, 0, 'GIF87a') || has(bytes, 0, 'GIF89a')],
  ['image/webp', (bytes) => has(bytes, 0, 'RIFF') && has(bytes, 8, 'WEBP')],
  ['image/avif', (bytes) => has(bytes, 4, 'ftypavif') || has(bytes, 4, 'ftypavis')],
  ['image/bmp', isBitmap],
  ['audio/wav', (bytes) => has(bytes, 0, 'RIFF') && has(bytes, 8, 'WAVE')],
  ['audio/ogg', (bytes) => has(bytes, 0, 'OggS\0')],
  ['audio/flac', (bytes) => has(bytes, 0, 'fLaC') && has(bytes, 5, '\0\0\x22')],
  ['audio/mpeg', (bytes) => has(bytes, 0, 'ID3') || isMp3Frame(bytes)],
  ['video/mp4', isMp4],
  ['video/webm', (bytes) => starts(0x1a, 0x45, 0xdf, 0xa3)(bytes) && isWebm(bytes)],
]

export function detectMediaType(bytes: Uint8Array): string {
  const [type = UNKNOWN_TYPE] = SIGNATURES.find(([, matches]) => matches(bytes)) ?? []
  return type
}

/** Pictures that may hold scripts. Within a page none runs; a picture that is opened is saved. */
export const SVG_TYPE = 'image/svg+xml'
/** What comes before the element: the declaration of XML, a document type, and comments such as that of Inkscape. */
const SVG =
  /^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^>]*-->\s*)*(?:<!DOCTYPE\s+svg[^>]*>\s*)?(?:<!--[^>]*-->\s*)*<svg[\s>]/i

/** Whether the first bytes of a file are those of SVG. */
export function isSvg(head: Uint8Array): boolean {
  return SVG.test(Buffer.from(head).toString('latin1'))
}

function starts(...signature: number[]): (bytes: Uint8Array) => boolean {
  return (bytes) => signature.every((byte, index) => bytes[index] === byte)
}

function has(bytes: Uint8Array, at: number, ascii: string): boolean {
  for (let i = 0; i < ascii.length; i++) if (bytes[at + i] !== ascii.charCodeAt(i)) return false
  return true
}

/** Whether it begins as a bitmap of Windows: reserved zeros, then the size of one of its headers. Texts begin with BM, too. */
function isBitmap(bytes: Uint8Array): boolean {
  return has(bytes, 0, 'BM') && has(bytes, 6, '\0\0\0\0') && [12, 40, 52, 56, 64, 108, 124].includes(bytes[14] ?? 0)
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
