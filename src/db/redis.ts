import { RedisClient } from 'bun'
import type { Log } from './database'

/** A Lua script. Redis runs it in one step: no other command runs meanwhile. */
export interface RedisScript {
  readonly text: string
  /** The hash that Redis knows it by once it has run. */
  readonly sha: string
}

export function createScript(text: string): RedisScript {
  return { text, sha: new Bun.CryptoHasher('sha1').update(text).digest('hex') }
}

/** Sends commands to Redis. Nothing is sent twice, unless Redis says that it did not run it. */
export interface RedisCommands {
  send(command: string, args: readonly string[]): Promise<unknown>
  run(script: RedisScript, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>
}

/** Redis is away, too slow or refuses commands. It recovers by itself. Whether the command was run is not known. */
export class RedisUnavailable extends Error {
  override readonly name = 'RedisUnavailable'
}

export interface RedisOptions {
  /** The address: `redis://[[user]:password@]host[:port][/database]`, or `rediss://` for TLS. */
  readonly url: string
  readonly log: Log
  /** Called with each new connection before it is used. It throws to refuse the server. */
  readonly prepare: (redis: RedisCommands) => Promise<void>
  /** The longest wait for a connection, and for the next answer, in milliseconds. Default: 1000. */
  readonly timeoutMs?: number
  /** The longest wait in line while Redis answers nobody, in milliseconds. Default: 2000. */
  readonly patienceMs?: number
  /** The most that wait in line; others fail at once. Default: 5000, which with their requests take about 25 MiB. */
  readonly maxWaiting?: number
  /** Delay between attempts to connect again, in milliseconds. Default: 500. */
  readonly retryMs?: number
}

/** The most that is under way on a connection at the same time; the rest waits in line. */
export const MAX_UNDER_WAY = 64

type Work<T> = (redis: RedisCommands) => Promise<T>

/** Work in line, and the step in which it came. */
interface Waiter {
  readonly since: number
  readonly start: (link: Link) => void
  readonly fail: (error: RedisUnavailable) => void
}

/**
 * A connection to Redis or Valkey, which all callers of the process share. Their work waits in line for its turn, also
 * while the connection is lost and made again. What is under way when it is lost fails.
 */
export class RedisConnection implements RedisCommands {
  readonly #options: RedisOptions
  readonly #maxWaiting: number
  /** Null while it fails, and once it is closed. */
  #link: Link | null = null
  #fault: unknown = null
  #retry: Timer | null = null
  #isClosed = false
  #underWay = 0
  #line: Waiter[] = []
  /** The present step, and the one in which work was done last. */
  #now = 0
  #lastDone = 0
  readonly #steps: Steps

  private constructor(options: RedisOptions) {
    this.#options = options
    this.#maxWaiting = options.maxWaiting ?? 5000
    this.#steps = new Steps(options.patienceMs ?? 2000, () => this.#endWaits())
  }

  /** @throws Error of one sentence if Redis cannot be reached or refuses; what `prepare` throws of its own */
  static async open(options: RedisOptions): Promise<RedisConnection> {
    const connection = new RedisConnection(options)
    try {
      connection.#link = await connection.#connect()
    } catch (error) {
      throw describe(error, options.url)
    }
    return connection
  }

  get isFailing(): boolean {
    return this.#link === null
  }

  /** Sends a command. @throws RedisUnavailable */
  send(command: string, args: readonly string[]): Promise<unknown> {
    return this.do((redis) => redis.send(command, args))
  }

  /** Runs a script. @throws RedisUnavailable */
  run(script: RedisScript, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    return this.do((redis) => redis.run(script, keys, args))
  }

