import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { ApiError, invalid } from '../http/api-error'
import { mediaType } from '../http/body'
import type { Timer } from './line'
import { boundaryOf, fileOfForm } from './multipart'

/** How a file comes from a request to the disk, with nothing of it in memory but a chunk. */

/** How long a sender may be silent, and take in all, in milliseconds. */
const SILENT_MS = 30_000
const ARRIVAL_MS = 30 * 60_000

export interface Arrival {
  /** Media types that are taken; null: any but that of an HTML form. */
  readonly types: readonly string[] | null
  /** Whether `multipart/form-data` is taken, of one part `file`. */
  readonly form?: boolean
  /** Bytes of the file, unpacked where it is sent with `Content-Encoding: gzip`. */
  readonly limit: number
  readonly timer: Timer
  /** Told of bytes before they are written. @throws Refusal storage_full */
  readonly refuseOnFullDisk: (bytes: number) => void
}

/** A file that has arrived. */
export interface ReceivedFile {
  /** Its media type; `multipart/form-data` for the file of a form. */
  readonly type: string
  readonly size: number
  /** Of its bytes, unpacked, as hexadecimal digits. */
  readonly sha256: string
}

/**
 * Writes the body of a request to `path`, which must not be there; what is left of it after a refusal is the caller's to
 * remove. Without a path it is only looked at.
 * @throws Refusal too_large, unsupported_media_type, invalid_request for an empty file, storage_full, unavailable for one
 *   that comes too slowly, archive_refused for what cannot be unpacked
 */
export async function receiveFile(request: Request, path: string | null, arrival: Arrival): Promise<ReceivedFile> {
  const { limit, refuseOnFullDisk } = arrival
  const { type, content } = contentOf(request, arrival)
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

function contentOf(request: Request, { types, form, limit, timer }: Arrival) {
  const type = mediaType(request)
  const isForm = form === true && type === 'multipart/form-data'
  if (!isForm && !(types ? types.includes(type) : type !== 'application/x-www-form-urlencoded')) {
    const known = [...(types ?? ['application/octet-stream']), ...(form ? ['multipart/form-data'] : [])].join(', ')
    throw new ApiError('unsupported_media_type', `Send the file with one of these as its Content-Type: ${known}.`)
  }
  const boundary = isForm ? boundaryOf(request.headers.get('content-type') ?? '') : null
  if (isForm && boundary === null)
    throw new ApiError('unsupported_media_type', 'The form names no boundary of its parts.')
  const coding = (request.headers.get('content-encoding') ?? 'identity').trim().toLowerCase()
  if (coding !== 'identity' && coding !== 'gzip')
    throw new ApiError('unsupported_media_type', 'Send the file as it is, or with Content-Encoding: gzip.')
  // A form is a little longer than its file.
  if (coding === 'identity' && !isForm && Number(request.headers.get('content-length')) > limit) throw tooLarge(limit)
  const sent = arriving(request.body, timer)
  const unpacked = coding === 'gzip' ? gunzipped(sent) : sent
  return { type, content: boundary === null ? unpacked : fileOfForm(unpacked, boundary) }
}

/** The chunks of a body, unless its sender is silent for too long, or takes too long in all. */
async function* arriving(body: ReadableStream<Uint8Array> | null, timer: Timer): AsyncGenerator<Uint8Array> {
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

async function* gunzipped(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
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
