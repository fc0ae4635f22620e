import { isFileTarget, isNoteFile } from '../../lib/file-target'

/** The paths of files in the destinations of Markdown links, such as `../Money/Budget%202.md#May`. */

/** A scheme or a host: the address of something else. */
const EXTERNAL = /^(?:[a-z][a-z0-9+.-]*:|[/\\]{2})/i
/** Characters that would end a destination, or be read as something else than a part of a path. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a destination must not contain control characters
const UNSAFE = /[\x00-\x1f\x7f<>%?#\\[\]|"`^]/g
const RESERVED = new RegExp(`${UNSAFE.source}|[()]`, 'g')

export interface NotePath {
  /** Decoded, with the extension. */
  readonly path: string
  /** The decoded fragment; null without one. */
  readonly heading: string | null
  /** The position of the path in the destination. */
  readonly from: number
  readonly to: number
}

/**
 * Reads a destination as the path of a Markdown file. Null for any other: an external address, an anchor, a file of
 * another kind.
 */
export function readNotePath(destination: string): NotePath | null {
  const place = readPath(destination)
  return place && isNoteFile(destination.slice(place.from, place.to)) ? place : null
}

/** Reads a destination as the path of a picture or of another file that is no note. Null for any other. */
export function readFilePath(destination: string): NotePath | null {
  const place = readPath(destination)
  return place && isFileTarget(place.path) ? place : null
}

function readPath(destination: string): NotePath | null {
  const from = destination.startsWith('<') ? 1 : 0
  const end = destination.length - from
  const hash = destination.indexOf('#')
  const to = hash < 0 ? end : hash
  const written = destination.slice(from, to)
  if (EXTERNAL.test(written) || written.includes('?')) return null
  const [path, heading] = [decode(written), hash < 0 ? '' : decode(destination.slice(hash + 1, end))]
  if (path === null || EXTERNAL.test(path)) return null
  return { path, heading: heading || null, from, to }
}

/** Decodes escapes and percent-encoding; null if it is not UTF-8. */
function decode(text: string): string | null {
  const plain = text.replace(/\\([!-/:-@[-`{-~])/g, '$1')
  if (!plain.includes('%')) return plain
  try {
    return decodeURIComponent(plain)
  } catch {
    return null
  }
}

/** Writes a path so that it can stand in the place of a path in a destination, encoded as far as that one is. */
export function encodeNotePath(path: string, destination: string, { from, to }: NotePath): string {
  const written = destination.slice(from, to)
  const keepsParentheses = /[()]/.test(written) && areParenthesesPaired(path)
  const encoded = path.replace(keepsParentheses ? UNSAFE : RESERVED, encodeAscii)
  const isPlain = destination.startsWith('<') && !/%20/.test(written)
  const spaced = isPlain ? encoded : encoded.replaceAll(' ', '%20')
  return /%[89a-f][0-9a-f]/i.test(written) ? spaced.replace(/[^\0-\x7f]+/g, encodeURIComponent) : spaced
}

function encodeAscii(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
}

/** Whether each parenthesis has its other one; a destination may contain pairs, three levels of them for certain. */
function areParenthesesPaired(text: string): boolean {
  let depth = 0
  for (const char of text) {
    if (char === '(') depth += 1
    else if (char === ')') depth -= 1
    if (depth < 0 || depth > 3) return false
  }
  return depth === 0
}
