import type { Session } from '../db/database'
import type { Outcome } from '../http/idempotency'
import type { WorkKind } from './kind'

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
  /** JSON: where the next step goes on, if the rows themselves do not tell. */
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
