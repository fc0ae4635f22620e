import { type Static, Type } from '@sinclair/typebox'
import { documented } from '../../http/schema'
import { chatAnswer, chatRequest, MAX_MESSAGES_SENT, MESSAGES_DESCRIPTION, optional } from '../schema'

/**
 * The schemas of OpenAI's chat completions, with the members that are supported here. Others are ignored with a
 * warning, since that API grows monthly, and clients send whole answers back.
 */

const notOffered = (unless = '') =>
  Type.Optional(
    Type.Unknown({
      description: `Not supported: must be absent, null or empty, else 400 \`unsupported_parameter\`.${unless}`,
    }),
  )

const part = Type.Object(
  {
    type: Type.String({ description: '`text`, or `image_url` for a language model that takes pictures.' }),
    text: Type.Optional(Type.String()),
    image_url: Type.Optional(Type.Unknown({ description: 'An object whose `url` is a data URL.' })),
  },
  { additionalProperties: true },
)

const message = Type.Object(
  {
    role: Type.String({ description: '`system`, `developer`, `user` or `assistant`.' }),
    content: optional(Type.Union([Type.String(), Type.Array(part, { maxItems: 64 })])),
    tool_calls: notOffered(),
    function_call: notOffered(),
  },
  { additionalProperties: true },
)

/** Tokens of an answer. It is a limit, so any number above what is possible is as good as none. */
const limit = () => optional(Type.Integer({ minimum: 1, maximum: 10_000_000 }))
const { mode, confirm, scope, time_zone } = chatRequest.properties

export const chatCompletionRequest = Type.Object(
  {
    messages: Type.Array(message, { minItems: 1, maxItems: MAX_MESSAGES_SENT, description: MESSAGES_DESCRIPTION }),
    model: optional(Type.String({ description: '`auto` (default) or one of GET /api/openai/models.' })),
    stream: optional(Type.Boolean()),
    stream_options: optional(
      Type.Object({ include_usage: Type.Optional(Type.Boolean()) }, { additionalProperties: true }),
    ),
    temperature: optional(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: optional(Type.Number({ minimum: 0, maximum: 1 })),
    seed: optional(Type.Integer()),
    stop: optional(
      Type.Union([Type.String({ minLength: 1 }), Type.Array(Type.String({ minLength: 1 }), { maxItems: 4 })]),
    ),
    max_tokens: limit(),
    max_completion_tokens: limit(),
    n: optional(Type.Integer({ minimum: 1 })),
    tools: notOffered(' With `tool_choice: "none"` they are ignored.'),
    tool_choice: Type.Optional(Type.Unknown({ description: 'Without effect beside that.' })),
    functions: notOffered(),
    response_format: Type.Optional(
      Type.Unknown({
        ...documented({
          type: ['object', 'null'],
          required: ['type'],
          properties: { type: { type: 'string', const: 'text' } },
        }),
        description: 'Only `{ "type": "text" }`.',
      }),
    ),
    modalities: Type.Optional(
      Type.Unknown({
        ...documented({ type: ['array', 'null'], items: { type: 'string', const: 'text' } }),
        description: 'Only `["text"]`.',
      }),
    ),
    audio: notOffered(),
    x_satchel: optional(
      Type.Object(
        { mode, scope, confirm, time_zone },
        {
          additionalProperties: false,
          description:
            'As in POST /api/chat, but the mode is by default that of the name of the model: `write` if it ends in `-write`, else `read`.',
        },
      ),
    ),
  },
  {
    additionalProperties: true,
    maxProperties: 128,
    examples: [{ model: 'auto', messages: [{ role: 'user', content: 'When does the boiler warranty end?' }] }],
  },
)

export type ChatCompletionRequest = Static<typeof chatCompletionRequest>

const count = () => Type.Integer({ minimum: 0 })

const annotation = Type.Object({
  type: Type.Literal('url_citation'),
  url_citation: Type.Object({
    url: Type.String(),
    title: Type.String(),
    start_index: Type.Integer({
      minimum: 0,
      description: 'The start of the mark `[n]` in the content, in code points.',
    }),
    end_index: count(),
  }),
})

/** All members that OpenAI does not have, in one object, since strict clients break on extra members. */
const extras = Type.Pick(Type.Object(chatAnswer.properties), [
  'engine',
  'created_at',
  'grounded',
  'confidence',
  'citations',
  'actions',
  'undo',
  'warnings',
  'usage',
])

const [answered] = chatAnswer.examples
const { engine, created_at, grounded, confidence, citations, actions, undo, warnings, usage } = answered
const url = `http://127.0.0.1:3000${citations[0]?.url}`

/** A whole answer; a stream has its parts in `choices[].delta`. */
export const chatCompletion = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('chat.completion'),
    created: Type.Integer({ description: 'Seconds since 1970.' }),
    model: Type.String({ description: 'The model that answered, which may differ from the requested one.' }),
    choices: Type.Array(
      Type.Object({
        index: Type.Integer(),
        message: Type.Object({
          role: Type.Literal('assistant'),
          content: Type.String(),
          refusal: Type.Null(),
          annotations: Type.Array(annotation),
        }),
        logprobs: Type.Null(),
        finish_reason: Type.Union([Type.Literal('stop'), Type.Literal('length')]),
      }),
    ),
    usage: Type.Object({ prompt_tokens: count(), completion_tokens: count(), total_tokens: count() }),
    x_satchel: extras,
  },
  {
    examples: [
      {
        id: `chatcmpl-${answered.id}`,
        object: 'chat.completion',
        created: 1_772_352_900,
        model: answered.model,
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              content: answered.message.content,
              refusal: null,
              annotations: [
                { type: 'url_citation', url_citation: { url, title: 'House', start_index: 56, end_index: 59 } },
              ],
            },
            logprobs: null,
            finish_reason: 'stop',
          },
        ],
        usage: { prompt_tokens: 9, completion_tokens: 15, total_tokens: 24 },
        x_satchel: { engine, created_at, grounded, confidence, citations, actions, undo, warnings, usage },
      },
    ],
  },
)

export type ChatCompletion = Static<typeof chatCompletion>

const exampleModel = { id: 'satchel-local', object: 'model', created: 1_772_352_900, owned_by: 'satchel' }

export const openAiModel = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('model'),
    created: Type.Integer({ description: 'Seconds since 1970.' }),
    owned_by: Type.String(),
  },
  { examples: [exampleModel] },
)

export const openAiModels = Type.Object(
  { object: Type.Literal('list'), data: Type.Array(openAiModel) },
  { examples: [{ object: 'list', data: [exampleModel] }] },
)
