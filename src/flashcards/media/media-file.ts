import { invalid } from '../../http/api-error'
import { cutBytes, encodeUnreserved, replaceParts } from '../../lib/text'

// Names of media, and the references to them in Markdown: `media:name`, percent-encoded.

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
  return cutBytes(name.slice(0, name.length - extension.length), room).normalize('NFC') + end
}

export function writeMediaReference(name: string): string {
  return SCHEME + encodeUnreserved(name)
}

/** Returns the name in the address of a medium; null for any other address. */
export function readMediaReference(address: string): string | null {
  return address.startsWith(SCHEME) ? decodeAddress(address.slice(SCHEME.length)) : null
}

export function listMediaNames(markdown: string): string[] {
  return [...new Set(findReferences(markdown).map(({ name }) => name))]
}

/** Replaces the names of media in Markdown. Names that are not in the map stay as written. */
export function renameMedia(markdown: string, renamed: ReadonlyMap<string, string>): string {
  const changes = findReferences(markdown).flatMap(({ from, to, name }) => {
    const other = renamed.get(name)
    return other === undefined ? [] : [{ from, to, text: writeMediaReference(other) }]
  })
  return replaceParts(markdown, changes)
}

interface Reference {
  readonly from: number
  readonly to: number
  readonly name: string
}

function findReferences(markdown: string): Reference[] {
  const found: Reference[] = []
  for (let at = markdown.indexOf(SCHEME); at >= 0; at = markdown.indexOf(SCHEME, at + 1)) {
    const before = markdown[at - 1] ?? ' '
    const start = at + SCHEME.length
    const end = /[\s(<"'=]/.test(before) ? findEnd(markdown, start, before) : start
    if (end > start) found.push({ from: at, to: end, name: decodeAddress(markdown.slice(start, end)) })
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

/** Decodes the address of a medium, as Anki does: an invalid `%` is part of the name. */
export function decodeAddress(address: string): string {
  const whole = address.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => {
    const raw = Buffer.from(bytes.replaceAll('%', ''), 'hex')
    const text = raw.toString()
    return Buffer.from(text).equals(raw) ? text : bytes
  })
  return whole.normalize('NFC')
}

/** The names of media in the HTML of a field: `src="…"`, with or without quotes, and `[sound:…]`. */
const FIELD_MEDIA =
  /(\bsrc\s*=\s*(?:"|'|))((?<=")[^"<>]*|(?<=')[^'<>]*|[^\s"'<>]+)|(\[sound:)([^[\]\r\n<>]{1,300})(?=\])/gi

export function listFieldMediaNames(html: string): string[] {
  return [...html.matchAll(FIELD_MEDIA)].map(([, , address, , sound]) => toMediaName(address ?? sound ?? ''))
}

/** Replaces the names of media in fields. Those that are not in the map stay as written. */
export function renameFieldMedia(
  fields: Readonly<Record<string, string>> | null,
  renamed: ReadonlyMap<string, string>,
): Readonly<Record<string, string>> | null {
  if (fields === null || renamed.size === 0) return fields
  const rename = (html: string) =>
    html.replace(FIELD_MEDIA, (found, start, address, mark, sound) => {
      const other = renamed.get(toMediaName(address ?? sound))
      return other === undefined ? found : `${start ?? mark}${Bun.escapeHTML(other)}`
    })
  return Object.fromEntries(Object.entries(fields).map(([name, html]) => [name, rename(html)]))
}

function toMediaName(address: string): string {
  return decodeAddress(address.replaceAll('&amp;', '&'))
}

/**
 * The media in the HTML of a card. The renderer leaves their names in it; here they become pictures, sounds and films with
 * signed addresses, so that the HTML can be cached longer than addresses last.
 */

/** The scheme of what the renderer leaves: `satchel-media:`, and the name percent-encoded. */
export const MEDIA_SCHEME = 'satchel-media'

interface ShownMedium {
  readonly type: string
  readonly address: string
}

export function writeMediaPlace(name: string): string {
  return `${MEDIA_SCHEME}:${encodeURIComponent(name.normalize('NFC').toWellFormed())}`
}

/** Writes the mark of a picture of another host, of which a link is shown. */
export function writeRemotePlace(address: string): string {
  // Names have no colon, since it is encoded.
  return `${MEDIA_SCHEME}::${encodeURIComponent(address.toWellFormed())}`
}

/** Text is escaped and attributes are in quotes, so `<` begins a tag and `>` ends it. */
const PLACES = new RegExp(`<(img|anki-sound) src="${MEDIA_SCHEME}:(:?)([^"]*)"([^<>]*)>`, 'g')

/** Lists the names of the media in rendered HTML, each once. */
export function listShownMedia(html: string): string[] {
  const places = [...html.matchAll(PLACES)].filter(([, , remote]) => remote === '')
  return [...new Set(places.map(([, , , name = '']) => decodeURIComponent(name)))]
}

/** Puts the addresses of media into rendered HTML. A medium that is missing is shown by its name. */
export function showMedia(html: string, media: ReadonlyMap<string, ShownMedium>): string {
  return html.replace(PLACES, (_, element: string, remote: string, encoded: string, rest: string) => {
    const name = decodeURIComponent(encoded)
    const text = Bun.escapeHTML(name)
    if (remote) return `<a href="${text}">${/(?:^| )alt="([^"]+)"/.exec(rest)?.[1] ?? text}</a>`
    const medium = media.get(name)
    if (!medium) return `<span class="missing-media">${text}</span>`
    const address = Bun.escapeHTML(medium.address)
    const [family] = medium.type.split('/')
    if (element === 'img' && family === 'image') return `<img src="${address}"${rest}>`
    if (family === 'audio' || family === 'video')
      return `<${family} controls preload="none" src="${address}"></${family}>`
    return `<a href="${address}">${text}</a>`
  })
}
