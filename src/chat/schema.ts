import { type Static, Type } from '@sinclair/typebox'
import { nullable } from '../http/schema'
import { chatAction, chatCitation, chatUndo, closedObject, countSchema, oneOf } from '../tools/schema'

/** Creates the schema of a member of Ollama's API that must be absent, null or empty; the service refuses others. */
export const notOffered = (what: string) =>
  Type.Optional(
    Type.Unknown({
      description: `${what} Must be absent, null or empty, else 400 \`unsupported_parameter\`.`,
    }),
  )

/** Creates the schema of a member that may be absent or null. */
export const optional = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Optional(nullable(schema))

const ignored = () => Type.Optional(Type.Unknown({ description: 'Without effect.' }))

/** Creates the schema of pictures, which the service reads. */
export const chatImages = () =>
  Type.Optional(
    Type.Unknown({
      description:
        'Pictures in base64 (PNG, JPEG, GIF, WebP) beside a text of the user, for a language model that takes them; ' +
        'without one 400 `unsupported_parameter`.',
    }),
  )

const chatMessage = closedObject({
  role: oneOf('system', 'developer', 'user', 'assistant'),
  content: Type.String({
    description:
      'Not blank in a user message. The last user message has at most 16 KiB of UTF-8, or 64 KiB for a language model; others are cut to 16 KiB.',
  }),
  thinking: Type.Optional(Type.Unknown({ description: 'Ignored: clients send answers back.' })),
  images: chatImages(),
  tool_calls: notOffered('Calls of tools of the client.'),
})

export const chatOptions = Type.Object(
  {
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    seed: Type.Optional(Type.Integer()),
    stop: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { maxItems: 4 })),
    num_predict: Type.Optional(Type.Integer({ minimum: 1, maximum: 4096 })),
  },
  {
    additionalProperties: true,
    maxProperties: 64,
    description: 'Other Ollama options are ignored, each with a warning.',
  },
)

export const chatScope = closedObject({
  types: Type.Optional(Type.Array(Type.String({ pattern: '^[a-z_]{1,32}$' }), { maxItems: 16 })),
  tags: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { maxItems: 64 })),
  ids: Type.Optional(
    Type.Array(Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }), { maxItems: 200 }),
  ),
})

/** Messages of a request: more than fit into a body. */
export const MAX_MESSAGES_SENT = 65_536
export const MESSAGES_DESCRIPTION =
  'The last user message is answered. Of the others 64 messages and 64 KiB are read: the oldest turns go first, with the warning `history_shortened`.'

/** The schema of the body of POST /api/chat; `readRequest` checks what a schema cannot. */
export const chatRequest = closedObject(
  {
    messages: Type.Array(chatMessage, {
      maxItems: MAX_MESSAGES_SENT,
      description: `${MESSAGES_DESCRIPTION} None at all: the model is loaded, as Ollama's clients ask for; there is nothing to load here.`,
    }),
    model: Type.Optional(
      Type.String({ description: '`auto` (default), `satchel-local`, or the configured model; also with `:latest`.' }),
    ),
    // Without `default`: with it Elysia would take a body that is no object for an empty one.
    stream: Type.Optional(Type.Boolean({ description: 'True: newline-delimited JSON. False or absent: one object.' })),
    mode: Type.Optional(oneOf('read', 'write')),
    confirm: Type.Optional(Type.Array(Type.String(), { maxItems: 8, description: 'Tokens of pending actions.' })),
    scope: Type.Optional(chatScope),
    time_zone: Type.Optional(Type.String({ description: 'IANA name; default: that of the workspace, else UTC.' })),
    options: Type.Optional(chatOptions),
    keep_alive: ignored(),
    think: ignored(),
    truncate: ignored(),
    shift: ignored(),
    logprobs: ignored(),
    top_logprobs: ignored(),
    temperature: ignored(),
    top_p: ignored(),
    max_output_tokens: ignored(),
    tools: notOffered('Tools of the client. With `tool_choice: "none"` they are ignored.'),
    tool_choice: ignored(),
    format: notOffered('A format of the answer.'),
  },
  {
    examples: [{ messages: [{ role: 'user', content: 'When does the boiler warranty end?' }] }],
  },
)

/** The body of POST /api/chat. */
export type ChatRequest = Static<typeof chatRequest>

