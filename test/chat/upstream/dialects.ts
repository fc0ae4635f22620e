import type { Reply } from './server'

/** A call as a server says it. */
export interface Called {
  readonly name: string
  readonly args: object
}

export interface Said {
  /** Each a piece of its own. */
  readonly text?: readonly string[]
  readonly calls?: readonly Called[]
  readonly thought?: string
  /** Null: the answer breaks off without a reason. */
  readonly finish?: string | null
  readonly usage?: { readonly prompt: number; readonly completion: number } | null
}

/** Both dialects as their own servers speak them, so that what holds in both is tested in both. */
export const DIALECTS = {
  openai: {
    type: 'text/event-stream',
    path: '/chat/completions',
    says: openai,
    error: 'data: {"error":{"message":"E"}}\n\n',
  },
  ollama: { type: 'application/x-ndjson', path: '/api/chat', says: ollama, error: '{"error":"E"}\n' },
} as const

export type Name = keyof typeof DIALECTS
export const NAMES: readonly Name[] = ['openai', 'ollama']

/** A whole answer. */
export function saying(name: Name, said: Said): Reply {
  return { type: DIALECTS[name].type, chunks: DIALECTS[name].says(said) }
}

const event = (value: object): string => `data: ${JSON.stringify(value)}\n\n`
const line = (value: object): string => `${JSON.stringify(value)}\n`

function openai({ text = [], calls = [], thought, finish, usage = { prompt: 10, completion: 5 } }: Said): string[] {
  const delta = (value: object) => event({ choices: [{ index: 0, delta: value, finish_reason: null }] })
  const reason = finish === undefined ? (calls.length > 0 ? 'tool_calls' : 'stop') : finish
  return [
    delta({ role: 'assistant', content: '' }),
    ...(thought === undefined ? [] : [delta({ reasoning_content: thought })]),
    ...text.map((content) => delta({ content })),
    ...calls.map(({ name, args }, index) =>
      delta({
        tool_calls: [
          { index, id: `id-${index}`, type: 'function', function: { name, arguments: JSON.stringify(args) } },
        ],
      }),
    ),
    ...(reason === null ? [] : [event({ choices: [{ index: 0, delta: {}, finish_reason: reason }] })]),
    ...(usage && reason !== null
      ? [event({ choices: [], usage: { prompt_tokens: usage.prompt, completion_tokens: usage.completion } })]
      : []),
    ...(reason === null ? [] : ['data: [DONE]\n\n']),
  ]
}

function ollama({
  text = [],
  calls = [],
  thought,
  finish = 'stop',
  usage = { prompt: 10, completion: 5 },
}: Said): string[] {
  const part = (message: object) =>
    line({ model: 'm', message: { role: 'assistant', content: '', ...message }, done: false })
  return [
    ...(thought === undefined ? [] : [part({ thinking: thought })]),
    ...text.map((content) => part({ content })),
    ...calls.map(({ name, args }) => part({ tool_calls: [{ function: { name, arguments: args } }] })),
    ...(finish === null
      ? []
      : [
          line({
            model: 'm',
            message: { role: 'assistant', content: '' },
            done: true,
            done_reason: finish,
            ...(usage ? { prompt_eval_count: usage.prompt, eval_count: usage.completion } : {}),
          }),
        ]),
  ]
}
