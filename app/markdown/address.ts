import { isFileTarget } from '../../src/lib/file-target'
import { LINK_SCHEMES, OTHER_HOST, readAddress } from '../../src/lib/markdown/allowed-html'

/** Where the destination of a Markdown link or picture leads. */
export type Destination =
  /** Another host: an address that begins with `https://` or `http://`. */
  | { readonly kind: 'web'; readonly href: string; readonly host: string }
  | { readonly kind: 'mail'; readonly href: string }
  /** A heading of the note itself, by its text or id. */
  | { readonly kind: 'heading'; readonly heading: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'note'; readonly path: string; readonly heading: string | null }

/** UTF-16 units. One definition may be the target of many links, each of which has its whole address. */
const MAX_ADDRESS_UNITS = 4096
const SCHEME = /^([a-z][a-z0-9+.-]*):/i
const NO_SCHEME_HOST = /^[/\\]{2}/

/**
 * Reads a destination as written, with its escapes and entities decoded. Null if nothing may lead there: its scheme is
 * none of LINK_SCHEMES, or it is no address.
 */
export function readDestination(written: string): Destination | null {
  const address = readAddress(written)
  if (address === '' || address.length > MAX_ADDRESS_UNITS) return null
  if (NO_SCHEME_HOST.test(address)) return readWeb(`https:${address}`)
  if (OTHER_HOST.test(address)) return readWeb(address)
  const scheme = SCHEME.exec(address)?.[1]?.toLowerCase()
  if (scheme !== undefined) {
    if (!LINK_SCHEMES.includes(scheme)) return null
    return { kind: 'mail', href: `mailto:${address.slice(scheme.length + 1)}` }
  }
  return readPath(written.trim())
}

function readWeb(address: string): Destination | null {
  const url = URL.parse(address)
  const isWeb = url !== null && /^https?:$/.test(url.protocol)
  return isWeb ? { kind: 'web', href: url.href, host: url.hostname } : null
}

/** Reads a path within the notes, of which a query is no part. */
function readPath(written: string): Destination | null {
  const hash = written.indexOf('#')
  const heading = hash < 0 ? '' : decode(written.slice(hash + 1))
  const path = decode((hash < 0 ? written : written.slice(0, hash)).replace(/\?.*$/s, ''))
  if (path === '') return heading === '' ? null : { kind: 'heading', heading }
  return isFileTarget(path) ? { kind: 'file', path } : { kind: 'note', path, heading: heading || null }
}

/** Decodes percent-encoding; what is no UTF-8 stays as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    return text
  }
}
