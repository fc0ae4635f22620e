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

interface Wait {
  readonly call: () => void
}

/** Milliseconds within which waits of one length begin that share a timer: a call comes that much late at most. */
export const SHARED_MS = 100
/** The waits of each length that began within SHARED_MS. */
const begun = new Map<number, Set<Wait>>()

/** For time limits, most of which are cancelled: a timer for each took 3 µs of a request. None keeps the process alive. */
export const startTimer: Timer = (ms, call) => {
  const waits = begun.getOrInsertComputed(ms, shareTimer)
  const wait = { call }
  waits.add(wait)
  return () => waits.delete(wait)
}

function shareTimer(ms: number): Set<Wait> {
  const waits = new Set<Wait>()
  const callAll = () => {
    for (const { call } of waits) call()
  }
  const begin = () => {
    begun.delete(ms)
    if (waits.size > 0) setTimeout(callAll, ms).unref()
  }
  setTimeout(begin, SHARED_MS).unref()
  return waits
}

/** A map of at most `most` entries. A full one is emptied: cheaper than to keep track of the least recent use. */
export class Cache<Key, Value> extends Map<Key, Value> {
  readonly #most: number

  constructor(most: number) {
    super()
    this.#most = most
  }

  override set(key: Key, value: Value): this {
    if (this.size >= this.#most && !this.has(key)) this.clear()
    return super.set(key, value)
  }

  /** Keeps a value, and returns it. */
  keep(key: Key, value: Value): Value {
    this.set(key, value)
    return value
  }
}

/** Limits how much work of one kind runs at the same time. */
export function createSlots(count: number) {
  const line: (() => void)[] = []
  let taken = 0
  return {
    isFree: () => taken < count,
    /** Does work in a slot; it waits for one, in the order of the calls. */
    async *use<T>(work: () => AsyncIterable<T>): AsyncGenerator<T> {
      if (taken < count) taken += 1
      else await new Promise<void>((resolve) => line.push(resolve))
      try {
        yield* work()
      } finally {
        const next = line.shift()
        // It takes the place of this one.
        if (next) next()
        else taken -= 1
      }
    },
  }
}
