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

/** Cross-origin requests, as CORS_ORIGIN allows them: a list of origins, or all. No cookies are involved. */

/** The headers that scripts of other origins may read. */
const EXPOSED_HEADERS = [
  ...['X-Tier', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'RateLimit-Policy', 'RateLimit', 'Retry-After', 'ETag'],
  ...['Location', 'Allow', 'Idempotency-Replayed', 'X-Links-Updated'],
].join(', ')

export function allowOrigin({ headers }: Response, allowed: '*' | readonly string[], request: Request): void {
  if (allowed === '*') {
    headers.set('Access-Control-Allow-Origin', '*')
  } else {
    const origin = request.headers.get('origin')
    headers.append('Vary', 'Origin')
    if (origin !== null && allowed.includes(origin)) headers.set('Access-Control-Allow-Origin', origin)
    else headers.delete('Access-Control-Allow-Origin')
  }
  headers.set('Access-Control-Expose-Headers', EXPOSED_HEADERS)
}

export const isPreflight = ({ method, headers }: Request): boolean =>
  method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method')

/** A preflight never carries the key, so all methods and headers are allowed. */
export function createPreflightResponse(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'Access-Control-Allow-Headers': '*, Authorization',
      // Two hours: the most that Chromium accepts.
      'Access-Control-Max-Age': '7200',
      'Cache-Control': 'no-store',
    },
  })
}

/**
 * Parses the path of a request, without decoding it. It does not use `new URL`, which throws on some URLs that arrive.
 * `authority` has the host and port, in lower case and without port 80, as Bun writes them. It is '' if the Host header
 * is missing or invalid, since Bun's `request.url` is then only a path.
 */
export function parseTarget(url: string): { authority: string; path: string } {
  const scheme = url.startsWith('http://') ? 7 : url.startsWith('https://') ? 8 : 0
  const start = scheme === 0 ? 0 : url.indexOf('/', scheme)
  if (start < 0) return { authority: url.slice(scheme), path: '/' }
  return { authority: url.slice(scheme, start), path: cutAt('#', cutAt('?', url.slice(start))) }
}

function cutAt(mark: string, text: string): string {
  const at = text.indexOf(mark)
  return at < 0 ? text : text.slice(0, at)
}

/** Compression of answers, which the caller asks for by Accept-Encoding. Routes say nothing about it. */

export type Coding = 'br' | 'gzip'

/** Bytes from which an answer is compressed: less fits into a few packets anyway. */
const MIN_BYTES = 8 * 1024
/** Bytes from which another thread compresses, so that other requests are served meanwhile: in place takes 0.2 ms up to here. */
const MIN_BYTES_OFF_THREAD = 64 * 1024
/** Takes half the time of zlib's level 4, or a quarter of what it takes with the way to the thread, for 3 % more bytes. */
const IN_PLACE = { level: 1, library: 'libdeflate' } as const
/** A level of zlib: takes two thirds of the time of level 4 for 5 % more bytes. */
const LEVEL_OFF_THREAD = 2

const SUFFIXES: Readonly<Record<Coding, string>> = { br: '.br', gzip: '.gz' }
const COMPRESSIBLE =
  /^(?:application\/(?:problem\+)?json|image\/svg\+xml|text\/(?:html|plain|markdown|css|csv|calendar|javascript|typescript))(?:;|$)/

/** Compresses in another thread. zlib is loaded with the first use: with its streams it takes 7 MiB. */
export async function compressOffThread(
  bytes: Uint8Array,
  coding: Coding,
  level: number,
): Promise<Buffer<ArrayBuffer>> {
  const { brotliCompress, constants, gzip } = await import('node:zlib')
  const { promise, resolve, reject } = Promise.withResolvers<Buffer<ArrayBuffer>>()
  const finish = (error: Error | null, packed: Buffer<ArrayBuffer>) => (error ? reject(error) : resolve(packed))
  if (coding === 'br') brotliCompress(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: level } }, finish)
  else gzip(bytes, { level }, finish)
  return promise
}

/** Whether compression makes bodies of a media type smaller. Streams of events and lines are not among them. */
export function isCompressible(type: string): boolean {
  return COMPRESSIBLE.test(type)
}

/** What a caller prefers, by a header such as `br, gzip;q=0.5` or `text/html, text/*;q=0.5` (RFC 9110, section 12.5). */

