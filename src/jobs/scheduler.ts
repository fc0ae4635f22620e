import type { Context } from '../db/database'

const TICK_MS = 60_000

export interface Job {
  readonly name: string
  /** The time from the beginning of one run to that of the next, in milliseconds; rounded up to whole minutes. */
  readonly every_ms: number
  /** Does a bounded amount of work. If `signal` is aborted it ends early, and leaves the rest to its next run. */
  readonly run: (signal: AbortSignal) => Promise<unknown>
}

export interface SchedulerDeps extends Pick<Context, 'now'> {
  readonly log: { error(fields: object, message: string): void }
  readonly jobs: readonly Job[]
}

/**
 * Runs jobs in the background, one at a time. Each is due at the first tick, and again `every_ms` after it began. A job
 * that fails is logged and runs again at the next tick.
 */
export function createScheduler({ now, log, jobs }: SchedulerDeps) {
  /** The start of the last successful run of each job, in milliseconds since 1970. */
  const lastRuns = new Map(jobs.map((job) => [job, Number.NEGATIVE_INFINITY]))
  const stopping = new AbortController()
  let timer: ReturnType<typeof setInterval> | null = null
  let running: Promise<void> | null = null

  async function runJob(job: Job): Promise<void> {
    const at = now()
    try {
      await job.run(stopping.signal)
      lastRuns.set(job, at)
    } catch (error) {
      log.error({ job: job.name, err: error }, 'a job failed')
    }
  }

  async function runDue(): Promise<void> {
    for (const [job, at] of lastRuns) {
      // The clock may have been ahead at the last run: a job must not wait until that time comes again.
      const isDue = at > now() || at + job.every_ms <= now()
      if (isDue && !stopping.signal.aborted) await runJob(job)
    }
  }

  /** Runs the jobs that are due. If that is happening already, returns its promise. */
  function tick(): Promise<void> {
    running ??= runDue().finally(() => {
      running = null
    })
    return running
  }

  return {
    tick,

    /** Starts a timer that ticks each minute. It does not keep the process alive. */
    start(): void {
      timer ??= setInterval(tick, TICK_MS)
      timer.unref()
    },

    /** Stops the timer, aborts the present tick, and waits for its end. */
    async stop(): Promise<void> {
      if (timer) clearInterval(timer)
      stopping.abort()
      await running
    },
  }
}
