import { readFileSync, readlinkSync } from 'node:fs'

/** Work on texts in one worker: where one keeps a parser busy, it is ended, and the next text gets a new one. */

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

/** The first message of the worker, sent once when it can begin. */
interface WorkerReady {
  /** This thread's number in `/proc/self/task`; null where the system has no such folder. */
  readonly thread: string | null
}

interface WorkerReply {
  /** Null: the request is too complex. */
  readonly result: string | null
}

interface Asking {
  /** The length of the texts of the request, in UTF-16 units. */
  readonly length: number
  /** Callers take turns, so each waits for at most one request of every other caller. */
  readonly caller: string
  /** Identifies the result and its workspace; without it the result is not cached. */
  readonly cacheKey?: string | undefined
  /** Once it is aborted, the request leaves the line, or the worker that is busy with it is ended. */
  readonly signal?: AbortSignal | undefined
}

export interface LimitedWorkerOptions {
  /** CPU time limit of one request, in milliseconds: `base`, plus `perMiB` for each MiB (2^20 characters). */
  readonly limitMs: { readonly base: number; readonly perMiB: number }
  readonly log?: { warn(fields: { readonly reason: string }, message: string): void }
}

interface Deps extends LimitedWorkerOptions {
  /** Starts a worker that calls serveRequests. An idle one must not keep the process alive. */
  readonly start: () => Worker
}

interface Job<Request> extends Asking {
  readonly request: Request
  readonly done: (result: string | null) => void
  readonly refuse: (reason: unknown) => void
}

interface CallerQueue<Request> {
  readonly jobs: Job<Request>[]
  /** The number of the caller's last turn; 0 for none. */
  lastTurn: number
}

/** A worker that is not ready after this time counts as crashed. */
const START_TIMEOUT_MS = 20_000
/**
 * A worker that has not replied after this time counts as hanging. It is far above any CPU time limit, so that a busy
 * machine does not abort a job that waits for a CPU, and below the time in which a request is answered.
 */
const HANG_TIMEOUT_MS = 20_000
/** The limit of cached results, of all callers together. */
const MAX_CACHE_BYTES = 16 * 2 ** 20

/**
 * Answers the requests of a LimitedWorker, in the worker. `handle` throws RangeError for what is too complex; a stack
 * overflow is one as well. Any other error is a bug: it ends the worker, and the main thread logs it.
 */
export function serveRequests<Request>(handle: (request: Request) => string | Promise<string>): void {
  self.addEventListener('message', async ({ data }: MessageEvent<Request>) => {
    const reply = await answer(handle, data).catch((error) => {
      // An error that no promise holds ends the worker.
      setTimeout(() => {
        throw error
      })
    })
    if (reply) self.postMessage(reply)
  })
  self.postMessage({ thread: readThreadNumber() } satisfies WorkerReady)
}

async function answer<Request>(
  handle: (request: Request) => string | Promise<string>,
  request: Request,
): Promise<WorkerReply> {
  try {
    return { result: await handle(request) }
  } catch (error) {
    if (error instanceof RangeError) return { result: null }
    throw error
  }
}

function readThreadNumber(): string | null {
  try {
    return readlinkSync('/proc/thread-self').split('/').at(-1) ?? null
  } catch {
    return null
  }
}

/** Works in one worker, which the first request starts. Results are cached, 16 MiB in all. */
export class LimitedWorker<Request> {
  /** By caller, in order of arrival. A queue stays while its last job runs. */
  private readonly queues = new Map<string, CallerQueue<Request>>()
  private turn = 0
  private readonly cache = new TextCache(MAX_CACHE_BYTES)
  private worker: Worker | null = null
  /** Set once the worker is ready. */
  private thread: WorkerReady | null = null
  private running: Job<Request> | null = null
  private timer: Timer | undefined
  private hangTimer: Timer | undefined
  private closed = false

  constructor(private readonly deps: Deps) {}

  /** Returns the result, or null if it takes too long, overflows the stack or fails. Throws the reason of the signal alone. */
  run(request: Request, asking: Asking): Promise<string | null> {
    const { cacheKey, signal } = asking
    const cached = cacheKey === undefined ? undefined : this.cache.get(cacheKey)
    if (cached !== undefined) return Promise.resolve(cached)
    if (this.closed) return Promise.resolve(null)
    if (signal?.aborted) return Promise.reject(signal.reason)
    const { promise, resolve: done, reject: refuse } = Promise.withResolvers<string | null>()
    const job = { ...asking, request, done, refuse }
    const drop = () => this.drop(job)
    signal?.addEventListener('abort', drop, { once: true })
    this.enqueue(job)
    return promise.finally(() => signal?.removeEventListener('abort', drop))
  }

