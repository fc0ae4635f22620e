import { setImmediate } from 'node:timers/promises'
import type { Queries, WorkspaceId } from '../db/database'
import { ApiError } from '../http/api-error'
import { type Outcome, requireSameRequest } from '../http/idempotency'
import { ActiveRun, hasEnded, type RunDeps } from './active-run'
import { getRunFolder, listRunFolders, removeRunFolder } from './folder'
import { countPasses, type ImportAction, isWorkKind, type RunKind } from './kind'
import type { ReleaseSlot } from './queue'
import { type ReportItem, toReport, toReportItem } from './report'
import { readReport } from './report-file.sqlite'
import type { ImportReport } from './schema'
import {
  countOpenRuns,
  deleteEndedRuns,
  deleteRuns,
  getOpenRun,
  getRun,
  insertRun,
  listOpenRuns,
  type Run,
  runExists,
} from './store'

/** How long the report of a run is kept, in milliseconds, and of how many runs of a workspace. */
const KEPT_MS = 24 * 60 * 60 * 1000
const KEPT_REPORTS = 5
/** Runs of a workspace that have not ended, at most. */
const OPEN_RUNS = 20
const RETRY = { 'Retry-After': '30' }
/** Runs that one turn of tidying drops at most. */
const DROPPED_PER_TURN = 500
/** Items that are read at a time. */
const PAGE = 500
/** Items of a run under way that are searched for those with one action: some 10 ms. */
const LOOKED_THROUGH = 1000

interface ReportPage {
  readonly items: ReportItem[]
  readonly next: number | null
}

interface Deps extends Omit<RunDeps, 'answer'> {
  /** The folder of all runs. */
  readonly root: string
  readonly kinds: ReadonlyMap<string, RunKind>
  /** The queue of work that has no file; `queue` is for the imports. */
  readonly works: RunDeps['queue']
  /** Items that an answer carries. */
  readonly answered: number
}

