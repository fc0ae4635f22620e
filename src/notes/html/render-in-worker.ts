import { readFileSync } from 'node:fs'
import type { ShownPictures } from './render.ts'
import type { RenderReady, RenderReply, RenderRequest } from './render-worker.ts'
import { TextCache } from './text-cache.ts'

/**
 * Linux counts the CPU time of a thread in hundredths of a second (proc_pid_stat(5); USER_HZ is 100 wherever Bun runs).
 */
const CLOCK_STEP_MS = 10

/**
 * Returns the CPU time that a thread of this process has used so far, in milliseconds; Infinity once it has ended.
 * Works also while the thread is too busy to reply. Linux only.
 * @param thread its number in `/proc/self/task`
 */
function readCpuMs(thread: string): number {
  let stat: string
  try {
    stat = readFileSync(`/proc/self/task/${thread}/stat`, 'latin1')
  } catch {
    return Number.POSITIVE_INFINITY
  }
  // The name, in parentheses, may contain any character; fields 14 and 15 are the times in user mode and in the kernel.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * CLOCK_STEP_MS
}

/** Renders bodies as HTML in a worker. */
export interface HtmlRenderer {
  /**
   * Renders a body as a sanitized HTML fragment without active content. If rendering takes too long, overflows the
   * stack or fails, returns the escaped source in `<pre data-fallback="too_complex">`. Never rejects. Caches HTML, 16
   * MiB in all, but no fallbacks.
   * @param targets the note ids that the body's links resolve to, by their target as written (trimmed, without heading
   * or alias; empty for a heading of the note itself). A target that is missing is unresolved.
   * @param caller callers take turns, so each waits for at most one body of every other caller
   * @param cacheKey identifies the body, its targets, what is shown and their workspace; without it the HTML is not cached
   */
  render(
    markdown: string,
    targets: ReadonlyMap<string, string>,
    caller?: string,
    cacheKey?: string,
    shown?: ShownPictures,
  ): Promise<string>
  /** Ends the worker. Bodies that are not rendered yet get the fallback. */
  close(): Promise<void>
}

interface Options {
  /** CPU time limit of one body, in milliseconds: `base`, plus `perMiB` for each MiB (2^20 characters). */
  readonly limitMs: { readonly base: number; readonly perMiB: number }
  readonly log?: { warn(fields: { readonly reason: string }, message: string): void }
}

interface Job extends RenderRequest {
  readonly cacheKey: string | undefined
  readonly done: (html: string) => void
}

/** The jobs of one caller. */
interface CallerQueue {
  readonly jobs: Job[]
  /** The number of the caller's last turn; 0 for none. */
  lastTurn: number
}

/** A worker that is not ready after this time counts as crashed. */
const START_TIMEOUT_MS = 20_000
/**
 * A worker that has not replied after this time counts as hanging. It is far above any CPU time limit, so that a busy
 * machine does not abort a job that waits for a CPU, and below the 30 s after which a connection is closed.
 */
const HANG_TIMEOUT_MS = 25_000
/** The limit of cached HTML, of all callers together. */
const MAX_CACHE_BYTES = 16 * 2 ** 20

/**
 * Renders in one worker, which the first body starts. An idle worker does not keep the process alive. The worker file
 * is an entry point of the compiled executable, see build/parts.ts.
 */
export function createHtmlRenderer(options: Options): HtmlRenderer {
  return new WorkerRenderer(options)
}

function toFallback(markdown: string): string {
  return `<pre data-fallback="too_complex">${Bun.escapeHTML(markdown)}</pre>`
}

class WorkerRenderer implements HtmlRenderer {
  /** By caller, in order of arrival. A queue stays while its last job runs. */
  private readonly queues = new Map<string, CallerQueue>()
  private turn = 0
  private readonly cache = new TextCache(MAX_CACHE_BYTES)
  private worker: Worker | null = null
  /** Set once the worker is ready. */
  private thread: RenderReady | null = null
  private running: Job | null = null
  private timer: Timer | undefined
  private hangTimer: Timer | undefined
  private closed = false

  constructor(private readonly options: Options) {}

  render(
    markdown: string,
    targets: ReadonlyMap<string, string>,
    caller = '',
    cacheKey?: string,
    shown: ShownPictures = {},
  ): Promise<string> {
    const cached = cacheKey === undefined ? undefined : this.cache.get(cacheKey)
    if (cached !== undefined) return Promise.resolve(cached)
    if (this.closed) return Promise.resolve(toFallback(markdown))
    return new Promise((done) => {
      const queue = this.queues.get(caller) ?? { jobs: [], lastTurn: 0 }
      this.queues.set(caller, queue)
      queue.jobs.push({ markdown, targets, shown, cacheKey, done })
      this.startNextJob()
    })
  }

  async close(): Promise<void> {
    this.closed = true
    const jobs = [...this.queues.values()].flatMap((queue) => queue.jobs)
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

  /** Takes the first job of the caller whose last turn is longest ago. */
  private takeJob(): Job | undefined {
    let next: CallerQueue | undefined
    for (const [caller, queue] of this.queues) {
      if (queue.jobs.length === 0) this.queues.delete(caller)
      else if (!next || queue.lastTurn < next.lastTurn) next = queue
    }
    if (next) next.lastTurn = this.turn += 1
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

  private send(worker: Worker, { markdown, targets, shown }: Job, { thread }: RenderReady): void {
    const { base, perMiB } = this.options.limitMs
    clearTimeout(this.timer)
    this.hangTimer = setTimeout(() => this.fail(`hung for ${HANG_TIMEOUT_MS} ms`), HANG_TIMEOUT_MS)
    this.limitCpuTime(Math.round(base + (perMiB * markdown.length) / 2 ** 20), thread)
    worker.postMessage({ markdown, targets, shown } satisfies RenderRequest)
  }

  /**
   * Fails the running job once the thread has used `ms` of CPU time; without a thread number, after `ms` of clock time.
   */
  private limitCpuTime(ms: number, thread: string | null): void {
    const fail = () => this.fail(`no answer within ${ms} ms`)
    if (thread === null) {
      this.timer = setTimeout(fail, ms)
      return
    }
    const end = readCpuMs(thread) + ms
    const check = () => {
      const remaining = end - readCpuMs(thread)
      // CPU time cannot pass faster than clock time.
      if (remaining > 0) this.timer = setTimeout(check, Math.max(remaining, CLOCK_STEP_MS))
      else fail()
    }
    this.timer = setTimeout(check, ms)
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

  /** Terminates the worker and ends its job with the fallback. */
  private abandonWorker(): void {
    this.worker?.terminate()
    this.worker = null
    this.thread = null
    this.finishJob(null)
  }

  private finishJob(html: string | null): void {
    clearTimeout(this.timer)
    clearTimeout(this.hangTimer)
    const job = this.running
    this.running = null
    if (html !== null && job?.cacheKey !== undefined) this.cache.set(job.cacheKey, html)
    job?.done(html ?? toFallback(job.markdown))
    if (!this.closed) this.startNextJob()
  }
}
