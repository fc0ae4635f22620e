import { setImmediate } from 'node:timers/promises'
import { type Context, ownersOf, type Queries, type Session } from '../db/database'
import type { WorkKind } from './kind'
import { nextStepSize } from './run-passes'
import type { Run, RunUpdate } from './store'

/** About this many rows are changed in the transaction of a request; more are changed by a run, in steps. */
export const MAX_ROWS_INLINE = 200
/** The size of the first step of a run, and the largest size of any. */
const STEP_SIZE = { first: 4, max: 1000 }
/** The size of the steps that are done in one transaction. */
const INLINE_STEP_SIZE = 50

interface Deps extends Pick<Context, 'db' | 'ticks'> {
  readonly kind: WorkKind
  /** Updates the run's row; `tx` is the step's transaction. @throws RunGone */
  readonly update: (tx: Queries, changes: RunUpdate) => Promise<Run>
  /** Checked between steps: if it is aborted, the work ends with its reason. */
  readonly signal: AbortSignal
}

/** Other requests are served between the steps. @throws the error that ends the run */
export async function runWork(begun: Run, { kind, db, ticks, update, signal }: Deps): Promise<void> {
  const owned = db.ownedBy(...ownersOf(begun.workspace))
  let size = STEP_SIZE.first
  let { work: state } = begun
  for (let more = true; more; ) {
    await setImmediate()
    signal.throwIfAborted()
    let tookMs = 0
    const step = await owned.transaction(async (tx) => {
      const began = ticks()
      const done = await kind.step({ workspace: begun.workspace, db: tx }, begun.params, state, size)
      await update(tx, { state: 'running', work: done.state, done: done.done, total: done.total })
      tookMs = ticks() - began
      return done
    })
    state = step.state
    more = step.more
    size = step.startsSmall ? STEP_SIZE.first : nextStepSize(size, tookMs, STEP_SIZE.max)
  }
}

/** Cleans up after work that failed or was cancelled; see WorkKind.abandon. */
export async function abandonWork(
  { workspace, params }: Run,
  { kind, db, ticks }: Pick<Deps, 'kind' | 'db' | 'ticks'>,
): Promise<void> {
  let size = STEP_SIZE.first
  for (let more = kind.abandon !== undefined; more; ) {
    await setImmediate()
    let tookMs = 0
    more = await db.ownedBy(...ownersOf(workspace)).transaction(async (tx) => {
      const began = ticks()
      const hasMore = await kind.abandon?.({ workspace, db: tx }, params, size)
      tookMs = ticks() - began
      return hasMore ?? false
    })
    size = nextStepSize(size, tookMs, STEP_SIZE.max)
  }
}

/** All in the transaction `session.db`: for few resources, or all or nothing. @returns the state after the last step */
export async function runWorkInline<Params, State>(
  kind: Pick<WorkKind<Params, State>, 'step'>,
  session: Session,
  params: Params,
  begun: State | null = null,
): Promise<State> {
  for (let state = begun; ; ) {
    const done = await kind.step(session, params, state, INLINE_STEP_SIZE)
    if (!done.more) return done.state
    state = done.state
    // No other writer can join the transaction, but readers use another connection and must not wait for seconds.
    await setImmediate()
  }
}
