import type { Session } from '../db/database'
import { ApiError, errorBody, type Fault } from './api-error'
import type { Precondition } from './responses'

export const MAX_OPS = 100

/** The outcome of one operation: a resource, null if the response has no body, or an error. */
export interface OpOutcome<Body> {
  readonly index: number
  readonly status: number
  readonly id: string | null
  readonly body: Body | ApiError | null
  /** Present if the resource was already as the operation would make it, so that its revision is not of this operation. */
  readonly unchanged?: true
}

export type OpResult<Body> = Omit<OpOutcome<Body>, 'index'>

interface EachItem<Item, Outcome> {
  readonly atomic: boolean
  /** Returns the pointer to an item in the body, e.g. `/items/3`; the pointers of its errors begin with it. */
  readonly pointer: (index: number) => string
  readonly run: (session: Session, item: Item, index: number) => Promise<Outcome>
  readonly refused: (error: ApiError, item: Item, index: number) => Outcome
}

/**
 * Runs items in order, in one transaction. If `atomic`, the first error is thrown with `failed_index` and everything is
 * rolled back; otherwise a failed item is rolled back alone, and its error is its outcome. It is one transaction in
 * both cases, so that there is one wait for the disk, and the outcome under the Idempotency-Key is committed together
 * with the changes.
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
        const error = prefixPointers(caught, pointer(index))
        if (atomic) throw new ApiError(error.code, error.detail, { ...error.extra, failed_index: index })
        outcomes.push(refused(error, item, index))
      }
    }
    return outcomes
  })
}

/** See runEach. @param revisionOf returns the present revision of a resource, null if there is none */
export function runBatch<Op extends { readonly id?: string }, Body extends { readonly revision: number }>(
  session: Session,
  { atomic = true, ops }: { readonly atomic?: boolean; readonly ops: readonly Op[] },
  run: (session: Session, op: Op) => Promise<OpResult<Body>>,
  revisionOf: (session: Session, id: string) => Promise<number | null>,
): Promise<OpOutcome<Body>[]> {
  return runEach<Op, OpOutcome<Body>>(session, ops, {
    atomic,
    pointer: (index) => `/ops/${index}/data`,
    run: async (inside, op, index) => {
      const before = op.id === undefined ? null : await revisionOf(inside, op.id)
      const result = await run(inside, op)
      const { body } = result
      const isUnchanged = before !== null && body !== null && !(body instanceof ApiError) && body.revision === before
      return { index, ...result, ...(isUnchanged && { unchanged: true }) }
    },
    refused: (error, op, index) => ({ index, status: error.status, id: op.id ?? null, body: error }),
  })
}

export function atRevision(revision: number | undefined): Precondition {
  return revision === undefined ? null : [revision]
}

/** Makes the outcome of an operation in the response. @param requestId shown in its error */
export function toOutcomeBody<Body>({ body, ...outcome }: OpOutcome<Body>, requestId: string) {
  return { ...outcome, body: body instanceof ApiError ? errorBody(body, requestId) : body }
}

/** Prefixes the pointers of an error with that of a part of the body, e.g. `/items/3`. */
export function prefixPointers(error: ApiError, part: string): ApiError {
  const { errors, ...extra } = error.extra
  if (!Array.isArray(errors)) return error
  const prefixed = (errors as Fault[]).map((fault) => ({ ...fault, pointer: part + fault.pointer }))
  return new ApiError(error.code, error.detail, { ...extra, errors: prefixed }, error.headers)
}
