/** What kind of request it is, from its text alone: the gate and the router must see the same path. */

/** The path of a request as its text says, nothing decoded; `absolute` is false when Host was missing or odd. */
export function target(url: string): { absolute: boolean; path: string } {
  const absolute = url.startsWith('http://') || url.startsWith('https://')
  const start = absolute ? url.indexOf('/', 8) : 0
  if (start < 0) return { absolute, path: '/' }
  let end = start
  while (end < url.length && url[end] !== '?' && url[end] !== '#') end++
  return { absolute, path: url.slice(start, end) }
}

/** Under /api: case matters, nothing is decoded. */
export function isApi(path: string): boolean {
  return path.startsWith('/api') && (path.length === 4 || path[4] === '/')
}

/**
 * Whether a request for /api/usage only looks. The router does not cut a path at `#`, and may find another route there: that pays.
 */
export function isLook({ method, url }: Request): boolean {
  return (method === 'GET' || method === 'HEAD') && !url.includes('#')
}

/** A browser's question whether a request of another origin may follow. */
export function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method')
}
