/** Search, as the features use it. */
import type { Context, Session, WorkspaceId } from '../db/database'
import { busy } from '../http/api-error'
import { createSearchFiles } from './files'
import { createFind, type Meaning, type SearchOptions } from './find'
import type { SearchSources, Type } from './source'

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
  const finder = createFind({ files, sources, meaning })
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

  const inTurn = createTurns()

  return {
    ...finder,
    find: (session: Session, options: SearchOptions) =>
      inTurn(session.workspace.id, () => finder.find(session, options)),
    findAll: (session: Session, options: SearchOptions) =>
      inTurn(session.workspace.id, () => finder.findAll(session, options)),
    findRelated: (session: Session, type: Type, key: number, limit: number) =>
      inTurn(session.workspace.id, () => finder.findRelated(session, type, key, limit)),

    jobs: meaning?.jobs ?? [],

    /** The jobs of each process for its own files. */
    ownJobs: [
      { name: 'update the indexes of search', every_ms: MINUTE_MS, run: () => indexAll() },
      { name: 'tidy up the indexes of search', every_ms: HOUR_MS, run: (signal: AbortSignal) => files.tidy(signal) },
    ],

    /** Schedules indexing. Call it after every write. A workspace that was never searched has no index, and gets none. */
    wake(workspace: WorkspaceId): void {
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
      await indexAll(AbortSignal.timeout(STOP_MS))
      await files.close()
    },

    /** Counts the indexes that wait for changes to be indexed, for /metrics. */
    countPending: () => [...changed.union(waiting)].filter(files.has).length,

    /** Returns the progress of semantic search, for /metrics; null if it is off. */
    semanticState: () => meaning?.state() ?? null,

    /** Deletes the index of an erased workspace. */
    forget: (workspace: WorkspaceId) => files.remove(workspace),
  }
}

/** Searches of one workspace that run at a time. */
const MAX_RUNNING = 2
/** The time that a further one waits, at most. */
const MAX_WAIT_MS = 5000

interface Line {
  running: number
  /** In the order in which they came. */
  readonly waiting: Set<() => void>
}

/** Creates a function that runs a search of a workspace when it is its turn. It throws unavailable after the wait. */
export function createTurns(waitMs = MAX_WAIT_MS) {
  const lines = new Map<WorkspaceId, Line>()
  return async <T>(workspace: WorkspaceId, search: () => Promise<T>): Promise<T> => {
    const line = lines.get(workspace) ?? { running: 0, waiting: new Set() }
    lines.set(workspace, line)
    if (line.running < MAX_RUNNING) line.running++
    else await waitInLine(line, waitMs)
    try {
      return await search()
    } finally {
      const [next] = line.waiting
      if (next) next()
      else if (--line.running === 0) lines.delete(workspace)
    }
  }
}

/** Waits until a search that ends leaves its place to this one. */
function waitInLine({ waiting }: Line, waitMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const enter = () => {
    waiting.delete(enter)
    clearTimeout(timer)
    resolve()
  }
  const timer = setTimeout(() => {
    waiting.delete(enter)
    reject(busy('Other searches of your workspace are running. Try again in a moment.'))
  }, waitMs)
  waiting.add(enter)
  return promise
}
