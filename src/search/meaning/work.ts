/** What is still to get vectors, workspace by workspace: a turn for each after the other, and the newest texts first. */
import type { Queries, WorkspaceId } from '../../db/database'
import { listWorkspaces, type WorkspaceVectors } from './vector-store.sqlite'

/** Workspaces that are looked at in one read, and that are worked on at a time: the rest follows when these are done. */
const WORKSPACES_READ = 500
const WORKED_ON = 1000

/** What there is to do in a workspace. */
export interface EmbeddingJob {
  readonly workspace: WorkspaceId
  /** The model that made what is there; null for none. */
  model: string | null
  /** Vectors of another model are to be dropped first. */
  dropping: boolean
  /** Documents between two numbers (neither included), those of the last range first. */
  readonly ranges: { readonly above: number; below: number }[]
  /** With them all is done up to here. */
  newest: number
  /** How many documents have no vectors, as far as known; null before they were counted. */
  left: number | null
  /** The encoder took some text on its own neither: it is tried again another time. */
  missed: boolean
  /** So many of the next documents go to the encoder alone, since one of them may be what it does not take. */
  alone: number
  /** How often in a row the encoder did not take what went alone. */
  tries: number
}

/** @param isOurs whether a model of the store is the one that is asked now */
export function createWork(db: Queries, isOurs: (model: string) => boolean) {
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
    if (above >= newest || jobs.size >= WORKED_ON) return
    jobs.set(workspace, {
      workspace,
      model: isNew ? null : model,
      dropping: model !== null && isNew,
      ranges: [{ above, below: newest + 1 }],
      newest,
      left: null,
      missed: false,
      alone: 0,
      tries: 0,
    })
  }

  return {
    jobs,

    /** Looks for what is to be done in all workspaces but some. */
    async lookEverywhere(signal: AbortSignal, skipped: (workspace: WorkspaceId) => boolean): Promise<void> {
      let after = ''
      while (!signal.aborted) {
        const some = await listWorkspaces(db, after, WORKSPACES_READ)
        for (const one of some) if (!skipped(one.workspace)) add(one)
        after = some.at(-1)?.workspace ?? ''
        if (some.length < WORKSPACES_READ) return
      }
    },
  }
}
