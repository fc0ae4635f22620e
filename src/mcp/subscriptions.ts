import { setImmediate } from 'node:timers/promises'
import { createMcpHandler, InMemoryServerEventBus, type McpServerFactory } from '@modelcontextprotocol/server'
import type { Context } from '../db/context'
import type { Session } from '../db/database'
import { ApiError } from '../http/api-error'
import type { McpNotes } from './services'
import { type FollowedChange, type Watch, WatchedResources } from './watched-resources'

const MAX_URIS = 200

/** The changes of a workspace from now on; see ChangeSubscription of the workspace's streams. */
export interface FollowedChanges {
  next(): Promise<readonly FollowedChange[] | null>
  end(): void
}

interface Deps extends Pick<Context, 'now'> {
  readonly notes: Pick<McpNotes, 'list' | 'names'>
  readonly readZone: (session: Session) => Promise<string>
  /** Counts as a stream of changes. Throws too_many_streams, unavailable. */
  readonly subscribe: (session: Session) => Promise<FollowedChanges>
  readonly log: { error(fields: object, message: string): void }
}

/** A request of the method `subscriptions/listen`. */
interface ListenRequest {
  readonly session: Session
  readonly request: Request
  readonly body: unknown
  readonly factory: McpServerFactory
  /** Takes the errors that the library reports, of wrong requests too. */
  readonly note: (error: Error) => void
}

export type Subscriptions = ReturnType<typeof createSubscriptions>

export const isListening = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'method' in body && body.method === 'subscriptions/listen'

/**
 * Creates subscriptions (`subscriptions/listen` of the revision 2026-07-28), which are streams of changes: they share
 * their limits, and end with them. The protocol is the library's; what it sends comes from the change feed of the
 * caller's own workspace, since one URI names another resource in each workspace.
 */
export function createSubscriptions({ subscribe, log, ...deps }: Deps) {
  return {
    /**
     * Opens a subscription. It returns the library's error if the request is wrong.
     * @throws ApiError invalid_request, too_many_streams, unavailable
     */
    async listen({ session, request, body, factory, note }: ListenRequest): Promise<Response> {
      const watch = readWatch(body)
      const report = (err: unknown) => log.error({ err }, 'a subscription failed')
      const bus = new InMemoryServerEventBus(report)
      const handler = createMcpHandler(factory, { bus, keepAliveMs: 0, onerror: note })
      const response = await handler.fetch(request, { parsedBody: body })
      // It listens to nothing: the request is wrong, or of an older revision, or nothing that it asks for exists.
      if (bus.listenerCount === 0 || !response.body) return response
      const reader = response.body.getReader()
      let changes: FollowedChanges | null = null
      try {
        changes = await subscribe(session)
        const watched = await WatchedResources.open(session, watch, deps)
        const stream = new Subscription({ reader, bus, changes, watched, report, finish: () => handler.close() })
        return new Response(stream.toBytes(), { status: response.status, headers: response.headers })
      } catch (error) {
        changes?.end()
        await reader.cancel()
        throw error
      }
    },
  }
}

/** Reads what a request wants to hear of; the library checks its form. Throws invalid_request if it is too much. */
function readWatch(body: unknown): Watch {
  const { params } = body as { params?: { notifications?: Record<string, unknown> } }
  const { resourceSubscriptions = [], resourcesListChanged } = params?.notifications ?? {}
  const uris = Array.isArray(resourceSubscriptions) ? resourceSubscriptions : []
  if (uris.length > MAX_URIS)
    throw new ApiError('invalid_request', `A subscription may name at most ${MAX_URIS} resources.`)
  return { uris: uris.filter((uri) => typeof uri === 'string'), list: resourcesListChanged === true }
}

interface SubscriptionParts {
  readonly reader: ReadableStreamDefaultReader<Uint8Array>
  readonly bus: InMemoryServerEventBus
  readonly changes: FollowedChanges
  readonly watched: WatchedResources
  readonly report: (error: unknown) => void
  /** Makes the library write the end. */
  readonly finish: () => Promise<void>
}

const KEEP_ALIVE = new TextEncoder().encode(': keepalive\n\n')

/**
 * One stream of a client. The library writes a notification as soon as there is an event, however slowly the client
 * reads. So changes are read only when the client has read what was written: what a client that never reads holds in
 * memory is one page of changes.
 */
class Subscription {
  readonly #written: Uint8Array[] = []
  #isDone = false

  constructor(private readonly parts: SubscriptionParts) {}

  toBytes(): ReadableStream<Uint8Array> {
    const collecting = this.#collect()
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const chunk = await this.#next(collecting)
          if (chunk) controller.enqueue(chunk)
          else controller.close()
        },
        cancel: () => this.#close(),
      },
      { highWaterMark: 0 },
    )
  }

  async #next(collecting: Promise<void>): Promise<Uint8Array | null> {
    await setImmediate()
    if (this.#written.length > 0) return this.#take()
    if (this.#isDone) return null
    try {
      const changes = await this.parts.changes.next()
      if (changes) await this.#publish(changes)
      else await this.#finish(collecting)
    } catch (error) {
      this.parts.report(error)
      await this.#finish(collecting)
    }
    if (this.#written.length > 0) return this.#take()
    return this.#isDone ? null : KEEP_ALIVE
  }

  async #publish(changes: readonly FollowedChange[]): Promise<void> {
    for (const event of await this.parts.watched.eventsOf(changes)) this.parts.bus.publish(event)
    // What the library has written is collected before another turn of the event loop.
    await setImmediate()
  }

  async #finish(collecting: Promise<void>): Promise<void> {
    this.parts.changes.end()
    await this.parts.finish()
    await collecting
  }

  async #collect(): Promise<void> {
    const { reader, changes } = this.parts
    try {
      for (let read = await reader.read(); !read.done; read = await reader.read()) this.#written.push(read.value)
    } catch (error) {
      this.parts.report(error)
    }
    this.#isDone = true
    changes.end()
  }

  #take(): Uint8Array {
    return Buffer.concat(this.#written.splice(0))
  }

  async #close(): Promise<void> {
    this.parts.changes.end()
    await this.parts.reader.cancel()
  }
}