/** The runs of all imports: those under way in this process, and what is kept of the others. */
export function createRunRegistry({ root, kinds, works, answered, ...deps }: Deps) {
  const { db, now, log } = deps
  const active = new Map<string, ActiveRun>()
  let stopping = false

  function kindOf(run: Run): RunKind {
    const kind = kinds.get(run.kind)
    if (!kind) throw new Error(`there is no kind of import called ${run.kind}`)
    return kind
  }

  function start(run: Run, place: ReleaseSlot | null): ActiveRun {
    const known = active.get(run.id)
    if (known) return known
    const kind = kindOf(run)
    const queue = isWorkKind(kind) ? works : deps.queue
    const live = new ActiveRun(run, kind, getRunFolder(root, run.id), { ...deps, queue, answer }, place)
    active.set(run.id, live)
    const done = () => active.delete(run.id)
    live.ended.then(done, (err) => {
      done()
      log.error({ err, run: run.id }, 'an import was interrupted; it continues by itself')
    })
    return live
  }

  /**
   * Items of the report from `seq` on, and where the next begin; null after the last. While the run is under way, a page of
   * those with one action may have fewer than there are, and yet a next one.
   */
  function page(run: Run, seq: number, limit: number, action: ImportAction | null = null): ReportPage {
    const side = active.get(run.id)?.side
    if (!side) {
      const lines = hasEnded(run.state) ? readReport(getRunFolder(root, run.id).report, seq, limit + 1, action) : []
      return { items: lines.slice(0, limit).map(({ item }) => item), next: lines[limit]?.seq ?? null }
    }
    const looked = side.listLines(seq, action ? LOOKED_THROUGH : limit + 1)
    const found = looked.filter(({ line }) => action === null || line.action === action)
    const behind = looked.length < LOOKED_THROUGH ? null : (looked.at(-1)?.item.seq ?? 0) + 1
    return {
      items: found.slice(0, limit).map(({ item, line }) => toReportItem(item, line, run.dryRun)),
      next: found[limit]?.item.seq ?? behind,
    }
  }

  function bare(run: Run): ImportReport {
    const kind = kindOf(run)
    const eta = hasEnded(run.state) ? null : (active.get(run.id)?.eta() ?? null)
    const report = toReport(run, countPasses(kind), eta)
    return isWorkKind(kind) && run.state === 'done' ? { ...report, result: kind.result(run.work) } : report
  }

  /** What the request of a run that is done is answered with: the report, with as many items as an answer carries; or what came of work. */
  async function answer(run: Run): Promise<Outcome> {
    const kind = kindOf(run)
    const head = { status: 200, headers: {} }
    if (isWorkKind(kind)) return { ...(kind.responseHead?.(run.work) ?? head), body: kind.result(run.work) }
    const items: ReportItem[] = []
    for (let seq: number | null = 0; seq !== null && items.length < answered; ) {
      const part = page(run, seq, Math.min(PAGE, answered - items.length))
      items.push(...part.items)
      seq = part.next
      await setImmediate()
    }
    return { ...head, body: { ...bare(run), items } satisfies ImportReport }
  }

  /** @throws ApiError unavailable if too many runs of the workspace have not ended */
  async function put(tx: Queries, run: Run): Promise<void> {
    if ((await countOpenRuns(tx, run.workspace.id)) >= OPEN_RUNS)
      throw new ApiError('unavailable', `${OPEN_RUNS} imports of this workspace wait already.`, {}, RETRY)
    await insertRun(tx, run)
  }

  return {
    answer,
    page,
    bare,

    /** A run as it is now: while it is under way, its row is behind. */
    async find(workspace: WorkspaceId, id: string): Promise<Run | null> {
      const live = active.get(id)?.run
      return live?.workspace.id === workspace ? live : getRun(db, workspace, id)
    },

    /** A run that is under way in this process. */
    active: (id: string): ActiveRun | undefined => active.get(id),
    /** Whether any run is under way. */
    isBusy: (): boolean => active.size > 0,

    /**
     * Begins a run whose file is in its folder; or returns the one that the same request began.
     * @param place see ActiveRun
     * @param prepare returns the run, in the transaction that stores it; or an outcome, if no run is needed
     * @throws ApiError conflict for another request under its Idempotency-Key; unavailable if too many of the workspace have not ended
     */
    async begin<Prepared extends Run | Outcome = Run>(
      run: Run,
      place: ReleaseSlot | null,
      prepare?: (tx: Queries) => Promise<Prepared>,
    ): Promise<ActiveRun | Exclude<Prepared, Run>> {
      const { id } = run.workspace
      const begun = await db.transaction(async (tx) => {
        const same = run.idempotencyKey && (await getOpenRun(tx, id, run.idempotencyKey.key))
        if (same?.idempotencyKey && run.idempotencyKey) {
          requireSameRequest(same.idempotencyKey, run.idempotencyKey.fingerprint)
          return same
        }
        const next = (await prepare?.(tx)) ?? run
        if (!('state' in next)) return next as Exclude<Prepared, Run>
        await put(tx, next)
        return next
      })
      const isOurs = 'state' in begun && begun.id === run.id
      if (!isOurs) place?.()
      return 'state' in begun ? start(begun, isOurs ? place : null) : begun
    },

    /** Begins work that has no file once the transaction is committed. @throws ApiError unavailable */
    async beginAfter(tx: Queries, run: Run): Promise<void> {
      await put(tx, run)
      tx.afterCommit(`begin ${run.id}`, () => {
        if (!stopping) start(run, null)
      })
    },

    /** Continues what was interrupted by a stop, a crash or a full disk. */
    async resume(): Promise<void> {
      if (stopping) return
      for (const run of await listOpenRuns(db)) if (kinds.has(run.kind)) start(run, null)
    },

    /** Forgets what is no longer kept, and removes folders that belong to no run. */
    async tidy(receiving: (id: string) => boolean): Promise<void> {
      await db.transaction((tx) => deleteEndedRuns(tx, now() - KEPT_MS, KEPT_REPORTS, DROPPED_PER_TURN))
      for (const id of listRunFolders(root))
        if (!receiving(id) && !active.has(id) && !(await runExists(db, id)) && !receiving(id))
          removeRunFolder(getRunFolder(root, id))
    },

    /** See Wipe. A step that is under way finds no row, is rolled back, and removes its files; those of the others are removed here. */
    async wipe(tx: Queries, workspace: WorkspaceId, limit: number): Promise<boolean> {
      for (const live of active.values()) if (live.run.workspace.id === workspace) live.stop('cancelled')
      const ids = await deleteRuns(tx, workspace, limit)
      tx.afterCommit('remove the files of imports', () => {
        for (const id of ids) if (!active.has(id)) removeRunFolder(getRunFolder(root, id))
      })
      return ids.length === limit
    },

    /** Lets each run end its step, and begins no more: they continue at the next start. */
    async stop(): Promise<void> {
      stopping = true
      const all = [...active.values()]
      for (const live of all) live.stop('stopping')
      await Promise.allSettled(all.map(({ ended }) => ended))
    },
  }
}
