/**
 * The path of a request as its text says, nothing decoded. Never `new URL`: it throws on some URLs that arrive.
 * `absolute` is false when the Host header was missing or odd: Bun's `request.url` is then a bare path.
 */
export function target(url: string): { absolute: boolean; path: string } {
  const absolute = url.startsWith('http://') || url.startsWith('https://')
  const start = absolute ? url.indexOf('/', 8) : 0
  if (start < 0) return { absolute, path: '/' }
  let end = start
  while (end < url.length && url[end] !== '?' && url[end] !== '#') end++
  return { absolute, path: url.slice(start, end) }
}
