/** Gives every text that can be found its vectors, in the background: what is missing, changed, or of another model. */
import type { Context } from '../../db/context'
import type { Queries, Session, Workspace, WorkspaceId } from '../../db/database'
import { ApiError } from '../../http/api-error'
import type { WorkspaceUsage } from '../../http/schema'
import type { Sources } from '../source'
import { yieldTurn } from '../steps'
import { type Encoder, EncoderUnavailable } from './encoder'
import { splitPassages } from './passages'
import {
  countDocsWithoutVectors,
  deleteVectors,
  type ListedDocument,
  listDocs,
  listWorkspaces,
  putProgress,
  putVectors,
  type WorkspaceVectors,
} from './vector-store.sqlite'
import { MAX_DIMENSIONS, quantize } from './vectors'

/** Documents that are looked at in one read, and passages that are sent to the encoder together, if it takes so many. */
const DOCS_PER_READ = 500
const BATCH_PASSAGES = 16
/** Documents that go alone after a batch that the encoder did not take. */
const SINGLES_AFTER_FAILURE = 8
/** How often a text that goes alone is tried before the others have their turn. */
const MAX_TRIES = 3
/** Documents whose vectors are dropped in one transaction: some milliseconds. */
const DELETED_PER_STEP = 50
/** The part of a workspace's bytes up to which vectors may fill it: its own texts are to have room still. */
const MAX_QUOTA_SHARE = 0.9
/** How long a workspace without room is left alone, in milliseconds, and how many of these are remembered. */
const FULL_PAUSE_MS = 10 * 60_000
const MAX_FULL_WORKSPACES = 10_000
/** How long an encoder that fails is left alone: twice as long each time, between these, in milliseconds. */
const MIN_RETRY_MS = 5000
const MAX_RETRY_MS = 5 * 60_000

export interface EmbeddingDeps extends Pick<Context, 'db' | 'ticks' | 'log'> {
  readonly encoder: Encoder
  readonly sources: Sources
  readonly workspaces: {
    /** Throws if it is gone. */
    find(db: Queries, id: WorkspaceId): Promise<Workspace>
    /** Counts bytes towards the quota. Throws quota_exceeded, storage_full. */
    reserve(session: Session, bytes: number): Promise<void>
    usage(session: Session): Promise<WorkspaceUsage>
  }
}

/** What became of a step: there is more, the workspace has all it can have now, or the encoder gives nothing. */
type Outcome = 'more' | 'done' | 'down'

/** The name of a model with the length of its vectors, as the store has it. */
const toModelName = (encoder: Encoder, dimensions: number) => `${encoder.name} ${dimensions}`

/** The length of the vectors that this encoder made; null if another did, 0 if there are none. */
export function readDimensions(encoder: Encoder, model: string): number | null {
  const at = model.lastIndexOf(' ')
  return model.slice(0, at) === encoder.name ? Number(model.slice(at + 1)) : null
}

