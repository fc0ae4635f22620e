/** Semantic search by the vectors of texts and questions. Loaded only if an encoder is configured. */
import type { Context, Session } from '../../db/database'
import type { DocRow } from '../read.sqlite'
import type { Type } from '../source'
import { createEmbedding, type EmbeddingDeps } from './embedding'
import { findNearest, readVectors } from './nearest'
import { getProgress, getVectors } from './vector-store'

/** The time for which a search waits for the vector of its question; then it ranks by words alone. */
const QUESTION_TIMEOUT_MS = 500
/** How near a text must be to a question; see `findNearest`. On the dev part of the eval, 0.5 loses nothing. */
const MIN_NEARNESS = 0.5
/** UTF-16 units of a question that are sent to the encoder. */
const QUESTION_UNITS = 1000
/** Passages by which texts related to a text are found, evenly spread over it. */
const RELATED_PASSAGES = 4
const MINUTE_MS = 60_000
/** All texts of a server may take hours; the other jobs wait for that so long. */
const JOB_MS = 5000

/** Lists the documents that may be found. */
type ListAllowed = () => Promise<readonly DocRow[]>

/** Creates semantic search. */
export function createMeaning(deps: EmbeddingDeps & Pick<Context, 'log'>) {
  const { db, encoder, log } = deps
  const embedding = createEmbedding(deps)
  const stopping = new AbortController()
  let work: Promise<void> | null = null

  /** Makes the vectors that are missing, unless that is in progress, here or in another process. */
  function run(): Promise<void> {
    work ??= db
      .exclusively('embeddings', () => embedding.run(stopping.signal), { wait: false })
      .catch((err: unknown) => log.error({ err }, 'making embeddings failed'))
      .then(() => {
        work = null
      })
    return work
  }

  /** Returns the length of the vectors of a workspace; 0 if it has none of the present model. */
  async function readDimensions({ db: reader, workspace }: Session): Promise<number> {
    const progress = await getProgress(reader, workspace.id)
    return progress?.model === encoder.name ? progress.dimensions : 0
  }

  return {
    /** Finds the documents nearest to a question, best first; null if its vector does not come in time. */
    async findNearQuestion(session: Session, question: string, allowed: ListAllowed, count: number) {
      const dimensions = await readDimensions(session)
      const text = question.slice(0, QUESTION_UNITS).trim()
      if (dimensions === 0 || text === '') return null
      const [vector] = (await encoder.embedInTime([text], QUESTION_TIMEOUT_MS)) ?? []
      if (vector?.length !== dimensions) return null
      return await findNearest(session, [vector], await allowed(), count, MIN_NEARNESS)
    },

    /** Finds the documents nearest to a text, without that text; null while it has no vectors. */
    async findNearText(session: Session, type: Type, key: number, allowed: ListAllowed, count: number) {
      const dimensions = await readDimensions(session)
      if (dimensions === 0) return null
      const [stored] = await getVectors(session.db, session.workspace.id, type, [key])
      const passages = stored ? readVectors(stored.vectors, dimensions) : []
      if (passages.length === 0) return null
      const step = Math.ceil(passages.length / RELATED_PASSAGES)
      const some = passages.filter((_, i) => i % step === 0)
      const others = (await allowed()).filter((row) => row.type !== type || row.key !== key)
      return await findNearest(session, some, others, count)
    },

    job: {
      name: 'make embeddings',
      every_ms: MINUTE_MS,
      async run() {
        const { promise: late, resolve } = Promise.withResolvers<void>()
        const timer = setTimeout(resolve, JOB_MS)
        await Promise.race([run(), late])
        clearTimeout(timer)
      },
    },

    async stop(): Promise<void> {
      stopping.abort()
      await work
    },

    state: embedding.state,
  }
}
