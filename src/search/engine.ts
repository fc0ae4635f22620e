/** Search, as the features use it. */
import type { Context, WorkspaceId } from '../db/database'
import { createSearchFiles } from './files'
import { createFind, type Meaning } from './find'
import type { SearchSources } from './source'

export interface SearchDeps extends Pick<Context, 'db' | 'now' | 'ticks' | 'log'> {
  /** The folder of the indexes. */
  readonly folder: string
  /** The texts and conditions that each feature provides. */
  readonly sources: SearchSources
  /** Semantic search, in addition to word search; null: off. */
  readonly meaning?: Meaning | null
  readonly diskIsFull?: () => boolean
}

export type SearchEngine = ReturnType<typeof createSearchEngine>

/**
 * This long after a write we look whether anything has to be indexed at once, so that writes in a row count together. What
 * need not be is indexed by the next search, or within a minute.
 */
const LOOK_DELAY_MS = 500
/** The time for which the end of a process waits for indexing: what was erased has to leave the files. */
const STOP_MS = 1000
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** Creates search, which also indexes in the background once `start` is called. */
export function createSearchEngine({ meaning = null, log, ...deps }: SearchDeps) {
  const { sources } = deps
  const files = createSearchFiles(deps)
  const stopping = new AbortController()
  /** Workspaces that changed since we looked, and those with changes that can wait. */
  const [changed, waiting] = [new Set<WorkspaceId>(), new Set<WorkspaceId>()]
  let timer: ReturnType<typeof setTimeout> | null = null
  let started = false
  let work: Promise<void> = Promise.resolve()

  async function indexSome(workspaces: Set<WorkspaceId>, signal: AbortSignal, mayWait: boolean): Promise<void> {
    for (const workspace of workspaces) {
      if (signal.aborted) return
      workspaces.delete(workspace)
      try {
        if (!(await files.update(workspace, signal, mayWait))) waiting.add(workspace)
      } catch (err) {
        log.error({ err }, 'indexing failed')
      }
    }
  }

  async function indexAll(signal = stopping.signal): Promise<void> {
    await indexSome(changed, signal, false)
    await indexSome(waiting, signal, false)
  }

  function schedule(): void {
    if (!started || timer || changed.size === 0 || stopping.signal.aborted) return
    timer = setTimeout(() => {
      work = work.then(() => {
        timer = null
        return indexSome(changed, stopping.signal, true)
      })
    }, LOOK_DELAY_MS)
  }

  return {
    ...createFind({ files, sources, meaning }),

    /** The jobs of each process for its own files. */
    jobs: [
      { name: 'update the indexes of search', every_ms: MINUTE_MS, run: () => indexAll() },
      { name: 'tidy up the indexes of search', every_ms: HOUR_MS, run: (signal: AbortSignal) => files.tidy(signal) },
    ],

    /** Schedules indexing. Call it after every write. A workspace that was never searched has no index, and gets none. */
    wake(workspace: WorkspaceId): void {
      changed.add(workspace)
      schedule()
    },

    start(): void {
      started = true
      schedule()
    },

    /** Stops indexing; it cannot be started again. */
    async stop(): Promise<void> {
      stopping.abort()
      if (timer) clearTimeout(timer)
      await work
      await indexAll(AbortSignal.timeout(STOP_MS))
      await files.close()
    },

    /** Counts the indexes that wait for changes to be indexed, for /metrics. */
    countPending: () => [...changed.union(waiting)].filter(files.has).length,

    /** Deletes the index of an erased workspace. */
    forget: (workspace: WorkspaceId) => files.remove(workspace),
  }
}
