import type { Context } from '../db/context'
import type { Session, Workspace } from '../db/database'
import { ApiError } from '../http/api-error'
import { type Page, readCursor, toPage, writeCursor } from '../http/cursor'
import {
  type FindOutcome,
  type IdempotencyKey,
  type Outcome,
  readIdempotencyKey,
  requireSameRequest,
} from '../http/idempotency'
import { type ActiveRun, hasEnded, type RunDeps } from './active-run'
import { getRunFolder, makeRunFolder, removeRunFolder, toStorageError } from './folder'
import { type ImportKind, isWorkKind, type RunKind, type WorkKind } from './kind'
import { createTally } from './lines'
import { arrivalQueueNames, createImportQueue, type ReleaseSlot, runQueueNames, startTimer, type Timer } from './queue'
import { type ReceiveFileOptions, receiveFile } from './receive-file'
import { createRunRegistry } from './run-registry'
import type { ImportReport, ImportSummary, ShowImport } from './schema'
import { getOpenRun, listRuns, type Run } from './store'

/** Imports that run at the same time, on the whole server; the same number of runs without a file. */
const MAX_RUNNING = 2
/** Time that a request waits in a queue. */
const MAX_WAIT_MS = 30_000
/** Time that a request waits for the end of its run. After that the response is 202 with the path of the run. */
const RESPONSE_WAIT_MS = 20_000
/** Report items in the response to an import; GET returns the others. */
const MAX_RESPONSE_ITEMS = 10_000
/** The items of a file may have this many times the size limit of the file, since it may be compressed. */
const MAX_UNPACKED_RATIO = 4

export interface ImportsDeps extends Omit<RunDeps, 'queue' | 'responseOf' | 'limits'>, Pick<Context, 'ids'> {
  /** Replaces setTimeout in tests. */
  readonly timer?: Timer
  /** The folder of all runs, within the data folder. */
  readonly root: string
  readonly findOutcome: FindOutcome
  /** The limits of a file: its bytes, with a key and without one, and its items. */
  readonly limits: Readonly<Record<Workspace['kind'], number>> & { readonly items: number }
}

/** Options of an import: how the body of a request is imported. */
export interface ImportOrder extends Pick<ReceiveFileOptions, 'types' | 'form'> {
  /** See ImportKind. */
  readonly kind: string
  /** Returns the parameters of the passes, as JSON. Called once the file has arrived; `type` is its media type. */
  readonly params: (type: string) => unknown
  readonly dryRun: boolean
  /** JSON that distinguishes requests with the same Idempotency-Key; by default the hash of the file does. */
  readonly fingerprint?: unknown
}

/** Options of long work without a file. */
export interface WorkOrder<Body> {
  /** See WorkKind. */
  readonly kind: string
  /** The body of the request. */
  readonly body?: unknown
  /**
   * Does the first step, in the transaction that stores the run. Returns the parameters of the run, as JSON; or the
   * outcome, if everything is done and no run is needed.
   */
  readonly begin: (tx: Session) => Promise<{ readonly params: unknown } | Outcome<Body>>
}

export type Imports = ReturnType<typeof createImports>