export function createEmbedding({ db, encoder, sources, ticks, log, workspaces }: EmbeddingDeps) {
  const work = createWork(db, (model) => readDimensions(encoder, model) !== null)
  const { batchTexts: atOnce = BATCH_PASSAGES } = encoder
  const full = new Map<WorkspaceId, number>()
  let failures = 0
  let retryAt = Number.NEGATIVE_INFINITY
  let stale = true
  const counts = { texts: 0, failures: 0 }

  /** The newest documents without vectors, with their passages, as many as go to the encoder together. */
  async function readBatch(job: EmbeddingJob) {
    const texts: { doc: number; passages: string[] }[] = []
    job.left ??= await countDocsWithoutVectors(db, job.workspace, Math.min(...job.ranges.map(({ above }) => above)))
    for (let range = job.ranges.at(-1); range; range = job.ranges.at(-1)) {
      const listed = await listDocs(db, job.workspace, { ...range, limit: DOCS_PER_READ })
      let [count, below] = [0, range.below]
      for (const one of listed) {
        const passages = one.known === 1 ? [] : await readPassages(job.workspace, one)
        const isFull = count > 0 && (count + passages.length > atOnce || job.singles > 0)
        if (isFull) return { texts, range, below }
        if (passages.length > 0) texts.push({ doc: one.doc, passages })
        else if (one.known === 0 && job.left) job.left--
        count += passages.length
        below = one.doc
      }
      if (count > 0) return { texts, range, below }
      range.below = below
      if (listed.length < DOCS_PER_READ) job.ranges.splice(job.ranges.indexOf(range), 1)
      await yieldTurn()
    }
    return null
  }

  async function readPassages(workspace: WorkspaceId, { type, key }: ListedDocument): Promise<string[]> {
    const texts = (await sources[type].readTexts(db, workspace, [key])).get(key)
    return texts ? splitPassages(texts) : []
  }

  async function runStep(job: EmbeddingJob, signal: AbortSignal): Promise<Outcome> {
    if (job.deleting) {
      job.deleting = await db.transaction((tx) => deleteVectors(tx, job.workspace, DELETED_PER_STEP))
      return 'more'
    }
    const batch = await readBatch(job)
    if (!batch) {
      const model = job.model ?? toModelName(encoder, 0)
      if (!job.skipped) await db.transaction((tx) => putProgress(tx, job.workspace, { model, done: job.newest }))
      return 'done'
    }
    const session = await findSession(job.workspace)
    if (!session) return 'done'
    const { size_bytes, quotas } = await workspaces.usage(session)
    if (size_bytes >= MAX_QUOTA_SHARE * quotas.size_bytes) return pauseFullWorkspace(job)
    const vectors = await embed(job, batch, signal)
    return vectors ? store(job, batch, vectors) : 'down'
  }

  async function findSession(id: WorkspaceId): Promise<Session | null> {
    return await workspaces.find(db, id).then(
      (workspace) => ({ db, workspace }),
      () => null,
    )
  }

  function pauseFullWorkspace({ workspace }: EmbeddingJob): Outcome {
    if (full.size >= MAX_FULL_WORKSPACES) full.clear()
    full.set(workspace, ticks() + FULL_PAUSE_MS)
    return 'done'
  }

  /** The vectors of the passages in their order; null if there are none now. */
  async function embed(job: EmbeddingJob, batch: Batch, signal: AbortSignal): Promise<Float32Array[] | null> {
    try {
      const vectors: Float32Array[] = []
      const passages = batch.texts.flatMap((text) => text.passages)
      for (let at = 0; at < passages.length; at += atOnce) {
        vectors.push(...(await encoder.embed(passages.slice(at, at + atOnce), signal)))
        if (signal.aborted) return null
      }
      const [{ length } = new Float32Array()] = vectors
      if (length === 0 || length > MAX_DIMENSIONS || vectors.some((one) => one.length !== length))
        throw new EncoderUnavailable(`Vectors must have one length of at most ${MAX_DIMENSIONS}.`, 'failed')
      if (failures > 0) log.info({ model: encoder.name }, 'the model for embeddings answers again')
      failures = 0
      return vectors
    } catch (error) {
      if (signal.aborted) return null
      if (!(error instanceof EncoderUnavailable)) throw error
      handleFailure(job, batch, error)
      return null
    }
  }

  /** Nothing is lost: what was not taken together is sent alone, and what is not taken alone in a later run. */
  function handleFailure(job: EmbeddingJob, { texts, range, below }: Batch, error: EncoderUnavailable): void {
    if (texts.length > 1) job.singles = SINGLES_AFTER_FAILURE
    else if (error.why !== 'missing' && ++job.tries === MAX_TRIES) {
      range.below = below
      job.skipped = true
      job.tries = 0
    }
    const msUntilRetry = Math.min(MAX_RETRY_MS, MIN_RETRY_MS * 2 ** Math.min(failures, 10))
    retryAt = ticks() + Math.min(MAX_RETRY_MS, Math.max(msUntilRetry, error.retryAfterMs ?? 0))
    if (failures++ === 0) log.warn({ model: encoder.name, fault: error.message }, 'texts wait for their embeddings')
    counts.failures++
  }

  async function store(
    job: EmbeddingJob,
    { texts, range, below }: Batch,
    vectors: readonly Float32Array[],
  ): Promise<Outcome> {
    const dimensions = vectors[0]?.length ?? 0
    const known = job.model === null ? 0 : readDimensions(encoder, job.model)
    if (known !== 0 && known !== dimensions) return startOver(job)
    let at = 0
    const kept = texts.map(({ doc, passages }) => {
      at += passages.length
      return { doc, ...quantize(vectors.slice(at - passages.length, at)) }
    })
    const model = toModelName(encoder, dimensions)
    try {
      await db.transaction(async (tx) => {
        const workspace = await workspaces.find(tx, job.workspace)
        let bytes = 0
        for (const one of kept) bytes += await putVectors(tx, job.workspace, one)
        if (bytes > 0) await workspaces.reserve({ db: tx, workspace }, bytes)
        if (job.model !== model) await putProgress(tx, job.workspace, { model, done: 0 })
      })
    } catch (error) {
      if (error instanceof ApiError) return pauseFullWorkspace(job)
      if (await findSession(job.workspace)) throw error
      return 'done'
    }
    job.model = model
    job.left = (job.left ?? texts.length) - texts.length
    job.tries = 0
    job.singles = Math.max(0, job.singles - 1)
    counts.texts += texts.length
    range.below = below
    return 'more'
  }

  /** A model of the same name gives vectors of another length: what it made before is of no use. */
  function startOver(job: EmbeddingJob): Outcome {
    job.model = null
    job.deleting = true
    job.left = null
    job.ranges.splice(0, job.ranges.length, { above: 0, below: job.newest + 1 })
    return 'more'
  }

  return {
    /** Something was written: the run that is under way looks for it before it goes on. */
    requestRescan(): void {
      stale = true
    },

    /**
     * Works off what there is to do, until `signal` is aborted or the encoder fails; while that is left alone it does
     * nothing. What was not done is done by the next run.
     */
    async run(signal: AbortSignal): Promise<void> {
      if (ticks() < retryAt) return
      const isFull = (workspace: WorkspaceId) => (full.get(workspace) ?? Number.NEGATIVE_INFINITY) > ticks()
      stale = true
      for (;;) {
        if (stale) {
          stale = false
          await work.scanWorkspaces(signal, isFull)
        }
        if (work.jobs.size === 0) return
        for (const job of [...work.jobs.values()]) {
          if (signal.aborted) return
          const outcome = await runStep(job, signal)
          if (outcome === 'down') return
          if (outcome === 'done') work.jobs.delete(job.workspace)
          await yieldTurn()
        }
      }
    },

    /** Milliseconds until the encoder is asked again; 0 while it answers. */
    wait: () => Math.max(0, retryAt - ticks()),

    /** For /metrics. */
    state: () => ({
      ...counts,
      left: [...work.jobs.values()].reduce((sum, { left }) => sum + Math.max(0, left ?? 0), 0),
    }),
  }
}

