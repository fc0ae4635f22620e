import { existsSync } from 'node:fs'
import type { Database, Queries, Session, WorkspaceId } from '../db/database'
import { ApiError } from '../http/api-error'
import { type FindOutcome, type IdempotencyKey, type Outcome, requireSameRequest } from '../http/responses'
import { type Timer, yieldTurn } from '../lib/steps'
import { ActiveRun, hasEnded, type RunDeps } from './active-run'
import { getRunFolder, listRunFolders, removeRunFolder, toStorageError } from './folder'
import { countPasses, type ImportAction, isWorkKind, type RunKind } from './kind'
import type { ReleaseSlot } from './queue'
import { type ReportItem, readReport, toReport, toReportItem } from './report'
import type { ImportReport } from './schema'
import {
  countOpenRuns,
  deleteEndedRuns,
  deleteRuns,
  getOpenRun,
  getReport,
  getRun,
  insertRun,
  listOpenRuns,
  type Run,
  runExists,
} from './store'

/** Time for which the report of a run is kept after its end. */
const REPORT_KEPT_MS = 24 * 60 * 60 * 1000
/** Reports that are kept for each workspace: those of the newest runs. */
const MAX_KEPT_REPORTS = 5
/** Runs of one workspace that may be open (not ended) at a time. */
const MAX_OPEN_RUNS = 20
const RETRY_HEADERS = { 'Retry-After': '30' }
/** A run whose file another process has counts as left behind after this time without a step; it may wait for its turn. */
const SILENT_FILE_MS = 60 * 60_000
/** Ended runs that one call of `tidy` deletes. */
const MAX_DELETED_RUNS = 500
const PAGE_ITEMS = 500
/** Items of an active run that are searched for those with one action; this takes about 10 ms. */
const MAX_ITEMS_SEARCHED = 1000

interface ReportPage {
  readonly items: ReportItem[]
  /** The `seq` at which the next page starts; null after the last page. */
  readonly next: number | null
}

interface Deps extends Omit<RunDeps, 'responseOf'> {
  readonly root: string
  readonly kinds: ReadonlyMap<string, RunKind>
  /** The queue of work without a file; `queue` is that of imports. */
  readonly workQueue: RunDeps['queue']
  /** Report items that the response of an import holds at most. */
  readonly maxResponseItems: number
}

export type RunRegistry = ReturnType<typeof createRunRegistry>