  /**
   * Does work in its turn.
   * @param atOnce whether it fails at once while the connection is lost
   * @param again whether it is done once more if it was under way when the connection was lost
   * @throws RedisUnavailable
   */
  async do<T>(work: Work<T>, { atOnce = false, again = false } = {}): Promise<T> {
    if (atOnce && !this.#link) throw this.#unavailable()
    const since = this.#now
    let hasBegun = false
    const begin: Work<T> = (redis) => {
      hasBegun = true
      return work(redis)
    }
    try {
      return await this.#inTurn(begin, since)
    } catch (error) {
      if (!again || !hasBegun) throw error
      return await this.#inTurn(work, since, true)
    }
  }

  /** Closes the connection for good. What waits fails. */
  close(): void {
    this.#isClosed = true
    this.#fault ??= new Error('The connection to Redis is closed.')
    if (this.#retry) clearTimeout(this.#retry)
    const link = this.#link
    this.#link = null
    link?.close()
    for (const { fail } of this.#line.splice(0)) fail(this.#unavailable())
  }

  #unavailable(): RedisUnavailable {
    return new RedisUnavailable('Redis does not work now.', { cause: this.#fault })
  }

  /** @param isFirst whether it waits before all others */
  async #inTurn<T>(work: Work<T>, since: number, isFirst = false): Promise<T> {
    if (this.#link && this.#line.length === 0 && this.#underWay < MAX_UNDER_WAY) return this.#use(this.#link, work)
    if (this.#isClosed || (!isFirst && this.#line.length >= this.#maxWaiting)) throw this.#unavailable()
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const waiter: Waiter = { since, start: (link) => resolve(this.#use(link, work)), fail: reject }
    if (isFirst) this.#line.unshift(waiter)
    else this.#line.push(waiter)
    this.#steps.start()
    return promise
  }

  async #use<T>(link: Link, work: Work<T>): Promise<T> {
    this.#underWay++
    try {
      const value = await work(link)
      this.#lastDone = this.#now
      return value
    } catch (error) {
      this.#drop(link, error)
      throw new RedisUnavailable('Redis did not run a command.', { cause: error })
    } finally {
      this.#underWay--
      this.#callNext()
    }
  }

  #callNext(): void {
    while (this.#link && this.#underWay < MAX_UNDER_WAY) {
      const next = this.#line.shift()
      if (!next) return
      next.start(this.#link)
    }
  }

  /** Takes a step: fails who has waited for too long while nothing was done. Returns whether others wait. */
  #endWaits(): boolean {
    this.#now++
    const isOver = ({ since }: Waiter) => this.#now - Math.max(since, this.#lastDone) >= STEPS
    const over = this.#line.filter(isOver)
    if (over.length > 0) this.#line = this.#line.filter((waiter) => !isOver(waiter))
    for (const { fail } of over) fail(this.#unavailable())
    return this.#line.length > 0
  }

  async #connect(): Promise<Link> {
    // The first command connects, and fails with the words of Redis if it refuses the password; `connect` loses them.
    const link = new Link(this.#options, (error) => this.#drop(link, error))
    try {
      await this.#options.prepare(link)
    } catch (error) {
      link.close()
      throw error
    }
    link.watch()
    return link
  }

  /** Gives up a connection after a failure, and connects again if it was the one in use. */
  #drop(link: Link, error: unknown): void {
    if (link === this.#link) {
      this.#link = null
      this.#fault = error
      this.#options.log.error({ err: error }, 'Redis fails: requests get 503 until it works')
      // At once: a connection that was idle for long may have been closed for that alone.
      this.#connectAgain(0)
    }
    link.close()
  }

  #connectAgain(delayMs: number): void {
    const attempt = async (): Promise<void> => {
      try {
        const link = await this.#connect()
        if (this.#isClosed) return link.close()
        this.#link = link
        this.#fault = null
        this.#options.log.info({}, 'Redis works again')
        this.#callNext()
      } catch (error) {
        this.#fault = error
        if (!this.#isClosed) this.#connectAgain(this.#options.retryMs ?? 500)
      }
    }
    this.#retry = setTimeout(attempt, delayMs).unref()
  }
}

class Link implements RedisCommands {
  readonly #client: RedisClient
  readonly #fail: (error: unknown) => void
  readonly #steps: Steps
  #unanswered = 0
  /** Steps without an answer. */
  #silence = 0

  /** @param fail called if there is no answer in time, and once it is watched also if the connection is lost */
  constructor({ url, timeoutMs = 1000 }: RedisOptions, fail: (error: unknown) => void) {
    this.#client = new RedisClient(url, { connectionTimeout: timeoutMs, autoReconnect: false })
    this.#fail = fail
    this.#steps = new Steps(timeoutMs, () => {
      if (this.#unanswered > 0 && ++this.#silence >= STEPS)
        fail(new Error(`Redis did not answer within ${timeoutMs} ms.`))
      return this.#unanswered > 0
    })
  }

  watch(): void {
    this.#client.onclose = this.#fail
  }

  async send(command: string, args: readonly string[]): Promise<unknown> {
    if (this.#unanswered++ === 0) this.#silence = 0
    this.#steps.start()
    try {
      return await this.#client.send(command, args as string[])
    } finally {
      this.#unanswered--
      this.#silence = 0
    }
  }

  async run({ text, sha }: RedisScript, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...args.map(String)]
    try {
      return await this.send('EVALSHA', [sha, ...rest])
    } catch (error) {
      // Redis forgets scripts when it restarts.
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
      return await this.send('EVAL', [text, ...rest])
    }
  }

  close(): void {
    this.#client.close()
  }
}

/** A wait is over after so many steps. */
const STEPS = 10

/** In steps of the event loop: a process that was busy for the whole wait does not give up for its own slowness. */
class Steps {
  readonly #ms: number
  readonly #step: () => boolean
  #timer: Timer | null = null

  /** @param step called after each step; returns whether to go on */
  constructor(waitMs: number, step: () => boolean) {
    this.#ms = waitMs / STEPS
    this.#step = step
  }

  start(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      if (this.#step()) this.start()
    }, this.#ms)
  }
}

/** Turns an error of the first connection into one with a sentence, which does not repeat the password. */
function describe(error: unknown, url: string): unknown {
  if (!(error instanceof Error) || !('code' in error) || !String(error.code).startsWith('ERR_REDIS')) return error
  const { host, pathname } = new URL(url)
  const where = `Redis at ${host || pathname}`
  switch (error.code) {
    case 'ERR_REDIS_AUTHENTICATION_FAILED':
      return new Error(`${where} does not accept the user and password of REDIS_URL.`, { cause: error })
    case 'ERR_REDIS_CONNECTION_CLOSED':
    case 'ERR_REDIS_CONNECTION_TIMEOUT':
      return new Error(`${where} cannot be reached: the host or port in REDIS_URL is wrong, or it does not run.`, {
        cause: error,
      })
    default:
      return new Error(`${where} refuses a command: ${error.message}`, { cause: error })
  }
}
