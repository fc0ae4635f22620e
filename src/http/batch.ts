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
export type Done<Body> = Omit<OpOutcome<Body>, 'index'>

interface EachItem<Item, Outcome> {
  readonly atomic: boolean
  /** Where in the body an item is, e.g. `/items/3`: the pointers of its errors begin with it. */
  readonly pointer: (index: number) => string
  readonly run: (session: Session, item: Item, index: number) => Promise<Outcome>
  /** The outcome of an item that was refused. */
  readonly refused: (error: ApiError, item: Item, index: number) => Outcome
}

/**
 * Runs the items in order, in one transaction. Atomic: throws the first error, with `failed_index`, and nothing is
 * changed. Else each item is a savepoint, and an error is its outcome. One transaction in both cases: one wait for
 * the disk, and the record of the Idempotency-Key is committed with all that was done, so that a repeat after a crash
 * finds either everything or nothing.
 */
export function runEach<Item, Outcome>(
  session: Session,
  items: readonly Item[],
  { atomic, pointer, run, refused }: EachItem<Item, Outcome>,
): Promise<Outcome[]> {
  return session.db.transaction(async (db) => {
    const outcomes: Outcome[] = []
    for (const [index, item] of items.entries()) {
      try {
        outcomes.push(await db.transaction((tx) => run({ ...session, db: tx }, item, index)))
      } catch (caught) {
        if (!(caught instanceof ApiError)) throw caught
        const error = pointedAt(caught, pointer(index))
        if (atomic) throw new ApiError(error.code, error.detail, { ...error.extra, failed_index: index })
        outcomes.push(refused(error, item, index))
      }
    }
    return outcomes
  })
}

/** Runs the ops of a batch; see runEach. */
export function runBatch<Op extends { readonly id?: string }, Body>(
  session: Session,
  { atomic = true, ops }: { readonly atomic?: boolean; readonly ops: readonly Op[] },
  run: (session: Session, op: Op) => Promise<Done<Body>>,
): Promise<OpOutcome<Body>[]> {
  return runEach<Op, OpOutcome<Body>>(session, ops, {
    atomic,
    pointer: (index) => `/ops/${index}/data`,
    run: async (inside, op, index) => ({ index, ...(await run(inside, op)) }),
    refused: (error, op, index) => ({ index, status: error.status, id: op.id ?? null, body: error }),
  })
}

/** The precondition of an op's `if_revision`. */
export function atRevision(revision: number | undefined): Precondition {
  return revision === undefined ? null : [revision]
}

/** An outcome as it is sent. `requestId` ties a problem to the log. */
export function sentOutcome<Body>({ body, ...outcome }: OpOutcome<Body>, requestId: string) {
  return { ...outcome, body: body instanceof ApiError ? errorBody(body, requestId) : body }
}

/** The error with its pointers leading into a part of the body, e.g. `/items/3`. */
export function pointedAt(refusal: ApiError, part: string): ApiError {
  const { errors, ...extra } = refusal.extra
  if (!Array.isArray(errors)) return refusal
  const moved = (errors as Fault[]).map((fault) => ({ ...fault, pointer: part + fault.pointer }))
  return new ApiError(refusal.code, refusal.detail, { ...extra, errors: moved }, refusal.headers)
}
