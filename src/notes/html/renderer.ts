import type { RenderReply, RenderRequest } from './worker.ts'

export interface HtmlRenderer {
  /**
   * A body as a fragment of HTML, in which nothing can act; the escaped source in `<pre data-fallback="too_complex">`
   * when rendering takes too long, overflows the stack or fails. Never rejects.
   * @param targets the note ids that the body's links lead to, by their target as written (trimmed, without heading or
   * alias; empty for a heading of the note itself). A target that is missing is unresolved.
   * @param caller whose turn it is; callers take turns, so nobody waits for more than one body of each other
   */
  render(markdown: string, targets: ReadonlyMap<string, string>, caller?: string): Promise<string>
  /** Ends the worker; what is not rendered by then gets its fallback. */
  close(): Promise<void>
}

interface Options {
  /** How long one body may take once it is its turn, in milliseconds. */
  readonly deadlineMs: number
  readonly log?: { warn(fields: { readonly reason: string }, message: string): void }
}

interface Job extends RenderRequest {
  readonly done: (html: string) => void
}

/** What one caller waits for. */
interface Line {
  readonly jobs: Job[]
  /** When the caller was served last; 0 for never. */
  served: number
}

/** A worker that is not ready by then counts as crashed. */
const START_MS = 10_000

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
  private worker: Worker | null = null
  private ready = false
  private running: Job | null = null
  private timer: Timer | undefined
  private closed = false

  constructor(private readonly options: Options) {}

  render(markdown: string, targets: ReadonlyMap<string, string>, caller = ''): Promise<string> {
    if (this.closed) return Promise.resolve(fallback(markdown))
    return new Promise((done) => {
      const line = this.lines.get(caller) ?? { jobs: [], served: 0 }
      this.lines.set(caller, line)
      line.jobs.push({ markdown, targets, done })
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
    if (this.ready) this.send(this.worker, job)
    else this.limit(START_MS)
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
    worker.addEventListener('message', ({ data }: MessageEvent<RenderReply>) => {
      if (worker === this.worker) this.receive(worker, data)
    })
    worker.addEventListener('error', (event) => {
      event.preventDefault()
      if (worker === this.worker) this.fail(event.message)
    })
    return worker
  }

  private send(worker: Worker, { markdown, targets }: Job): void {
    this.limit(this.options.deadlineMs)
    worker.postMessage({ markdown, targets } satisfies RenderRequest)
  }

  private limit(ms: number): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.fail(`no answer within ${ms} ms`), ms)
  }

  private receive(worker: Worker, reply: RenderReply): void {
    if (reply === 'ready') {
      this.ready = true
      if (this.running) this.send(worker, this.running)
    } else this.settle(reply.html)
  }

  private fail(reason: string): void {
    this.options.log?.warn({ reason }, 'The worker that renders HTML was replaced')
    this.abandon()
  }

  /** Gives up the worker, whatever it does, and what it does. */
  private abandon(): void {
    this.worker?.terminate()
    this.worker = null
    this.ready = false
    this.settle(null)
  }

  private settle(html: string | null): void {
    clearTimeout(this.timer)
    const job = this.running
    this.running = null
    job?.done(html ?? fallback(job.markdown))
    if (!this.closed) this.next()
  }
}