/** Receives files and imports them with runs, and does other long work with runs as well. */
export function createImports(deps: ImportsDeps) {
  const { db, now, ids, timer = startTimer, root, limits, findOutcome, refuseOnFullDisk } = deps
  const kinds = new Map<string, RunKind>()
  const arrivals = createImportQueue({
    slots: Number.POSITIVE_INFINITY,
    timer,
    reason: 'Another file of yours arrives',
  })
  const workQueue = createImportQueue({ slots: MAX_RUNNING, timer, reason: 'Other work is under way' })
  const queue = createImportQueue({ slots: MAX_RUNNING, timer, reason: 'Other imports are running' })
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
  /** Ids of runs whose files are arriving. */
  const receiving = new Set<string>()

  /**
   * Returns the outcome of the same request sent before, after waiting for it if its run is active; null if there is
   * none.
   */
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
    return live ? waitFor<Body>(live) : findOutcome<Body>(request, session, body)
  }

  /** Waits for the end of a run, at most `waitMs`. Returns its outcome, or 202 if it has not ended. */
  async function waitFor<Body = ImportReport>(
    live: ActiveRun,
    waitMs = RESPONSE_WAIT_MS,
  ): Promise<Outcome<Body | ImportReport>> {
    const { promise: timeout, resolve } = Promise.withResolvers<null>()
    const cancelTimer = timer(waitMs, () => resolve(null))
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

  /** Makes the 202 of a run that has not ended. */
  function toAccepted(run: Run): Outcome<ImportReport> {
    return { status: 202, headers: { Location: `/api/imports/${run.id}` }, body: runs.reportWithoutItems(run) }
  }

  /** @throws ApiError not_found */
  async function requireRun({ workspace }: Session, id: string): Promise<Run> {
    const run = await runs.find(workspace.id, id)
    if (!run) throw new ApiError('not_found', 'There is no such import. Its report is kept for 24 hours.')
    return run
  }

  /**
   * Receives the file of a request, and looks for the outcome of the same request sent before.
   * @param path where to write the file; null: nowhere
   */
  async function receive(request: Request, session: Session, order: ImportOrder, path: string | null) {
    const release = await arrivals.enter(arrivalQueueNames(session), MAX_WAIT_MS, request.signal)
    const limit = limits[session.workspace.kind]
    const { type, sha256 } = await receiveFile(request, path, { ...order, limit, timer, refuseOnFullDisk }).finally(
      release,
    )
    const body = order.fingerprint === undefined ? { sha256 } : order.fingerprint
    const idempotencyKey = order.dryRun ? null : readIdempotencyKey(request, body)
    return { type, body, idempotencyKey, earlier: await findEarlier(request, session, body, idempotencyKey) }
  }

  /**
   * Checks the free space of the disk. If it is full, a repeated request still gets its stored outcome.
   * @throws ApiError storage_full
   */
  async function findEarlierOnFullDisk(
    request: Request,
    session: Session,
    order: ImportOrder,
  ): Promise<Outcome<ImportReport> | null> {
    try {
      refuseOnFullDisk(0)
      return null
    } catch (full) {
      const isRepeatable = !order.dryRun && readIdempotencyKey(request, null) !== null
      const earlier = isRepeatable ? (await receive(request, session, order, null)).earlier : null
      if (earlier) return earlier
      throw full
    }
  }

  /** Receives the file of a request and begins its run; or returns the outcome of the same request sent before. */
  async function receiveAndBegin(request: Request, session: Session, order: ImportOrder, id: string) {
    const { type, body, idempotencyKey, earlier } = await receive(request, session, order, makeRunFolder(root, id).file)
    if (earlier) return earlier
    const isAsync = prefersAsync(request)
    if (isAsync) queue.requireRoom(runQueueNames(session), MAX_WAIT_MS)
    const slot = isAsync ? null : await queue.enter(runQueueNames(session), MAX_WAIT_MS, request.signal)
    try {
      // While this request waited, a repeat of it may have run.
      const repeated = await findEarlier(request, session, body, idempotencyKey)
      if (repeated) {
        slot?.()
        return repeated
      }
      return await begin(session, order, { id, type, idempotencyKey }, slot)
    } catch (error) {
      slot?.()
      throw error
    }
  }

  async function begin(
    session: Session,
    { kind, params, dryRun }: ImportOrder,
    { id, type, idempotencyKey }: { id: string; type: string; idempotencyKey: IdempotencyKey | null },
    slot: ReleaseSlot | null,
  ): Promise<ActiveRun> {
    return runs.begin<Run>(newRun(session, { id, kind, params: await params(type), dryRun, idempotencyKey }), slot)
  }

  function newRun(
    { workspace, network }: Session,
    options: Pick<Run, 'id' | 'kind' | 'params' | 'dryRun' | 'idempotencyKey'>,
  ): Run {
    const at = now()
    return {
      ...options,
      workspace,
      ...(network === undefined ? {} : { network }),
      state: 'waiting',
      pass: 0,
      done: 0,
      total: null,
      tally: createTally(),
      facts: null,
      error: null,
      work: null,
      createdAt: at,
      updatedAt: at,
    }
  }

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
      const run = newRun(session, { id: ids(), kind, params: null, dryRun: false, idempotencyKey })
      const live = await runs.begin<Run | Outcome<Body>>(run, null, async (tx) => {
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
      return prefersAsync(request) ? toAccepted(live.run) : waitFor<Body>(live)
    },

    /**
     * Returns the outcome of the same request sent before, after waiting for its run; null if there is none.
     * @throws ApiError conflict
     */
    findEarlier<Body>(request: Request, session: Session, body: unknown): Promise<Outcome<Body | ImportReport> | null> {
      return findEarlier<Body>(request, session, body, readIdempotencyKey(request, body))
    },

    /**
     * Begins work without a file when the transaction `session.db` commits. Returns the id of the run, for
     * `waitForOutcome`.
     * @throws ApiError unavailable if too many runs are open
     */
    async begin(session: Session, { kind, params }: { kind: string; params: unknown }): Promise<string> {
      const run = newRun(session, { id: ids(), kind, params, dryRun: false, idempotencyKey: null })
      await runs.beginAfter(session.db, run)
      return run.id
    },

    /** Waits for a run that `begin` began, in the way that `work` does. @throws ApiError the error of the run */
    async waitForOutcome<Body>(request: Request, session: Session, id: string): Promise<Outcome<Body | ImportReport>> {
      const live = runs.getActive(id)
      if (live) return prefersAsync(request) ? toAccepted(live.run) : waitFor<Body>(live)
      const run = await requireRun(session, id)
      return hasEnded(run.state) ? toOutcome<Body>(run) : toAccepted(run)
    },

    /**
     * Imports the body of a request. Returns the report (200) or, after 20 seconds or with `Prefer: respond-async`,
     * 202 with the path of the run. Once the file has arrived, the import goes on if the caller hangs up.
     * @throws ApiError the errors of receiveFile; unavailable if too many wait; conflict if the Idempotency-Key was
     *   used for another request; the error of the run
     */
    async receive(request: Request, session: Session, order: ImportOrder): Promise<Outcome<ImportReport>> {
      // Refuses an invalid key before the file arrives.
      readIdempotencyKey(request, null)
      const earlier = await findEarlierOnFullDisk(request, session, order)
      if (earlier) return earlier
      const id = ids()
      receiving.add(id)
      let live: ActiveRun | null = null
      try {
        const begun = await receiveAndBegin(request, session, order, id)
        if ('status' in begun) return begun
        live = begun
      } catch (error) {
        throw toStorageError(error)
      } finally {
        if (live?.run.id !== id) removeRunFolder(getRunFolder(root, id))
        receiving.delete(id)
      }
      return prefersAsync(request) ? toAccepted(live.run) : waitFor(live)
    },

    /** Lists the runs of a workspace, newest first, without their items. */
    async list({ workspace }: Session, limit: number, cursor?: string): Promise<Page<ImportSummary>> {
      const [before = null] = cursor === undefined ? [] : readCursor(cursor, 'imports', ['string'])
      const rows = await listRuns(db, workspace.id, before as string | null, limit + 1)
      return toPage(
        rows,
        limit,
        'imports',
        ({ id }) => [id],
        (run) => {
          const { items: _, next_cursor: __, ...summary } = runs.reportWithoutItems(runs.getActive(run.id)?.run ?? run)
          return summary
        },
      )
    },

    /** Returns the report of a run with a page of its items. @throws ApiError not_found, invalid_cursor */
    async show(session: Session, id: string, limit: number, { cursor, action }: ShowImport): Promise<ImportReport> {
      const run = await requireRun(session, id)
      const binding = action ? `${id} ${action}` : id
      const [seq = 0] = cursor === undefined ? [] : readCursor(cursor, binding, ['number'])
      const { items, next } = runs.readPage(run, Number(seq), limit, action)
      return {
        ...runs.reportWithoutItems(run),
        items,
        next_cursor: next === null ? null : writeCursor(binding, [next]),
      }
    },

    /** Stops a run, and keeps what it has done. Returns its final report, without items. @throws ApiError not_found */
    async cancel(session: Session, id: string): Promise<ImportReport> {
      await requireRun(session, id)
      const live = runs.getActive(id)
      live?.stop('cancelled')
      await live?.ended
      return runs.reportWithoutItems(await requireRun(session, id))
    },

    resume: runs.resume,
    isBusy: runs.isBusy,
    tidy: () => runs.tidy((id) => receiving.has(id)),
    wipe: runs.wipe,
    stop: runs.stop,
  }
}

/** Whether a request has `Prefer: respond-async` (RFC 7240). */
function prefersAsync(request: Request): boolean {
  return /(^|,)\s*respond-async\s*(;|,|$)/i.test(request.headers.get('prefer') ?? '')
}
