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
  readonly usage?: { readonly prompt: number; readonly completion: number; readonly reasoning?: number } | null
}

/** A whole answer, as a server of OpenAI's chat completions says it. */
export function saying(said: Said): Reply {
  return { type: 'text/event-stream', chunks: chunksOf(said) }
}

const event = (value: object): string => `data: ${JSON.stringify(value)}\n\n`

const toUsage = ({ prompt, completion, reasoning }: NonNullable<Said['usage']>) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  ...(reasoning !== undefined && { completion_tokens_details: { reasoning_tokens: reasoning } }),
})

export function chunksOf({
  text = [],
  calls = [],
  thought,
  finish,
  usage = { prompt: 10, completion: 5 },
}: Said): string[] {
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
    ...(usage && reason !== null ? [event({ choices: [], usage: toUsage(usage) })] : []),
    ...(reason === null ? [] : ['data: [DONE]\n\n']),
  ]
}
