import { invalid } from './api-error'

/** Reads the file of a form, `multipart/form-data` (RFC 7578), while it arrives. */

/** Bytes that may come before the file in a form: text before the first part, and the headers of the part. */
const MAX_HEAD_BYTES = 16 * 1024

/** Reads the boundary from a Content-Type of `multipart/form-data`, or returns null. */
export function readBoundary(contentType: string): string | null {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? []
  return quoted ?? bare ?? null
}

/**
 * Yields the content of the only part of a form, which is the file and must be named `file`.
 * @param onName called with the `filename` of the part, before its content
 * @throws ApiError invalid_request if the body is not a form, is cut off, or has other parts
 */
export async function* readFormFile(
  body: AsyncIterable<Uint8Array>,
  boundary: string,
  onName: (name: string | null) => void = () => {},
): AsyncGenerator<Uint8Array> {
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  const chunks = body[Symbol.asyncIterator]()
  // The first delimiter has no line before it.
  let buffered: Buffer = Buffer.from('\r\n')
  const readMore = async () => {
    const { value, done } = await chunks.next()
    if (done) throw invalidForm()
    buffered = Buffer.concat([buffered, value])
  }
  /** Removes the bytes up to and including a mark, and returns those before the mark. */
  const takeUntil = async (mark: Buffer): Promise<Buffer> => {
    for (let at = buffered.indexOf(mark); ; at = buffered.indexOf(mark)) {
      if (at >= 0) {
        const before = buffered.subarray(0, at)
        buffered = buffered.subarray(at + mark.length)
        return before
      }
      if (buffered.length > MAX_HEAD_BYTES) throw invalidForm()
      await readMore()
    }
  }
  await takeUntil(delimiter)
  const head = readPartHead(await takeUntil(Buffer.from('\r\n\r\n')))
  if (head.name !== 'file') throw wrongParts()
  onName(head.filename)
  for (let at = buffered.indexOf(delimiter); ; at = buffered.indexOf(delimiter)) {
    // The last bytes of the buffer may be the beginning of the delimiter.
    const safe = at >= 0 ? at : Math.max(0, buffered.length - delimiter.length)
    if (safe > 0) yield Uint8Array.from(buffered.subarray(0, safe))
    buffered = buffered.subarray(safe)
    if (at >= 0) break
    await readMore()
  }
  buffered = buffered.subarray(delimiter.length)
  while (buffered.length < 2) await readMore()
  if (buffered.subarray(0, 2).toString() !== '--') throw wrongParts()
  // The rest of the body is read as well, since the sender waits until it is.
  for (let rest = await chunks.next(); !rest.done; rest = await chunks.next());
}

const invalidForm = () => invalid('', 'invalid_multipart', 'the body is not valid multipart/form-data')
const wrongParts = () => invalid('/file', 'required', 'a multipart body must have one part, the file, named file')

/** Reads the names in the headers of a part, which are UTF-8 as browsers send them (RFC 7578, section 5.1). */
function readPartHead(head: Buffer): { readonly name: string | null; readonly filename: string | null } {
  const line = /^(?:\r\n)?content-disposition:\s*form-data(.*)$/im.exec(head.toString())?.[1] ?? ''
  const parameter = (name: string) => {
    const [, quoted, bare] = new RegExp(`;\\s*${name}=(?:"([^"]*)"|([^\\s;"]+))`, 'i').exec(line) ?? []
    return quoted ?? bare ?? null
  }
  // Browsers escape these three alone (HTML, multipart/form-data encoding algorithm).
  const escaped = { '%22': '"', '%0D': '\r', '%0A': '\n' } as const
  const toSign = (sign: string) => escaped[sign.toUpperCase() as keyof typeof escaped]
  return { name: parameter('name'), filename: parameter('filename')?.replace(/%(?:22|0D|0A)/gi, toSign) ?? null }
}
