import { readFileSync } from 'node:fs'
import { TextCache } from './text-cache.ts'
import type { RenderReady, RenderReply, RenderRequest } from './render-worker.ts'

/** Linux counts the time of a thread in hundredths of a second (proc_pid_stat(5); USER_HZ is 100 wherever Bun runs). */
const CLOCK_STEP_MS = 10

/**
 * Milliseconds of a processor that a thread of this process has used so far; infinite once it has ended. It can be asked
 * while the thread is busy and answers nothing. For Linux only.
 * @param thread its number in `/proc/self/task`
 */
function readProcessorMs(thread: string): number {
  let stat: string
  try {
    stat = readFileSync(`/proc/self/task/${thread}/stat`, 'latin1')
  } catch {
    return Number.POSITIVE_INFINITY
  }
  // The name, in brackets, may hold anything; the 14th and 15th fields are the times in user mode and in the kernel.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * CLOCK_STEP_MS
}

export interface HtmlRenderer {
  /**
   * A body as a fragment of HTML, in which nothing can act; the escaped source in `<pre data-fallback="too_complex">`
   * when rendering takes too long, overflows the stack or fails. Never rejects. HTML is kept and given again without
   * rendering, 16 MiB in all; a fallback is not kept.
   * @param targets the note ids that the body's links lead to, by their target as written (trimmed, without heading or
   * alias; empty for a heading of the note itself). A target that is missing is unresolved.
   * @param caller who is waiting; callers take turns, so each waits for at most one body of every other caller
   * @param keepAs names the body, its targets and the workspace they belong to; without it nothing is kept
   */
  render(markdown: string, targets: ReadonlyMap<string, string>, caller?: string, keepAs?: string): Promise<string>
  /** Ends the worker; what is not rendered by then gets its fallback. */
  close(): Promise<void>
}

interface Options {
  /** Processor time that one body may take, in milliseconds: `base`, and `perMiB` more for each MiB (2^20 characters). */
  readonly limitMs: { readonly base: number; readonly perMiB: number }
  readonly log?: { warn(fields: { readonly reason: string }, message: string): void }
}

interface Job extends RenderRequest {
  readonly keepAs: string | undefined
  readonly done: (html: string) => void
}

/** What one caller waits for. */
interface CallerQueue {
  readonly jobs: Job[]
  /** When the caller was served last; 0 for never. */
  served: number
}

/** A worker that is not ready by then counts as crashed, in milliseconds of the clock. */
const START_TIMEOUT_MS = 20_000
/**
 * A worker that has not answered by then hangs, in milliseconds of the clock: far above any limit of processor time, so
 * that a busy machine does not end what waits for a processor, and below the 30 s after which a connection is closed.
 */
const HANG_TIMEOUT_MS = 25_000
/** How much HTML is kept, for all callers together. */
const MAX_CACHE_BYTES = 16 * 2 ** 20

/**
 * Renders in one worker, started by the first body; it does not keep the process alive once nothing waits. A compiled
 * executable finds worker.ts when that is an entry point beside main.ts, with names flattened:
 * `bun build --compile --entry-naming='[name].[ext]' src/main.ts src/notes/html/worker.ts`.
 */
export function createHtmlRenderer(options: Options): HtmlRenderer {
  return new WorkerRenderer(options)
}

function toFallback(markdown: string): string {
  return `<pre data-fallback="too_complex">${Bun.escapeHTML(markdown)}</pre>`
}

class WorkerRenderer implements HtmlRenderer {
  /** By caller, who first came first; a line stays while its last job runs. */
  private readonly queues = new Map<string, CallerQueue>()
  private turn = 0
  private readonly cache = new TextCache(MAX_CACHE_BYTES)
  private worker: Worker | null = null
  /** Set once the worker is ready. */
  private thread: RenderReady | null = null
  private running: Job | null = null
  private timer: Timer | undefined
  private hanging: Timer | undefined
  private closed = false

  constructor(private readonly options: Options) {}

