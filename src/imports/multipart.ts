import { invalid } from '../http/api-error'

/** The one file of a form (RFC 7578), while it arrives: memory holds a chunk of it. */

/** Bytes that may come before the file: the lines of its head, and what stands before the form. */
const HEAD_BYTES = 16 * 1024

/** The boundary of a Content-Type of `multipart/form-data`, or null. */
export function boundaryOf(contentType: string): string | null {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? []
  return quoted ?? bare ?? null
}

/**
 * The content of the one part of a form, which is the file and called `file`.
 * @throws Refusal invalid_request for what is no form, is cut off, or has other parts
 */
export async function* fileOfForm(body: AsyncIterable<Uint8Array>, boundary: string): AsyncGenerator<Uint8Array> {
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
