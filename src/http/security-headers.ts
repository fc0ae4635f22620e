/**
 * The headers that keep a browser from doing with our answers what they are not for. Every answer gets them, 404s and
 * failures too, so they are set in `wrap`: no other hook sees every answer.
 */
type Headers = Readonly<Record<string, string>>

const COMMON = { 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' }
const FRAMELESS = "object-src 'none'; base-uri 'none'; frame-ancestors 'none'"

/** JSON is never a document: nothing may load from it. This also tames the HTML that an endpoint may send. */
const DATA: Headers = Object.freeze({
  ...COMMON,
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
})

/** Files that somebody sent share this origin with the pages, whose storage holds keys: nothing in them may act. */
const MEDIA: Headers = Object.freeze({ ...COMMON, 'Content-Security-Policy': "sandbox; default-src 'none'" })

const PAGES: Headers = Object.freeze({
  ...COMMON,
  'Content-Security-Policy': `default-src 'self'; ${FRAMELESS}`,
  'Cross-Origin-Opener-Policy': 'same-origin',
})

/** The interface of the docs sets inline styles and draws its icons from data: addresses; it still loads no foreign code. */
const DOCS: Headers = Object.freeze({
  ...PAGES,
  'Content-Security-Policy': `default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; ${FRAMELESS}`,
})

const DATA_PATHS = new Set(['/api', '/docs/json', '/openapi.json', '/healthz', '/readyz', '/metrics'])

/** The headers for a path as it is in the request line, without its query. Always one of four frozen objects. */
export function getSecurityHeaders(path: string): Headers {
  if (path.startsWith('/api/flashcards/media/')) return MEDIA
  if (path.startsWith('/api/') || DATA_PATHS.has(path)) return DATA
  if (path === '/docs' || path === '/docs/' || path.startsWith('/docs/assets/')) return DOCS
  return PAGES
}

/** Sets the headers of a path on an answer; one that a handler set on purpose stays. */
export function setSecurityHeaders(answer: Response, path: string): Response {
  const headers = getSecurityHeaders(path)
  for (const name in headers) {
    if (!answer.headers.has(name)) answer.headers.set(name, headers[name] ?? '')
  }
  return answer
}

/**
 * The path of a request as its text says, nothing decoded. Never `new URL`: it throws on some URLs that arrive.
 * `absolute` is false when the Host header was missing or odd: Bun's `request.url` is then a bare path.
 */
export function parseTarget(url: string): { absolute: boolean; path: string } {
  const absolute = url.startsWith('http://') || url.startsWith('https://')
  const start = absolute ? url.indexOf('/', 8) : 0
  if (start < 0) return { absolute, path: '/' }
  return { absolute, path: upTo('#', upTo('?', url.slice(start))) }
}

/** The host and port of a request, in small letters and without port 80, as Bun writes them; '' where there are none. */
export function parseAuthority(url: string): string {
  return /^https?:\/\/([^/?#]*)/.exec(url)?.[1] ?? ''
}

function upTo(mark: string, text: string): string {
  const at = text.indexOf(mark)
  return at < 0 ? text : text.slice(0, at)
}
