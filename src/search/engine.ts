/** Search as the features use it. */
import type { Context } from '../db/context'
import type { Queries, WorkspaceId } from '../db/database'
import { createFind } from './find'
import type { Meaning } from './fusion'
import { countPending, deleteIndex } from './index-store'
import { createIndexing } from './indexing'
import { createRelated } from './related'
import type { Sources } from './source'

export interface SearchDeps extends Pick<Context, 'db' | 'now' | 'ticks' | 'log'> {
  /** What each feature gives to search. */
  readonly sources: Sources
  /** Finds by meaning beside words; null: words alone do. */
  readonly meaning?: Meaning | null
}

export type SearchEngine = ReturnType<typeof createSearchEngine>

/** How long after a write the index is brought up to date, in milliseconds: what is written together is indexed together. */
const INDEX_DELAY_MS = 200
/** So many texts to be indexed, after an upgrade or a large import, are worth a line in the log. */
const LOGGED_BACKLOG = 1000
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** Finds, and keeps the index beside the requests once it is started. */
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

    /** Something was written: it is indexed soon. */
    wake(): void {
      wake()
      meaning?.wake()
    },

    start(): void {
      started = true
      wake()
      meaning?.start()
    },

    /** Ends for good. */
    async stop(): Promise<void> {
      stopping.abort()
      if (timer) clearTimeout(timer)
      await meaning?.stop()
      await work
    },

    /** How many texts of all workspaces are still to be indexed; null while the database cannot be read. For /metrics. */
    countPending: () => countPending(db).catch(() => null),

    /** What meaning has done and has to do, for /metrics; null where it is off. */
    semanticState: () => meaning?.state() ?? null,

    /** Forgets what is known of a workspace; see Wipe. */
    wipe: (tx: Queries, workspace: WorkspaceId, limit: number) => deleteIndex(tx, workspace, limit),
  }
}
