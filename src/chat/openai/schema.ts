import { type Static, Type } from '@sinclair/typebox'
import { documented, nullable } from '../../http/schema'
import {
  chatAnswer,
  chatRequest,
  clientTool,
  MAX_MESSAGES_SENT,
  MAX_TOOLS,
  MESSAGES_DESCRIPTION,
  optional,
  toolName,
} from '../schema'

/**
 * The schemas of OpenAI's chat completions, with the members that are supported here. Others are ignored with a
 * warning, since that API grows monthly, and clients send whole answers back.
 */

const notOffered = () =>
  Type.Optional(
    Type.Unknown({ description: 'Not supported: must be absent, null or empty, else 400 `unsupported_parameter`.' }),
  )

const part = Type.Object({ type: Type.String(), text: Type.Optional(Type.String()) }, { additionalProperties: true })

export const openAiToolCall = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 256 }),
    type: Type.Literal('function'),
    function: Type.Object({
      name: toolName(),
      arguments: Type.String({ description: 'JSON as the model wrote it, which may not be valid.' }),
    }),
  },
  { additionalProperties: true },
)

const message = Type.Object(
  {
    role: Type.String({ description: '`system`, `developer`, `user` or `assistant`; with tools also `tool`.' }),
    content: optional(Type.Union([Type.String(), Type.Array(part, { maxItems: 64 })])),
    tool_calls: optional(
      Type.Array(openAiToolCall, {
        maxItems: MAX_TOOLS,
        description: 'Of an assistant message: for a language model alone.',
      }),
    ),
    tool_call_id: optional(Type.String({ description: 'Of a message of the role `tool`: the call that it answers.' })),
    function_call: notOffered(),
  },
  { additionalProperties: true },
)

const toolChoice = Type.Union([
  Type.Literal('auto'),
  Type.Literal('none'),
  Type.Literal('required'),
  Type.Object(
    { type: Type.Literal('function'), function: Type.Object({ name: toolName() }) },
    { additionalProperties: true },
  ),
])

const RESPONSE_FORMAT = {
  type: ['object', 'null'],
  required: ['type'],
  properties: {
    type: { type: 'string', enum: ['text', 'json_object', 'json_schema'] },
    json_schema: {
      type: 'object',
      required: ['name', 'schema'],
      properties: {
        name: { type: 'string' },
        description: { type: 'string' },
        schema: { type: 'object', description: 'JSON Schema.' },
        strict: { type: ['boolean', 'null'] },
      },
    },
  },
}

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
    tools: optional(
      Type.Array(clientTool, {
        maxItems: MAX_TOOLS,
        description:
          'Tools of the client, for a language model alone: it gets the request as it is, no tool of Satchel runs, and the ' +
          'answer has `tool_calls`. `satchel-local` refuses them with 400 `unsupported_parameter`.',
      }),
    ),
    tool_choice: optional(toolChoice),
    parallel_tool_calls: optional(Type.Boolean()),
    functions: notOffered(),
    response_format: Type.Optional(
      Type.Unknown({
        ...documented(RESPONSE_FORMAT),
        description:
          '`{ "type": "text" }`; or `json_object` or `json_schema`, for a language model alone, as with `tools`.',
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
          content: nullable(Type.String({ description: 'Null if there are only calls of tools.' })),
          refusal: Type.Null(),
          annotations: Type.Array(annotation),
          tool_calls: Type.Optional(Type.Array(openAiToolCall, { description: 'Calls of the tools of the request.' })),
        }),
        logprobs: Type.Null(),
        finish_reason: Type.Union([Type.Literal('stop'), Type.Literal('length'), Type.Literal('tool_calls')]),
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
