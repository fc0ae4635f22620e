import type { Queries, Session } from '../db/database'
import { ApiError } from '../http/api-error'
import { type FindOutcome, type IdempotencyKey, type Outcome, requireSameRequest } from '../http/idempotency'
import type { Timer } from '../lib/timer'
import { type ActiveRun, hasEnded } from './active-run'
import { toStorageError } from './folder'
import { isWorkKind, type RunKind } from './kind'
import type { RunRegistry } from './run-registry'
import type { ImportReport } from './schema'
import { getOpenRun, type Run } from './store'

/** Time that a request waits for the end of its run. After that the response is 202 with the path of the run. */
const RESPONSE_WAIT_MS = 20_000

interface Deps {
  readonly db: Queries
  readonly timer: Timer
  readonly kinds: ReadonlyMap<string, RunKind>
  readonly runs: RunRegistry
  readonly findOutcome: FindOutcome
}

export type RunOutcomes = ReturnType<typeof createRunOutcomes>

export function createRunOutcomes({ db, timer, kinds, runs, findOutcome }: Deps) {
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
