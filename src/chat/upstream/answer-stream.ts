import { AnswerFault, mediaTypeOf, parseAnswer, readExcerpt, readWholeText } from '../../http/outgoing'
import { type AnswerPiece, readPiece } from './chat-completions'

/** UTF-16 units of one line, and of one event of several lines: far more than a normal server sends. */
export const MAX_LINE_UNITS = 1024 * 1024

/**
 * Yields the lines of a UTF-8 stream, however its bytes are cut: LF, CRLF and CR end a line, and the end of the stream
 * ends the last one. Throws an AnswerFault as soon as a line exceeds the limit.
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
  /** Whether the last character was a CR that ended a line: an LF right after it belongs to it. */
  #afterReturn = false

  /**
   * Adds text and returns the complete lines. Only the new text is searched, so that a long line in pieces takes linear
   * time.
   */
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
    if (this.rest.length + text.length > MAX_LINE_UNITS)
      throw new AnswerFault('a line is over 1 MiB', { excerpt: this.rest })
    return this.rest + text
  }
}

type Chunks = AsyncIterable<Uint8Array>

/** Content types of a stream of events, also of servers that do not know what they send. */
const EVENT_TYPES = ['text/event-stream', '', 'text/plain', 'application/octet-stream']

/**
 * Yields the pieces of an answer, read by its content type and not by what was requested, until the answer says that it
 * ends. Throws an AnswerFault for anything that is not an answer, and for an answer that is cut off.
 */
export async function* readPieces(contentType: string, chunks: Chunks): AsyncGenerator<AnswerPiece> {
  let ended = false
  for await (const json of readJsonTexts(contentType, chunks)) {
    if (json === '[DONE]') return
    const piece = readPiece(parseAnswer(json))
    ended ||= piece.finish !== ''
    yield piece
  }
  if (!ended) throw new AnswerFault('the answer was cut off')
}

async function* readJsonTexts(contentType: string, chunks: Chunks): AsyncGenerator<string> {
  const type = mediaTypeOf(contentType)
  if (type === 'application/json') yield await readWholeText(chunks, MAX_LINE_UNITS)
  else if (EVENT_TYPES.includes(type)) yield* readEventData(chunks)
  // A page for people, mostly from a proxy.
  else throw new AnswerFault(`the answer is ${type}`, { excerpt: await readExcerpt(chunks) })
}

async function* readEventData(chunks: Chunks): AsyncGenerator<string> {
  for await (const { name, data } of readServerEvents(chunks)) {
    if (name === 'error') throw new AnswerFault('the answer is an error', { excerpt: data })
    yield data.trim()
  }
}

/** One message of Server-Sent Events. */
interface ServerEvent {
  readonly name: string
  readonly data: string
}

/**
 * Yields the events of a stream, by the grammar of the HTML standard: comments and unknown fields are skipped, one
 * space after the colon is dropped, lines of data are joined. Unlike the standard, the end of the stream ends the last
 * event too, since servers leave out its blank line; an event that was cut off is not valid JSON and is noticed by
 * that.
 */
export async function* readServerEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  let name = ''
  let data: string[] = []
  let size = 0
  for await (const line of splitLines(chunks)) {
    if (line === '') {
      if (data.length > 0) yield { name, data: data.join('\n') }
      name = ''
      data = []
      size = 0
      continue
    }
    const [field, value] = parseField(line)
    size += line.length
    if (size > MAX_LINE_UNITS) throw new AnswerFault('an event is over 1 MiB', { excerpt: data[0] ?? '' })
    if (field === 'data') data.push(value)
    if (field === 'event') name = value
  }
  if (data.length > 0) yield { name, data: data.join('\n') }
}

/**
 * Parses a line. Without a colon it is a field without a value; if it starts with one, it is a comment, without a name.
 */
function parseField(line: string): [field: string, value: string] {
  const colon = line.indexOf(':')
  if (colon < 0) return [line, '']
  return [line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)]
}
