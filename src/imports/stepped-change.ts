import type { Session } from '../db/database'
import { ifMatch, type Precondition } from '../http/conditional'
import type { Outcome } from '../http/idempotency'
import type { WorkKind } from './kind'
import { MAX_ROWS_INLINE } from './run-work'
import type { ImportReport } from './schema'
import type { Imports } from './service'

/** A change of one resource that reaches others, as many as a workspace holds. */
export interface SteppedChange<Params, Body, At = null> {
  /** Names it in `/api/imports`. */
  readonly name: string
  /**
   * Changes about `limit` of the others. Null: none is left. Each step must leave what a reader may see, since the run
   * may be cancelled behind it; the request that began it, sent again, then does the rest.
   * @param at what the step before answered; null at first
   */
  step(session: Session, params: Params, limit: number, at: At | null): Promise<ChangedStep<At> | null>
  /** The last step, once none is left: what the request is answered with. */
  end(session: Session, params: Params): Promise<Outcome<Body>>
}

interface ChangedStep<At> {
  readonly changed: number
  /** JSON: where the next step goes on, if the rows themselves do not show it. */
  readonly cursor: At | null
}

interface Progress<Body, At> {
  readonly at: At | null
  readonly done: number
  readonly outcome: Outcome<Body> | null
}

/** The steps of it. */
export function toWorkKind<Params, Body, At>(
  change: SteppedChange<Params, Body, At>,
): WorkKind<Params, Progress<Body, At>, Body> {
  const outcomeOf = ({ outcome }: Progress<Body, At>) => {
    if (!outcome) throw new Error(`${change.name} has not come to its end`)
    return outcome
  }
  return {
    name: change.name,
    async step(session, params, from, size) {
      const { at, done } = from ?? { at: null, done: 0 }
      const some = await change.step(session, params, size, at)
      const state = some
        ? { at: some.cursor, done: done + some.changed, outcome: null }
        : { at, done, outcome: await change.end(session, params) }
      return { state, done: state.done, total: null, more: some !== null }
    },
    result: (state) => outcomeOf(state).body,
    responseHead: (state) => outcomeOf(state),
  }
}

/** All of it within the transaction of `session`, where that is not too much. */
export async function runStepsInline<Params, Body, At>(
  { step: some, end }: SteppedChange<Params, Body, At>,
  session: Session,
  params: Params,
): Promise<Outcome<Body>> {
  let at: At | null = null
  for (let more = true; more; ) {
    const changed: ChangedStep<At> | null = await some(session, params, MAX_ROWS_INLINE, at)
    more = changed !== null
    at = changed?.cursor ?? null
  }
  return end(session, params)
}

/** A long change that requests can make. */
export interface RequestedChange<Params, Body, At = null> extends SteppedChange<Params, Body, At> {
  /**
   * Checks the request, and does what must come first, in the transaction of the request.
   * @returns whether the rest is too much for that transaction
   * @throws ApiError precondition_failed, and whatever refuses it
   */
  begin(session: Session, params: Params, precondition: Precondition): Promise<boolean>
}

/** The change in one transaction, however much it is: for a request of many changes. */
export function runInline<Params, Body, At>(
  change: RequestedChange<Params, Body, At>,
  session: Session,
  params: Params,
  precondition: Precondition = null,
): Promise<Outcome<Body>> {
  return session.db.transaction(async (db) => {
    const within = { ...session, db }
    await change.begin(within, params, precondition)
    return runStepsInline(change, within, params)
  })
}

/** The change of a request: at once, or in steps where it is much. */
export type ChangeRunner<Params, Body> = <Answer extends Body = Body>(
  request: Request,
  session: Session,
  params: Params,
  /** Of the request. */
  body?: unknown,
) => Promise<Outcome<Answer | ImportReport>>

/** Makes the kind of the change known. */
export function createChangeRunner<Params, Body, At>(
  change: RequestedChange<Params, Body, At>,
  { registerWork, work }: Pick<Imports, 'registerWork' | 'work'>,
): ChangeRunner<Params, Body> {
  registerWork(toWorkKind(change))
  return <Answer extends Body = Body>(request: Request, session: Session, params: Params, body: unknown = null) =>
    work<Answer>(request, session, {
      kind: change.name,
      body,
      async begin(within) {
        if (await change.begin(within, params, ifMatch(request))) return { params }
        // Only the caller knows which of its answers a change gives.
        return (await runStepsInline(change, within, params)) as Outcome<Answer>
      },
    })
}

/** The answer to a request that leaves nothing to return. */
export const NO_CONTENT: Outcome<undefined> = { status: 204, headers: {}, body: undefined }

/** What the trash needs of a change that erases; see Trash. */
export function toEraseMethods<Params, At>(
  change: RequestedChange<Params, unknown, At>,
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
