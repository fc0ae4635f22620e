import { RedisClient } from 'bun'
import type { Log } from './database'
import type { RedisConnection, RedisOptions } from './redis'

/** Messages may be lost, as while Redis is away: they only say earlier what a process finds out by itself. */
export interface Channel {
  /** Sends a message to all other processes, without waiting. */
  send(message: string): void
  receive(handler: (message: string) => void): void
}

const NAME = 'satchel:messages'
/** Delay between attempts to subscribe again, in milliseconds. */
const RETRY_MS = 500
/** The id of a process: 32 hexadecimal digits before each message. */
const ID_LENGTH = 32

/** It subscribes again by itself. @param redis the connection that sends @param id 32 hexadecimal digits */
export async function openRedisChannel(
  redis: RedisConnection,
  { url, log }: Pick<RedisOptions, 'url' | 'log'>,
  id: string,
): Promise<{ readonly channel: Channel; close(): void }> {
  const subscription = new Subscription(url, log, (text) => {
    if (!text.startsWith(id)) for (const handler of handlers) handler(text.slice(ID_LENGTH))
  })
  const handlers: ((message: string) => void)[] = []
  await subscription.start()
  const channel: Channel = {
    // A message that is not sent is one that is lost.
    send: (message) => void redis.send('PUBLISH', [NAME, id + message]).catch(() => {}),
    receive: (handler) => void handlers.push(handler),
  }
  return { channel, close: () => subscription.close() }
}

class Subscription {
  #client: RedisClient | null = null
  #retry: Timer | null = null
  #isClosed = false

  constructor(
    private readonly url: string,
    private readonly log: Log,
    private readonly receive: (message: string) => void,
  ) {}

  async start(): Promise<void> {
    const client = new RedisClient(this.url, { autoReconnect: false, enableOfflineQueue: false })
    client.onclose = () => this.#startAgain(client)
    try {
      await client.connect()
      await client.subscribe(NAME, (message) => this.receive(message))
      this.#client = client
      if (this.#isClosed) client.close()
    } catch (err) {
      this.log.warn({ err }, 'messages of other processes cannot be received')
      client.close()
      this.#startAgain(client)
    }
  }

  close(): void {
    this.#isClosed = true
    if (this.#retry) clearTimeout(this.#retry)
    this.#client?.close()
  }

  #startAgain(client: RedisClient): void {
    client.onclose = null
    if (this.#isClosed || this.#retry) return
    this.#client = null
    this.#retry = setTimeout(() => {
      this.#retry = null
      void this.start()
    }, RETRY_MS).unref()
  }
}
