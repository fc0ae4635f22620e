/** Search as the features use it. */
import type { Context } from '../db/context'
import type { Queries, WorkspaceId } from '../db/database'
import { createFind } from './find'
import type { Meaning } from './fusion'
import { countPending, dropIndex } from './index-store'
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
const SETTLE_MS = 200
/** So many texts to be indexed, after an upgrade or a large import, are worth a line in the log. */
const MANY = 1000
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** Finds, and keeps the index beside the requests once it is started. */
export function createSearchEngine({ db, now, ticks, sources, meaning = null, log }: SearchDeps) {
  const indexing = createIndexing({ db, now, sources })
  const finding = createFind({ indexing, sources, ticks, meaning })
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
    if (pending >= MANY) log.info({ pending }, 'indexing texts for search')
    await indexing.run(stopping.signal)
    if (pending >= MANY && !stopping.signal.aborted) log.info({ pending: await countPending(db) }, 'texts were indexed')
  }

  function wake(): void {
    if (!started || timer || stopping.signal.aborted) return
    timer = setTimeout(() => work.then(run), SETTLE_MS)
  }

  return {
    ...finding,
    related: createRelated({ ...finding, sources, meaning }),

    jobs: [
      { name: 'index what is searched', every_ms: MINUTE_MS, run: indexing.run },
      { name: 'take what was erased out of the index', every_ms: HOUR_MS, run: indexing.overwriteErased },
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
    pending: () => countPending(db).catch(() => null),

    /** What meaning has done and has to do, for /metrics; null where it is off. */
    meant: () => meaning?.state() ?? null,

    /** Forgets what is known of a workspace; see Wipe. */
    wipe: (tx: Queries, workspace: WorkspaceId, limit: number) => dropIndex(tx, workspace, limit),
  }
}
