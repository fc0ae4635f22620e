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

/** Imports that run at the same time, of all payers. */
const RUNNING = 2
/** How long a request waits in line, in milliseconds. */
const LINE_MS = 30_000
/** How long an answer waits for the end of a run, in milliseconds; after that it says where to ask. */
const ANSWER_MS = 20_000
/** Items that such an answer carries; GET has the others. */
const ANSWERED_ITEMS = 10_000
/** How many times the limit of a file its items may take, in bytes: a file may be packed. */
const UNPACKED_TIMES = 4

export interface ImportsDeps extends Omit<RunDeps, 'queue' | 'answer' | 'limits'>, Pick<Context, 'ids'> {
  /** For tests. */
  readonly timer?: Timer
  /** The folder of all runs, within the data folder. */
  readonly root: string
  readonly findOutcome: FindOutcome
  /** Bytes of a file, with a key and without one, and items. */
  readonly limits: Readonly<Record<Workspace['kind'], number>> & { readonly items: number }
}

/** What a route has imported: the body of its request. */
export interface ImportOrder extends Pick<ReceiveFileOptions, 'types' | 'form'> {
  /** See ImportKind. */
  readonly kind: string
  /** What the passes get, as JSON; called once the file is here; `type` is its media type. */
  readonly params: (type: string) => unknown
  readonly dryRun: boolean
  /** What distinguishes the request from another under its Idempotency-Key; without it, the bytes of the file. */
  readonly fingerprint?: unknown
}

/** What a route has done that has no file. */
export interface WorkOrder<Body> {
  /** See WorkKind. */
  readonly kind: string
  /** Of the request. */
  readonly body?: unknown
  /**
   * The first step, in the transaction that stores the run: what it is to do, as JSON; or an outcome, where all is done
   * and no run is needed.
   */
  readonly begin: (within: Session) => Promise<{ readonly params: unknown } | Outcome<Body>>
}

export type Imports = ReturnType<typeof createImports>

