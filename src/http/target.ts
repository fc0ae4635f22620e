/**
 * The path of a request as its text says, nothing decoded. Never `new URL`: it throws on some URLs that arrive.
 * `absolute` is false when the Host header was missing or odd: Bun's `request.url` is then a bare path.
 */
export function target(url: string): { absolute: boolean; path: string } {
  const absolute = url.startsWith('http://') || url.startsWith('https://')
  const start = absolute ? url.indexOf('/', 8) : 0
  if (start < 0) return { absolute, path: '/' }
  return { absolute, path: upTo('#', upTo('?', url.slice(start))) }
}

/** The host and port of a request, in small letters and without port 80, as Bun writes them; '' where there are none. */
export function authority(url: string): string {
  return /^https?:\/\/([^/?#]*)/.exec(url)?.[1] ?? ''
}

function upTo(mark: string, text: string): string {
  const at = text.indexOf(mark)
  return at < 0 ? text : text.slice(0, at)
}
