import type { Database, Queries } from '../db/database'
import type { WorkKind } from './kind'
import { nextSize } from './step-size'
import type { Run, RunMove } from './store'

/** How large the first step is, and any at most. */
const SIZE = { first: 4, most: 1000 }

interface Deps {
  readonly kind: WorkKind
  readonly db: Database
  /** Milliseconds that never go back. */
  readonly ticks: () => number
  /** Moves the run's row; `tx` is the step's transaction. @throws RunGone */
  readonly move: (tx: Queries, move: RunMove) => Promise<Run>
  /** Asked between steps: ends the work with the signal's reason. */
  readonly signal: AbortSignal
}

/** Does all of a work from where its run is, a step at a time, with others in between. @throws what ends a run */
export async function takeWork(begun: Run, { kind, db, ticks, move, signal }: Deps): Promise<void> {
  let size = SIZE.first
  let { work: state } = begun
  for (let more = true; more; ) {
    await new Promise<void>((resolve) => setImmediate(resolve))
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
    size = nextSize(size, took, SIZE.most)
  }
}
