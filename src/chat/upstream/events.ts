import { AnswerFault } from '../../http/outgoing'
import { LINE_LIMIT, splitLines } from './lines'

/** One message of Server-Sent Events. */
export interface ServerEvent {
  readonly name: string
  readonly data: string
}

/**
 * The events of a stream, by the grammar of the HTML standard: comments and unknown fields are passed over, one space
 * after the colon is dropped, lines of data are joined. Unlike there, the end of the stream ends the last event too,
 * since servers leave its blank line out; one that was cut off is no JSON and is found out by that.
 */
export async function* serverEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
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
    const [field, value] = fieldOf(line)
    size += line.length
    if (size > LINE_LIMIT) throw new AnswerFault('an event is over 1 MiB', { excerpt: data[0] ?? '' })
    if (field === 'data') data.push(value)
    if (field === 'event') name = value
  }
  if (data.length > 0) yield { name, data: data.join('\n') }
}

/** A line without a colon is a field without a value; one that starts with it is a comment and has no name. */
function fieldOf(line: string): [field: string, value: string] {
  const colon = line.indexOf(':')
  if (colon < 0) return [line, '']
  return [line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)]
}

/** The JSON texts of a newline-delimited stream. */
export async function* jsonLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  for await (const line of splitLines(chunks)) if (line.trim() !== '') yield line
}
