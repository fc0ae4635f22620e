/** Makes the vectors of texts in the background, workspace by workspace, as the change feed lists them. */
import { type Context, ownersOf, type Session } from '../../db/database'
import { ApiError } from '../../http/api-error'
import { AnswerFault } from '../../http/outgoing'
import type { WorkspaceUsage } from '../../http/schema'
import { yieldTurn } from '../../lib/steps'
import { readChangedTexts, readChanges, type TextChange } from '../feed-store'
import type { SearchSources } from '../source'
import type { ChangedText } from '../write.sqlite'
import { quantize } from './nearest'
import { splitPassages } from './passages'
import type { Encoder } from './remote'
import {
  deleteVectors,
  type EmbeddedText,
  getVectors,
  listUnfinished,
  type Progress,
  putProgress,
  putVectors,
  type UnfinishedWorkspace,
} from './vector-store'

const WORKSPACES_PER_READ = 500
/** Changes whose texts are sent to the encoder together. */
const CHANGES_PER_READ = 16
/** UTF-16 units of these texts, about 16 passages; the last text may have more. */
const BATCH_UNITS = 16 * 900
/** Texts whose vectors are deleted in one transaction: a few milliseconds. */
const DELETED_PER_STEP = 50
/** No vectors are stored once this share of a workspace's quota of bytes is used, so that its texts still have room. */
const MAX_QUOTA_SHARE = 0.9
/** The name of no model, under which vectors wait until they are deleted. */
const OTHER_MODEL = ''
/** The wait after the first failure of the encoder: until the next job. Twice as long after each further one. */
const MIN_RETRY_MS = 60_000
/** The longest wait after a failure of the encoder. */
const MAX_RETRY_MS = 5 * 60_000

export interface EmbeddingDeps extends Pick<Context, 'db' | 'ticks'> {
  readonly encoder: Encoder
  readonly sources: SearchSources
  readonly workspaces: {
    /** Counts bytes towards the quota. Throws quota_exceeded, storage_full. */
    reserve(session: Session, bytes: number): Promise<void>
    usage(session: Session): Promise<WorkspaceUsage>
  }
}

interface Text extends Pick<TextChange, 'seq' | 'type' | 'id'> {
  readonly key: number
  readonly hash: string
  readonly passages: readonly string[]
}

