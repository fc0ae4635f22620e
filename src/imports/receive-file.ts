/** Receives the file of a request and writes it to the disk, with one chunk in memory at a time. */
import { open } from 'node:fs/promises'
import { ApiError, invalid } from '../http/api-error'
import { readBoundary, readFormFile } from '../http/multipart'
import { readMediaType, receiveChunks } from '../http/request'

export interface ReceiveFileOptions {
  /** The accepted media types; null: all but that of an HTML form. */
  readonly types: readonly string[] | null
  /** Whether `multipart/form-data` with one part, named `file`, is accepted as well. */
  readonly form?: boolean
  /** Bytes that the file may have, after it is unpacked if it is gzip, or sent with `Content-Encoding: gzip`. */
  readonly limit: number
  /** Called with a number of bytes before they are written. @throws ApiError storage_full */
  readonly refuseOnFullDisk: (bytes: number) => void
}

interface ReceivedFile {
  /** Its media type; `multipart/form-data` for the file of a form. */
  readonly type: string
  readonly size: number
  /** The SHA-256 of its unpacked bytes, as hexadecimal digits. */
  readonly sha256: string
}

/**
 * Writes the body of a request to `path`, where no file may exist; after a failure the caller has to remove it. With
 * `path` null the file is checked but not written.
 * @throws ApiError too_large, unsupported_media_type, invalid_request for an empty file, storage_full, unavailable for
 *   a file that arrives too slowly, archive_refused if it cannot be unpacked
 */
export async function receiveFile(
  request: Request,
  path: string | null,
  options: ReceiveFileOptions,
): Promise<ReceivedFile> {
  const { limit, refuseOnFullDisk } = options
  const { type, content } = openContent(request, options)
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

function openContent(request: Request, { types, form, limit }: ReceiveFileOptions) {
  const type = readMediaType(request)
  const isForm = form === true && type === 'multipart/form-data'
  if (!isForm && !(types ? types.includes(type) : type !== 'application/x-www-form-urlencoded')) {
    const accepted = [...(types ?? ['application/octet-stream']), ...(form ? ['multipart/form-data'] : [])].join(', ')
    throw new ApiError('unsupported_media_type', `Send the file with one of these as its Content-Type: ${accepted}.`)
  }
  const boundary = isForm ? readBoundary(request.headers.get('content-type') ?? '') : null
  if (isForm && boundary === null)
    throw new ApiError('unsupported_media_type', 'The Content-Type of the form has no boundary.')
  const coding = (request.headers.get('content-encoding') ?? 'identity').trim().toLowerCase()
  if (coding !== 'identity' && coding !== 'gzip')
    throw new ApiError('unsupported_media_type', 'Send the file as it is, or with Content-Encoding: gzip.')
  // A form is slightly longer than its file, and a packed file is shorter: only a plain body can be refused by its
  // length.
  if (coding === 'identity' && !isForm && Number(request.headers.get('content-length')) > limit) throw tooLarge(limit)
  const sent = receiveChunks(request, limit)
  const unpacked = coding === 'gzip' ? unzipChunks(sent) : sent
  return { type, content: unzipFile(boundary === null ? unpacked : readFormFile(unpacked, boundary)) }
}

/** The first bytes of gzip. No format of ours begins with them, so a packed file needs no other mark. */
const GZIP_START = [0x1f, 0x8b]

/** Yields the chunks of a file, unpacked if it is gzip such as `cards.csv.gz`. */
async function* unzipFile(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  async function* rest() {
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
  }
  try {
    let start: Uint8Array = new Uint8Array()
    for await (const chunk of rest()) {
      start = Buffer.concat([start, chunk])
      if (start.length >= GZIP_START.length) break
    }
    async function* all() {
      yield start
      yield* rest()
    }
    yield* GZIP_START.every((byte, i) => start[i] === byte) ? unzipChunks(all()) : all()
  } finally {
    await iterator.return?.()
  }
}

async function* unzipChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { Readable } = await import('node:stream')
  const { createGunzip } = await import('node:zlib')
  const source = Readable.from(chunks, { objectMode: true, highWaterMark: 1 })
  const gunzip = createGunzip()
  // `pipe` does not forward errors.
  source.on('error', (error) => gunzip.destroy(error))
  try {
    for await (const chunk of source.pipe(gunzip)) yield chunk as Uint8Array
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw new ApiError(
      'archive_refused',
      'The file is not valid gzip, as it begins or its Content-Encoding says, or is cut off.',
    )
  } finally {
    source.destroy()
    gunzip.destroy()
  }
}
