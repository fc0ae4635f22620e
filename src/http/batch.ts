import type { Session } from '../db/database'
import { ApiError, errorBody, type Fault } from './api-error'
import type { Precondition } from './conditional'

/** Several changes in one request: all or none, or each by itself. */

/** Ops of one batch at most. */
export const MAX_OPS = 100

/** What an op came to: a resource, nothing (null), or the error that it met. */
export interface OpOutcome<Body> {
  readonly index: number
  readonly status: number
  readonly id: string | null
  readonly body: Body | ApiError | null
}

/** The result of an op that was not refused. */
export type OpResult<Body> = Omit<OpOutcome<Body>, 'index'>

/**
 * Runs the ops in order, in one transaction. Atomic: throws the first error, with `failed_index`, and nothing is
 * changed. Else each op is a savepoint, and an error is its outcome. One transaction in both cases: one wait for
 * the disk, and the record of the Idempotency-Key is committed with all that was done, so that a repeat after a crash
 * finds either everything or nothing.
 */
export function runBatch<Op extends { readonly id?: string }, Body>(
  session: Session,
  { atomic = true, ops }: { readonly atomic?: boolean; readonly ops: readonly Op[] },
  run: (session: Session, op: Op) => Promise<OpResult<Body>>,
): Promise<OpOutcome<Body>[]> {
  return session.db.transaction(async (db) => {
    const outcomes: OpOutcome<Body>[] = []
    for (const [index, op] of ops.entries()) {
      try {
        outcomes.push({ index, ...(await db.transaction((tx) => run({ ...session, db: tx }, op))) })
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        const refusal = prefixPointers(error, `/ops/${index}/data`)
        if (atomic) throw new ApiError(refusal.code, refusal.detail, { ...refusal.extra, failed_index: index })
        outcomes.push({ index, status: refusal.status, id: op.id ?? null, body: refusal })
      }
    }
    return outcomes
  })
}

/** The precondition of an op's `if_revision`. */
export function atRevision(revision: number | undefined): Precondition {
  return revision === undefined ? null : [revision]
}

/** An outcome as it is sent. `requestId` ties a problem to the log. */
export function toOutcomeBody<Body>({ body, ...outcome }: OpOutcome<Body>, requestId: string) {
  return { ...outcome, body: body instanceof ApiError ? errorBody(body, requestId) : body }
}

/** The error with its pointers leading into a part of the body, e.g. `/items/3`. */
export function prefixPointers(refusal: ApiError, part: string): ApiError {
  const { errors, ...extra } = refusal.extra
  if (!Array.isArray(errors)) return refusal
  const moved = (errors as Fault[]).map((fault) => ({ ...fault, pointer: part + fault.pointer }))
  return new ApiError(refusal.code, refusal.detail, { ...extra, errors: moved }, refusal.headers)
}
