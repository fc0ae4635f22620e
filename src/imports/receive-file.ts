/** How a file comes from a request to the disk, with nothing of it in memory but a chunk. */
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { ApiError, invalid } from '../http/api-error'
import { readMediaType } from '../http/body'
import type { Timer } from './queue'

/** How long a sender may be silent, and take in all, in milliseconds. */
const SILENT_MS = 30_000
const ARRIVAL_MS = 30 * 60_000

export interface ReceiveFileOptions {
  /** Media types that are taken; null: any but that of an HTML form. */
  readonly types: readonly string[] | null
  /** Whether `multipart/form-data` is taken, of one part `file`. */
  readonly form?: boolean
  /** Bytes of the file, unpacked where it is sent with `Content-Encoding: gzip`. */
  readonly limit: number
  readonly timer: Timer
  /** Called with a number of bytes before they are written. @throws ApiError storage_full */
  readonly refuseOnFullDisk: (bytes: number) => void
}

/** A file that has arrived. */
interface ReceivedFile {
  /** Its media type; `multipart/form-data` for the file of a form. */
  readonly type: string
  readonly size: number
  /** Of its bytes, unpacked, as hexadecimal digits. */
  readonly sha256: string
}

/**
 * Writes the body of a request to `path`, which must not be there; after a failure the caller has to
 * remove it. Without a path the file is only checked.
 * @throws ApiError too_large, unsupported_media_type, invalid_request for an empty file, storage_full, unavailable for one
 *   that comes too slowly, archive_refused for what cannot be unpacked
 */
export async function receiveFile(
  request: Request,
  path: string | null,
  arrival: ReceiveFileOptions,
): Promise<ReceivedFile> {
  const { limit, refuseOnFullDisk } = arrival
  const { type, content } = openContent(request, arrival)
  const hash = new Bun.CryptoHasher('sha256')
  const file = path === null ? null : await open(path, 'wx', 0o600)
  let size = 0
  try {
    for await (const chunk of content) {
      size += chunk.length
      if (size > limit) throw tooLarge(limit)
      if (file) refuseOnFullDisk(chunk.length)
      hash.update(chunk)
      await file?.writeFile(chunk)
    }
    if (size === 0) throw invalid('', 'required', 'the body must be a file')
    await file?.datasync()
  } finally {
    await file?.close()
  }
  return { type, size, sha256: hash.digest('hex') }
}

const tooLarge = (limit: number) => new ApiError('too_large', `The file may have at most ${limit} bytes.`)

function openContent(request: Request, { types, form, limit, timer }: ReceiveFileOptions) {
  const type = readMediaType(request)
  const isForm = form === true && type === 'multipart/form-data'
  if (!isForm && !(types ? types.includes(type) : type !== 'application/x-www-form-urlencoded')) {
    const known = [...(types ?? ['application/octet-stream']), ...(form ? ['multipart/form-data'] : [])].join(', ')
    throw new ApiError('unsupported_media_type', `Send the file with one of these as its Content-Type: ${known}.`)
  }
  const boundary = isForm ? readBoundary(request.headers.get('content-type') ?? '') : null
  if (isForm && boundary === null)
    throw new ApiError('unsupported_media_type', 'The form names no boundary of its parts.')
  const coding = (request.headers.get('content-encoding') ?? 'identity').trim().toLowerCase()
  if (coding !== 'identity' && coding !== 'gzip')
    throw new ApiError('unsupported_media_type', 'Send the file as it is, or with Content-Encoding: gzip.')
  // A form is a little longer than its file.
  if (coding === 'identity' && !isForm && Number(request.headers.get('content-length')) > limit) throw tooLarge(limit)
  const sent = receiveChunks(request.body, timer)
  const unpacked = coding === 'gzip' ? unzipChunks(sent) : sent
  return { type, content: boundary === null ? unpacked : readFormFile(unpacked, boundary) }
}

