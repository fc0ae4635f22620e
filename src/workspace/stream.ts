import type { Session } from '../db/database'
import { createLocalPlaces, type GivePlacesBack, type LimitedPlaces } from '../db/places'
import { ApiError, busy } from '../http/api-error'
import type { Listeners, News } from './processes'
import type { FeedChange } from './schema'
import { type FeedCursor, type FeedPage, writeFeedCursor } from './service'

/** Streams of one workspace that may be open at the same time. */
const MAX_STREAMS_OF_WORKSPACE = 10
const MAX_STREAMS = 2000
const PAGE_CHANGES = 200
/** A stream ends after this time. Its client then continues with another request, which is counted. */
const MAX_STREAM_MS = 60 * 60 * 1000

interface Deps {
  readonly changes: (
    session: Session,
    since: FeedCursor,
    limit: number,
  ) => Promise<Pick<FeedPage, 'items' | 'forgottenAtStart' | 'latest_seq'>>
  readonly listeners: Listeners
  /** Counts the streams of a workspace in all processes; by default those of this one. */
  readonly places?: LimitedPlaces
  readonly log: { error(fields: object, message: string): void }
  /** After this long without an event, in milliseconds, a comment keeps the connection alive. */
  readonly pingMs: number
}

/** The changes of a workspace from now on, for another protocol than that of `follow`. */
export interface ChangeSubscription {
  /**
   * Waits for changes, and returns up to 200 of them; none after a silence, so that the caller can keep its connection
   * alive; null at the end: after an hour, when the server stops or when the workspace was erased.
   */
  next(): Promise<readonly FeedChange[] | null>
  /** Ends it. The caller must call this if it stops before the end. */
  end(): void
}

export type ChangeStreams = ReturnType<typeof createChangeStreams>

/** As Server-Sent Events (WHATWG HTML, section 9.2) with a cursor as `id`, or to other protocols; limited together. */
export function createChangeStreams({ changes, listeners, places = createLocalPlaces(), log, pingMs }: Deps) {
  const open = new Set<Follower>()
  let stopping = false

  /**
   * Opens a follower, which counts as a stream until `close`.
   * @throws ApiError too_many_streams, unavailable
   */
  async function admit(session: Session, since: FeedCursor): Promise<{ follower: Follower; close: () => void }> {
    if (stopping) throw busy('The server is stopping. Try again in a moment.')
    if (listeners.count() >= MAX_STREAMS) throw busy('Too many streams are open. Try again later.')
    const giveBack = await takePlace(session)
    const follower = new Follower((after) => changes(session, after, PAGE_CHANGES), since, pingMs)
    const unsubscribe = listeners.listen(session.workspace.id, (news) => follower.wake(news))
    const timer = setTimeout(() => follower.end(), MAX_STREAM_MS)
    open.add(follower)
    const close = () => {
      clearTimeout(timer)
      unsubscribe()
      open.delete(follower)
      void giveBack()
    }
    return { follower, close }
  }

  /** @throws ApiError too_many_streams, unavailable */
  async function takePlace({ workspace }: Session): Promise<GivePlacesBack> {
    const wanted = [{ name: `streams:${workspace.id}`, limit: MAX_STREAMS_OF_WORKSPACE }]
    const giveBack = await places.take(wanted).catch(() => {
      throw busy('Streams cannot be counted right now. Try again in a moment.')
    })
    if (giveBack) return giveBack
    const detail = `This workspace has ${MAX_STREAMS_OF_WORKSPACE} streams open. Close one first.`
    throw new ApiError('too_many_streams', detail)
  }

  /** A cursor that expired, for example because the workspace was erased, is reported when the client reconnects. */
  const report = (err: unknown) => {
    if (!(err instanceof ApiError)) log.error({ err }, 'a stream of changes failed')
    return null
  }

  return {
    /**
     * Streams the changes after `since` and then each new one, until the client disconnects, an hour has passed, or
     * `end` is called.
     * @throws ApiError cursor_expired, too_many_streams, unavailable
     */
    async follow(session: Session, since: FeedCursor): Promise<ReadableStream<Uint8Array>> {
      const { follower, close } = await admit(session, since)
      try {
        // An expired cursor is refused with an error, before the stream starts.
        const first = await follower.readUnsent()
        return toByteStream(follower, first, { close, report })
      } catch (error) {
        close()
        throw error
      }
    },

    /**
     * Subscribes to the changes from now on. It counts as a stream.
     * @throws ApiError too_many_streams, unavailable
     */
    async subscribe(session: Session): Promise<ChangeSubscription> {
      const { latest_seq } = await changes(session, { seq: 0, forgottenAtStart: 0 }, 1)
      const { follower, close } = await admit(session, { seq: latest_seq, forgottenAtStart: 0 })
      return {
        async next() {
          let batch: Batch | null
          // News, such as the progress of imports, is for `follow` alone.
          do batch = await follower.next().catch(report)
          while (batch && batch.changes.length === 0 && batch.news.length > 0)
          if (!batch) close()
          return batch?.changes ?? null
        },
        end() {
          follower.end()
          close()
        },
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

interface StreamEnd {
  readonly close: () => void
  readonly report: (error: unknown) => unknown
}

/** Streams what a follower gets, beginning with `first`. */
function toByteStream(follower: Follower, first: Batch, { close, report }: StreamEnd): ReadableStream<Uint8Array> {
  let batch: Batch | null = first
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const chunk = batch ?? (await follower.next())
          batch = null
          if (chunk) return controller.enqueue(writeBatch(chunk))
        } catch (error) {
          report(error)
        }
        close()
        controller.close()
      },
      cancel: () => {
        follower.end()
        close()
      },
    },
    { highWaterMark: 0 },
  )
}

/** Writes a batch; a comment if nothing is in it. */
function writeBatch({ changes, forgottenAtStart, news }: Batch): Uint8Array {
  const events = [...changes.map((change) => writeChange(change, forgottenAtStart)), ...news.map(writeNews)]
  return events.length > 0 ? encoder.encode(events.join('')) : PING
}

/** What a follower gets at once; nothing after a silence. */
interface Batch {
  readonly changes: readonly FeedChange[]
  readonly forgottenAtStart: number
  readonly news: readonly News[]
}

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

  wake(news?: News): void {
    if (news) this.#unsent.set(`${news.event} ${news.id}`, news)
    this.#isAwake = true
    this.#interrupt()
  }

  end(): void {
    this.#ended = true
    this.#interrupt()
  }

  /** Waits for changes or news and returns them, or an empty batch after a silence; null at the end. */
  async next(): Promise<Batch | null> {
    if (this.#ended) return null
    const unsent = await this.readUnsent()
    if (unsent.changes.length > 0 || unsent.news.length > 0) return unsent
    await this.#wait()
    return this.#ended ? null : this.readUnsent()
  }

  async readUnsent(): Promise<Batch> {
    this.#isAwake = false
    const { items, forgottenAtStart } = await this.read(this.since)
    const last = items.at(-1)
    if (last) this.since = { seq: last.seq, forgottenAtStart }
    const news = [...this.#unsent.values()]
    this.#unsent.clear()
    return { changes: items, forgottenAtStart, news }
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
