/**
 * Makes vectors for all searchable texts in the background: for new and changed ones, and after a change of the model.
 */
import { type Context, ownersOf, type Queries, type Session, type Workspace, type WorkspaceId } from '../../db/database'
import { ApiError } from '../../http/api-error'
import type { WorkspaceUsage } from '../../http/schema'
import { yieldTurn } from '../../lib/steps'
import type { SearchSources } from '../source'
import { type Encoder, EncoderUnavailable } from './encoder'
import { splitPassages } from './passages'
import {
  countTextsWithoutVectors,
  deleteVectors,
  type ListedText,
  listEmbeddable,
  listWorkspaces,
  putProgress,
  putVectors,
  type WorkspaceVectors,
} from './vector-store'
import { MAX_DIMENSIONS, quantize } from './vectors'

/** Documents that are listed in one query. */
const TEXTS_PER_READ = 500
/** Passages that are sent to the encoder together. */
const BATCH_PASSAGES = 16
/** Documents that are sent one by one after a batch that the encoder refused. */
const SINGLES_AFTER_FAILURE = 8
/** Tries of a text that is sent by itself, before it is skipped. */
const MAX_TRIES = 3
/** Documents whose vectors are deleted in one transaction: a few milliseconds. */
const DELETED_PER_STEP = 50
/** No vectors are stored once this share of a workspace's quota of bytes is used, so that its texts still have room. */
const MAX_QUOTA_SHARE = 0.9
/** The time for which a full workspace is skipped. */
const FULL_PAUSE_MS = 10 * 60_000
/** Full workspaces that are remembered. */
const MAX_FULL_WORKSPACES = 10_000
/** The wait after the first failure of the encoder; twice as long after each further one. */
const MIN_RETRY_MS = 5000
/** The longest wait after a failure of the encoder. */
const MAX_RETRY_MS = 5 * 60_000

export interface EmbeddingDeps extends Pick<Context, 'db' | 'ticks' | 'log'> {
  readonly encoder: Encoder
  readonly sources: SearchSources
  readonly workspaces: {
    /** Returns a workspace. Throws if it is gone. */
    find(db: Queries, id: WorkspaceId): Promise<Workspace>
    /** Counts bytes towards the quota. Throws quota_exceeded, storage_full. */
    reserve(session: Session, bytes: number): Promise<void>
    usage(session: Session): Promise<WorkspaceUsage>
  }
}

/** The outcome of a step: more to do, the workspace has all that it can have now, or the encoder is not available. */
type Outcome = 'more' | 'done' | 'down'

/** Returns the name of a model with the length of its vectors, as it is stored. */
const toModelName = (encoder: Encoder, dimensions: number) => `${encoder.name} ${dimensions}`

/** Returns the length of the vectors in a stored model name; null if another encoder made them, 0 if there are none. */
export function readDimensions(encoder: Encoder, model: string): number | null {
  const at = model.lastIndexOf(' ')
  return model.slice(0, at) === encoder.name ? Number(model.slice(at + 1)) : null
}

