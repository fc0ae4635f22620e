import { ARRIVAL_MS, arriving, collect, refuseEncoded } from '../../http/body'
import { invalid, Refusal } from '../../http/problem'

/** Bytes around the one part of a multipart body. */
const ENVELOPE_BYTES = 16 * 1024

/**
 * The file that a request brings: its body, or the one part `file` of a multipart body.
 * @param limit bytes of the file
 * @param arrival milliseconds that it may take; for tests
 * @throws Refusal too_large, unsupported_media_type, invalid_request, unavailable for one that does not arrive
 */
export async function readUploadBody(request: Request, limit: number, arrival = ARRIVAL_MS): Promise<Uint8Array> {
  const type = request.headers.get('content-type') ?? ''
  refuseEncoded(request, 'file')
  if (/^application\/x-www-form-urlencoded\b/i.test(type))
    throw new Refusal('unsupported_media_type', 'Send the file as application/octet-stream or multipart/form-data.')
  const isMultipart = /^multipart\/form-data\b/i.test(type)
  const body = await collect(arriving(request.body, arrival), isMultipart ? limit + ENVELOPE_BYTES : limit)
  const bytes = isMultipart ? await filePart(body, type) : body
  if (bytes.length === 0) throw invalid('', 'required', 'the body must be a file')
  if (bytes.length > limit) throw new Refusal('too_large', `The file may have at most ${limit} bytes.`)
  return bytes
}

async function filePart(body: Uint8Array, type: string): Promise<Uint8Array> {
  const parts = [...(await readParts(body, type))]
  const [part] = parts
  if (parts.length !== 1 || part?.[0] !== 'file' || !(part[1] instanceof Blob))
    throw invalid('/file', 'required', 'a multipart body must have one part, the file, named file')
  return part[1].bytes()
}

async function readParts(body: Uint8Array, type: string) {
  try {
    return await new Response(new Uint8Array(body), { headers: { 'Content-Type': type } }).formData()
  } catch (error) {
    if (error instanceof TypeError) throw invalid('', 'invalid_multipart', 'the body is no multipart/form-data')
    throw error
  }
}
