import { type Static, Type } from '@sinclair/typebox'
import { ApiError, invalid } from '../../http/api-error'
import { closedObject } from '../../tools/schema'
import { isEmptyMember, refuseUnlessEmpty } from '../request'
import {
  type ChatAnswer,
  type ChatRequest,
  chatAnswer,
  chatImages,
  chatRequest,
  loadedMembers,
  notOffered,
} from '../schema'
import { createStreamFormats } from '../stream'

/** Ollama's call for one prompt without a conversation, answered as POST /api/chat answers a single message. */

const { messages: _messages, tools: _tools, tool_choice: _choice, ...sharedMembers } = chatRequest.properties
const { message: _message, ...answerMembers } = chatAnswer.properties

const ignored = (what: string) => Type.Optional(Type.Unknown({ description: `${what} Accepted, without effect.` }))

/** Members without effect here, beside those that POST /api/chat ignores. */
const IGNORED_MEMBERS = ['raw', 'template', 'context'] as const

/** The schema of the body of POST /api/generate. */
export const generateRequest = closedObject(
  {
    ...sharedMembers,
    prompt: Type.Optional(
      Type.String({
        description:
          'The question, of at most 16 KiB of UTF-8, or 64 KiB for a language model. Empty or absent: the model is loaded.',
      }),
    ),
    system: Type.Optional(Type.String({ description: 'A system message.' })),
    suffix: notOffered('The text after the answer.'),
    images: chatImages(),
    raw: ignored('Whether the prompt has its template already.'),
    template: ignored('A template of the prompt.'),
    context: ignored('The conversation so far, as numbers of tokens.'),
  },
  { examples: [{ prompt: 'When does the boiler warranty end?' }] },
)

export type GenerateRequest = Static<typeof generateRequest>

const [{ message, ...exampleAnswer }] = chatAnswer.examples as [ChatAnswer]

/** The answer of POST /api/generate; in a stream, its last line. */
export const generateAnswer = Type.Object(
  {
    ...answerMembers,
    response: Type.String({ description: 'Text with `[n]` marks.' }),
    context: Type.Array(Type.Integer(), { maxItems: 0, description: 'Always empty: no prompt continues another.' }),
  },
  { examples: [{ ...exampleAnswer, response: message.content, context: [] }] },
)

type GenerateAnswer = Static<typeof generateAnswer>

/** The answer of POST /api/generate to a request without a prompt. */
export const loadedGenerate = Type.Object(
  { ...loadedMembers, response: Type.Literal('') },
  {
    examples: [
      {
        model: 'satchel-local',
        created_at: '2026-03-01T08:15:00.000Z',
        response: '',
        done: true,
        done_reason: 'load',
      },
    ],
  },
)

/** Refuses members that are not offered, also of a request to load a model. @throws ApiError unsupported_parameter */
export function refuseNotOffered({ suffix, prompt, images }: GenerateRequest): void {
  refuseUnlessEmpty(suffix, '/suffix', 'suffix is not offered: nothing is filled into a text')
  if (!prompt) refuseUnlessEmpty(images, '/images', 'images are not offered without a prompt')
}

/** Returns an error of the chat with pointers to the members of this call, from which its message was made. */
export function atPrompt(error: unknown): unknown {
  if (!(error instanceof ApiError) || !Array.isArray(error.extra.errors)) return error
  const errors = error.extra.errors.map((fault: { readonly pointer: string }) => ({
    ...fault,
    pointer: fault.pointer.replace(/^\/messages\/\d+(?:\/content$)?/, (at) =>
      at.endsWith('content') ? '/prompt' : '',
    ),
  }))
  return new ApiError(error.code, error.detail, { ...error.extra, errors }, error.headers)
}

/** Converts a request, with warnings about ignored members. @throws ApiError invalid_request */
export function promptToChat(request: GenerateRequest): { chat: ChatRequest; warnings: string[] } {
  const { prompt = '', system, suffix: _, images, raw, template, context, ...shared } = request
  if (prompt.trim() === '') throw invalid('/prompt', 'blank', 'prompt must not be blank')
  const given = { raw, template, context }
  return {
    chat: {
      ...shared,
      messages: [
        ...(system ? [{ role: 'system' as const, content: system }] : []),
        { role: 'user', content: prompt, images },
      ],
    },
    warnings: IGNORED_MEMBERS.filter((name) => given[name] !== false && !isEmptyMember(given[name])).map(
      (name) => `ignored:${name}`,
    ),
  }
}

/** Converts an answer of chat. */
export function toGenerateAnswer({ message: { content }, ...answer }: ChatAnswer): GenerateAnswer {
  return { ...answer, response: content, context: [] }
}

/** The formats in which POST /api/generate streams. */
export const GENERATE_STREAMS = createStreamFormats({
  delta: ({ model, created_at }, response) => ({ model, created_at, response, done: false }),
  last: (answer) => ({ ...toGenerateAnswer(answer), response: '' }),
})
