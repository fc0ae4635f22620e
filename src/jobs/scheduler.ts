/** How often the scheduler looks for what is due, in milliseconds. */
const TURN_MS = 60_000

/** Something to be done again and again. */
export interface Job {
  readonly name: string
  /** From the beginning of one run to the next, in milliseconds; in effect whole turns of a minute. */
  readonly every_ms: number
  /** Does a bounded amount of work. It ends early, and leaves the rest to its next run, when `signal` is aborted. */
  readonly run: (signal: AbortSignal) => Promise<unknown>
}

export interface SchedulerDeps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly log: { error(fields: object, message: string): void }
  readonly jobs: readonly Job[]
}

/**
 * Runs jobs beside the requests, one at a time. Each is due at the first turn, and again `every_ms` after it began. One
 * that fails is logged and tried again at the next turn.
 */
export function createScheduler({ now, log, jobs }: SchedulerDeps) {
  /** When each began last without failing, in milliseconds since 1970. */
  const began = new Map(jobs.map((job) => [job, Number.NEGATIVE_INFINITY]))
  const stopping = new AbortController()
  let timer: ReturnType<typeof setInterval> | null = null
  let turn: Promise<void> | null = null

  async function attempt(job: Job): Promise<void> {
    const at = now()
    try {
      await job.run(stopping.signal)
      began.set(job, at)
    } catch (error) {
      log.error({ job: job.name, err: error }, 'a job failed')
    }
  }

  async function runDue(): Promise<void> {
    for (const [job, at] of began) {
      // A time to come is one of a clock that was ahead: no job waits until it is there again.
      const isDue = at > now() || at + job.every_ms <= now()
      if (isDue && !stopping.signal.aborted) await attempt(job)
    }
  }

  /** Runs what is due, once. While a turn is under way, it is the answer. */
  function tick(): Promise<void> {
    turn ??= runDue().finally(() => {
      turn = null
    })
    return turn
  }

  return {
    tick,

    /** Takes a turn each minute. The timer alone keeps no process alive. */
    start(): void {
      timer ??= setInterval(tick, TURN_MS)
      timer.unref()
    },

    /** Ends for good: no turn begins any more, and the one under way has ended when this resolves. */
    async stop(): Promise<void> {
      if (timer) clearInterval(timer)
      stopping.abort()
      await turn
    },
  }
}
