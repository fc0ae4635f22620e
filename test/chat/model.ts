/** A language model's server on loopback, which says what the test tells it to. */

/** What it does with one request: pieces of an OpenAI stream, or a status. */
export type Reply = (asked: ModelRequest) => Response | Promise<Response>

export interface ModelRequest {
  readonly messages: readonly { role: string; content: string }[]
  readonly tools?: readonly { function: { name: string } }[]
  /** Fires when the client hangs up. */
  readonly signal: AbortSignal
}

/** Plays one reply for each request, in their order; the last one for all that follow. */
export function makeModel() {
  const asked: ModelRequest[] = []
  let replies: Reply[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const body = (await request.json()) as Omit<ModelRequest, 'signal'>
      const seen = { ...body, signal: request.signal }
      asked.push(seen)
      const reply = replies.length > 1 ? replies.shift() : replies[0]
      return reply ? reply(seen) : new Response('no reply is left', { status: 500 })
    },
  })
  return {
    settings: { CHAT_BASE_URL: `http://127.0.0.1:${server.port}/v1`, CHAT_MODEL: 'big-model' },
    asked,
    plays(...next: Reply[]) {
      replies = next
      asked.length = 0
    },
    stop: () => server.stop(true),
  }
}

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`

const stream = (body: ReadableStream | string) =>
  new Response(body, { headers: { 'Content-Type': 'text/event-stream' } })

const COUNTED = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } })}

data: [DONE]

`

/** Says these pieces and ends; 10 tokens of prompt and 5 of answer each time. */
export const says =
  (...pieces: string[]): Reply =>
  () => {
    const text = pieces.map((content) => chunk({ content })).join('')
    return stream(`${text}${chunk({}, 'stop')}${COUNTED}`)
  }

/** Calls a tool. */
export const calls =
  (name: string, args: object): Reply =>
  () => {
    const call = { index: 0, id: 'c', type: 'function', function: { name, arguments: JSON.stringify(args) } }
    return stream(`${chunk({ tool_calls: [call] })}${chunk({}, 'tool_calls')}${COUNTED}`)
  }

/** Says these pieces, and then the connection ends in the middle of the answer. */
export const breaksAfter =
  (...pieces: string[]): Reply =>
  () =>
    stream(pieces.map((content) => chunk({ content })).join(''))

/** Says these pieces, and then nothing more until `more` resolves: then it says the rest. */
export const waitsAfter =
  (pieces: readonly string[], more: Promise<unknown>, rest: readonly string[] = []): Reply =>
  () =>
    stream(
      new ReadableStream({
        async start(controller) {
          const send = (text: string) => controller.enqueue(new TextEncoder().encode(text))
          for (const content of pieces) send(chunk({ content }))
          await more
          for (const content of rest) send(chunk({ content }))
          send(`${chunk({}, 'stop')}data: [DONE]\n\n`)
          controller.close()
        },
      }),
    )

export const fails =
  (status: number): Reply =>
  () =>
    new Response('<html>down</html>', { status })
