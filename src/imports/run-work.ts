import { setImmediate } from 'node:timers/promises'
import type { Context } from '../db/context'
import type { Queries, Session } from '../db/database'
import type { WorkKind } from './kind'
import { nextStepSize } from './run-passes'
import type { Run, RunUpdate } from './store'

/** About this many rows are changed within the transaction of a request; more are changed by a run, in steps. */
export const MAX_ROWS_INLINE = 200
/** How large the first step is, and any at most. */
const SIZE = { first: 4, most: 1000 }
/** How large the steps within one transaction are. */
const STEP_AT_ONCE = 50

interface Deps extends Pick<Context, 'db' | 'ticks'> {
  readonly kind: WorkKind
  /** Moves the run's row; `tx` is the step's transaction. @throws RunGone */
  readonly move: (tx: Queries, move: RunUpdate) => Promise<Run>
  /** Asked between steps: ends the work with the signal's reason. */
  readonly signal: AbortSignal
}

/** Does all of the work from where its run is, a step at a time, with others in between. @throws what ends a run */
export async function runWork(begun: Run, { kind, db, ticks, move, signal }: Deps): Promise<void> {
  let size = SIZE.first
  let { work: state } = begun
  for (let more = true; more; ) {
    await setImmediate()
    signal.throwIfAborted()
    let took = 0
    const step = await db.transaction(async (tx) => {
      const began = ticks()
      const done = await kind.step({ workspace: begun.workspace, db: tx }, begun.params, state, size)
      await move(tx, { state: 'running', work: done.state, done: done.done, total: done.total })
      took = ticks() - began
      return done
    })
    state = step.state
    more = step.more
    size = step.startsSmall ? SIZE.first : nextStepSize(size, took, SIZE.most)
  }
}

/** Tidies up after work that has ended without being done. */
export async function abandonWork(
  { workspace, params }: Run,
  { kind, db, ticks }: Pick<Deps, 'kind' | 'db' | 'ticks'>,
): Promise<void> {
  let size = SIZE.first
  for (let more = kind.abandon !== undefined; more; ) {
    await setImmediate()
    let took = 0
    more = await db.transaction(async (tx) => {
      const began = ticks()
      const isMore = await kind.abandon?.({ workspace, db: tx }, params, size)
      took = ticks() - began
      return isMore ?? false
    })
    size = nextStepSize(size, took, SIZE.most)
  }
}

/**
 * Does all of a work within the transaction `session.db`: for few resources, or where all or nothing must be done.
 * @returns what its last step gave
 */
export async function runWorkInline<Params, State>(
  kind: Pick<WorkKind<Params, State>, 'step'>,
  session: Session,
  params: Params,
  begun: State | null = null,
): Promise<State> {
  for (let state = begun; ; ) {
    const done = await kind.step(session, params, state, STEP_AT_ONCE)
    if (!done.more) return done.state
    state = done.state
    // The transaction is ours alone; readers have a connection of their own and must not wait for seconds.
    await setImmediate()
  }
}