const WEIGHT = /^q\s*=\s*([01](?:\.\d{0,3})?)$/
/** All our texts are UTF-8, so it does not matter; with another parameter, a media type is none of our offers. */
const CHARSET = /^charset\s*=/

/**
 * Reads the weights of the names in a header, in lower case; of several for one name, the highest. What is malformed is
 * left out. What follows a weight is an extension, which does not restrict its element.
 */
export function readWeights(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const element of header.toLowerCase().split(',')) {
    const [name = '', ...all] = element.split(';').map((part) => part.trim())
    const [first = 'q=1'] = all.filter((parameter) => parameter !== '' && !CHARSET.test(parameter))
    const value = WEIGHT.exec(first)?.[1]
    if (value !== undefined) weights.set(name, Math.max(weights.get(name) ?? 0, Math.min(1, Number(value))))
  }
  return weights
}

/** Returns the offer with the highest weight above 0, the first one of equals; null if there is none. */
export function heaviest<Offer extends string>(
  offers: readonly Offer[],
  weightOf: (offer: Offer) => number,
): Offer | null {
  const weights = offers.map(weightOf)
  const most = Math.max(...weights)
  return most > 0 ? (offers[weights.indexOf(most)] ?? null) : null
}

/**
 * Chooses the coding that an Accept-Encoding header prefers. Returns null if the body should be sent as it is: without the
 * header, if it names none of the offers, or if it prefers `identity`.
 */
export function preferredCoding(header: string | null, offers: readonly Coding[]): Coding | null {
  if (!header) return null
  const weights = readWeights(header.replace(/x-gzip/gi, 'gzip'))
  const weightOf = (offer: Coding) => weights.get(offer) ?? weights.get('*') ?? 0
  const best = heaviest(offers, weightOf)
  return best === null || weightOf(best) < (weights.get('identity') ?? 0) ? null : best
}

/** Writes the ETag of a body in a coding: each coding has its own, as strong ETags must. */
export function encodedEtag(etag: string, coding: Coding | null): string {
  return coding ? `${etag.slice(0, -1)}${SUFFIXES[coding]}"` : etag
}

/**
 * Compresses an answer if the caller asks for it and it is worth it, and adds Vary to each that might be. An answer with
 * `Vary: Accept-Encoding` or Content-Disposition has decided for itself. Changes the headers of the answer.
 * @param answer its body is in memory, if it has one of the types that are compressed
 */
export function compressAnswer(request: Request, answer: Response): Response | Promise<Response> {
  const { headers, status } = answer
  const type = headers.get('content-type') ?? ''
  if (status !== 304 && !isCompressible(type)) return answer
  if (headers.has('content-disposition') || /accept-encoding/i.test(headers.get('vary') ?? '')) return answer
  headers.append('Vary', 'Accept-Encoding')
  if (preferredCoding(request.headers.get('accept-encoding'), ['gzip']) === null) return answer
  if (status === 304) return withTagOfCaller(request, answer)
  return compressed(answer)
}

/** Names in a 304 the form of the ETag that the caller has. */
function withTagOfCaller(request: Request, answer: Response): Response {
  const etag = answer.headers.get('etag')
  const encoded = etag && encodedEtag(etag, 'gzip')
  if (encoded && request.headers.get('if-none-match')?.includes(encoded)) answer.headers.set('ETag', encoded)
  return answer
}

/** Compresses the body, also for HEAD: Bun leaves it away, but says its length. */
async function compressed(answer: Response): Promise<Response> {
  const bytes = await answer.bytes()
  // The answer to HEAD may have no body, and then already says the length of one.
  if (bytes.length === 0) return new Response(null, answer)
  if (bytes.length < MIN_BYTES) return new Response(bytes, answer)
  const isLarge = bytes.length >= MIN_BYTES_OFF_THREAD
  const packed = isLarge ? await compressOffThread(bytes, 'gzip', LEVEL_OFF_THREAD) : Bun.gzipSync(bytes, IN_PLACE)
  const encoded = new Response(packed as Uint8Array<ArrayBuffer>, answer)
  const etag = encoded.headers.get('etag')
  if (etag) encoded.headers.set('ETag', encodedEtag(etag, 'gzip'))
  encoded.headers.set('Content-Encoding', 'gzip')
  return encoded
}
