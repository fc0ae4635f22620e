import { type Coding, preferredCoding } from './negotiate'

/** Compression of answers, which the caller asks for by Accept-Encoding. Routes say nothing about it. */

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