export function createRunRegistry({ root, kinds, workQueue, maxResponseItems, ...deps }: Deps) {
  const { db, now, log } = deps
  const active = new Map<string, ActiveRun>()
  let stopping = false

  function kindOf(run: Run): RunKind {
    const kind = kinds.get(run.kind)
    if (!kind) throw new Error(`there is no kind of import called ${run.kind}`)
    return kind
  }

  /** Starts a run unless it is active already. @param slot see ActiveRun */
  function start(run: Run, slot: ReleaseSlot | null): ActiveRun {
    const existing = active.get(run.id)
    if (existing) return existing
    const kind = kindOf(run)
    const queue = isWorkKind(kind) ? workQueue : deps.queue
    const live = new ActiveRun(run, kind, getRunFolder(root, run.id), { ...deps, queue, responseOf }, slot)
    active.set(run.id, live)
    const remove = () => active.delete(run.id)
    live.ended.then(remove, (err) => {
      remove()
      log.error({ err, run: run.id }, 'an import was interrupted; it continues by itself')
    })
    return live
  }

  /**
   * Returns a page of the report that starts at `seq`. While the run is active, a page of the items with one action may
   * have fewer than `limit` items although another page follows.
   */
  async function readPage(
    run: Run,
    seq: number,
    limit: number,
    action: ImportAction | null = null,
  ): Promise<ReportPage> {
    const side = active.get(run.id)?.side
    if (!side) {
      const report = hasEnded(run.state) ? await getReport(db, run) : null
      const lines = report ? await readReport(report, seq, limit + 1, action) : []
      return { items: lines.slice(0, limit).map(({ item }) => item), next: lines[limit]?.seq ?? null }
    }
    const searched = side.listLines(seq, action ? MAX_ITEMS_SEARCHED : limit + 1)
    const found = searched.filter(({ line }) => action === null || line.action === action)
    const afterSearched = searched.length < MAX_ITEMS_SEARCHED ? null : (searched.at(-1)?.item.seq ?? 0) + 1
    return {
      items: found.slice(0, limit).map(({ item, line }) => toReportItem(item, line, run.dryRun)),
      next: found[limit]?.item.seq ?? afterSearched,
    }
  }

  function reportWithoutItems(run: Run): ImportReport {
    const kind = kindOf(run)
    const etaSeconds = hasEnded(run.state) ? null : (active.get(run.id)?.etaSeconds() ?? null)
    const report = toReport(run, countPasses(kind), etaSeconds)
    return isWorkKind(kind) && run.state === 'done' ? { ...report, result: kind.result(run.work) } : report
  }

  /** The response of a run that is done: the result of its work, or a report with its first items. */
  async function responseOf(run: Run): Promise<Outcome> {
    const kind = kindOf(run)
    const head = { status: 200, headers: {} }
    if (isWorkKind(kind)) return { ...(kind.responseHead?.(run.work) ?? head), body: kind.result(run.work) }
    const items: ReportItem[] = []
    // A stored report is unpacked for each page.
    const most = active.get(run.id)?.side ? PAGE_ITEMS : maxResponseItems
    for (let seq: number | null = 0; seq !== null && items.length < maxResponseItems; ) {
      const page = await readPage(run, seq, Math.min(most, maxResponseItems - items.length))
      items.push(...page.items)
      seq = page.next
      await yieldTurn()
    }
    return { ...head, body: { ...reportWithoutItems(run), items } satisfies ImportReport }
  }

  /** @throws ApiError unavailable if too many runs of the workspace have not ended */
  async function store(tx: Queries, run: Run): Promise<void> {
    if ((await countOpenRuns(tx, run.workspace.id)) >= MAX_OPEN_RUNS)
      throw new ApiError('unavailable', `${MAX_OPEN_RUNS} imports of this workspace wait already.`, {}, RETRY_HEADERS)
    await insertRun(tx, run)
  }

  return {
    responseOf,
    readPage,
    reportWithoutItems,

    /** Finds a run in its present state; the row of an active run may be older. @throws ApiError not_found */
    async require({ workspace }: Session, id: string): Promise<Run> {
      const begun = active.get(id)?.begun
      const run = begun?.workspace.id === workspace.id ? begun : await getRun(db, workspace.id, id)
      if (!run) throw new ApiError('not_found', 'There is no such import. Its report is kept for 24 hours.')
      return run
    },

    getActive: (id: string): ActiveRun | undefined => active.get(id),
    isBusy: (): boolean => active.size > 0,

    /**
     * Begins a run whose file is in its folder, or returns the open run that the same request began before.
     * @param session its database is that of the request, no transaction
     * @param slot see ActiveRun
     * @param prepare returns the run, in the transaction that stores it; or an outcome, if no run is needed
     * @throws ApiError conflict if its Idempotency-Key was used for another request; unavailable if too many runs of
     *   the workspace have not ended
     */
    async begin<Prepared extends Run | Outcome = Run>(
      session: Session,
      run: Run,
      slot: ReleaseSlot | null,
      prepare?: (tx: Queries) => Promise<Prepared>,
    ): Promise<ActiveRun | Exclude<Prepared, Run>> {
      const { id } = run.workspace
      const begun = await session.db.transaction(async (tx) => {
        const same = run.idempotencyKey && (await getOpenRun(tx, id, run.idempotencyKey.key))
        if (same?.idempotencyKey && run.idempotencyKey) {
          requireSameRequest(same.idempotencyKey, run.idempotencyKey.fingerprint)
          return same
        }
        const next = (await prepare?.(tx)) ?? run
        if (!('state' in next)) return next as Exclude<Prepared, Run>
        await store(tx, next)
        return next
      })
      const isOurs = 'state' in begun && begun.id === run.id
      if (!isOurs) slot?.()
      return 'state' in begun ? start(begun, isOurs ? slot : null) : begun
    },

    /** Begins work without a file once the transaction is committed. @throws ApiError unavailable */
    async beginAfter(tx: Queries, run: Run): Promise<void> {
      await store(tx, run)
      tx.afterCommit(`begin ${run.id}`, () => {
        if (!stopping) start(run, null)
      })
    },

    /** Continues the runs that a stop, a crash or a full disk interrupted. */
    async resume(): Promise<void> {
      if (stopping) return
      for (const run of await listOpenRuns(db))
        if (kinds.has(run.kind) && (isHere(run, root, db) || isForAll(run, kindOf(run), now()))) start(run, null)
    },

    /** Deletes old runs, and folders that belong to none. @param isReceiving whether the file of a run is arriving */
    async tidy(isReceiving: (id: string) => boolean): Promise<void> {
      await db.transaction((tx) => deleteEndedRuns(tx, now() - REPORT_KEPT_MS, MAX_KEPT_REPORTS, MAX_DELETED_RUNS))
      for (const id of listRunFolders(root))
        if (!isReceiving(id) && !active.has(id) && !(await runExists(db, id)) && !isReceiving(id))
          await removeRunFolder(getRunFolder(root, id))
    },

    /** See Wipe. An active run finds no row at its next update, and removes its files; `tidy` removes those of others. */
    async wipe(tx: Queries, workspace: WorkspaceId, limit: number): Promise<boolean> {
      for (const live of active.values()) if (live.run.workspace.id === workspace) live.stop('cancelled')
      return (await deleteRuns(tx, workspace, limit)) === limit
    },

    /** Stops all runs after their present step; they continue when the server starts again. */
    async stop(): Promise<void> {
      stopping = true
      const all = [...active.values()]
      for (const live of all) live.stop('stopping')
      await Promise.allSettled(all.map(({ ended }) => ended))
    },
  }
}