interface Batch {
  readonly texts: readonly { readonly doc: number; readonly passages: readonly string[] }[]
  readonly range: EmbeddingJob['ranges'][number]
  /** With it all of the range is done from here on. */
  readonly below: number
}

/** Workspaces that are looked at in one read, and that are worked on at a time: the rest follows when these are done. */
const WORKSPACES_PER_READ = 500
const MAX_JOBS = 1000

/** What there is to do in a workspace. */
interface EmbeddingJob {
  readonly workspace: WorkspaceId
  /** The model that made what is there; null for none. */
  model: string | null
  /** Vectors of another model are to be dropped first. */
  deleting: boolean
  /** Documents between two numbers (neither included), those of the last range first. */
  readonly ranges: { readonly above: number; below: number }[]
  /** With them all is done up to here. */
  newest: number
  /** How many documents have no vectors, as far as known; null before they were counted. */
  left: number | null
  /** The encoder took some text on its own neither: it is tried again another time. */
  skipped: boolean
  /** So many of the next documents go to the encoder alone, since one of them may be what it does not take. */
  singles: number
  /** How often in a row the encoder did not take what went alone. */
  tries: number
}

/** @param isOurs whether a model of the store is the one that is asked now */
function createWork(db: Queries, isOurs: (model: string) => boolean) {
  const jobs = new Map<WorkspaceId, EmbeddingJob>()

  function add({ workspace, newest, model, done }: WorkspaceVectors): void {
    const isNew = model === null || !isOurs(model)
    const above = isNew ? 0 : (done ?? 0)
    const job = jobs.get(workspace)
    if (job) {
      if (newest > job.newest) job.ranges.push({ above: job.newest, below: newest + 1 })
      job.newest = Math.max(job.newest, newest)
      return
    }
    if (above >= newest || jobs.size >= MAX_JOBS) return
    jobs.set(workspace, {
      workspace,
      model: isNew ? null : model,
      deleting: model !== null && isNew,
      ranges: [{ above, below: newest + 1 }],
      newest,
      left: null,
      skipped: false,
      singles: 0,
      tries: 0,
    })
  }

  return {
    jobs,

    /** Looks for what is to be done in all workspaces but some. */
    async scanWorkspaces(signal: AbortSignal, skipped: (workspace: WorkspaceId) => boolean): Promise<void> {
      let after = ''
      while (!signal.aborted) {
        const some = await listWorkspaces(db, after, WORKSPACES_PER_READ)
        for (const one of some) if (!skipped(one.workspace)) add(one)
        after = some.at(-1)?.workspace ?? ''
        if (some.length < WORKSPACES_PER_READ) return
      }
    },
  }
}