  /** Requests that are not answered yet get null. */
  async close(): Promise<void> {
    this.closed = true
    const jobs = [...this.queues.values()].flatMap((queue) => queue.jobs)
    this.queues.clear()
    this.abandonWorker()
    for (const { done } of jobs) done(null)
  }

  private enqueue(job: Job<Request>): void {
    const queue = this.queues.get(job.caller) ?? { jobs: [], lastTurn: 0 }
    this.queues.set(job.caller, queue)
    queue.jobs.push(job)
    this.startNextJob()
  }

  /** Refuses a job that nobody waits for any longer. */
  private drop(job: Job<Request>): void {
    job.refuse(job.signal?.reason)
    if (this.running === job) this.abandonWorker()
    const jobs = this.queues.get(job.caller)?.jobs ?? []
    const position = jobs.indexOf(job)
    if (position >= 0) jobs.splice(position, 1)
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
  private takeJob(): Job<Request> | undefined {
    let next: CallerQueue<Request> | undefined
    for (const [caller, queue] of this.queues) {
      if (queue.jobs.length === 0) this.queues.delete(caller)
      else if (!next || queue.lastTurn < next.lastTurn) next = queue
    }
    if (next) next.lastTurn = this.turn += 1
    return next?.jobs.shift()
  }

  private startWorker(): Worker {
    const worker = this.deps.start()
    worker.addEventListener('message', ({ data }: MessageEvent<WorkerReady | WorkerReply>) => {
      if (worker === this.worker) this.receive(worker, data)
    })
    worker.addEventListener('error', (event) => {
      event.preventDefault()
      if (worker === this.worker) this.fail(event.message)
    })
    return worker
  }

  private send(worker: Worker, { request, length }: Job<Request>, { thread }: WorkerReady): void {
    const { base, perMiB } = this.deps.limitMs
    clearTimeout(this.timer)
    this.hangTimer = setTimeout(() => this.fail(`hung for ${HANG_TIMEOUT_MS} ms`), HANG_TIMEOUT_MS)
    this.limitCpuTime(Math.round(base + (perMiB * length) / 2 ** 20), thread)
    worker.postMessage(request)
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

  private receive(worker: Worker, message: WorkerReady | WorkerReply): void {
    if ('result' in message) {
      this.finishJob(message.result)
      return
    }
    this.thread = message
    if (this.running) this.send(worker, this.running, message)
  }

  private fail(reason: string): void {
    this.deps.log?.warn({ reason }, 'The worker that renders HTML was replaced')
    this.abandonWorker()
  }

  private abandonWorker(): void {
    this.worker?.terminate()
    this.worker = null
    this.thread = null
    this.finishJob(null)
  }

  private finishJob(result: string | null): void {
    clearTimeout(this.timer)
    clearTimeout(this.hangTimer)
    const job = this.running
    this.running = null
    if (result !== null && job?.cacheKey !== undefined) this.cache.set(job.cacheKey, result)
    job?.done(result)
    if (!this.closed) this.startNextJob()
  }
}

/** A cache of texts by name (LRU). `maxBytes` limits all texts with their names. */
export class TextCache {
  /** In the order in which they were last read. */
  private readonly texts = new Map<string, string>()
  private bytes = 0

  constructor(private readonly maxBytes: number) {}

  get(name: string): string | undefined {
    const text = this.take(name)
    if (text !== undefined) this.put(name, text)
    return text
  }

  /** Stores a text. A text above the limit is not stored, and evicts no other. */
  set(name: string, text: string): void {
    this.take(name)
    if (sizeOf(name, text) > this.maxBytes) return
    this.put(name, text)
    for (const oldest of this.texts.keys()) {
      if (this.bytes <= this.maxBytes) break
      this.take(oldest)
    }
  }

  private put(name: string, text: string): void {
    this.texts.set(name, text)
    this.bytes += sizeOf(name, text)
  }

  private take(name: string): string | undefined {
    const text = this.texts.get(name)
    if (this.texts.delete(name)) this.bytes -= sizeOf(name, text ?? '')
    return text
  }
}

/** Each UTF-16 unit takes two bytes, at most. */
const sizeOf = (name: string, text: string) => 2 * (name.length + text.length)