const nanoseconds = () => Type.Integer({ minimum: 0, description: 'Nanoseconds.' })

const note = '01980000-0000-7000-8000-000000000000'
const sentence = 'The boiler warranty ends on 3 May 2027.'
const answered = {
  id: '01980000-0000-7000-8000-000000000002',
  model: 'satchel-local',
  engine: 'local',
  created_at: '2026-03-01T08:15:00.000Z',
  message: { role: 'assistant', content: `From "House": "${sentence}" [1]` },
  done: true,
  done_reason: 'stop',
  grounded: true,
  confidence: 0.98,
  citations: [
    {
      n: 1,
      type: 'note',
      id: note,
      title: 'House',
      revision: 1,
      quote: sentence,
      start: 0,
      end: 39,
      url: `/api/notes/${note}`,
      cited: true,
    },
  ],
  actions: [],
  undo: null,
  usage: { prompt_tokens: 9, completion_tokens: 15, steps: 1, tool_calls: 0, estimated: true },
  warnings: [],
  total_duration: 15_000_000,
  load_duration: 0,
  prompt_eval_count: 9,
  prompt_eval_duration: 0,
  eval_count: 15,
  eval_duration: 15_000_000,
}

export const chatUsage = closedObject({
  prompt_tokens: countSchema('Of all messages.'),
  completion_tokens: countSchema('Of the answer.'),
  steps: countSchema('Requests to the engine.'),
  tool_calls: countSchema('Calls of tools.'),
  estimated: Type.Boolean({ description: 'Whether tokens were estimated as bytes / 4.' }),
})

/**
 * The answer of POST /api/chat; in a stream, its last line. Not a closed object: Elysia would copy it and lose its
 * name.
 */
export const chatAnswer = Type.Object(
  {
    id: Type.String(),
    model: Type.String({ description: 'The model that answered, which may differ from the requested one.' }),
    engine: oneOf('local', 'upstream'),
    created_at: Type.String(),
    message: closedObject({
      role: Type.Literal('assistant'),
      content: Type.String({ description: 'Text with `[n]` marks.' }),
    }),
    done: Type.Boolean(),
    done_reason: oneOf('stop', 'length'),
    grounded: Type.Boolean({
      description:
        'Whether the text answers from at least one source that it cites. False where it quotes what is nearest and may not answer. Every `[n]` has a citation.',
    }),
    confidence: {
      ...nullable(Type.Number({ minimum: 0, maximum: 1 })),
      description:
        'How surely the quotations of the embedded engine answer the question, 0 to 1; null for everything else.',
    },
    citations: Type.Array(chatCitation),
    actions: Type.Array(chatAction),
    undo: { ...nullable(chatUndo), description: 'Undoes all changes of this answer, the newest first.' },
    usage: chatUsage,
    warnings: Type.Array(Type.String(), {
      description:
        'Codes. `ignored:NAME` names a member without effect, `read_in_part` says that a part was not understood (the text ' +
        'names it). A language model that did not answer: `upstream_unreachable`, `upstream_unauthorized`, ' +
        '`upstream_out_of_tokens`, `upstream_timeout`, `upstream_failed`, or `daily_tokens_exhausted`; one that got what a ' +
        'search found in place of tools: `upstream_refused_tools`.',
    }),
    total_duration: nanoseconds(),
    load_duration: nanoseconds(),
    prompt_eval_count: countSchema('Tokens.'),
    prompt_eval_duration: nanoseconds(),
    eval_count: countSchema('Tokens.'),
    eval_duration: nanoseconds(),
  },
  { examples: [answered] },
)

export type ChatAnswer = Static<typeof chatAnswer>

/** The members that the answer to a request to load a model has in each of Ollama's calls. */
export const loadedMembers = {
  model: Type.String(),
  created_at: Type.String(),
  done: Type.Literal(true),
  done_reason: oneOf('load', 'unload'),
}

/** The answer of POST /api/chat to a request without messages. */
export const loadedChat = Type.Object(
  {
    ...loadedMembers,
    message: closedObject({ role: Type.Literal('assistant'), content: Type.Literal('') }),
  },
  {
    examples: [
      {
        model: 'satchel-local',
        created_at: '2026-03-01T08:15:00.000Z',
        message: { role: 'assistant', content: '' },
        done: true,
        done_reason: 'load',
      },
    ],
  },
)
