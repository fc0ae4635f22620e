import { AnswerFault } from '../../http/outgoing'

/** Of one line, and of one event of several lines; in UTF-16 units. No honest server comes near it. */
export const LINE_LIMIT = 1024 * 1024

/**
 * The lines of a stream of UTF-8, however its bytes were cut: LF, CRLF and CR end a line, and so does the end of the
 * stream if anything is left. Throws an AnswerFault at a line over the limit, before the whole of it has come.
 */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const cutter = new LineCutter()
  for await (const chunk of chunks) yield* cutter.cut(decoder.decode(chunk, { stream: true }))
  yield* cutter.cut(decoder.decode())
  if (cutter.rest !== '') yield cutter.rest
}

class LineCutter {
  /** The line that has not ended yet. */
  rest = ''
  /** The last character was a CR that has ended a line: an LF right after it belongs to it. */
  #afterReturn = false

  /** Only the new text is searched, so that a long line in small pieces costs no more than its length. */
  cut(text: string): string[] {
    if (text === '') return []
    const whole: string[] = []
    let start = this.#afterReturn && text.startsWith('\n') ? 1 : 0
    this.#afterReturn = text.endsWith('\r')
    for (const { index, 0: end } of text.matchAll(/\r\n|\r|\n/g)) {
      if (index < start) continue
      whole.push(this.#grow(text.slice(start, index)))
      this.rest = ''
      start = index + end.length
    }
    this.rest = this.#grow(text.slice(start))
    return whole
  }

  #grow(text: string): string {
    if (this.rest.length + text.length > LINE_LIMIT)
      throw new AnswerFault('a line is over 1 MiB', { excerpt: this.rest })
    return this.rest + text
  }
}