/** Creates the background work that makes vectors. */
export function createEmbedding({ db, encoder, sources, ticks, workspaces }: EmbeddingDeps) {
  let failed = 0
  let retryAt = Number.NEGATIVE_INFINITY
  const counts = { left: 0, texts: 0, failures: 0 }

  /** Reads texts that changed after `done`, as many as are sent together, and the change up to which that is all. */
  async function readBatch(session: Session, done: number): Promise<{ texts: Text[]; upTo: number }> {
    const { db: reader, workspace } = session
    const { latest_seq, changes } = await readChanges(reader, workspace.id, done, CHANGES_PER_READ)
    const read = await readChangedTexts(reader, sources, workspace.id, changes, BATCH_UNITS)
    const isAll = read.texts.length === changes.length && changes.length < CHANGES_PER_READ
    const texts: Text[] = []
    for (const change of read.texts) texts.push(...(await splitChanged(session, change)))
    return { texts, upTo: isAll ? latest_seq : (read.texts.at(-1)?.seq ?? done) }
  }

  /** Returns nothing for a text that is gone, or whose vectors are made already. */
  async function splitChanged({ workspace, db: reader }: Session, change: ChangedText): Promise<Text[]> {
    const { seq, type, id, key, texts } = change
    if (!texts) return []
    const passages = splitPassages(texts)
    const hash = Bun.hash(passages.join('\0')).toString(36)
    const [stored] = await getVectors(reader, workspace.id, type, [key])
    const isMade = stored ? stored.hash === hash : passages.length === 0
    return isMade ? [] : [{ seq, type, id, key, hash, passages }]
  }

  /** Checks that the encoder is available. Throws AnswerFault. */
  const check = (signal: AbortSignal) => encoder.embed(['available'], signal)

  /** Returns the vectors of each text. One that the encoder refuses alone, although it is available, has none. */
  async function embed(texts: readonly Text[], signal: AbortSignal): Promise<Float32Array[][]> {
    try {
      const vectors = await encoder.embed(
        texts.flatMap(({ passages }) => passages),
        signal,
      )
      if (vectors.length > 0) failed = 0
      return texts.map(({ passages }) => vectors.splice(0, passages.length))
    } catch (error) {
      if (!(error instanceof AnswerFault) || error.status === 429 || error.retryAfterMs !== null) throw error
      counts.failures++
      await check(signal)
    }
    if (texts.length === 1) return [[]]
    const each: Float32Array[][] = []
    for (const text of texts) each.push(...(await embed([text], signal)))
    return each
  }

  /** Makes the next vectors of a workspace. Returns whether there may be more to do at once. */
  async function advance(unfinished: UnfinishedWorkspace, signal: AbortSignal): Promise<boolean> {
    const { workspace, model, dimensions, done } = unfinished
    const session = { db: db.ownedBy(...ownersOf(workspace)), workspace }
    if (model !== encoder.name) return await startOver(session)
    const batch = await readBatch(session, done)
    if (batch.texts.length > 0 && (await isFull(session))) return false
    const vectors = await embed(batch.texts, signal)
    const made = vectors.flat()
    const length = made[0]?.length ?? dimensions
    if (made.some((vector) => vector.length !== length)) throw new AnswerFault('The vectors have different lengths.')
    if (dimensions > 0 && dimensions !== length) return await startOver(session)
    const texts = batch.texts.map((text, i) => ({ ...text, vectors: quantize(vectors[i] ?? []) }))
    return await store(session, texts, { model: encoder.name, dimensions: length, done: batch.upTo })
  }

  /** Deletes some of the vectors that another model made, or the same when its vectors had another length. */
  async function startOver({ db: own, workspace: { id } }: Session): Promise<boolean> {
    return await own.transaction(async (tx) => {
      const more = await deleteVectors(tx, id, DELETED_PER_STEP)
      return await putProgress(tx, id, { model: more ? OTHER_MODEL : encoder.name, dimensions: 0, done: 0 })
    })
  }

  async function isFull(session: Session): Promise<boolean> {
    const { size_bytes, quotas } = await workspaces.usage(session)
    return size_bytes >= MAX_QUOTA_SHARE * quotas.size_bytes
  }

  /** Returns false if the workspace is gone, or the disk is full. */
  async function store({ db: own, workspace }: Session, texts: readonly EmbeddedText[], progress: Progress) {
    try {
      return await own.transaction(async (tx) => {
        if (!(await putProgress(tx, workspace.id, progress))) return false
        let bytes = 0
        for (const text of texts) bytes += await putVectors(tx, workspace.id, text)
        if (bytes > 0) await workspaces.reserve({ db: tx, workspace }, bytes)
        counts.texts += texts.filter(({ vectors }) => vectors.length > 0).length
        return true
      })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      // An address without room: its texts are found by words until they change, and the encoder is not asked again.
      return error.code === 'quota_exceeded' && (await own.transaction((tx) => putProgress(tx, workspace.id, progress)))
    }
  }

  /** One batch of each workspace. Returns whether there may be more to do at once. */
  async function runRound(signal: AbortSignal): Promise<boolean> {
    let more = false
    let left = 0
    for (let after: string | undefined = ''; after !== undefined; ) {
      const some: UnfinishedWorkspace[] = await listUnfinished(db, encoder.name, after, WORKSPACES_PER_READ)
      left += some.reduce((sum, { newest, done }) => sum + newest - done, 0)
      for (const one of some) {
        if (signal.aborted) return false
        more = (await advance(one, signal)) || more
        await yieldTurn()
      }
      after = some[WORKSPACES_PER_READ - 1]?.workspace.id
    }
    counts.left = left
    return more
  }

  return {
    /**
     * Makes all missing vectors, until `signal` is aborted or the encoder fails; until the time of the next try it does
     * nothing. The next run continues where it stopped.
     */
    async run(signal: AbortSignal): Promise<void> {
      if (ticks() < retryAt) return
      try {
        if (failed > 0) await check(signal)
        while (await runRound(signal));
      } catch (error) {
        if (signal.aborted) return
        if (!(error instanceof AnswerFault)) throw error
        counts.failures++
        const wait = Math.min(MAX_RETRY_MS, MIN_RETRY_MS * 2 ** Math.min(failed++, 10))
        retryAt = ticks() + Math.min(MAX_RETRY_MS, Math.max(wait, error.retryAfterMs ?? 0))
      }
    },

    /** Returns the progress, for /metrics. */
    state: () => counts,
  }
}
