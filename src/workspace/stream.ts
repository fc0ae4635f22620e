import type { Session } from '../db/database'
import { ApiError } from '../http/api-error'
import type { Listeners, News } from './listeners'
import type { FeedChange } from './schema'
import type { FeedPage } from './service'
import { type FeedCursor, writeFeedCursor } from './service'

/** Streams of one workspace that may be open at the same time. */
const MAX_STREAMS_OF_WORKSPACE = 10
/** Streams of all workspaces that may be open at the same time. */
const MAX_STREAMS = 2000
/** Changes that are read at a time. */
const PAGE_CHANGES = 200
/** A stream ends after this time. Its client then continues with another request, which is counted. */
const MAX_STREAM_MS = 60 * 60 * 1000

interface Deps {
  readonly changes: (
    session: Session,
    since: FeedCursor,
    limit: number,
  ) => Promise<Pick<FeedPage, 'items' | 'forgottenAtStart'>>
  readonly listeners: Listeners
  readonly log: { error(fields: object, message: string): void }
  /** After this long without an event, in milliseconds, a comment keeps the connection alive. */
  readonly pingMs: number
}

export type ChangeStreams = ReturnType<typeof createChangeStreams>

/** Streams the change feed as Server-Sent Events (WHATWG HTML, section 9.2), each with its cursor as `id`. */
export function createChangeStreams({ changes, listeners, log, pingMs }: Deps) {
  const open = new Set<Follower>()
  let stopping = false
  return {
    /**
     * Streams the changes after `since` and then each new one, until the client disconnects, an hour has passed, or
     * `end` is called.
     * @throws ApiError cursor_expired, too_many_streams, unavailable
     */
    async follow(session: Session, since: FeedCursor): Promise<ReadableStream<Uint8Array>> {
      if (stopping) throw new ApiError('unavailable', 'The server is stopping. Try again in a moment.')
      const { inWorkspace, total } = listeners.count(session.workspace.id)
      if (inWorkspace >= MAX_STREAMS_OF_WORKSPACE)
        throw new ApiError(
          'too_many_streams',
          `This workspace has ${MAX_STREAMS_OF_WORKSPACE} streams open. Close one first.`,
        )
      if (total >= MAX_STREAMS) throw new ApiError('unavailable', 'Too many streams are open. Try again later.')
      const follower = new Follower((after) => changes(session, after, PAGE_CHANGES), since, pingMs)
      const unsubscribe = listeners.listen(session.workspace.id, (news) => follower.wake(news))
      const timer = setTimeout(() => follower.end(), MAX_STREAM_MS)
      const close = () => {
        clearTimeout(timer)
        unsubscribe()
        open.delete(follower)
      }
      open.add(follower)
      try {
        return await follower.start(close, (err) => log.error({ err }, 'a stream of changes failed'))
      } catch (error) {
        close()
        throw error
      }
    },

    /** Ends all streams and refuses new ones, so that the server can stop. */
    end(): void {
      stopping = true
      for (const follower of open) follower.end()
    },
  }
}

const encoder = new TextEncoder()
const PING = encoder.encode(': ping\n\n')

function writeChange(change: FeedChange, forgottenAtStart: number): string {
  return `id: ${writeFeedCursor({ seq: change.seq, forgottenAtStart })}\nevent: change\ndata: ${JSON.stringify(change)}\n\n`
}

/** Writes news without an id, so that a client that was cut off continues after the last change. */
function writeNews({ event, data }: News): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

/** One client that follows the feed. */
class Follower {
  #ended = false
  #isAwake = false
  #interrupt: () => void = () => {}
  /** News that was not sent yet, by name and id. */
  readonly #unsent = new Map<string, News>()

  constructor(
    private readonly read: (since: FeedCursor) => ReturnType<Deps['changes']>,
    private since: FeedCursor,
    private readonly pingMs: number,
  ) {}

  /** See Wake of listeners.ts. */
  wake(news?: News): void {
    if (news) this.#unsent.set(`${news.event} ${news.id}`, news)
    this.#isAwake = true
    this.#interrupt()
  }

  end(): void {
    this.#ended = true
    this.#interrupt()
  }

  /** Reads the first changes, so that an expired cursor is refused with an error, and then starts the stream. */
  async start(close: () => void, onError: (error: unknown) => void): Promise<ReadableStream<Uint8Array>> {
    let first: Uint8Array | null = (await this.#readUnsent()) ?? PING
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          try {
            const chunk = first ?? (await this.#next())
            first = null
            if (chunk) return controller.enqueue(chunk)
          } catch (error) {
            // A cursor that expired, for example because the workspace was erased, is reported when the client
            // reconnects.
            if (!(error instanceof ApiError)) onError(error)
          }
          close()
          controller.close()
        },
        cancel: () => {
          this.end()
          close()
        },
      },
      { highWaterMark: 0 },
    )
  }

  /** Returns the next events or, after a silence, a comment; null at the end. */
  async #next(): Promise<Uint8Array | null> {
    if (this.#ended) return null
    const unsent = await this.#readUnsent()
    if (unsent) return unsent
    await this.#wait()
    return this.#ended ? null : ((await this.#readUnsent()) ?? PING)
  }

  /** Reads the changes and news that were not sent yet; null if there are none. */
  async #readUnsent(): Promise<Uint8Array | null> {
    this.#isAwake = false
    const { items, forgottenAtStart } = await this.read(this.since)
    const last = items.at(-1)
    if (last) this.since = { seq: last.seq, forgottenAtStart }
    const events = [
      ...items.map((change) => writeChange(change, forgottenAtStart)),
      ...[...this.#unsent.values()].map(writeNews),
    ]
    this.#unsent.clear()
    return events.length > 0 ? encoder.encode(events.join('')) : null
  }

  /** Waits for changes, news or the end, but at most `pingMs`. */
  async #wait(): Promise<void> {
    if (this.#isAwake || this.#ended) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.pingMs)
      this.#interrupt = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#interrupt = () => {}
  }
}
