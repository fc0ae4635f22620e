/** What kind of request it is, from its text alone: the gate and the router must see the same path. */

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
