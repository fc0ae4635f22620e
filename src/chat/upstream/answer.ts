import type { Dialect, Piece } from './dialect'
import { jsonLines, serverEvents } from './events'
import { AnswerFault } from './fault'
import { parseAnswer } from './foreign'
import { LINE_LIMIT } from './lines'

type Chunks = AsyncIterable<Uint8Array>

const LINES = /^application\/(x-ndjson|ndjson|jsonl|x-jsonlines|stream\+json)$/
/** What servers say that do not know what they send. */
const UNKNOWN = ['', 'text/plain', 'application/octet-stream']

/**
 * The pieces of an answer, read by its content type and not by what was asked for. It ends when the answer says so.
 * Throws an AnswerFault for what is no answer, and for one that ends without having said that it was the end.
 */
export async function* piecesOf(contentType: string, chunks: Chunks, dialect: Dialect): AsyncGenerator<Piece> {
  let ended = false
  for await (const json of jsonOf(contentType, chunks, dialect)) {
    if (json === '[DONE]') return
    const piece = dialect.read(parseAnswer(json))
    ended ||= piece.finish !== ''
    yield piece
    if (piece.last) return
  }
  if (!ended) throw new AnswerFault('the answer was cut off')
}

async function* jsonOf(contentType: string, chunks: Chunks, dialect: Dialect): AsyncGenerator<string> {
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase()
  const unknown = UNKNOWN.includes(type)
  if (type === 'application/json') yield* whole(chunks)
  else if (type === 'text/event-stream' || (unknown && dialect.streams === 'events')) yield* eventData(chunks)
  else if (LINES.test(type) || unknown) yield* jsonLines(chunks)
  // A page for people, of a proxy mostly.
  else throw new AnswerFault(`the answer is ${type}`, { excerpt: await excerptOf(chunks) })
}

async function* eventData(chunks: Chunks): AsyncGenerator<string> {
  for await (const { name, data } of serverEvents(chunks)) {
    if (name === 'error') throw new AnswerFault('the answer is an error', { excerpt: data })
    yield data.trim()
  }
}

async function* whole(chunks: Chunks): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let json = ''
  for await (const chunk of chunks) {
    json += decoder.decode(chunk, { stream: true })
    if (json.length > LINE_LIMIT) throw new AnswerFault('the answer is over 1 MiB', { excerpt: json })
  }
  yield json + decoder.decode()
}

/** Bytes of a failing answer that are read at all: more than the log takes, so that a key at the cut is seen whole. */
const EXCERPT_BYTES = 8 * 1024

/** The start of a body; the rest is left unread. */
export async function excerptOf(chunks: Chunks): Promise<string> {
  const decoder = new TextDecoder()
  let excerpt = ''
  for await (const chunk of chunks) {
    excerpt += decoder.decode(chunk.subarray(0, EXCERPT_BYTES), { stream: true })
    if (excerpt.length >= EXCERPT_BYTES) break
  }
  return excerpt
}