/** The chunks of a body, unless its sender is silent for too long, or takes too long in all. */
async function* receiveChunks(body: ReadableStream<Uint8Array> | null, timer: Timer): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader()
  if (!reader) return
  let isLate = false
  const late = () => {
    isLate = true
    void reader.cancel()
  }
  const wholly = timer(ARRIVAL_MS, late)
  let silence = timer(SILENT_MS, late)
  try {
    for (;;) {
      const { value, done } = await reader.read()
      silence()
      if (done) break
      yield value
      silence = timer(SILENT_MS, late)
    }
  } finally {
    silence()
    wholly()
    reader.releaseLock()
  }
  if (isLate) throw new ApiError('unavailable', 'The file took too long to arrive; nothing was changed.')
}

async function* unzipChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = Readable.from(chunks, { objectMode: true, highWaterMark: 1 })
  const gunzip = createGunzip()
  // `pipe` hands on no failure.
  source.on('error', (error) => gunzip.destroy(error))
  try {
    for await (const chunk of source.pipe(gunzip)) yield chunk as Uint8Array
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw new ApiError('archive_refused', 'The file is not what Content-Encoding: gzip says, or is cut off.')
  } finally {
    source.destroy()
    gunzip.destroy()
  }
}

/** Bytes that may come before the file: the lines of its head, and what comes before the form. */
const HEAD_BYTES = 16 * 1024

/** The boundary of a Content-Type of `multipart/form-data`, or null. */
function readBoundary(contentType: string): string | null {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? []
  return quoted ?? bare ?? null
}

/**
 * The content of the one part of a form, which is the file and called `file`.
 * @throws ApiError invalid_request for what is no form, is cut off, or has other parts
 */
async function* readFormFile(body: AsyncIterable<Uint8Array>, boundary: string): AsyncGenerator<Uint8Array> {
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  const chunks = body[Symbol.asyncIterator]()
  // The first delimiter has no line before it.
  let held: Buffer = Buffer.from('\r\n')
  const more = async () => {
    const { value, done } = await chunks.next()
    if (done) throw noForm()
    held = Buffer.concat([held, value])
  }
  /** What comes before a mark, which is taken as well. */
  const upTo = async (mark: Buffer): Promise<Buffer> => {
    for (let at = held.indexOf(mark); ; at = held.indexOf(mark)) {
      if (at >= 0) {
        const before = held.subarray(0, at)
        held = held.subarray(at + mark.length)
        return before
      }
      if (held.length > HEAD_BYTES) throw noForm()
      await more()
    }
  }
  await upTo(delimiter)
  if (!isFile(await upTo(Buffer.from('\r\n\r\n')))) throw otherParts()
  for (let at = held.indexOf(delimiter); ; at = held.indexOf(delimiter)) {
    // The end of what is here may be the beginning of the delimiter.
    const safe = at >= 0 ? at : Math.max(0, held.length - delimiter.length)
    if (safe > 0) yield Uint8Array.from(held.subarray(0, safe))
    held = held.subarray(safe)
    if (at >= 0) break
    await more()
  }
  held = held.subarray(delimiter.length)
  while (held.length < 2) await more()
  if (held.subarray(0, 2).toString() !== '--') throw otherParts()
  // What follows the form is read too: its sender waits until it is taken.
  for (let rest = await chunks.next(); !rest.done; rest = await chunks.next());
}

const noForm = () => invalid('', 'invalid_multipart', 'the body is no multipart/form-data')
const otherParts = () => invalid('/file', 'required', 'a multipart body must have one part, the file, named file')

function isFile(head: Buffer): boolean {
  const line = /^(?:\r\n)?content-disposition:\s*form-data(.*)$/im.exec(head.toString('latin1'))?.[1] ?? ''
  const [, quoted, bare] = /;\s*name=(?:"([^"]*)"|([^\s;"]+))/i.exec(line) ?? []
  return (quoted ?? bare) === 'file'
}
