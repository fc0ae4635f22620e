import type { Context, Session, Workspace } from '../db/database'
import type { LimitedPlaces } from '../db/places'
import { type IdempotencyKey, type Outcome, readIdempotencyKey } from '../http/responses'
import type { Timer } from '../lib/steps'
import type { ActiveRun, RunDeps } from './active-run'
import { getRunFolder, makeRunFolder, removeRunFolder, toStorageError } from './folder'
import { createTally } from './lines'
import { arrivalQueueNames, createImportQueue, type ImportQueue, type ReleaseSlot, runQueueNames } from './queue'
import { type ReceiveFileOptions, receiveFile } from './receive-file'
import type { RunOutcomes, RunRegistry } from './run-registry'
import type { ImportReport } from './schema'
import type { Run } from './store'

/** Time that a request waits in a queue, less than that in which a request is answered. */
const MAX_WAIT_MS = 20_000

/** Options of an import: how the body of a request is imported. */
export interface ImportOrder extends Pick<ReceiveFileOptions, 'types' | 'form'> {
  readonly kind: string
  /** Returns the parameters of the passes, as JSON. Called once the file has arrived; `type` is its media type. */
  readonly params: (type: string) => unknown
  readonly dryRun: boolean
  /** JSON that distinguishes requests with the same Idempotency-Key; by default the hash of the file does. */
  readonly fingerprint?: unknown
}

interface Deps extends Pick<RunDeps, 'refuseOnFullDisk'>, Pick<Context, 'ids' | 'now'> {
  /** Counts the files that arrive, in all processes that share it. */
  readonly places: LimitedPlaces
  readonly timer: Timer
  readonly root: string
  /** The limits of the bytes of a file, with a key and without one. */
  readonly limits: Readonly<Record<Workspace['kind'], number>>
  readonly runs: RunRegistry
  readonly outcomes: RunOutcomes
  readonly queue: ImportQueue
}

export function createImportReceiver(deps: Deps) {
  const { ids, now, places, timer, root, limits, refuseOnFullDisk, runs, outcomes, queue } = deps
  const { findEarlier, waitFor, toAccepted } = outcomes
  const arrivals = createImportQueue({
    name: 'arrivals',
    places,
    slots: null,
    timer,
    reason: 'Another file of yours arrives',
  })
  const receiving = new Set<string>()

  /** Also looks for the outcome of the same request sent before. @param path where to write the file; null: nowhere */
  async function receive(request: Request, session: Session, order: ImportOrder, path: string | null) {
    const release = await arrivals.enter(arrivalQueueNames(session), MAX_WAIT_MS, signalOf(request, session))
    const limit = limits[session.workspace.kind]
    const { type, sha256 } = await receiveFile(request, path, { ...order, limit, refuseOnFullDisk }).finally(release)
    const body = order.fingerprint === undefined ? { sha256 } : order.fingerprint
    const idempotencyKey = order.dryRun ? null : readIdempotencyKey(request, body)
    return { type, body, idempotencyKey, earlier: await findEarlier(request, session, body, idempotencyKey) }
  }

  /** If the disk is full, a repeated request still gets its stored outcome. @throws ApiError storage_full */
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
    const slot = isAsync ? null : await queue.enter(runQueueNames(session), MAX_WAIT_MS, signalOf(request, session))
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
    return runs.begin<Run>(
      session,
      createRun(session, now(), { id, kind, params: await params(type), dryRun, idempotencyKey }),
      slot,
    )
  }

  return {
    /**
     * Imports the body of a request. Returns the report (200) or, after 20 seconds or with `Prefer: respond-async`,
     * 202 with the path of the run. Once its run has begun, the import goes on if the caller hangs up.
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
        if (live?.run.id !== id) await removeRunFolder(getRunFolder(root, id))
        receiving.delete(id)
      }
      return prefersAsync(request) ? toAccepted(live.run) : waitFor(live, session)
    },

    isReceiving: (id: string): boolean => receiving.has(id),
  }
}

/** Makes a run that waits for its first pass. */
export function createRun(
  { workspace, network }: Session,
  at: number,
  options: Pick<Run, 'id' | 'kind' | 'params' | 'dryRun' | 'idempotencyKey'>,
): Run {
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

const signalOf = (request: Request, { deadline }: Session) => deadline?.signal ?? request.signal

/** Whether a request has `Prefer: respond-async` (RFC 7240). */
export function prefersAsync(request: Request): boolean {
  return /(^|,)\s*respond-async\s*(;|,|$)/i.test(request.headers.get('prefer') ?? '')
}
