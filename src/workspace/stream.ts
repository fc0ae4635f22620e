import type { Session } from '../db/database'
import { ApiError } from '../http/api-error'
import type { Listeners, News } from './listeners'
import type { FeedChange } from './schema'
import type { FeedPage } from './service'
import { type FeedCursor, writeFeedCursor } from './service'

/** Streams that may be open at once: of one workspace, and of all. */
const MOST_OF_WORKSPACE = 10
const MOST_OF_ALL = 2000
/** Changes that are read at a time. */
const PAGE = 200
/** A stream ends after this long, and its client goes on where it was with a request that is counted. */
const LONGEST_MS = 60 * 60 * 1000

interface Deps {
  readonly changes: (
    session: Session,
    since: FeedCursor,
    limit: number,
  ) => Promise<Pick<FeedPage, 'items' | 'forgottenAtStart'>>
  readonly listeners: Listeners
  readonly log: { error(fields: object, message: string): void }
  /** Milliseconds of silence after which a comment tells the client, and those between, that somebody is there. */
  readonly pingMs: number
}

export type ChangeStreams = ReturnType<typeof createChangeStreams>

/** The feed of changes as Server-Sent Events (WHATWG HTML, section 9.2), each with its seq as `id`. */
export function createChangeStreams({ changes, listeners, log, pingMs }: Deps) {
  const open = new Set<Follower>()
  let stopping = false
  return {
    /**
     * The changes after `since` and then each as it comes, until the client goes, an hour is over or `end` is called.
     * @throws ApiError cursor_expired, too_many_streams, unavailable
     */
    async follow(session: Session, since: FeedCursor): Promise<ReadableStream<Uint8Array>> {
      if (stopping) throw new ApiError('unavailable', 'The server is stopping. Try again in a moment.')
      const { here, all } = listeners.count(session.workspace.id)
      if (here >= MOST_OF_WORKSPACE)
        throw new ApiError('too_many_streams', `This workspace has ${MOST_OF_WORKSPACE} streams open. Close one first.`)
      if (all >= MOST_OF_ALL) throw new ApiError('unavailable', 'Too many streams are open. Try again later.')
      const follower = new Follower((after) => changes(session, after, PAGE), since, pingMs)
      const unsubscribe = listeners.listen(session.workspace.id, (news) => follower.wake(news))
      const timer = setTimeout(() => follower.end(), LONGEST_MS)
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

    /** Ends all streams, and begins no more, so that the server can stop. */
    end(): void {
      stopping = true
      for (const follower of open) follower.end()
    },
  }
}

const encoder = new TextEncoder()
const PING = encoder.encode(': ping\n\n')

function eventOf(change: FeedChange, forgottenAtStart: number): string {
  return `id: ${writeFeedCursor({ seq: change.seq, forgottenAtStart })}\nevent: change\ndata: ${JSON.stringify(change)}\n\n`
}

/** Without an id: who is cut off goes on behind the last change. */
function newsOf({ event, data }: News): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

/** One client's place in the feed. */
class Follower {
  #ended = false
  #news = false
  #stir: () => void = () => {}
  /** News to send with the next changes, or alone; by what they are about. */
  readonly #unsent = new Map<string, News>()

  constructor(
    private readonly read: (since: FeedCursor) => ReturnType<Deps['changes']>,
    private since: FeedCursor,
    private readonly pingMs: number,
  ) {}

  wake(news?: News): void {
    if (news) this.#unsent.set(`${news.event} ${news.id}`, news)
    this.#news = true
    this.#stir()
  }

  end(): void {
    this.#ended = true
    this.#stir()
  }

  /** Reads what there is first, so that a place that is too old is refused before any answer. */
  async start(close: () => void, failed: (error: unknown) => void): Promise<ReadableStream<Uint8Array>> {
    let first: Uint8Array | null = (await this.#unread()) ?? PING
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          try {
            const chunk = first ?? (await this.#next())
            first = null
            if (chunk) return controller.enqueue(chunk)
          } catch (error) {
            // A place that was lost, as by an erased workspace, is reported when the client comes again.
            if (!(error instanceof ApiError)) failed(error)
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

  /** The next events or, after a silence, a comment; null at the end. */
  async #next(): Promise<Uint8Array | null> {
    if (this.#ended) return null
    const unread = await this.#unread()
    if (unread) return unread
    await this.#silence()
    return this.#ended ? null : ((await this.#unread()) ?? PING)
  }

  async #unread(): Promise<Uint8Array | null> {
    this.#news = false
    const { items, forgottenAtStart } = await this.read(this.since)
    const last = items.at(-1)
    if (last) this.since = { seq: last.seq, forgottenAtStart }
    const events = [
      ...items.map((change) => eventOf(change, forgottenAtStart)),
      ...[...this.#unsent.values()].map(newsOf),
    ]
    this.#unsent.clear()
    return events.length > 0 ? encoder.encode(events.join('')) : null
  }

  /** Waits for news, for the end, or for so long that something has to be said. */
  async #silence(): Promise<void> {
    if (this.#news || this.#ended) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.pingMs)
      this.#stir = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#stir = () => {}
  }
}
