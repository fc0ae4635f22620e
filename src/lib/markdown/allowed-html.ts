/** What HTML that people wrote may hold, wherever it is shown: each place adds what it needs. */

/** Elements that show text and can do nothing else. */
export const TEXT_ELEMENTS: readonly string[] =
  'blockquote div dl dt dd hr p pre ul ol li table thead tbody tr th td b br del em i ins kbd mark s small strong sub sup u code h1 h2 h3 h4 h5 h6'.split(
    ' ',
  )

export const LINK_SCHEMES: readonly string[] = ['http', 'https', 'mailto']

/** A picture in the address itself, of a type that runs nothing. */
export const DATA_PICTURE = /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/]+={0,2}$/

export const OTHER_HOST = /^https?:/i

/** Returns an address as browsers read it, which skip control characters and white space. */
export function readAddress(address: string): string {
  return address.replace(/[\p{Cc}\s]+/gu, '')
}

/** Levels of nested elements. Deeper elements keep only their text. */
const MAX_NESTING = 200

/** Options of the sanitizer: no address but those of schemes that a place allows by element. */
export const STRICT_ADDRESSES = { allowedSchemes: [], allowProtocolRelative: false, nestingLimit: MAX_NESTING }

/** Writes the source of a text that is too complex to be rendered. */
export function writeFallback(source: string): string {
  return `<pre data-fallback="too_complex">${Bun.escapeHTML(source)}</pre>`
}
