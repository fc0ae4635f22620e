import type { ChatAnswer } from './schema'

/** The forms that an answer can take on the wire. */
export type Form = 'json' | 'ndjson' | 'sse'

/** Server-Sent Events when the caller accepts them by name, whatever `stream` says. */
export function formFor(accept: string | null, stream: boolean): Form {
  const ranges = (accept ?? '').toLowerCase().split(',')
  const events = ranges.some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
    return type === 'text/event-stream' && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
  })
  if (events) return 'sse'
  return stream ? 'ndjson' : 'json'
}

interface Event {
  readonly name: 'delta' | 'citation' | 'done'
  readonly data: object
}

/** One JSON object a line: deltas, citations, and last the whole answer without the text that the deltas brought. */
export function ndjson(answer: ChatAnswer): string {
  const lines = eventsOf(answer).map(({ name, data }) =>
    name === 'citation' ? { ...delta(answer, ''), event: name, citation: data } : data,
  )
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

/** The same as Server-Sent Events. JSON has no raw line breaks, so each is one line of data. */
export function serverSentEvents(answer: ChatAnswer): string {
  return eventsOf(answer)
    .map(({ name, data }) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
    .join('')
}

function eventsOf(answer: ChatAnswer): Event[] {
  const lines = answer.message.content.split(/(?<=\n)/).filter((line) => line !== '')
  return [
    ...lines.map((line): Event => ({ name: 'delta', data: delta(answer, line) })),
    ...answer.citations.map((citation): Event => ({ name: 'citation', data: citation })),
    { name: 'done', data: { ...answer, message: { role: 'assistant', content: '' } } },
  ]
}

function delta({ model, created_at }: ChatAnswer, content: string) {
  return { model, created_at, message: { role: 'assistant', content }, done: false }
}
