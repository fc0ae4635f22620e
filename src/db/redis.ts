import { RedisClient } from 'bun'
import type { Log } from './context'

/** A Lua script. Redis runs it in one step: no other command runs meanwhile. */
export interface RedisScript {
  readonly text: string
  /** The hash that Redis knows it by once it has run. */
  readonly sha: string
}

/** Makes a script of Lua 5.1. */
export function createScript(text: string): RedisScript {
  return { text, sha: new Bun.CryptoHasher('sha1').update(text).digest('hex') }
}

/** Sends commands to Redis. Nothing is sent twice, unless Redis says that it did not run it. */
export interface RedisCommands {
  send(command: string, args: readonly string[]): Promise<unknown>
  /** Runs a script. `keys` are all keys that it touches. */
  run(script: RedisScript, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>
}

/**
 * Thrown while Redis is away, does not answer in time or refuses commands. It recovers by itself. Whether the command
 * was run is not known.
 */
export class RedisUnavailable extends Error {
  override readonly name = 'RedisUnavailable'
}

/** Options of a connection. */
export interface RedisOptions {
  /** The address: `redis://[[user]:password@]host[:port][/database]`, or `rediss://` for TLS. */
  readonly url: string
  readonly log: Log
  /** Called with each new connection before it is used. It throws to refuse the server. */
  readonly prepare: (redis: RedisCommands) => Promise<void>
  /** The longest wait for a connection, and for each answer, in milliseconds. Default: 1000. */
  readonly timeoutMs?: number
  /** Delay between attempts to connect again, in milliseconds. Default: 500. */
  readonly retryMs?: number
}

/**
 * A connection to Redis or Valkey, which all callers of the process share. When it fails, what waits for an answer
 * fails, and so does what is sent before it works again: nothing queues up. It connects again by itself.
 */
export class RedisConnection implements RedisCommands {
  readonly #options: RedisOptions
  readonly #timeoutMs: number
  readonly #retryMs: number
  /** Null while it fails, and once it is closed. */
  #client: RedisClient | null = null
  #fault: unknown = null
  #retry: Timer | null = null
  #isClosed = false

  private constructor(options: RedisOptions) {
    this.#options = options
    this.#timeoutMs = options.timeoutMs ?? 1000
    this.#retryMs = options.retryMs ?? 500
  }

  /**
   * Opens a connection.
   * @throws Error of one sentence if Redis cannot be reached or refuses; what `prepare` throws of its own
   */
  static async open(options: RedisOptions): Promise<RedisConnection> {
    const connection = new RedisConnection(options)
    try {
      connection.#client = await connection.#connect()
    } catch (error) {
      throw describe(error, options.url)
    }
    return connection
  }

  /** Whether it does not work now. */
  get isFailing(): boolean {
    return this.#client === null
  }

  /** Sends a command. @throws RedisUnavailable */
  async send(command: string, args: readonly string[]): Promise<unknown> {
    return this.#use((client) => this.#send(client, command, args))
  }

  /** Runs a script. @throws RedisUnavailable */
  async run(script: RedisScript, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    return this.#use((client) => this.#run(client, script, keys, args))
  }

  /** Closes the connection for good. What waits for an answer fails. */
  close(): void {
    this.#isClosed = true
    this.#fault ??= new Error('The connection to Redis is closed.')
    if (this.#retry) clearTimeout(this.#retry)
    const client = this.#client
    this.#client = null
    client?.close()
  }

  async #use<T>(work: (client: RedisClient) => Promise<T>): Promise<T> {
    const client = this.#client
    if (!client) throw new RedisUnavailable('Redis does not work now.', { cause: this.#fault })
    try {
      return await work(client)
    } catch (error) {
      this.#drop(client, error)
      throw new RedisUnavailable('Redis did not run a command.', { cause: error })
    }
  }

  async #run(
    client: RedisClient,
    { text, sha }: RedisScript,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...args.map(String)]
    try {
      return await this.#send(client, 'EVALSHA', [sha, ...rest])
    } catch (error) {
      // Redis forgets scripts when it restarts.
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
      return await this.#send(client, 'EVAL', [text, ...rest])
    }
  }

  /** Sends a command, and drops the connection if there is no answer in time. */
  async #send(client: RedisClient, command: string, args: readonly string[]): Promise<unknown> {
    const timer = setTimeout(
      () => this.#drop(client, new Error(`Redis did not answer within ${this.#timeoutMs} ms.`)),
      this.#timeoutMs,
    )
    try {
      return await client.send(command, args as string[])
    } finally {
      clearTimeout(timer)
    }
  }

  /** Makes a connection that can be used. */
  async #connect(): Promise<RedisClient> {
    // The first command connects, and fails with the words of Redis if it refuses the password; `connect` loses them.
    const client = new RedisClient(this.#options.url, { connectionTimeout: this.#timeoutMs, autoReconnect: false })
    try {
      await this.#options.prepare({
        send: (...all) => this.#send(client, ...all),
        run: (...all) => this.#run(client, ...all),
      })
    } catch (error) {
      client.close()
      throw error
    }
    client.onclose = (error) => this.#drop(client, error)
    return client
  }

  /** Gives up a connection after a failure, and connects again if it was the one in use. */
  #drop(client: RedisClient, error: unknown): void {
    if (client === this.#client) {
      this.#client = null
      this.#fault = error
      this.#options.log.error({ err: error }, 'Redis fails: requests get 503 until it works')
      // At once: a connection that was idle for long may have been closed for that alone.
      this.#connectAgain(0)
    }
    client.close()
  }

  #connectAgain(delayMs: number): void {
    const attempt = async (): Promise<void> => {
      try {
        const client = await this.#connect()
        if (this.#isClosed) return client.close()
        this.#client = client
        this.#fault = null
        this.#options.log.info({}, 'Redis works again')
      } catch (error) {
        this.#fault = error
        if (!this.#isClosed) this.#connectAgain(this.#retryMs)
      }
    }
    this.#retry = setTimeout(attempt, delayMs).unref()
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
