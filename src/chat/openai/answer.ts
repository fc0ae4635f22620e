import { toCodePoints } from '../../lib/text'
import type { AnswerHead } from '../answer-run'
import { type TextVectors, toShortestNumbers } from '../embeddings'
import type { OpenAiEmbeddings } from '../embeddings-schema'
import type { ChatAnswer } from '../schema'
import type { StreamFormat } from '../stream'
import { OPENAI_ERRORS } from './errors'
import type { ChatCompletion } from './schema'

const toCompletionId = (id: string): string => `chatcmpl-${id}`
const toSeconds = (instant: string): number => Math.floor(Date.parse(instant) / 1000)

/** Converts an answer. @param origin the beginning of the URLs of citations, such as `http://127.0.0.1:3000` */
export function toChatCompletion(answer: ChatAnswer, origin: string): ChatCompletion {
  return {
    id: toCompletionId(answer.id),
    object: 'chat.completion',
    created: toSeconds(answer.created_at),
    model: answer.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: answer.message.content,
          refusal: null,
          annotations: toAnnotations(answer, origin),
        },
        logprobs: null,
        finish_reason: answer.done_reason,
      },
    ],
    usage: toUsage(answer),
    x_satchel: toExtras(answer),
  }
}

/** Creates the format of Server-Sent Events with chunks; `x_satchel` comes with the last chunk of the message. */
export function createOpenAiStream(origin: string, includeUsage: boolean): StreamFormat {
  let opened = false
  const usage = includeUsage ? { usage: null } : {}
  const head = ({ id, model, created_at }: AnswerHead) => ({
    id: toCompletionId(id),
    object: 'chat.completion.chunk',
    created: toSeconds(created_at),
    model,
  })
  const chunk = (about: AnswerHead, delta: object, finish_reason: string | null, rest: object = {}) =>
    writeSse({ ...head(about), choices: [{ index: 0, delta, logprobs: null, finish_reason }], ...usage, ...rest })
  const opening = (about: AnswerHead) => {
    const text = opened ? '' : chunk(about, { role: 'assistant', content: '' }, null)
    opened = true
    return text
  }

  return {
    type: 'text/event-stream; charset=utf-8',
    event(event, about) {
      return event.name === 'delta' ? opening(about) + chunk(about, { content: event.data }, null) : ''
    },
    done(answer) {
      const about = { ...answer, replayed: false }
      const last = chunk(about, { annotations: toAnnotations(answer, origin) }, answer.done_reason, {
        x_satchel: toExtras(answer),
      })
      const counted = includeUsage ? writeSse({ ...head(about), choices: [], usage: toUsage(answer) }) : ''
      return `${opening(about)}${last}${counted}data: [DONE]\n\n`
    },
    failure: (refusal, requestId) => writeSse(OPENAI_ERRORS.toBody(refusal, requestId)),
    keepAlive: () => ': ping\n\n',
  }
}

const writeSse = (data: object): string => `data: ${JSON.stringify(data)}\n\n`

function toUsage({ usage: { prompt_tokens, completion_tokens } }: ChatAnswer): ChatCompletion['usage'] {
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
}

function toExtras(answer: ChatAnswer): ChatCompletion['x_satchel'] {
  const { engine, created_at, grounded, confidence, citations, actions, undo, warnings, usage } = answer
  return { engine, created_at, grounded, confidence, citations, actions, undo, warnings, usage }
}

type Annotations = ChatCompletion['choices'][number]['message']['annotations']

/** Creates an annotation for each mark `[n]`, with its position in the text in code points. */
function toAnnotations({ message: { content }, citations }: ChatAnswer, origin: string): Annotations {
  const marks = [...content.matchAll(/\[(\d+)\]/g)]
  const starts = toCodePoints(
    content,
    marks.map(({ index }) => index),
  )
  return marks.flatMap(({ 0: mark, 1: digits }, i) => {
    const cited = citations.find(({ n }) => n === Number(digits))
    if (!cited) return []
    const start_index = starts[i] ?? 0
    const place = { start_index, end_index: start_index + mark.length }
    return [{ type: 'url_citation' as const, url_citation: { url: origin + cited.url, title: cited.title, ...place } }]
  })
}

/** Converts vectors to OpenAI's format. */
export function toEmbeddings(made: TextVectors, format: 'float' | 'base64'): OpenAiEmbeddings {
  return {
    object: 'list',
    data: made.vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: format === 'base64' ? toBase64(vector) : toShortestNumbers(vector),
    })),
    model: made.model,
    usage: { prompt_tokens: made.tokens, total_tokens: made.tokens },
  }
}

/** Encodes a vector in the platform's byte order, which is little-endian on every machine that Bun runs on. */
function toBase64({ buffer, byteOffset, byteLength }: Float32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64')
}
