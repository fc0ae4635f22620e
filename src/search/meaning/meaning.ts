/** Semantic search by the vectors of texts and questions. Loaded only if an encoder is configured. */
import type { Session } from '../../db/database'
import type { Meaning } from '../fusion'
import { TYPES } from '../source'
import { createEmbedding, type EmbeddingDeps, readDimensions } from './embedding'
import { EncoderUnavailable } from './encoder'
import { findNearest } from './nearest'
import { getVectorsOf, getWorkspaceVectors } from './vector-store'
import { readVectors } from './vectors'

/** The time for which a search waits for the vector of its question; then it ranks by words alone. */
const QUESTION_TIMEOUT_MS = 500
/**
 * The least nearness of a text to a question; see `least` of `findNearest`. On the dev part of the eval, 0.5 loses
 * nothing.
 */
const MIN_NEARNESS = 0.5
/** UTF-16 units of a question that are sent to the encoder. */
const QUESTION_UNITS = 1000
/** Passages by which texts related to a text are found, evenly spread over it. */
const RELATED_PASSAGES = 4
/** The time after a write when its text is sent to the encoder: an editor saves every few seconds. */
const EMBED_DELAY_MS = 5000
const MINUTE_MS = 60_000

/** Creates semantic search. */
export function createMeaning(deps: EmbeddingDeps): Meaning {
  const { db, encoder, log } = deps
  const embedding = createEmbedding(deps)
  const stopping = new AbortController()
  let timer: ReturnType<typeof setTimeout> | null = null
  let started = false
  let work: Promise<void> | null = null

  /** Starts a run, unless one is in progress. */
  function startRun(): void {
    embedding.requestRescan()
    work ??= embedding
      .run(stopping.signal)
      .catch((err: unknown) => log.error({ err }, 'making embeddings failed'))
      .then(() => {
        work = null
        const wait = embedding.wait()
        if (wait > 0) scheduleRun(wait)
      })
  }

  function scheduleRun(ms: number): void {
    if (!started || timer || stopping.signal.aborted) return
    timer = setTimeout(() => {
      timer = null
      startRun()
    }, ms)
  }

  async function readWorkspaceDimensions({ db: reader, workspace }: Session): Promise<number> {
    const { model = null } = (await getWorkspaceVectors(reader, workspace.id)) ?? {}
    return (model !== null && readDimensions(encoder, model)) || 0
  }

  async function embedQuestion(question: string): Promise<Float32Array | null> {
    const { promise: late, resolve } = Promise.withResolvers<null>()
    const limit = AbortSignal.timeout(QUESTION_TIMEOUT_MS)
    limit.addEventListener('abort', () => resolve(null))
    const answer = encoder.embed([question], limit).catch((error: unknown) => {
      // After the time limit, the search has continued without a vector.
      if (error instanceof EncoderUnavailable || limit.aborted) return null
      throw error
    })
    // An encoder may notice the signal late, so do not wait for it.
    return (await Promise.race([answer, late]))?.[0] ?? null
  }

  return {
    async findNearQuestion(session, question, allowed, count) {
      const dimensions = await readWorkspaceDimensions(session)
      const text = question.slice(0, QUESTION_UNITS).trim()
      if (dimensions === 0 || text === '') return null
      const vector = await embedQuestion(text)
      if (vector?.length !== dimensions) return null
      return await findNearest(session, [vector], await allowed(), count, MIN_NEARNESS)
    },

    async findNearText(session, type, key, allowed, count) {
      const dimensions = await readWorkspaceDimensions(session)
      const stored = dimensions > 0 ? await getVectorsOf(db, session.workspace.id, type, key) : null
      if (!stored) return null
      const passages = readVectors(stored.vectors, dimensions)
      const step = Math.max(1, passages.length / RELATED_PASSAGES)
      const some = passages.filter((_, i) => i === 0 || Math.floor(i / step) !== Math.floor((i - 1) / step))
      const others = (await allowed()).filter((row) => TYPES[row.type] !== type || row.key !== key)
      return await findNearest(session, some, others, count)
    },

    jobs: [
      {
        name: 'make embeddings',
        every_ms: MINUTE_MS,
        // All texts of a server may take hours, and other jobs must not wait for that.
        async run() {
          startRun()
          if (!started) await work
        },
      },
    ],

    wake: () => scheduleRun(EMBED_DELAY_MS),

    start() {
      started = true
      scheduleRun(0)
    },

    async stop() {
      stopping.abort()
      if (timer) clearTimeout(timer)
      await work
    },

    state: embedding.state,
  }
}
