/** A server of embeddings on loopback, in OpenAI's form. */

interface VectorsRequest {
  readonly model: string
  readonly input: readonly string[]
  readonly encoding_format: string
}

/** A vector that tells which text it is of: not of unit length. */
export const vectorOf = (text: string) => [text.length, 1, -2]

function answerVectors({ input }: VectorsRequest): Response {
  return Response.json({ data: input.map((text, index) => ({ index, embedding: vectorOf(text) })) })
}

type Reply = (body: VectorsRequest) => Response | Promise<Response>

export function makeVectors() {
  const asked: VectorsRequest[] = []
  let reply: Reply = answerVectors
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request): Promise<Response> {
      const body = (await request.json()) as VectorsRequest
      asked.push(body)
      return reply(body)
    },
  })
  return {
    settings: { SEMANTIC_BASE_URL: `http://127.0.0.1:${server.port}/v1`, SEMANTIC_MODEL: 'small-vectors' },
    asked,
    /** What it does with each request from now on, until it is reset. */
    replies(next: Reply) {
      reply = next
    },
    reset() {
      asked.length = 0
      reply = answerVectors
    },
    stop: () => server.stop(true),
  }
}