  render(markdown: string, targets: ReadonlyMap<string, string>, caller = '', keepAs?: string): Promise<string> {
    const kept = keepAs === undefined ? undefined : this.cache.get(keepAs)
    if (kept !== undefined) return Promise.resolve(kept)
    if (this.closed) return Promise.resolve(toFallback(markdown))
    return new Promise((done) => {
      const line = this.queues.get(caller) ?? { jobs: [], served: 0 }
      this.queues.set(caller, line)
      line.jobs.push({ markdown, targets, keepAs, done })
      this.startNextJob()
    })
  }

  async close(): Promise<void> {
    this.closed = true
    const jobs = [...this.queues.values()].flatMap((line) => line.jobs)
    this.queues.clear()
    this.abandonWorker()
    for (const { markdown, done } of jobs) done(toFallback(markdown))
  }

  private startNextJob(): void {
    if (this.running) return
    const job = this.takeJob()
    if (!job) return
    this.running = job
    this.worker ??= this.startWorker()
    if (this.thread) this.send(this.worker, job, this.thread)
    else this.timer = setTimeout(() => this.fail(`not ready within ${START_TIMEOUT_MS} ms`), START_TIMEOUT_MS)
  }

  /** The first job of the caller who was served longest ago. */
  private takeJob(): Job | undefined {
    let next: CallerQueue | undefined
    for (const [caller, line] of this.queues) {
      if (line.jobs.length === 0) this.queues.delete(caller)
      else if (!next || line.served < next.served) next = line
    }
    if (next) next.served = this.turn += 1
    return next?.jobs.shift()
  }

  private startWorker(): Worker {
    const worker = new Worker(new URL('./render-worker.ts', import.meta.url), { ref: false })
    worker.addEventListener('message', ({ data }: MessageEvent<RenderReady | RenderReply>) => {
      if (worker === this.worker) this.receive(worker, data)
    })
    worker.addEventListener('error', (event) => {
      event.preventDefault()
      if (worker === this.worker) this.fail(event.message)
    })
    return worker
  }

  private send(worker: Worker, { markdown, targets }: Job, { thread }: RenderReady): void {
    const { base, perMiB } = this.options.limitMs
    clearTimeout(this.timer)
    this.hanging = setTimeout(() => this.fail(`hung for ${HANG_TIMEOUT_MS} ms`), HANG_TIMEOUT_MS)
    this.limitProcessorTime(Math.round(base + (perMiB * markdown.length) / 2 ** 20), thread)
    worker.postMessage({ markdown, targets } satisfies RenderRequest)
  }

  /** Fails the running job once the thread has used so much of a processor; without a number of it, by the clock. */
  private limitProcessorTime(ms: number, thread: string | null): void {
    const fail = () => this.fail(`no answer within ${ms} ms`)
    if (thread === null) {
      this.timer = setTimeout(fail, ms)
      return
    }
    const end = readProcessorMs(thread) + ms
    const look = () => {
      const left = end - readProcessorMs(thread)
      // A thread cannot use more of a processor than time goes by.
      if (left > 0) this.timer = setTimeout(look, Math.max(left, CLOCK_STEP_MS))
      else fail()
    }
    this.timer = setTimeout(look, ms)
  }

  private receive(worker: Worker, message: RenderReady | RenderReply): void {
    if ('html' in message) {
      this.finishJob(message.html)
      return
    }
    this.thread = message
    if (this.running) this.send(worker, this.running, message)
  }

  private fail(reason: string): void {
    this.options.log?.warn({ reason }, 'The worker that renders HTML was replaced')
    this.abandonWorker()
  }

  /** Gives up the worker, whatever it does, and what it does. */
  private abandonWorker(): void {
    this.worker?.terminate()
    this.worker = null
    this.thread = null
    this.finishJob(null)
  }

  private finishJob(html: string | null): void {
    clearTimeout(this.timer)
    clearTimeout(this.hanging)
    const job = this.running
    this.running = null
    if (html !== null && job?.keepAs !== undefined) this.cache.set(job.keepAs, html)
    job?.done(html ?? toFallback(job.markdown))
    if (!this.closed) this.startNextJob()
  }
}