/** Imports of all kinds: files arrive, and runs import them as their kind says. */
export function createImports(deps: ImportsDeps) {
  const { db, now, ids, timer = startTimer, root, limits, findOutcome, refuseOnFullDisk } = deps
  const kinds = new Map<string, RunKind>()
  const arrivals = createImportQueue({ places: Number.POSITIVE_INFINITY, timer, what: 'Another file of yours arrives' })
  const works = createImportQueue({ places: RUNNING, timer, what: 'Other work is under way' })
  const queue = createImportQueue({ places: RUNNING, timer, what: 'Other imports are running' })
  const reading = (file: number) => ({ items: limits.items, bytes: file * UNPACKED_TIMES })
  const unpacked = { key: reading(limits.key), scratch: reading(limits.scratch) }
  const runs = createRunRegistry({ ...deps, limits: unpacked, queue, works, kinds, answered: ANSWERED_ITEMS })
  /** Ids of runs whose files arrive. */
  const receiving = new Set<string>()

  /** The outcome of the same request before, waiting for it where it is under way. */
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
    const live = runs.active(open.id)
    return live ? outcomeOf<Body>(live) : findOutcome<Body>(request, session, body)
  }

  /** Waits for the end of a run, at most `patience` milliseconds. */
  async function outcomeOf<Body = ImportReport>(
    live: ActiveRun,
    patience = ANSWER_MS,
  ): Promise<Outcome<Body | ImportReport>> {
    const { promise: late, resolve } = Promise.withResolvers<null>()
    const untime = timer(patience, () => resolve(null))
    const run = await Promise.race([live.ended, late])
      .catch((error) => Promise.reject(toStorageError(error)))
      .finally(untime)
    return run && hasEnded(run.state) ? ended<Body>(run) : accepted(live.run)
  }

  async function ended<Body>(run: Run): Promise<Outcome<Body | ImportReport>> {
    const kind = kinds.get(run.kind)
    // It was cancelled before its first step.
    if (run.state === 'cancelled' && run.work === null && kind && isWorkKind(kind)) return accepted(run)
    const headers = { Location: `/api/imports/${run.id}` }
    // The caller reads no more of a fault of the server than any answer says.
    if (run.error?.code === 'internal') throw new Error(`the import ${run.id} failed`)
    if (run.error) throw new ApiError(run.error.code, run.error.detail, { import_id: run.id }, headers)
    return (await runs.answer(run)) as Outcome<Body>
  }

  function accepted(run: Run): Outcome<ImportReport> {
    return { status: 202, headers: { Location: `/api/imports/${run.id}` }, body: runs.bare(run) }
  }

  async function found({ workspace }: Session, id: string): Promise<Run> {
    const run = await runs.find(workspace.id, id)
    if (!run) throw new ApiError('not_found', 'There is no such import. Its report is kept for 24 hours.')
    return run
  }

  /** Takes the file of a request, and looks for the outcome of the same request before. @param path null: it is not kept */
  async function arrive(request: Request, session: Session, order: ImportOrder, path: string | null) {
    const leave = await arrivals.enter(arrivalQueueNames(session), LINE_MS, request.signal)
    const limit = limits[session.workspace.kind]
    const { type, sha256 } = await receiveFile(request, path, { ...order, limit, timer, refuseOnFullDisk }).finally(
      leave,
    )
    const body = order.fingerprint === undefined ? { sha256 } : order.fingerprint
    const idempotencyKey = order.dryRun ? null : readIdempotencyKey(request, body)
    return { type, body, idempotencyKey, before: await findEarlier(request, session, body, idempotencyKey) }
  }

  /** A full disk takes no file; a repeat gets its outcome all the same. @throws ApiError storage_full */
  async function repeated(
    request: Request,
    session: Session,
    order: ImportOrder,
  ): Promise<Outcome<ImportReport> | null> {
    try {
      refuseOnFullDisk(0)
      return null
    } catch (full) {
      const isRepeatable = !order.dryRun && readIdempotencyKey(request, null) !== null
      const before = isRepeatable ? (await arrive(request, session, order, null)).before : null
      if (before) return before
      throw full
    }
  }

  /** Takes the file of a request, and begins its run. */
  async function accept(request: Request, session: Session, order: ImportOrder, id: string) {
    const { type, body, idempotencyKey, before } = await arrive(request, session, order, makeRunFolder(root, id).file)
    if (before) return before
    const isPatient = prefersAsync(request)
    if (isPatient) queue.refuseMore(runQueueNames(session), LINE_MS)
    const place = isPatient ? null : await queue.enter(runQueueNames(session), LINE_MS, request.signal)
    try {
      // While this waited, a repeat of it may have run.
      const meanwhile = await findEarlier(request, session, body, idempotencyKey)
      if (meanwhile) {
        place?.()
        return meanwhile
      }
      return await begin(session, order, { id, type, idempotencyKey }, place)
    } catch (error) {
      place?.()
      throw error
    }
  }

  async function begin(
    session: Session,
    { kind, params, dryRun }: ImportOrder,
    { id, type, idempotencyKey }: { id: string; type: string; idempotencyKey: IdempotencyKey | null },
    place: ReleaseSlot | null,
  ): Promise<ActiveRun> {
    return runs.begin<Run>(newRun(session, { id, kind, params: await params(type), dryRun, idempotencyKey }), place)
  }

  function newRun(
    { workspace, network }: Session,
    given: Pick<Run, 'id' | 'kind' | 'params' | 'dryRun' | 'idempotencyKey'>,
  ): Run {
    const at = now()
    return {
      ...given,
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
    /** Makes a kind known. Before any request, and before `resume`. */
    register<Params, Value>(kind: ImportKind<Params, Value>): void {
      kinds.set(kind.name, kind as never)
    },

    /** Likewise for work that has no file. */
    registerWork<Params, State, Result>(kind: WorkKind<Params, State, Result>): void {
      kinds.set(kind.name, kind as never)
    },

    /**
     * Does work that has no file: the answer is what came of it or, after 20 seconds or with `Prefer: respond-async`,
     * where to ask for it (202). Hanging up stops nothing.
     * @param order.body of the request; only a POST is idempotencyKey
     * @throws ApiError unavailable where too much is under way; conflict; what `begin` throws; and why it failed
     */
    async work<Body>(
      request: Request,
      session: Session,
      { kind, begin, body = null }: WorkOrder<Body>,
    ): Promise<Outcome<Body | ImportReport>> {
      const idempotencyKey = request.method === 'POST' ? readIdempotencyKey(request, body) : null
      const before = await findEarlier<Body>(request, session, body, idempotencyKey)
      if (before) return before
      const run = newRun(session, { id: ids(), kind, params: null, dryRun: false, idempotencyKey })
      const live = await runs.begin<Run | Outcome<Body>>(run, null, async (tx) => {
        const within = { ...session, db: tx }
        // Of two at once the first may have ended by now.
        const stored = idempotencyKey && (await findOutcome<Body>(request, within, body))
        if (stored) return stored
        const begun = await begin(within)
        if ('params' in begun) return { ...run, params: begun.params }
        if (idempotencyKey) await deps.storeOutcome(within, idempotencyKey, begun)
        return begun
      })
      if ('status' in live) return live
      return prefersAsync(request) ? accepted(live.run) : outcomeOf<Body>(live)
    },

    /** The outcome of the same request before, waiting for it where it is under way; null: none yet. @throws ApiError conflict */
    before<Body>(request: Request, session: Session, body: unknown): Promise<Outcome<Body | ImportReport> | null> {
      return findEarlier<Body>(request, session, body, readIdempotencyKey(request, body))
    },

    /**
     * Begins work that has no file together with what the transaction `db` writes; returns its id, for `outcome`.
     * @throws ApiError unavailable where too much is under way
     */
    async begin(session: Session, { kind, params }: { kind: string; params: unknown }): Promise<string> {
      const run = newRun(session, { id: ids(), kind, params, dryRun: false, idempotencyKey: null })
      await runs.beginAfter(session.db, run)
      return run.id
    },

    /** Waits for work that was begun as `work` does. @throws ApiError why it failed */
    async outcome<Body>(request: Request, session: Session, id: string): Promise<Outcome<Body | ImportReport>> {
      const live = runs.active(id)
      if (live) return prefersAsync(request) ? accepted(live.run) : outcomeOf<Body>(live)
      const run = await found(session, id)
      return hasEnded(run.state) ? ended<Body>(run) : accepted(run)
    },

    /**
     * Imports the body of a request: the answer is the report (200) or, after 20 seconds or with `Prefer: respond-async`,
     * where to ask for it (202). Hanging up stops nothing.
     * @throws ApiError what receiveFile throws; unavailable where too many wait; conflict for another request under the same
     *   Idempotency-Key; and why the run failed
     */
    async receive(request: Request, session: Session, order: ImportOrder): Promise<Outcome<ImportReport>> {
      // A key that is none is refused before the file comes.
      readIdempotencyKey(request, null)
      const before = await repeated(request, session, order)
      if (before) return before
      const id = ids()
      receiving.add(id)
      let live: ActiveRun | null = null
      try {
        const accepted = await accept(request, session, order, id)
        if ('status' in accepted) return accepted
        live = accepted
      } catch (error) {
        throw toStorageError(error)
      } finally {
        if (live?.run.id !== id) removeRunFolder(getRunFolder(root, id))
        receiving.delete(id)
      }
      return prefersAsync(request) ? accepted(live.run) : outcomeOf(live)
    },

    /** The imports of a workspace that are under way or kept, the newest first, without their items. */
    async list({ workspace }: Session, limit: number, cursor?: string): Promise<Page<ImportSummary>> {
      const [before = null] = cursor === undefined ? [] : readCursor(cursor, 'imports', ['string'])
      const rows = await listRuns(db, workspace.id, before as string | null, limit + 1)
      return toPage(
        rows,
        limit,
        'imports',
        ({ id }) => [id],
        (run) => {
          const { items: _, next_cursor: __, ...summary } = runs.bare(runs.active(run.id)?.run ?? run)
          return summary
        },
      )
    },

    /** @param query.action only items with this action @throws ApiError not_found, invalid_cursor */
    async show(session: Session, id: string, limit: number, { cursor, action }: ShowImport): Promise<ImportReport> {
      const run = await found(session, id)
      const binding = action ? `${id} ${action}` : id
      const [seq = 0] = cursor === undefined ? [] : readCursor(cursor, binding, ['number'])
      const { items, next } = runs.page(run, Number(seq), limit, action)
      return { ...runs.bare(run), items, next_cursor: next === null ? null : writeCursor(binding, [next]) }
    },

    /** Stops a run; what it did stays. The report is that of the run after that, without items. @throws ApiError not_found */
    async cancel(session: Session, id: string): Promise<ImportReport> {
      await found(session, id)
      const live = runs.active(id)
      live?.stop('cancelled')
      await live?.ended
      return runs.bare(await found(session, id))
    },

    resume: runs.resume,
    isBusy: runs.isBusy,
    tidy: () => runs.tidy((id) => receiving.has(id)),
    wipe: runs.wipe,
    stop: runs.stop,
  }
}

/** RFC 7240. */
function prefersAsync(request: Request): boolean {
  return /(^|,)\s*respond-async\s*(;|,|$)/i.test(request.headers.get('prefer') ?? '')
}
