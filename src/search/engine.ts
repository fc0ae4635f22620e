/** Search, as the features use it. */
import type { Context, Session, WorkspaceId } from '../db/database'
import { createSearchFiles } from './files'
import { createFind } from './find'
import type { Meaning } from './fusion'
import { createRelated } from './related'
import type { SearchOptions } from './results'
import type { SearchSources, Type } from './source'
import { createTurns } from './turns'

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

/** Indexing starts this long after a write, so that a burst of writes is indexed together. */
const INDEX_DELAY_MS = 200
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** Creates search, which also indexes in the background once `start` is called. */
export function createSearchEngine({ meaning = null, log, ...deps }: SearchDeps) {
  const { sources } = deps
  // Where others share the database, they change workspaces as well.
  const current = deps.db.isShared ? undefined : new Set<WorkspaceId>()
  const files = createSearchFiles({ ...deps, current })
  const finder = createFind({ files, sources, meaning })
  const stopping = new AbortController()
  const changed = new Set<WorkspaceId>()
  let timer: ReturnType<typeof setTimeout> | null = null
  let started = false
  let work: Promise<void> = Promise.resolve()

  async function indexChanged(): Promise<void> {
    for (const workspace of changed) {
      if (stopping.signal.aborted) return
      changed.delete(workspace)
      await files.update(workspace, stopping.signal).catch((err: unknown) => log.error({ err }, 'indexing failed'))
    }
  }

  function schedule(): void {
    if (!started || timer || changed.size === 0 || stopping.signal.aborted) return
    timer = setTimeout(() => {
      work = work.then(() => {
        timer = null
        return indexChanged()
      })
    }, INDEX_DELAY_MS)
  }

  const inTurn = createTurns()
  const findRelated = createRelated({ ...finder, sources, meaning })

  return {
    ...finder,
    find: (session: Session, options: SearchOptions) =>
      inTurn(session.workspace.id, () => finder.find(session, options)),
    findAll: (session: Session, options: SearchOptions) =>
      inTurn(session.workspace.id, () => finder.findAll(session, options)),
    findRelated: (session: Session, type: Type, key: number, limit: number) =>
      inTurn(session.workspace.id, () => findRelated(session, type, key, limit)),

    jobs: meaning?.jobs ?? [],

    /** The jobs of each process for its own files. */
    ownJobs: [
      { name: 'update the indexes of search', every_ms: MINUTE_MS, run: indexChanged },
      { name: 'tidy up the indexes of search', every_ms: HOUR_MS, run: (signal: AbortSignal) => files.tidy(signal) },
    ],

    /** Schedules indexing. Call it after every write. A workspace that was never searched has no index, and gets none. */
    wake(workspace: WorkspaceId): void {
      current?.delete(workspace)
      changed.add(workspace)
      schedule()
      meaning?.wake()
    },

    start(): void {
      started = true
      schedule()
      meaning?.start()
    },

    /** Stops indexing; it cannot be started again. */
    async stop(): Promise<void> {
      stopping.abort()
      if (timer) clearTimeout(timer)
      await meaning?.stop()
      await work
      await files.close()
    },

    /** Counts the indexes that wait for changes to be indexed, for /metrics. */
    countPending: () => [...changed].filter(files.has).length,

    /** Returns the progress of semantic search, for /metrics; null if it is off. */
    semanticState: () => meaning?.state() ?? null,

    /** Deletes the index of an erased workspace. */
    forget: (workspace: WorkspaceId) => files.remove(workspace),
  }
}
