import type { Context, Session, Workspace } from '../db/database'
import type { LimitedPlaces } from '../db/places'
import { type Page, readCursor, toPage, writeCursor } from '../http/cursor'
import { type FindOutcome, type Outcome, readIdempotencyKey } from '../http/responses'
import { startTimer, type Timer } from '../lib/steps'
import { hasEnded, type RunDeps } from './active-run'
import type { ImportKind, RunKind, WorkKind } from './kind'
import { createImportQueue } from './queue'
import { createImportReceiver, createRun, prefersAsync } from './receive-import'
import { createRunOutcomes, createRunRegistry, type RunRegistry } from './run-registry'
import type { ImportReport, ImportSummary, ShowImport } from './schema'
import { cancelRun, listRuns, type Run } from './store'

/** Imports that run at the same time, on the whole server; the same number of runs without a file. */
const MAX_RUNNING = 2
/** Report items in the response to an import; GET returns the others. */
const MAX_RESPONSE_ITEMS = 10_000
/** The items of a file may have this many times the size limit of the file, since it may be compressed. */
const MAX_UNPACKED_RATIO = 4

interface ImportsDeps extends Omit<RunDeps, 'queue' | 'responseOf' | 'limits'>, Pick<Context, 'ids'> {
  /** Counts the runs that are under way, in all processes that share it. */
  readonly places: LimitedPlaces
  /** Replaces setTimeout in tests. */
  readonly timer?: Timer
  /** The folder of all runs, within the data folder. */
  readonly root: string
  readonly findOutcome: FindOutcome
  /** The limits of a file: its bytes, with a key and without one, and its items. */
  readonly limits: Readonly<Record<Workspace['kind'], number>> & { readonly items: number }
}

interface WorkOrder<Body> {
  /** See WorkKind. */
  readonly kind: string
  readonly body?: unknown
  /**
   * Does the first step, in the transaction that stores the run. Returns the parameters of the run, as JSON; or the
   * outcome, if everything is done and no run is needed.
   */
  readonly begin: (tx: Session) => Promise<{ readonly params: unknown } | Outcome<Body>>
}

export type Imports = ReturnType<typeof createImports>

