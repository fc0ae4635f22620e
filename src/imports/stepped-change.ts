import type { Session } from '../db/database'
import { ifMatch, type Outcome, type Precondition } from '../http/responses'
import type { WorkKind } from './kind'
import { MAX_ROWS_INLINE } from './run-work'
import type { ImportReport } from './schema'
import type { Imports } from './service'

/**
 * A change of one resource that also changes an unbounded number of others, such as deleting a project. Up to about
 * MAX_ROWS_INLINE rows are changed in the transaction of the request; more are changed by a run, which `/api/imports`
 * lists.
 */
export interface SteppedChange<Params, Body, Cursor = null> {
  /** The `kind` of its runs in `/api/imports`. */
  readonly name: string
  /**
   * Changes about `limit` of the other resources; null once none is left. Each step must leave a consistent state: the
   * run may be cancelled after it, and the same request, sent again, then does the rest.
   * @param cursor the cursor that the previous step returned; null in the first step
   */
  step(session: Session, params: Params, limit: number, cursor: Cursor | null): Promise<ChangedStep<Cursor> | null>
  /** Does the last step, once no other resource is left. Returns the response of the request. */
  end(session: Session, params: Params): Promise<Outcome<Body>>
}

interface ChangedStep<Cursor> {
  readonly changed: number
  /** JSON: where the next step starts, if the rows themselves do not show it. */
  readonly cursor: Cursor | null
}

/** The state of a run. It is stored as JSON, so the names of its members must not change. */
interface Progress<Body, Cursor> {
  readonly at: Cursor | null
  readonly done: number
  readonly outcome: Outcome<Body> | null
}

export function toWorkKind<Params, Body, Cursor>(
  change: SteppedChange<Params, Body, Cursor>,
): WorkKind<Params, Progress<Body, Cursor>, Body> {
  const outcomeOf = ({ outcome }: Progress<Body, Cursor>) => {
    if (!outcome) throw new Error(`${change.name} has not ended`)
    return outcome
  }
  return {
    name: change.name,
    async step(session, params, from, size) {
      const { at, done } = from ?? { at: null, done: 0 }
      const changed = await change.step(session, params, size, at)
      const state = changed
        ? { at: changed.cursor, done: done + changed.changed, outcome: null }
        : { at, done, outcome: await change.end(session, params) }
      return { state, done: state.done, total: null, more: changed !== null }
    },
    result: (state) => outcomeOf(state).body,
    responseHead: (state) => outcomeOf(state),
  }
}

/** Does all steps of a change in the transaction of `session`. The caller decides that this is short enough. */
export async function runStepsInline<Params, Body, Cursor>(
  change: SteppedChange<Params, Body, Cursor>,
  session: Session,
  params: Params,
): Promise<Outcome<Body>> {
  let changed: ChangedStep<Cursor> | null = null
  do changed = await change.step(session, params, MAX_ROWS_INLINE, changed?.cursor ?? null)
  while (changed)
  return change.end(session, params)
}

export interface RequestedChange<Params, Body, Cursor = null> extends SteppedChange<Params, Body, Cursor> {
  /**
   * Checks the request and does what must come first, in the transaction of the request.
   * @returns whether the rest is too much for that transaction
   * @throws ApiError precondition_failed, and any error that refuses the request
   */
  begin(session: Session, params: Params, precondition: Precondition): Promise<boolean>
}

/** Does the whole change in one transaction, however large it is: for a batch, which is one transaction itself. */
export function runInline<Params, Body, Cursor>(
  change: RequestedChange<Params, Body, Cursor>,
  session: Session,
  params: Params,
  precondition: Precondition = null,
): Promise<Outcome<Body>> {
  return session.db.transaction(async (db) => {
    const tx = { ...session, db }
    await change.begin(tx, params, precondition)
    return runStepsInline(change, tx, params)
  })
}

/** Does a change for a request: in its transaction, or by a run if it is large. `body` is that of the request. */
export type ChangeRunner<Params, Body> = <Answer extends Body = Body>(
  request: Request,
  session: Session,
  params: Params,
  body?: unknown,
) => Promise<Outcome<Answer | ImportReport>>

export function createChangeRunner<Params, Body, Cursor>(
  change: RequestedChange<Params, Body, Cursor>,
  { registerWork, work }: Pick<Imports, 'registerWork' | 'work'>,
): ChangeRunner<Params, Body> {
  registerWork(toWorkKind(change))
  return <Answer extends Body = Body>(request: Request, session: Session, params: Params, body: unknown = null) =>
    work<Answer>(request, session, {
      kind: change.name,
      body,
      async begin(tx) {
        if (await change.begin(tx, params, ifMatch(request))) return { params }
        // Only the caller knows which of the change's bodies its parameters lead to.
        return (await runStepsInline(change, tx, params)) as Outcome<Answer>
      },
    })
}

export const NO_CONTENT: Outcome<undefined> = { status: 204, headers: {}, body: undefined }

export function toEraseMethods<Params, Cursor>(
  change: RequestedChange<Params, unknown, Cursor>,
  paramsOf: (id: string) => Params,
) {
  return {
    async erase(session: Session, id: string): Promise<void> {
      await runInline(change, session, paramsOf(id))
    },
    eraseContents: async (session: Session, id: string, limit: number): Promise<boolean> =>
      (await change.step(session, paramsOf(id), limit, null)) !== null,
  }
}
