import type { Session } from '../db/database'
import { ApiError } from '../http/api-error'
import { isUnchanged, streamChunks, type Tagged } from '../http/responses'
import { encodeUnreserved } from '../lib/text'
import { type ByteRange, readBlob } from './blob'
import { SVG_TYPE, UNKNOWN_TYPE } from './media-type'

/** Bytes up to which a response is made in memory, which gives it a Content-Length; larger ones are streamed. */
const MAX_BYTES_IN_MEMORY = 1024 * 1024

interface SentFile {
  readonly name: string
  readonly content_type: string
  readonly size_bytes: number
  /** In hex. */
  readonly sha256: string
}

/**
 * Sends the bytes of a file, or the range of them that the request names (RFC 9110, section 14). Reads only the
 * rows that have them. Nothing in a file runs in a browser, see getSecurityHeaders.
 * @throws ApiError range_not_satisfiable
 */
export async function sendFileBytes(
  request: Request,
  session: Pick<Session, 'db' | 'workspace'>,
  { resource, etag }: Tagged<SentFile>,
): Promise<Response> {
  const { name, content_type, size_bytes, sha256 } = resource
  const common = { ETag: etag, 'Cache-Control': 'private, no-cache', 'Accept-Ranges': 'bytes', Vary: 'Accept' }
  if (isUnchanged(request, etag)) return new Response(null, { status: 304, headers: common })
  const range = readRange(request, etag, size_bytes)
  const headers = {
    ...common,
    ...(range ? { 'Content-Range': `bytes ${range.first}-${range.last}/${size_bytes}` } : {}),
    'Content-Type': content_type,
    'Content-Disposition': writeDisposition(
      [UNKNOWN_TYPE, SVG_TYPE].includes(content_type) ? 'attachment' : 'inline',
      name,
    ),
  }
  const length = range ? range.last - range.first + 1 : size_bytes
  const status = range ? 206 : 200
  const chunks = readBlob(session, sha256, range ?? undefined)
  if (length <= MAX_BYTES_IN_MEMORY)
    return new Response(Buffer.concat(await Array.fromAsync(chunks)), { status, headers })
  // A stream has no length, so the response to HEAD has none either.
  const body = request.method === 'HEAD' ? new ReadableStream() : await streamChunks(chunks)
  return new Response(body, { status, headers })
}

/**
 * Reads the header Range. Returns null if all is to be sent: without the header, with one that is not understood or has
 * several ranges, or if If-Range names another version.
 * @throws ApiError range_not_satisfiable if the file has no such bytes
 */
function readRange({ headers }: Request, etag: string, size: number): ByteRange | null {
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.get('range')?.trim() ?? '') ?? []
  if (from === undefined || to === undefined || (from === '' && to === '')) return null
  const condition = headers.get('if-range')
  if (condition !== null && condition !== etag) return null
  if (from !== '' && to !== '' && Number(to) < Number(from)) return null
  const first = from === '' ? size - Number(to) : Number(from)
  if (first >= size) {
    const detail = `The file has ${size} bytes.`
    throw new ApiError('range_not_satisfiable', detail, {}, { 'Content-Range': `bytes */${size}` })
  }
  return { first: Math.max(0, first), last: from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1) }
}

/** Writes Content-Disposition with a name of any letters (RFC 6266, RFC 8187). */
function writeDisposition(kind: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/gu, '_')
  return `${kind}; filename="${plain}"${plain === name ? '' : `; filename*=UTF-8''${encodeUnreserved(name)}`}`
}
