import { UnreadableItem } from '../unreadable-item'

/** The upper half of code page 437, the encoding of names in old archives. */
const CP437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0'
/** Bytes of a name, far more than any file system allows for a path. */
const MAX_NAME_BYTES = 4096

/**
 * Reads the name of a zip entry, and the fault of an unsafe one, which would lead out of the archive. `isUtf8` is the
 * flag of the entry; many archives have UTF-8 names without setting it.
 */
export function readName(bytes: Uint8Array, isUtf8: boolean): { name: string; fault: UnreadableItem | null } {
  const utf8 = decodeUtf8(bytes.subarray(0, MAX_NAME_BYTES))
  const name =
    utf8 ??
    [...bytes.subarray(0, MAX_NAME_BYTES)]
      .map((byte) => (byte < 128 ? String.fromCharCode(byte) : CP437.charAt(byte - 128)))
      .join('')
  const unsafe = findNameFault(name, bytes.length) ?? (utf8 === null && isUtf8 ? 'The name is not UTF-8.' : null)
  return {
    // Names go into reports, which are stored: without NUL.
    name: name.replaceAll('\0', '\ufffd'),
    fault: unsafe === null ? null : new UnreadableItem('unsafe_name', unsafe),
  }
}

function findNameFault(name: string, bytes: number): string | null {
  if (bytes > MAX_NAME_BYTES) return 'The name is too long.'
  if (name === '') return 'The entry has no name.'
  if (name.includes('\0')) return 'The name holds NUL.'
  if (name.includes('\\')) return 'The name holds a backslash.'
  if (name.startsWith('/')) return 'The name is absolute.'
  if (/^[A-Za-z]:/.test(name)) return 'The name begins with a drive.'
  return name.split('/').includes('..') ? 'The name leads out of the archive.' : null
}

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}
