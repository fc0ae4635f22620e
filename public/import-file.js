/** Which import takes a file, by its content and its name. `satchel import` uses this, too. */

import { english } from './in-words.js'

/**
 * @typedef {'notes' | 'tasks' | 'flashcards' | 'workspace'} Kind
 * @typedef {'zip' | 'archive' | 'apkg' | 'ics' | 'todoist' | 'todotxt' | 'enex' | 'markdown' | 'csv' | 'tsv'} Format
 */

/**
 * Where a file is to be sent.
 * @typedef {object} Target
 * @property {Kind} kind
 * @property {string} path relative to the server's base address, with what its query must name
 * @property {string} type its Content-Type
 */

/**
 * The formats that each import takes, and the Content-Type of each; a format belongs to the first that takes it.
 * @type {Record<Kind, Partial<Record<Format, string>>>}
 */
const TAKEN = {
  workspace: { archive: 'application/zip' },
  notes: {
    zip: 'application/zip',
    archive: 'application/zip',
    enex: 'application/enex+xml',
    markdown: 'text/markdown',
  },
  tasks: { ics: 'text/calendar', todoist: 'text/csv', todotxt: 'text/plain' },
  flashcards: {
    apkg: 'application/octet-stream',
    csv: 'application/octet-stream',
    tsv: 'application/octet-stream',
  },
}

export const KINDS = /** @type {Kind[]} */ (Object.keys(TAKEN))

/** @type {Record<string, Format>} */
const BY_ENDING = {
  apkg: 'apkg',
  colpkg: 'apkg',
  ics: 'ics',
  enex: 'enex',
  md: 'markdown',
  markdown: 'markdown',
  csv: 'csv',
  tsv: 'tsv',
}

/** Bytes from the start that are looked at. */
const HEAD_BYTES = 1024
/** Bytes at the end of a zip within which its directory must be announced: 22 and the longest comment. */
const ZIP_END_BYTES = 22 + 65_535
/** Bytes of the directory of a zip that are looked through. */
const ZIP_DIRECTORY_BYTES = 4 * 1024 * 1024
/** Bytes of a manifest that are read. */
const MANIFEST_BYTES = 64 * 1024

/** No import takes the file. */
export class UnknownFile extends Error {}

/**
 * Reads only the start and, of a zip, its directory and manifest.
 * @param {Blob} file
 * @param {string} name
 * @param {Kind} [wanted] what it is to become; else what it looks like
 * @param {import('./in-words.js').Say} [say] of what is thrown
 * @returns {Promise<Target>}
 * @throws {UnknownFile}
 */
export async function targetOf(file, name, wanted, say = english) {
  const format = await formatOf(file, name)
  const kind = wanted ?? KINDS.find((one) => format !== null && TAKEN[one][format] !== undefined)
  const type = kind && format ? TAKEN[kind][format] : undefined
  if (!kind || !format || !type) throw new UnknownFile(unknown(name, wanted, say))
  if (kind === 'workspace') return { kind, path: 'api/import', type }
  const query = { flashcards: `?format=${format}`, tasks: `?file_name=${encodeURIComponent(name)}`, notes: '' }[kind]
  return { kind, path: `api/${kind}/import${query}`, type }
}

/**
 * @param {string} name
 * @param {Kind | undefined} wanted
 * @param {import('./in-words.js').Say} say
 */
function unknown(name, wanted, say) {
  const endings = ['.zip', ...Object.keys(BY_ENDING).map((ending) => `.${ending}`), 'todo.txt'].join(', ')
  return wanted
    ? `${name} is not a file that can be imported as ${wanted}. Files that can be: ${endings}.`
    : say`${name} is not a file that can be imported. Files that can be: ${endings}.`
}

/**
 * @param {Blob} file
 * @param {string} name
 * @returns {Promise<Format | null>}
 */
async function formatOf(file, name) {
  const byEnding = BY_ENDING[/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? ''] ?? null
  const head = (await file.slice(0, HEAD_BYTES).text()).trimStart() // a byte-order mark, too
  if (head.startsWith('PK\x03\x04') || head.startsWith('PK\x05\x06'))
    return byEnding === 'apkg' ? 'apkg' : formatOfZip(file)
  if (/^BEGIN:VCALENDAR/i.test(head)) return 'ics'
  if (/<en-export\b/.test(head)) return 'enex'
  // As Anki writes text, with any ending.
  if (/^#separator:/i.test(head)) return /^#separator:(tab|\t)/i.test(head) ? 'tsv' : 'csv'
  if (byEnding === 'csv' && /^"?TYPE"?[,;]"?CONTENT"?[,;]/i.test(head)) return 'todoist'
  if (/(^|[-_. ])(todo|done)\.txt$/i.test(name)) return 'todotxt'
  return byEnding === 'apkg' ? null : byEnding
}

/**
 * @param {Blob} file
 * @returns {Promise<Format>}
 */
async function formatOfZip(file) {
  const tail = await view(file, Math.max(0, file.size - ZIP_END_BYTES), file.size)
  let end = tail.byteLength - 22
  while (end >= 0 && tail.getUint32(end, true) !== 0x06054b50) end--
  if (end < 0) return 'zip'
  const start = tail.getUint32(end + 16, true)
  const directory = await view(
    file,
    start,
    Math.min(start + tail.getUint32(end + 12, true), start + ZIP_DIRECTORY_BYTES),
  )
  for (let at = 0; at + 46 <= directory.byteLength && directory.getUint32(at, true) === 0x02014b50; ) {
    const length = directory.getUint16(at + 28, true)
    const name = new TextDecoder().decode(directory.buffer.slice(at + 46, at + 46 + length))
    if (/^collection\.anki\d/.test(name)) return 'apkg'
    if (name === 'manifest.json' && (await isOfSatchel(file, directory, at))) return 'archive'
    at += 46 + length + directory.getUint16(at + 30, true) + directory.getUint16(at + 32, true)
  }
  return 'zip'
}

/**
 * @param {Blob} file
 * @param {DataView} directory of a zip
 * @param {number} at where its entry for the manifest begins
 */
async function isOfSatchel(file, directory, at) {
  const start = directory.getUint32(at + 42, true)
  const size = Math.min(directory.getUint32(at + 20, true), MANIFEST_BYTES)
  const header = await view(file, start, start + 30)
  if (header.byteLength < 30) return false
  const content = start + 30 + header.getUint16(26, true) + header.getUint16(28, true)
  const packed = file.slice(content, content + size)
  try {
    const text = directory.getUint16(at + 10, true) === 8 ? await inflated(packed) : await packed.text()
    return /"format"\s*:\s*"satchel-workspace"/.test(text)
  } catch {
    return false // a broken manifest is for the import to tell of
  }
}

/**
 * The beginning of what is packed: as much as comes at once.
 * @param {Blob} packed
 */
async function inflated(packed) {
  const reader = packed.stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader()
  const { value } = await reader.read()
  reader.cancel().catch(() => {})
  return new TextDecoder().decode(value)
}

/**
 * @param {Blob} file
 * @param {number} from
 * @param {number} to
 */
async function view(file, from, to) {
  return new DataView(await file.slice(from, to).arrayBuffer())
}
