import { cutCodePoints } from '../../lib/text'

/** Names of exported files, such that every system can unpack them and none takes two for one. */

/** Bytes of one name in UTF-8, its ending included. File systems end at 255. */
const MAX_BYTES = 200
const ENDING = '.md'
/** Windows keeps these for devices, whatever ending they have. */
const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?=\.|$)/i
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it looks for
const FORBIDDEN = /[\x00-\x1f\x7f-\x9f<>:"/\\|?*\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/** Gives each note of an export its path: `folder/Title.md`, or `folder/Title (2).md` if that is taken. */
export function createNamer(): (folder: string | null, title: string) => string {
  const taken = new Set<string>()
  const counts = new Map<string, number>()
  return (folder, title) => {
    const directory =
      folder === null
        ? ''
        : `${folder
            .split('/')
            .map((part) => safe(part, MAX_BYTES))
            .join('/')}/`
    const first = directory + safe(title, MAX_BYTES - ENDING.length)
    for (let n = (counts.get(fold(first)) ?? 0) + 1; ; n++) {
      const suffix = n === 1 ? '' : ` (${n})`
      const path = directory + safe(title, MAX_BYTES - ENDING.length - suffix.length) + suffix + ENDING
      if (taken.has(fold(path))) continue
      counts.set(fold(first), n)
      taken.add(fold(path))
      return path
    }
  }
}

/** One name without what a system forbids: signs, devices, dots at the ends (hidden on one system, cut off on another). */
function safe(name: string, bytes: number): string {
  const plain = name
    .normalize('NFC')
    .replace(FORBIDDEN, '-')
    .trim()
    .replace(/^\.+/, '_')
    .replace(DEVICE, '$1_')
    .replace(/^__MACOSX$/i, '_MACOSX')
  return cutBytes(plain, bytes).replace(/[. ]+$/, '') || 'Untitled'
}

function cutBytes(text: string, bytes: number): string {
  let cut = cutCodePoints(text, bytes)
  while (Buffer.byteLength(cut) > bytes) cut = cutCodePoints(cut, [...cut].length - 1)
  return cut
}

/** Names that differ in case alone are the same on some systems. */
function fold(path: string): string {
  return path.toLowerCase().normalize('NFC')
}