export function createImports(deps: ImportsDeps) {
  const { db, now, ids, places, timer = startTimer, root, limits, findOutcome, refuseOnFullDisk } = deps
  const kinds = new Map<string, RunKind>()
  const slots = { places, slots: MAX_RUNNING, timer }
  const workQueue = createImportQueue({ ...slots, name: 'work', reason: 'Other work is under way' })
  const queue = createImportQueue({ ...slots, name: 'imports', reason: 'Other imports are running' })
  const readingLimits = (file: number) => ({ items: limits.items, bytes: file * MAX_UNPACKED_RATIO })
  const unpacked = { key: readingLimits(limits.key), scratch: readingLimits(limits.scratch) }
  const runs = createRunRegistry({
    ...deps,
    limits: unpacked,
    queue,
    workQueue,
    kinds,
    maxResponseItems: MAX_RESPONSE_ITEMS,
  })
  const outcomes = createRunOutcomes({ db, timer, kinds, runs, findOutcome })
  const { findEarlier, waitFor, toOutcome, toAccepted } = outcomes
  const reports = createReports({ db, now }, runs)
  const receiving = { ids, now, places, timer, root, limits, refuseOnFullDisk }
  const files = createImportReceiver({ ...receiving, runs, outcomes, queue })

  return {
    /** Registers a kind of import. Call it before any request, and before `resume`. */
    register<Params, Value>(kind: ImportKind<Params, Value>): void {
      kinds.set(kind.name, kind as never)
    },

    /** Registers a kind of work without a file, likewise. */
    registerWork<Params, State, Result>(kind: WorkKind<Params, State, Result>): void {
      kinds.set(kind.name, kind as never)
    },

    /**
     * Does work without a file. Returns its outcome or, after 20 seconds or with `Prefer: respond-async`, 202 with
     * the path of the run. The work goes on if the caller hangs up.
     * @param order.body the body of the request; an Idempotency-Key counts for POST alone
     * @throws ApiError unavailable if too many runs are open; conflict; the errors of `begin`; the error of the run
     */
    async work<Body>(
      request: Request,
      session: Session,
      { kind, begin, body = null }: WorkOrder<Body>,
    ): Promise<Outcome<Body | ImportReport>> {
      const idempotencyKey = request.method === 'POST' ? readIdempotencyKey(request, body) : null
      const earlier = await findEarlier<Body>(request, session, body, idempotencyKey)
      if (earlier) return earlier
      const run = createRun(session, now(), { id: ids(), kind, params: null, dryRun: false, idempotencyKey })
      const live = await runs.begin<Run | Outcome<Body>>(session, run, null, async (tx) => {
        const inTx = { ...session, db: tx }
        // The same request, sent at the same time, may have ended since.
        const stored = idempotencyKey && (await findOutcome<Body>(request, inTx, body))
        if (stored) return stored
        const begun = await begin(inTx)
        if ('params' in begun) return { ...run, params: begun.params }
        if (idempotencyKey) await deps.storeOutcome(inTx, idempotencyKey, begun)
        return begun
      })
      if ('status' in live) return live
      return prefersAsync(request) ? toAccepted(live.run) : waitFor<Body>(live, session)
    },

    /** What the same request got before, after waiting for its run; null if none. @throws ApiError conflict */
    findEarlier<Body>(request: Request, session: Session, body: unknown): Promise<Outcome<Body | ImportReport> | null> {
      return findEarlier<Body>(request, session, body, readIdempotencyKey(request, body))
    },

    /** Begins when `session.db` commits. Returns the id of the run. @throws ApiError unavailable: too many are open */
    async begin(session: Session, { kind, params }: { kind: string; params: unknown }): Promise<string> {
      const run = createRun(session, now(), { id: ids(), kind, params, dryRun: false, idempotencyKey: null })
      await runs.beginAfter(session.db, run)
      return run.id
    },

    /** Waits for a run that `begin` began, in the way that `work` does. @throws ApiError the error of the run */
    async waitForOutcome<Body>(request: Request, session: Session, id: string): Promise<Outcome<Body | ImportReport>> {
      const live = runs.getActive(id)
      if (live) return prefersAsync(request) ? toAccepted(live.run) : waitFor<Body>(live, session)
      const run = await runs.require(session, id)
      return hasEnded(run.state) ? toOutcome<Body>(run) : toAccepted(run)
    },

    receive: files.receive,

    list: reports.list,
    show: reports.show,
    cancel: reports.cancel,
    resume: runs.resume,
    isBusy: runs.isBusy,
    tidy: () => runs.tidy(files.isReceiving),
    wipe: runs.wipe,
    stop: runs.stop,
  }
}

function createReports({ db, now }: Pick<Context, 'db' | 'now'>, runs: RunRegistry) {
  return {
    /** Lists the runs of a workspace, newest first, without their items. */
    async list({ workspace }: Session, limit: number, cursor?: string): Promise<Page<ImportSummary>> {
      const [before = null] = cursor === undefined ? [] : readCursor(cursor, 'imports', ['string'])
      const rows = await listRuns(db, workspace.id, before as string | null, limit + 1)
      const toSummary = (run: Run): ImportSummary => {
        const { items: _, next_cursor: __, ...rest } = runs.reportWithoutItems(runs.getActive(run.id)?.begun ?? run)
        return rest
      }
      return toPage(rows, limit, 'imports', ({ id }) => [id], toSummary)
    },

    /** Returns the report of a run with a page of its items. @throws ApiError not_found, invalid_cursor */
    async show(session: Session, id: string, limit: number, { cursor, action }: ShowImport): Promise<ImportReport> {
      const run = await runs.require(session, id)
      const binding = action ? `${id} ${action}` : id
      const [seq = 0] = cursor === undefined ? [] : readCursor(cursor, binding, ['number'])
      const { items, next } = await runs.readPage(run, Number(seq), limit, action)
      return {
        ...runs.reportWithoutItems(run),
        items,
        next_cursor: next === null ? null : writeCursor(binding, [next]),
      }
    },

    /** Stops a run, and keeps what it has done. Returns its final report, without items. @throws ApiError not_found */
    async cancel(session: Session, id: string): Promise<ImportReport> {
      const run = await runs.require(session, id)
      const live = runs.getActive(id)
      live?.stop('cancelled')
      await live?.ended
      // The process in which it is active finds no open row, and ends it.
      if (db.isShared && !live && !hasEnded(run.state)) await cancelRun(db, run, now())
      return runs.reportWithoutItems(await runs.require(session, id))
    },
  }
}
