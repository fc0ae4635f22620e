/**
 * The files in the HTML of a note. The renderer leaves their targets in it, as addresses of a scheme of our own, which no
 * body can bring in; here they become addresses of attachments. So the HTML can be cached longer than addresses last.
 */

/** The scheme of what the renderer leaves: `satchel-file:`, and the target percent-encoded. */
export const FILE_SCHEME = 'satchel-file'

export interface ShownFile {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly address: string
  /** A picture that may be in the HTML itself. */
  readonly inline?: InlinePicture | undefined
}

interface InlinePicture {
  readonly uri: string
  readonly size_bytes: number
}

/** Bytes of the pictures that one HTML has in itself, counted wherever they are shown. Others have signed addresses. */
export const MAX_INLINE_BYTES = 2 * 1024 * 1024

export function writeFileTarget(target: string): string {
  return `${FILE_SCHEME}:${encodeURIComponent(target.toWellFormed())}`
}

/** Writes the mark of a picture of another host, of which a link is shown. */
export function writeRemoteTarget(address: string): string {
  // Targets of files have no colon, since it is encoded.
  return `${FILE_SCHEME}::${encodeURIComponent(address.toWellFormed())}`
}

/** Text is escaped and attributes are in quotes, so `<` begins a tag and `>` ends it. */
const PLACES = new RegExp(`<(img src|a href)="${FILE_SCHEME}:(:?)([^"]*)"([^>]*)>`, 'g')

export function listFileTargets(html: string): string[] {
  const places = [...html.matchAll(PLACES)].filter(([, , remote]) => remote === '')
  return [...new Set(places.map(([, , , target = '']) => decodeURIComponent(target)))]
}

/** Puts the addresses of files, or pictures themselves, into rendered HTML. A target without a file stays as text. */
export function showFiles(html: string, files: ReadonlyMap<string, ShownFile>): string {
  let room = MAX_INLINE_BYTES
  const getSource = ({ inline, address }: ShownFile): string => {
    if (!inline || inline.size_bytes > room) return address
    room -= inline.size_bytes
    return inline.uri
  }
  return html.replace(PLACES, (_, kind: string, remote: string, encoded: string, rest: string) => {
    const target = decodeURIComponent(encoded)
    if (remote) return `<a href="${Bun.escapeHTML(target)}">${getAlt(rest) || Bun.escapeHTML(target)}</a>`
    const file = files.get(target) ?? null
    return kind === 'img src'
      ? showEmbed(target, file && { ...file, address: getSource(file) }, rest)
      : showLink(target, file, rest)
  })
}

function getAlt(attributes: string): string {
  return /(?:^| )alt="([^"]*)"/.exec(attributes)?.[1] ?? ''
}

function showEmbed(target: string, file: ShownFile | null, rest: string): string {
  if (!file) {
    const text = Bun.escapeHTML(target)
    return `<a class="wikilink" data-target="${text}">${getAlt(rest) || text}</a>`
  }
  const source = `src="${Bun.escapeHTML(file.address)}" data-attachment-id="${file.id}"`
  const [family] = file.type.split('/')
  if (family === 'image') return `<img ${source}${rest}>`
  if (family === 'audio' || family === 'video') return `<${family} controls ${source}></${family}>`
  return `<a ${source.replace(/^src/, 'href')}>${Bun.escapeHTML(file.name)}</a>`
}

function showLink(target: string, file: ShownFile | null, rest: string): string {
  if (file) return `<a href="${Bun.escapeHTML(file.address)}" data-attachment-id="${file.id}"${rest}>`
  if (rest.includes('class="wikilink"')) return `<a data-target="${Bun.escapeHTML(target)}"${rest}>`
  return isRelativeAddress(target) ? `<a href="${Bun.escapeHTML(target)}"${rest}>` : `<a${rest}>`
}

/** Whether an address is a path within the notes: browsers ignore blanks and control characters, and `\` is `/`. */
export function isRelativeAddress(address: string): boolean {
  const read = address.replace(/[\p{Cc}\s]+/gu, '')
  return read !== '' && !/^(?:[a-z][a-z0-9+.-]*:|[/\\]{2}|#)/i.test(read)
}
