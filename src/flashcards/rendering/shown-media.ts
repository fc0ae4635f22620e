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
