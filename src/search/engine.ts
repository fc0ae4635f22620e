/** Search, as the features use it. */
import type { Context, Queries, WorkspaceId } from '../db/database'
import { createFind } from './find'
import type { Meaning } from './fusion'
import { countPending, deleteIndex } from './index-store'
import { createIndexing } from './indexing'
import { createRelated } from './related'
import type { SearchSources } from './source'

export interface SearchDeps extends Pick<Context, 'db' | 'now' | 'ticks' | 'log'> {
  /** The texts and conditions that each feature provides. */
  readonly sources: SearchSources
  /** Semantic search, in addition to word search; null: off. */
  readonly meaning?: Meaning | null
}

export type SearchEngine = ReturnType<typeof createSearchEngine>

/** Indexing starts this long after a write, so that a burst of writes is indexed together. */
const INDEX_DELAY_MS = 200
/** Texts. A backlog of at least this many, as after a large import, is logged. */
const LOGGED_BACKLOG = 1000
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** Creates search, which also indexes in the background once `start` is called. */
export function createSearchEngine({ db, now, ticks, sources, meaning = null, log }: SearchDeps) {
  const indexing = createIndexing({ db, now, sources })
  const finder = createFind({ indexing, sources, ticks, meaning })
  const stopping = new AbortController()
  let timer: ReturnType<typeof setTimeout> | null = null
  let started = false
  let work: Promise<void> = Promise.resolve()

  function run(): void {
    timer = null
    work = index().catch((err: unknown) => log.error({ err }, 'indexing failed'))
  }

  async function index(): Promise<void> {
    const pending = await countPending(db)
    if (pending >= LOGGED_BACKLOG) log.info({ pending }, 'indexing texts for search')
    await indexing.indexAll(stopping.signal)
    if (pending >= LOGGED_BACKLOG && !stopping.signal.aborted)
      log.info({ pending: await countPending(db) }, 'texts were indexed')
  }

  function wake(): void {
    if (!started || timer || stopping.signal.aborted) return
    timer = setTimeout(() => work.then(run), INDEX_DELAY_MS)
  }

  return {
    ...finder,
    findRelated: createRelated({ ...finder, sources, meaning }),

    jobs: [
      { name: 'update the search index', every_ms: MINUTE_MS, run: indexing.indexAll },
      { name: 'purge erased texts from the search index', every_ms: HOUR_MS, run: indexing.purgeErased },
      ...(meaning?.jobs ?? []),
    ],

    /** Schedules indexing. Call it after every write. */
    wake(): void {
      wake()
      meaning?.wake()
    },

    start(): void {
      started = true
      wake()
      meaning?.start()
    },

    /** Stops indexing; it cannot be started again. */
    async stop(): Promise<void> {
      stopping.abort()
      if (timer) clearTimeout(timer)
      await meaning?.stop()
      await work
    },

    /**
     * Counts the texts of all workspaces that are not indexed yet, for /metrics; null while the database cannot be
     * read.
     */
    countPending: () => countPending(db).catch(() => null),

    /** Returns the progress of semantic search, for /metrics; null if it is off. */
    semanticState: () => meaning?.state() ?? null,

    /** Deletes the index of a workspace in batches; see Wipe. */
    wipe: (tx: Queries, workspace: WorkspaceId, limit: number) => deleteIndex(tx, workspace, limit),
  }
}
