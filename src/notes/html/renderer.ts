import { readFileSync } from 'node:fs'
import { TextCache } from './text-cache.ts'
import type { RenderReady, RenderReply, RenderRequest } from './worker.ts'

/** Linux counts the time of a thread in hundredths of a second (proc_pid_stat(5); USER_HZ is 100 wherever Bun runs). */
const CLOCK_STEP_MS = 10

/**
 * Milliseconds of a processor that a thread of this process has used so far; infinite once it has ended. It can be asked
 * while the thread is busy and answers nothing. For Linux only.
 * @param thread its number in `/proc/self/task`
 */
function processorMs(thread: string): number {
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
interface Line {
  readonly jobs: Job[]
  /** When the caller was served last; 0 for never. */
  served: number
}

/** A worker that is not ready by then counts as crashed, in milliseconds of the clock. */
const START_MS = 20_000
/**
 * A worker that has not answered by then hangs, in milliseconds of the clock: far above any limit of processor time, so
 * that a busy machine does not end what waits for a processor, and below the 30 s after which a connection is closed.
 */
const HANGING_MS = 25_000
/** How much HTML is kept, for all callers together. */
const KEPT_BYTES = 16 * 2 ** 20

/**
 * Renders in one worker, started by the first body; it does not keep the process alive once nothing waits. A compiled
 * executable finds worker.ts when that is an entry point beside main.ts, with names flattened:
 * `bun build --compile --entry-naming='[name].[ext]' src/main.ts src/notes/html/worker.ts`.
 */
export function createHtmlRenderer(options: Options): HtmlRenderer {
  return new WorkerRenderer(options)
}

function fallback(markdown: string): string {
  return `<pre data-fallback="too_complex">${Bun.escapeHTML(markdown)}</pre>`
}

class WorkerRenderer implements HtmlRenderer {
  /** By caller, who first came first; a line stays while its last job runs. */
  private readonly lines = new Map<string, Line>()
  private turn = 0
  private readonly kept = new TextCache(KEPT_BYTES)
  private worker: Worker | null = null
  /** Set once the worker is ready. */
  private thread: RenderReady | null = null
  private running: Job | null = null
  private timer: Timer | undefined
  private hanging: Timer | undefined
  private closed = false

  constructor(private readonly options: Options) {}

  render(markdown: string, targets: ReadonlyMap<string, string>, caller = '', keepAs?: string): Promise<string> {
    const kept = keepAs === undefined ? undefined : this.kept.get(keepAs)
    if (kept !== undefined) return Promise.resolve(kept)
    if (this.closed) return Promise.resolve(fallback(markdown))
    return new Promise((done) => {
      const line = this.lines.get(caller) ?? { jobs: [], served: 0 }
      this.lines.set(caller, line)
      line.jobs.push({ markdown, targets, keepAs, done })
      this.next()
    })
  }

  async close(): Promise<void> {
    this.closed = true
    const jobs = [...this.lines.values()].flatMap((line) => line.jobs)
    this.lines.clear()
    this.abandon()
    for (const { markdown, done } of jobs) done(fallback(markdown))
  }

  private next(): void {
    if (this.running) return
    const job = this.take()
    if (!job) return
    this.running = job
    this.worker ??= this.start()
    if (this.thread) this.send(this.worker, job, this.thread)
    else this.timer = setTimeout(() => this.fail(`not ready within ${START_MS} ms`), START_MS)
  }

  /** The first job of the caller who was served longest ago. */
  private take(): Job | undefined {
    let next: Line | undefined
    for (const [caller, line] of this.lines) {
      if (line.jobs.length === 0) this.lines.delete(caller)
      else if (!next || line.served < next.served) next = line
    }
    if (next) next.served = this.turn += 1
    return next?.jobs.shift()
  }

  private start(): Worker {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { ref: false })
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
    this.hanging = setTimeout(() => this.fail(`hung for ${HANGING_MS} ms`), HANGING_MS)
    this.limit(Math.round(base + (perMiB * markdown.length) / 2 ** 20), thread)
    worker.postMessage({ markdown, targets } satisfies RenderRequest)
  }

  /** Fails the running job once the thread has used so much of a processor; without a number of it, by the clock. */
  private limit(ms: number, thread: string | null): void {
    const fail = () => this.fail(`no answer within ${ms} ms`)
    if (thread === null) {
      this.timer = setTimeout(fail, ms)
      return
    }
    const end = processorMs(thread) + ms
    const look = () => {
      const left = end - processorMs(thread)
      // A thread cannot use more of a processor than time goes by.
      if (left > 0) this.timer = setTimeout(look, Math.max(left, CLOCK_STEP_MS))
      else fail()
    }
    this.timer = setTimeout(look, ms)
  }

  private receive(worker: Worker, message: RenderReady | RenderReply): void {
    if ('html' in message) {
      this.settle(message.html)
      return
    }
    this.thread = message
    if (this.running) this.send(worker, this.running, message)
  }

  private fail(reason: string): void {
    this.options.log?.warn({ reason }, 'The worker that renders HTML was replaced')
    this.abandon()
  }

  /** Gives up the worker, whatever it does, and what it does. */
  private abandon(): void {
    this.worker?.terminate()
    this.worker = null
    this.thread = null
    this.settle(null)
  }

  private settle(html: string | null): void {
    clearTimeout(this.timer)
    clearTimeout(this.hanging)
    const job = this.running
    this.running = null
    if (html !== null && job?.keepAs !== undefined) this.kept.set(job.keepAs, html)
    job?.done(html ?? fallback(job.markdown))
    if (!this.closed) this.next()
  }
}
