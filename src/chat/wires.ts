import { type ApiError, errorBody } from '../http/api-error'
import type { AnswerEvent, AnswerHead } from './answering/events'
import type { ChatAnswer } from './schema'
import type { StreamFormat } from './stream'

/** The forms that an answer can take on the wire. */
export type AnswerFormat = 'json' | 'ndjson' | 'sse'

/** Server-Sent Events when the caller accepts them by name, whatever `stream` says. */
export function readAnswerFormat(accept: string | null, stream: boolean): AnswerFormat {
  const ranges = (accept ?? '').toLowerCase().split(',')
  const events = ranges.some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
    return type === 'text/event-stream' && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
  })
  if (events) return 'sse'
  return stream ? 'ndjson' : 'json'
}

/** One JSON object a line: deltas, actions, citations, and last the whole answer without the text that the deltas brought. */
export const NDJSON: StreamFormat = {
  type: 'application/x-ndjson',
  event(event, about) {
    if (event.name === 'start') return ''
    if (event.name === 'delta') return line(delta(about, event.data))
    return line({ ...delta(about, ''), event: event.name, [event.name]: event.data })
  },
  done: (answer) => line(withoutText(answer)),
  failure: (refusal, requestId) => line(errorBody(refusal, requestId)),
  quiet: (about) => (about ? line(delta(about, '')) : ''),
}

/** The same as Server-Sent Events. JSON has no raw line breaks, so each is one line of data. */
export const SSE: StreamFormat = {
  type: 'text/event-stream; charset=utf-8',
  event(event, about) {
    if (event.name === 'start') return ''
    return sse(event.name, event.name === 'delta' ? delta(about, event.data) : event.data)
  },
  done: (answer) => sse('done', withoutText(answer)),
  failure: (refusal: ApiError, requestId) => sse('error', errorBody(refusal, requestId)),
  quiet: () => ': ping\n\n',
}

const line = (data: object): string => `${JSON.stringify(data)}\n`
const sse = (name: AnswerEvent['name'] | 'done' | 'error', data: object): string =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

function withoutText(answer: ChatAnswer): ChatAnswer {
  return { ...answer, message: { role: 'assistant', content: '' } }
}

function delta({ model, created_at }: AnswerHead, content: string) {
  return { model, created_at, message: { role: 'assistant', content }, done: false }
}