/**
 * Whether any process may continue an open run: one without a file, or whose process has been silent for so long that it
 * fails for want of its file.
 */
function isForAll(run: Run, kind: RunKind, now: number): boolean {
  return isWorkKind(kind) || now - run.updatedAt > SILENT_FILE_MS
}

/** Whether the files of a run, if it has any, are those of this process. */
function isHere({ id }: Run, root: string, db: Pick<Database, 'isShared'>): boolean {
  return !db.isShared || existsSync(getRunFolder(root, id).path)
}

/** Time that a request waits for the end of its run. After that the response is 202 with the path of the run. */
const RESPONSE_WAIT_MS = 20_000

interface OutcomeDeps {
  readonly db: Queries
  readonly timer: Timer
  readonly kinds: ReadonlyMap<string, RunKind>
  readonly runs: RunRegistry
  readonly findOutcome: FindOutcome
}

export type RunOutcomes = ReturnType<typeof createRunOutcomes>

export function createRunOutcomes({ db, timer, kinds, runs, findOutcome }: OutcomeDeps) {
  /** The outcome of the same request sent before, after waiting for its run if that is active; null if none. */
  async function findEarlier<Body = ImportReport>(
    request: Request,
    session: Session,
    body: unknown,
    idempotencyKey: IdempotencyKey | null,
  ): Promise<Outcome<Body | ImportReport> | null> {
    if (!idempotencyKey) return null
    const open = await getOpenRun(db, session.workspace.id, idempotencyKey.key)
    if (!open?.idempotencyKey) return findOutcome<Body>(request, session, body)
    requireSameRequest(open.idempotencyKey, idempotencyKey.fingerprint)
    await runs.resume()
    const live = runs.getActive(open.id)
    return live ? waitFor<Body>(live, session) : findOutcome<Body>(request, session, body)
  }

  /** Waits at most RESPONSE_WAIT_MS, within the deadline of the request. Returns 202 if the run has not ended. */
  async function waitFor<Body = ImportReport>(
    live: ActiveRun,
    { deadline }: Pick<Session, 'deadline'>,
  ): Promise<Outcome<Body | ImportReport>> {
    const { promise: timeout, resolve } = Promise.withResolvers<null>()
    const cancelTimer = timer(RESPONSE_WAIT_MS, () => resolve(null))
    deadline?.late.then(() => resolve(null))
    const run = await Promise.race([live.ended, timeout])
      .catch((error) => Promise.reject(toStorageError(error)))
      .finally(cancelTimer)
    return run && hasEnded(run.state) ? toOutcome<Body>(run) : toAccepted(live.run)
  }

  /** Makes the outcome of a run that has ended. @throws ApiError the error that it failed with */
  async function toOutcome<Body>(run: Run): Promise<Outcome<Body | ImportReport>> {
    const kind = kinds.get(run.kind)
    // Work that was cancelled before its first step has no result.
    if (run.state === 'cancelled' && run.work === null && kind && isWorkKind(kind)) return toAccepted(run)
    const headers = { Location: `/api/imports/${run.id}` }
    // The caller must not see the details of an internal error: it becomes an ordinary 500.
    if (run.error?.code === 'internal') throw new Error(`the import ${run.id} failed`)
    if (run.error) throw new ApiError(run.error.code, run.error.detail, { import_id: run.id }, headers)
    return (await runs.responseOf(run)) as Outcome<Body>
  }

  function toAccepted(run: Run): Outcome<ImportReport> {
    return { status: 202, headers: { Location: `/api/imports/${run.id}` }, body: runs.reportWithoutItems(run) }
  }

  return { findEarlier, waitFor, toOutcome, toAccepted }
}
