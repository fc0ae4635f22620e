import type { Session } from '../db/database'
import { ifMatch, type Precondition } from '../http/conditional'
import type { Outcome } from '../http/idempotency'
import type { WorkKind } from './kind'
import type { ImportReport } from './schema'
import type { Imports } from './service'

/** Rows that the transaction of one request changes at most, about; what is more goes in steps. */
export const MOST_AT_ONCE = 200

/** A change of one resource that reaches others, as many as a workspace holds. */
export interface LongChange<Params, Body, At = null> {
  /** Names it in `/api/imports`. */
  readonly name: string
  /**
   * Changes about `limit` of the others. Null: none is left. Each step must leave what a reader may see, since the run
   * may be cancelled behind it; the request that began it, sent again, then does the rest.
   * @param at what the step before answered; null at first
   */
  some(session: Session, params: Params, limit: number, at: At | null): Promise<Changed<At> | null>
  /** The last step, once none is left: what the request is answered with. */
  end(session: Session, params: Params): Promise<Outcome<Body>>
}

interface Changed<At> {
  readonly changed: number
  /** JSON: where the next step goes on, if the rows themselves do not show it. */
  readonly at: At | null
}

interface Progress<Body, At> {
  readonly at: At | null
  readonly done: number
  readonly outcome: Outcome<Body> | null
}

/** The steps of it. */
export function inSteps<Params, Body, At>(
  change: LongChange<Params, Body, At>,
): WorkKind<Params, Progress<Body, At>, Body> {
  const outcomeOf = ({ outcome }: Progress<Body, At>) => {
    if (!outcome) throw new Error(`${change.name} has not come to its end`)
    return outcome
  }
  return {
    name: change.name,
    async step(session, params, from, size) {
      const { at, done } = from ?? { at: null, done: 0 }
      const some = await change.some(session, params, size, at)
      const state = some
        ? { at: some.at, done: done + some.changed, outcome: null }
        : { at, done, outcome: await change.end(session, params) }
      return { state, done: state.done, total: null, more: some !== null }
    },
    result: (state) => outcomeOf(state).body,
    head: (state) => outcomeOf(state),
  }
}

/** All of it within the transaction of `session`, where that is not too much. */
export async function atOnce<Params, Body, At>(
  { some, end }: LongChange<Params, Body, At>,
  session: Session,
  params: Params,
): Promise<Outcome<Body>> {
  let at: At | null = null
  for (let more = true; more; ) {
    const changed: Changed<At> | null = await some(session, params, MOST_AT_ONCE, at)
    more = changed !== null
    at = changed?.at ?? null
  }
  return end(session, params)
}

/** A long change that requests can make. */
export interface AskedChange<Params, Body, At = null> extends LongChange<Params, Body, At> {
  /**
   * Checks the request, and does what must come first, in the transaction of the request.
   * @returns whether the rest is too much for that transaction
   * @throws ApiError precondition_failed, and whatever refuses it
   */
  begin(session: Session, params: Params, precondition: Precondition): Promise<boolean>
}

/** The change in one transaction, however much it is: for a request of many changes. */
export function directly<Params, Body, At>(
  change: AskedChange<Params, Body, At>,
  session: Session,
  params: Params,
  precondition: Precondition = null,
): Promise<Outcome<Body>> {
  return session.db.transaction(async (db) => {
    const within = { ...session, db }
    await change.begin(within, params, precondition)
    return atOnce(change, within, params)
  })
}

/** The change of a request: at once, or in steps where it is much. */
export type Asked<Params, Body> = <Answer extends Body = Body>(
  request: Request,
  session: Session,
  params: Params,
  /** Of the request. */
  body?: unknown,
) => Promise<Outcome<Answer | ImportReport>>

/** Makes the kind of the change known. */
export function asked<Params, Body, At>(
  change: AskedChange<Params, Body, At>,
  { registerWork, work }: Pick<Imports, 'registerWork' | 'work'>,
): Asked<Params, Body> {
  registerWork(inSteps(change))
  return <Answer extends Body = Body>(request: Request, session: Session, params: Params, body: unknown = null) =>
    work<Answer>(request, session, {
      kind: change.name,
      body,
      async begin(within) {
        if (await change.begin(within, params, ifMatch(request))) return { params }
        // Only the caller knows which of its answers a change gives.
        return (await atOnce(change, within, params)) as Outcome<Answer>
      },
    })
}

/** The answer to a request that leaves nothing to return. */
export const GONE: Outcome<undefined> = { status: 204, headers: {}, body: undefined }

/** What the trash needs of a change that erases; see Trash. */
export function erasing<Params, At>(change: AskedChange<Params, unknown, At>, paramsOf: (id: string) => Params) {
  return {
    async erase(session: Session, id: string): Promise<void> {
      await directly(change, session, paramsOf(id))
    },
    eraseAhead: async (session: Session, id: string, limit: number): Promise<boolean> =>
      (await change.some(session, paramsOf(id), limit, null)) !== null,
  }
}
