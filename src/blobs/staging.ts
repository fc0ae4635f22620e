import type { Reserve } from '../db/change-feed'
import type { Context, Queries, Session, Workspace, WorkspaceId } from '../db/database'
import { wipeTables } from '../db/trash'
import { ApiError } from '../http/api-error'
import type { Job } from '../jobs/scheduler'
import { type ByteSource, HEAD_BYTES, type NewBlob, PARTS_PER_STEP, STEP_BYTES, toNewBlob } from './blob'
import { deleteBlob, deleteParts, dropStaged, findUnfinished, growStaged, insertBlob, insertParts } from './store'

const MINUTE_MS = 60 * 1000
/** A staged blob of which no part was written for this long is what a crash left behind. */
const ABANDONED_MS = 60 * MINUTE_MS
/** Transactions of one run of the job. */
const STEPS_PER_RUN = 2000

/** How far the bytes of an item of a run are staged. JSON, which outlives the process. */
export interface StagingProgress {
  readonly key: number
  readonly steps: number
}

export type BlobStaging = ReturnType<typeof createBlobStaging>

/**
 * Creates the way in for files that are too large for one transaction. Their rows are written in several, count towards
 * the quota, and belong to a staged blob that nobody sees until `useBlob` makes it whole. What a crash leaves behind is
 * erased by a job.
 */
export function createBlobStaging({ now, reserve }: Pick<Context, 'now'> & { reserve: Reserve }) {
  /** Writes up to STEP_BYTES of a staged blob, whose first step makes it. Returns its key. */
  function writeStep(session: Session, staged: number | null, step: number, bytes: Uint8Array): Promise<number> {
    return session.db.transaction(async (db) => {
      const tx = { ...session, db }
      const key = staged ?? (await insertBlob(tx, { sha256: null, size_bytes: 0, staged_at: now() }))
      // Erasing the workspace erases what is staged as well.
      if (!(await growStaged(tx, key, bytes.length, now())))
        throw new ApiError('unavailable', 'The file was erased while it arrived. Send it again.')
      await insertParts(tx, key, step * PARTS_PER_STEP, bytes)
      await reserve(tx, bytes.length)
      return key
    })
  }

  async function discard(session: Session, { from }: Pick<NewBlob, 'from'>): Promise<void> {
    if (typeof from !== 'number') return
    await session.db.transaction(async (db) => {
      const freed = await dropStaged({ ...session, db }, from)
      if (freed > 0) await reserve({ ...session, db }, -freed)
    })
  }

  return {
    /**
     * Takes the bytes of a file. A small one stays in memory; a larger one is written in steps, with one of them in
     * memory. `session.db` must not be a transaction. The caller uses the result, or discards it.
     * @param limit bytes that the file may have
     * @throws ApiError too_large, quota_exceeded, storage_full
     */
    async stage(
      session: Session,
      chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
      limit: number,
    ): Promise<NewBlob> {
      const hash = new Bun.CryptoHasher('sha256')
      // Many tiny chunks take no more room in it than their bytes.
      const waiting = new Bun.ArrayBufferSink()
      waiting.start({ asUint8Array: true, stream: true })
      const take = () => waiting.flush() as Uint8Array
      let filled = 0
      let size = 0
      let steps = 0
      let key: number | null = null
      let head: Uint8Array | null = null
      try {
        for await (const chunk of chunks) {
          size += chunk.length
          if (size > limit) throw new ApiError('too_large', `The file may have at most ${limit} bytes.`)
          hash.update(chunk)
          for (let at = 0; at < chunk.length; ) {
            if (filled === STEP_BYTES) {
              const step = take()
              head ??= step.slice(0, HEAD_BYTES)
              key = await writeStep(session, key, steps++, step)
              filled = 0
            }
            const piece = chunk.subarray(at, at + STEP_BYTES - filled)
            waiting.write(piece)
            filled += piece.length
            at += piece.length
          }
        }
        if (key === null || head === null) return toNewBlob(take(), hash.digest('hex'))
        await writeStep(session, key, steps, take())
        return { sha256: hash.digest('hex'), size_bytes: size, head, from: key }
      } catch (error) {
        if (key !== null) await discard(session, { from: key })
        throw error
      }
    },

    /**
     * Takes the bytes of an item of a run, whose steps are transactions: reads and writes what one of them may.
     * @param tx the transaction of the step
     * @param progress what the previous step returned; null in the first one
     * @returns the content once all of it is there; before that how far it is, and the item needs another step
     * @throws ApiError quota_exceeded, before anything is written
     */
    async stageStep(
      tx: Session,
      bytes: ByteSource,
      progress: StagingProgress | null,
    ): Promise<NewBlob | StagingProgress> {
      const { size, sha256 } = bytes
      if (size <= STEP_BYTES) return toNewBlob(bytes.read(0, size), sha256)
      const isStaged = progress && (await growStaged(tx, progress.key, 0, now()))
      if (!isStaged) {
        await reserve(tx, size)
        await reserve(tx, -size)
      }
      const steps = isStaged ? progress.steps : 0
      if (isStaged && steps * STEP_BYTES >= size)
        return { sha256, size_bytes: size, head: bytes.read(0, HEAD_BYTES), from: progress.key }
      const part = bytes.read(steps * STEP_BYTES, STEP_BYTES)
      return { key: await writeStep(tx, isStaged ? progress.key : null, steps, part), steps: steps + 1 }
    },

    /** Gives up a file that `stage` returned and nobody used. */
    discard,
  }
}

interface BlobJobDeps extends Pick<Context, 'now' | 'db'> {
  readonly workspaces: {
    readonly reserve: Reserve
    readonly find: (db: Queries, id: WorkspaceId) => Promise<Workspace>
  }
}

/** Creates the job that erases files nobody uses. */
export function createBlobJob({ db, now, workspaces }: BlobJobDeps): Job {
  const eraseStep = () =>
    db.transaction(async (tx) => {
      const found = await findUnfinished(tx, now() - ABANDONED_MS)
      if (!found) return false
      const { workspace: id, key } = found
      const writer = { db: tx, workspace: { id } }
      const freed = await dropStaged(writer, key)
      if (freed > 0) await workspaces.reserve({ db: tx, workspace: await workspaces.find(tx, id) }, -freed)
      if ((await deleteParts(writer, key, PARTS_PER_STEP)) < PARTS_PER_STEP) await deleteBlob(writer, key)
      return true
    })

  return {
    name: 'erase files that nobody uses',
    every_ms: MINUTE_MS,
    async run(signal) {
      for (let left = STEPS_PER_RUN; left > 0 && !signal.aborted && (await eraseStep()); left--);
    },
  }
}

/** Erases the files of a workspace, after what refers to them. */
export const wipeBlobs = wipeTables(['blob_parts', 'blobs'])
