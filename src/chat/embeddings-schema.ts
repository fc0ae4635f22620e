import { type Static, Type } from '@sinclair/typebox'
import { MAX_EMBEDDED_CHARS, MAX_EMBEDDED_TEXTS } from './embeddings'

/** The schemas of embeddings, in the forms of OpenAI's and Ollama's APIs. */

/** The errors of their routes. */
export const EMBEDDING_CODES = [
  'embeddings_unavailable',
  'model_not_found',
  'upstream_failed',
  'upstream_timeout',
] as const

const text = Type.String({ minLength: 1, maxLength: MAX_EMBEDDED_CHARS })
const input = Type.Union([text, Type.Array(text, { minItems: 1, maxItems: MAX_EMBEDDED_TEXTS })], {
  description:
    `A text, or 1 to ${MAX_EMBEDDED_TEXTS} texts, each of 1 to ${MAX_EMBEDDED_CHARS} characters. A model may read only the start of ` +
    'a long one.',
})
const model = Type.String({ description: '`auto`, or the name of the model that the operator has set.' })
const ignored = () => Type.Optional(Type.Unknown({ description: 'Without effect.' }))
const dimensions = Type.Optional(
  Type.Unknown({ description: 'Not supported: must be absent, null or empty, else 400 `unsupported_parameter`.' }),
)
const count = () => Type.Integer({ minimum: 0 })
const answeredModel = () =>
  Type.String({ description: 'The model that answered, which may differ from the requested one.' })
const name = 'nomic-embed-text'

export const openAiEmbeddingsRequest = Type.Object(
  {
    input,
    model: Type.Optional(Type.Union([model, Type.Null()])),
    encoding_format: Type.Optional(
      Type.Union([Type.Literal('float'), Type.Literal('base64')], {
        description: '`base64`: 32-bit floats, the lowest byte first.',
      }),
    ),
    dimensions,
    user: ignored(),
  },
  { additionalProperties: false, examples: [{ model: 'auto', input: 'When does the boiler warranty end?' }] },
)

export const openAiEmbeddings = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(
      Type.Object({
        object: Type.Literal('embedding'),
        index: count(),
        embedding: Type.Union([Type.Array(Type.Number()), Type.String()], { description: 'Of unit length.' }),
      }),
    ),
    model: answeredModel(),
    usage: Type.Object({ prompt_tokens: count(), total_tokens: count() }, { description: 'Bytes / 4.' }),
  },
  {
    examples: [
      {
        object: 'list',
        data: [{ object: 'embedding', index: 0, embedding: [0.6, -0.8] }],
        model: name,
        usage: { prompt_tokens: 9, total_tokens: 9 },
      },
    ],
  },
)

export const ollamaEmbedRequest = Type.Object(
  {
    model: Type.Optional(model),
    input,
    truncate: Type.Optional(
      Type.Boolean({ description: 'Accepted, without effect: the model reads as much of a text as it can.' }),
    ),
    dimensions,
    keep_alive: ignored(),
    options: ignored(),
  },
  { additionalProperties: false, examples: [{ model: 'auto', input: ['When does the boiler warranty end?'] }] },
)

export const ollamaEmbedded = Type.Object(
  {
    model: answeredModel(),
    embeddings: Type.Array(Type.Array(Type.Number()), { description: 'Of unit length, in the order of the texts.' }),
    total_duration: Type.Integer({ minimum: 0, description: 'Nanoseconds.' }),
    load_duration: Type.Integer({ minimum: 0, description: 'Nanoseconds; always 0.' }),
    prompt_eval_count: Type.Integer({ minimum: 0, description: 'Tokens: bytes / 4.' }),
  },
  {
    examples: [
      { model: name, embeddings: [[0.6, -0.8]], total_duration: 27_000_000, load_duration: 0, prompt_eval_count: 9 },
    ],
  },
)

export const ollamaEmbeddingRequest = Type.Object(
  { model: Type.Optional(model), prompt: text, keep_alive: ignored(), options: ignored() },
  { additionalProperties: false, examples: [{ model: 'auto', prompt: 'When does the boiler warranty end?' }] },
)

export const ollamaEmbedding = Type.Object(
  { embedding: Type.Array(Type.Number(), { description: 'Of unit length.' }) },
  { examples: [{ embedding: [0.6, -0.8] }] },
)

export type OpenAiEmbeddings = Static<typeof openAiEmbeddings>
export type OllamaEmbedded = Static<typeof ollamaEmbedded>