/** Creates the background work that makes vectors. */
export function createEmbedding({ db, encoder, sources, ticks, log, workspaces }: EmbeddingDeps) {
  const work = createWork(db, (model) => readDimensions(encoder, model) !== null)
  const full = new Map<WorkspaceId, number>()
  let failures = 0
  let retryAt = Number.NEGATIVE_INFINITY
  let stale = true
  const counts = { texts: 0, failures: 0 }

  /** Reads the newest texts without vectors, with their passages: as many as are sent to the encoder together. */
  async function readBatch(job: EmbeddingJob): Promise<Batch | null> {
    const texts: BatchText[] = []
    job.left ??= await countTextsWithoutVectors(db, job.workspace, Math.min(...job.ranges.map(({ above }) => above)))
    for (let range = job.ranges.at(-1); range; range = job.ranges.at(-1)) {
      const listed = await listEmbeddable(db, job.workspace, { ...range, limit: TEXTS_PER_READ })
      let [count, below] = [0, range.below]
      for (const one of listed) {
        const text = await readText(job.workspace, one)
        const isBatchFull = count > 0 && text && (count + text.passages.length > BATCH_PASSAGES || job.singles > 0)
        if (isBatchFull) return { texts, range, below }
        if (text) texts.push(text)
        else if (one.hash === null && job.left) job.left--
        count += text?.passages.length ?? 0
        below = one.seq
      }
      if (count > 0) return { texts, range, below }
      range.below = below
      if (listed.length < TEXTS_PER_READ) job.ranges.splice(job.ranges.indexOf(range), 1)
      await yieldTurn()
    }
    return null
  }

  /** Reads a text with its passages; null if it is gone or empty, or its vectors were made of the same text. */
  async function readText(workspace: WorkspaceId, listed: ListedText): Promise<BatchText | null> {
    const { type, id } = listed
    const key = (await sources[type].findKeys(db, workspace, [id])).get(id)
    const texts =
      key === undefined
        ? undefined
        : (await sources[type].readTexts({ db, workspace: { id: workspace } }, [key])).get(key)
    if (key === undefined || !texts) return null
    const passages = splitPassages(texts)
    const hash = Bun.hash(passages.join('\0')).toString(36)
    return passages.length === 0 || listed.hash === hash ? null : { ...listed, key, hash, passages }
  }

  async function runStep(job: EmbeddingJob, signal: AbortSignal): Promise<Outcome> {
    if (job.deleting) {
      job.deleting = await db
        .ownedBy(job.workspace)
        .transaction((tx) => deleteVectors(tx, job.workspace, DELETED_PER_STEP))
      return 'more'
    }
    const batch = await readBatch(job)
    if (!batch) {
      const model = job.model ?? toModelName(encoder, 0)
      if (!job.skipped)
        await db.ownedBy(job.workspace).transaction((tx) => putProgress(tx, job.workspace, { model, done: job.newest }))
      return 'done'
    }
    const session = await findSession(job.workspace)
    if (!session) return 'done'
    const { size_bytes, quotas } = await workspaces.usage(session)
    if (size_bytes >= MAX_QUOTA_SHARE * quotas.size_bytes) return pauseFullWorkspace(job)
    const vectors = await embed(job, batch, signal)
    return vectors ? store(job, session, batch, vectors) : 'down'
  }

  async function findSession(id: WorkspaceId): Promise<Session | null> {
    return await workspaces.find(db, id).then(
      (workspace) => ({ db: db.ownedBy(...ownersOf(workspace)), workspace }),
      () => null,
    )
  }

  function pauseFullWorkspace({ workspace }: EmbeddingJob): Outcome {
    if (full.size >= MAX_FULL_WORKSPACES) full.clear()
    full.set(workspace, ticks() + FULL_PAUSE_MS)
    return 'done'
  }

  /** Makes the vectors of the passages, in order; null if the encoder fails. */
  async function embed(job: EmbeddingJob, batch: Batch, signal: AbortSignal): Promise<Float32Array[] | null> {
    try {
      const vectors: Float32Array[] = []
      const passages = batch.texts.flatMap((text) => text.passages)
      for (let at = 0; at < passages.length; at += BATCH_PASSAGES) {
        vectors.push(...(await encoder.embed(passages.slice(at, at + BATCH_PASSAGES), signal)))
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

  /**
   * Handles a failure: the texts of a refused batch are sent one by one. A text that is refused MAX_TRIES times by
   * itself is left for a later run.
   */
  function handleFailure(job: EmbeddingJob, { texts, range, below }: Batch, error: EncoderUnavailable): void {
    if (texts.length > 1) job.singles = SINGLES_AFTER_FAILURE
    else if (++job.tries === MAX_TRIES) {
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
    session: Session,
    { texts, range, below }: Batch,
    vectors: readonly Float32Array[],
  ): Promise<Outcome> {
    const dimensions = vectors[0]?.length ?? 0
    const storedDimensions = job.model === null ? 0 : readDimensions(encoder, job.model)
    if (storedDimensions !== 0 && storedDimensions !== dimensions) return startOver(job)
    let at = 0
    const kept = texts.map(({ passages, ...text }) => {
      at += passages.length
      return { ...text, ...quantize(vectors.slice(at - passages.length, at)) }
    })
    const model = toModelName(encoder, dimensions)
    try {
      await session.db.transaction(async (tx) => {
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

  /** Starts again after a model of the same name gave vectors of another length: those before are useless. */
  function startOver(job: EmbeddingJob): Outcome {
    job.model = null
    job.deleting = true
    job.left = null
    job.ranges.splice(0, job.ranges.length, { above: 0, below: job.newest + 1 })
    return 'more'
  }

  return {
    /** Makes the current run look for new documents before it continues. */
    requestRescan(): void {
      stale = true
    },

    /**
     * Makes all missing vectors, until `signal` is aborted or the encoder fails; until the time of the next try it does
     * nothing. The next run continues where it stopped.
     */
    async run(signal: AbortSignal): Promise<void> {
      if (ticks() < retryAt) return
      const isWorkspaceFull = (workspace: WorkspaceId) => (full.get(workspace) ?? Number.NEGATIVE_INFINITY) > ticks()
      stale = true
      for (;;) {
        if (stale) {
          stale = false
          await work.scanWorkspaces(signal, isWorkspaceFull)
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

    /** Returns the milliseconds until the encoder is tried again; 0 while it works. */
    wait: () => Math.max(0, retryAt - ticks()),

    /** Returns the progress, for /metrics. */
    state: () => ({
      ...counts,
      left: [...work.jobs.values()].reduce((sum, { left }) => sum + Math.max(0, left ?? 0), 0),
    }),
  }
}

interface BatchText extends ListedText {
  readonly key: number
  readonly hash: string
  readonly passages: readonly string[]
}

interface Batch {
  readonly texts: readonly BatchText[]
  readonly range: EmbeddingJob['ranges'][number]
  /** After this batch, the documents of the range from here on are done. */
  readonly below: number
}

/** Workspaces that are listed in one query. */
const WORKSPACES_PER_READ = 500
/** Workspaces that are worked on at a time; the rest follows when these are done. */
const MAX_JOBS = 1000

/** The work to do in a workspace. */
interface EmbeddingJob {
  readonly workspace: WorkspaceId
  /** The model of the stored vectors; null for none. */
  model: string | null
  /** Whether vectors of another model have to be deleted first. */
  deleting: boolean
  /** The documents to do: ranges between two numbers (neither included), of which the last is done first. */
  readonly ranges: { readonly above: number; below: number }[]
  /** When the ranges are done, all documents up to this one are. */
  newest: number
  /** The number of documents without vectors, as far as known; null before they are counted. */
  left: number | null
  /** Whether a text was skipped, since the encoder refused it even by itself: it is tried again in a later run. */
  skipped: boolean
  /** The number of next documents that are sent one by one, since the encoder refuses one of them. */
  singles: number
  /** The number of consecutive refusals of a text that was sent by itself. */
  tries: number
}

/**
 * Creates the list of workspaces with work to do.
 * @param isOurs whether a stored model name is that of the current encoder
 */
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

    /** Looks for work in all workspaces that are not `skipped`. */
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
