import { AnswerFault, excerptOf, mediaTypeOf, parseAnswer, wholeText } from '../../http/outgoing'
import type { ModelDialect, Piece } from './dialect'
import { jsonLines, serverEvents } from './events'
import { LINE_LIMIT } from './lines'

type Chunks = AsyncIterable<Uint8Array>

const LINES = /^application\/(x-ndjson|ndjson|jsonl|x-jsonlines|stream\+json)$/
/** What servers say that do not know what they send. */
const UNKNOWN = ['', 'text/plain', 'application/octet-stream']

/**
 * The pieces of an answer, read by its content type and not by what was asked for. It ends when the answer says so.
 * Throws an AnswerFault for what is no answer, and for one that ends without having said that it was the end.
 */
export async function* readPieces(contentType: string, chunks: Chunks, dialect: ModelDialect): AsyncGenerator<Piece> {
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

async function* jsonOf(contentType: string, chunks: Chunks, dialect: ModelDialect): AsyncGenerator<string> {
  const type = mediaTypeOf(contentType)
  const unknown = UNKNOWN.includes(type)
  if (type === 'application/json') yield await wholeText(chunks, LINE_LIMIT)
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
