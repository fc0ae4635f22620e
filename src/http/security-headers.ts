/**
 * Headers that keep browsers from misusing our responses. Every response gets them, also 404s and errors, so the gate
 * sets them in `wrap`: no other hook sees every response.
 */
type SecurityHeaders = Readonly<Record<string, string>>

const COMMON = { 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' }
const NO_FRAMES = "object-src 'none'; base-uri 'none'; frame-ancestors 'none'"

/** For JSON and other data: a browser must load nothing from it, also if an endpoint sends HTML. */
const DATA: SecurityHeaders = Object.freeze({
  ...COMMON,
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
})

/** For uploaded files: no script in them may run, since the key page of the same origin stores keys. */
const MEDIA: SecurityHeaders = Object.freeze({ ...COMMON, 'Content-Security-Policy': "sandbox; default-src 'none'" })

const PAGES: SecurityHeaders = Object.freeze({
  ...COMMON,
  'Content-Security-Policy': `default-src 'self'; ${NO_FRAMES}`,
  'Cross-Origin-Opener-Policy': 'same-origin',
})

/** For the app, which reads files of notes with its key and shows their bytes: an address in a page can send no key. */
const APP: SecurityHeaders = Object.freeze({
  ...PAGES,
  'Content-Security-Policy': `default-src 'self'; img-src 'self' blob:; media-src 'self' blob:; ${NO_FRAMES}`,
})

const DATA_PATHS = new Set(['/api', '/docs/json', '/openapi.json', '/healthz', '/readyz', '/metrics'])

/** Returns the headers for a path without its query: one of four frozen objects. */
export function getSecurityHeaders(path: string): SecurityHeaders {
  if (path.startsWith('/api/flashcards/media/') || path.startsWith('/api/notes/attachments/')) return MEDIA
  if (path.startsWith('/api/') || DATA_PATHS.has(path)) return DATA
  if (path.startsWith('/app/')) return APP
  return PAGES
}

/** Sets the headers of a path on a response, without overwriting headers that a handler has set. */
export function setSecurityHeaders(answer: Response, path: string): Response {
  const headers = getSecurityHeaders(path)
  for (const name in headers) {
    if (!answer.headers.has(name)) answer.headers.set(name, headers[name] ?? '')
  }
  return answer
}

/**
 * Parses the path of a request, without decoding it. It does not use `new URL`, which throws on some URLs that arrive.
 * `absolute` is false if the Host header is missing or invalid, since Bun's `request.url` is then only a path.
 */
export function parseTarget(url: string): { absolute: boolean; path: string } {
  const absolute = url.startsWith('http://') || url.startsWith('https://')
  const start = absolute ? url.indexOf('/', 8) : 0
  if (start < 0) return { absolute, path: '/' }
  return { absolute, path: cutAt('#', cutAt('?', url.slice(start))) }
}

/** Parses the host and port of a request, in lower case and without port 80, as Bun writes them; '' without a host. */
export function parseAuthority(url: string): string {
  return /^https?:\/\/([^/?#]*)/.exec(url)?.[1] ?? ''
}

function cutAt(mark: string, text: string): string {
  const at = text.indexOf(mark)
  return at < 0 ? text : text.slice(0, at)
}
