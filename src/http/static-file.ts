import { compressOffThread, encodedEtag, isCompressible, preferredCoding } from './answer'
import { isUnchanged } from './responses'

export interface StaticContent {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly type: string
}

/** Answers a request for a file or a page. @throws ApiError invalid_request if If-None-Match is malformed */
export type ServeStatic = (request: Request, caching?: string) => Promise<Response>

/** Makes a page load its files by versioned addresses. @param page the path of the page, without the first slash */
export type LinkFiles = (html: string, page: string) => string

/** Above 9, brotli takes twenty times as long for some 8 % fewer bytes. */
const BROTLI_LEVEL = 9
const GZIP_LEVEL = 6

/**
 * Serves content that is in memory: with a strong ETag, 304, and brotli or gzip. It is compressed in another thread, when
 * a request first wants a coding, and kept so: the start takes no longer, and nothing is compressed that nobody opens. A
 * Range is ignored, as RFC 9110 allows: the files are small.
 */
export function serveStatic({ bytes, type }: StaticContent): ServeStatic {
  const packed = {
    br: computeOnce(() => compressOffThread(bytes, 'br', BROTLI_LEVEL)),
    gzip: computeOnce(() => compressOffThread(bytes, 'gzip', GZIP_LEVEL)),
  }
  let digest: string | undefined
  return async (request, caching = 'no-cache') => {
    const coding = isCompressible(type) ? preferredCoding(request.headers.get('accept-encoding'), ['br', 'gzip']) : null
    digest ??= Bun.hash(bytes).toString(36)
    const etag = `"${digest}"`
    const headers = { 'Cache-Control': caching, Vary: 'Accept-Encoding', ETag: encodedEtag(etag, coding) }
    if (isUnchanged(request, etag)) return new Response(null, { status: 304, headers })
    const encoded = coding ? { 'Content-Encoding': coding } : {}
    return new Response(coding ? await packed[coding]() : bytes, {
      headers: { ...headers, ...encoded, 'Content-Type': type },
    })
  }
}

/** Sends the browser on for good. `to` is relative: the server may be below any path. */
export function redirect(to: string): Response {
  return new Response(null, { status: 308, headers: { Location: to } })
}

/** Returns what computes a value at the first call and gives it to all others. A failure is not kept: it may pass. */
export function computeOnce<T>(compute: () => Promise<T>): () => Promise<T> {
  let known: Promise<T> | undefined
  return () => {
    known ??= compute().catch((err: unknown) => {
      known = undefined
      throw err
    })
    return known
  }
}

/**
 * Computes a version that changes with the bytes, the path or the number of the files. `bun run build` computes it for
 * the executable.
 */
export function computeVersion(files: Iterable<readonly [name: string, bytes: Uint8Array]>): string {
  const digests = Array.from(files, ([name, bytes]) => `${name}\n${Bun.hash(bytes)}`)
  return Bun.hash(digests.toSorted().join('\n')).toString(36)
}

/**
 * Replaces the relative addresses of files in `href` and `src` by `assets/{version}/{path}`, relative as well, since the
 * server may be below any path. All others are left as they are.
 * @param page the path of the page, without the first slash
 * @param files their paths, without the first slash
 */
export function linkVersioned(
  html: string,
  page: string,
  files: { has(path: string): boolean },
  version: string,
): string {
  const root = '../'.repeat(page.split('/').length - 1)
  return html.replaceAll(/(\s(?:href|src)=")([\w.][\w./-]*)"/g, (link, start: string, address: string) => {
    const path = new URL(address, `http://server/${page}`).pathname.slice(1)
    return files.has(path) ? `${start}${root}assets/${version}/${path}"` : link
  })
}
