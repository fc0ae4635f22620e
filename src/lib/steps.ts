/** Work that lets other requests run in between: a generator that yields after each step. */
export type Steps<Result> = Generator<undefined, Result>

/** Runs the steps with a turn of the event loop between any two. */
export async function runInTurns<Result>(work: Steps<Result>): Promise<Result> {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    await yieldTurn()
  }
}

/** Lets other requests run. Not the one of Node, since the app loads this file. */
export const yieldTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Calls `call` after `ms` milliseconds, unless the returned function is called first. */
export type Timer = (ms: number, call: () => void) => () => void

export const startTimer: Timer = (ms, call) => {
  const timer = setTimeout(call, ms)
  return () => clearTimeout(timer)
}
