/** Search as the rest of the house sees it. */
import type { Database, Queries, WorkspaceId } from '../db/database'
import { createFind } from './find'
import { dropIndex, progressOf } from './index-store'
import { createIndexing } from './indexing'
import type { Sources } from './source'

export interface SearchDeps {
  readonly db: Database
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Milliseconds that never go back. */
  readonly ticks: () => number
  /** What each feature tells of what it has. */
  readonly sources: Sources
  readonly log: { error(fields: object, message: string): void }
}

export type SearchEngine = ReturnType<typeof createSearchEngine>

/** How long after a write the index is brought up to date, in milliseconds: what is written together is indexed together. */
const SETTLE_MS = 200
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** Finds, and keeps the index beside the requests once it is started. */
export function createSearchEngine({ db, now, ticks, sources, log }: SearchDeps) {
  const indexing = createIndexing({ db, now, sources })
  const stopping = new AbortController()
  let timer: ReturnType<typeof setTimeout> | null = null
  let started = false
  let work: Promise<void> = Promise.resolve()

  function run(): void {
    timer = null
    work = indexing.run(stopping.signal).catch((err: unknown) => log.error({ err }, 'indexing failed'))
  }

  function wake(): void {
    if (!started || timer || stopping.signal.aborted) return
    timer = setTimeout(() => work.then(run), SETTLE_MS)
  }

  return {
    ...createFind({ indexing, sources, ticks }),

    jobs: [
      { name: 'index what is searched', every_ms: MINUTE_MS, run: indexing.run },
      { name: 'take what was erased out of the index', every_ms: HOUR_MS, run: indexing.overwriteErased },
    ],

    /** Something was written: it is indexed soon. */
    wake,

    start(): void {
      started = true
      wake()
    },

    /** Ends for good. */
    async stop(): Promise<void> {
      stopping.abort()
      if (timer) clearTimeout(timer)
      await work
    },

    /** How much of all workspaces is indexed, for /metrics. */
    progress: () => progressOf(db),

    /** Forgets what is known of a workspace; see Wipe. */
    wipe: (tx: Queries, workspace: WorkspaceId, limit: number) => dropIndex(tx, workspace, limit),
  }
}
