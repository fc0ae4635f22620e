import {
  createMcpHandler,
  InMemoryServerEventBus,
  type McpServerFactory,
  type ServerEvent,
} from '@modelcontextprotocol/server'
import type { Context, Session } from '../db/database'
import { ApiError } from '../http/api-error'
import { today } from '../http/values'
import { yieldTurn } from '../lib/steps'
import { titleKey } from '../lib/text'
import type { ToolChange, ToolNoteName, ToolServices } from '../tools/services'
import { AGENDA_URI, type ResourceName, readResourceUri } from './resources'

type FollowedChange = Pick<ToolChange, 'type' | 'id' | 'op'>

export interface Watch {
  readonly uris: readonly string[]
  /** Whether it wants to hear that resources were added, renamed or removed. */
  readonly list: boolean
}

type WatchDeps = Pick<Deps, 'now' | 'notes' | 'readZone'>

/** A note or day that is watched, by the URI that the client gave. */
interface WatchedNote {
  readonly uri: string
  readonly names: (note: ToolNoteName) => boolean
  /** The notes that it named last: several may have one title. */
  readonly ids: Set<string>
}

/** Notes of one title that are known by their ids; a later one is reported while it has the title. */
const MAX_NAMESAKES = 20

/**
 * Titles of notes that a stream remembers, to tell a renamed note from one with another text. A change of a note that it
 * does not remember is reported as a change of the list, which may be once more than needed.
 */
const REMEMBERED_TITLES = 200

const AGENDA_TYPES: ReadonlySet<string> = new Set(['task', 'task_project', 'task_section', 'workspace_settings'])

export class WatchedResources {
  readonly #notes: WatchedNote[] = []
  /** The titles of notes by their ids, as hashes; the least recently changed first. */
  readonly #titles = new Map<string, number | bigint>()
  #zone = 'UTC'
  #today = ''

  private constructor(
    private readonly session: Session,
    private readonly watch: Watch,
    private readonly deps: WatchDeps,
  ) {}

  /** Begins to watch: changes from now on are compared with what there is now. */
  static async open(session: Session, watch: Watch, deps: WatchDeps): Promise<WatchedResources> {
    const watched = new WatchedResources(session, watch, deps)
    for (const uri of watch.uris) {
      const name = readResourceUri(uri)
      if (name !== null && name.kind !== 'agenda') watched.#notes.push(await watched.#find(uri, name))
    }
    await watched.#readToday()
    if (watch.list) await watched.#rememberNewest()
    return watched
  }

  /** Returns the events of some changes, each once. Without changes, it only looks whether a new day has begun. */
  async eventsOf(changes: readonly FollowedChange[]): Promise<ServerEvent[]> {
    const updated = new Set<string>()
    const watchesNotes = this.watch.list || this.#notes.length > 0
    const ids = new Set(changes.filter(({ type }) => watchesNotes && type === 'note').map(({ id }) => id))
    const names = ids.size === 0 ? [] : await this.deps.notes.names.list(this.session, [...ids])
    for (const uri of this.#updateNotes(ids, names)) updated.add(uri)
    let listChanged = this.#renames(ids, names)
    if (await this.#beginsDay(changes)) {
      updated.add(AGENDA_URI)
      // The note of today is another one.
      listChanged = true
    }
    if (changes.some(({ type }) => AGENDA_TYPES.has(type))) updated.add(AGENDA_URI)
    const events: ServerEvent[] = [...updated].map((uri) => ({ kind: 'resource_updated', uri }))
    return listChanged && this.watch.list ? [...events, { kind: 'resources_list_changed' }] : events
  }

  /** Returns the watched URIs of changed notes: those that name one of them now, and those that named one before. */
  #updateNotes(ids: ReadonlySet<string>, names: readonly ToolNoteName[]): string[] {
    const uris: string[] = []
    for (const watched of this.#notes) {
      const named = names.filter(watched.names)
      if (named.length === 0 && !watched.ids.values().some((id) => ids.has(id))) continue
      uris.push(watched.uri)
      for (const id of ids) watched.ids.delete(id)
      for (const { id } of named.slice(0, MAX_NAMESAKES)) if (watched.ids.size < MAX_NAMESAKES) watched.ids.add(id)
    }
    return uris
  }

  /** Whether notes came, went or got another title, or may have got one. */
  #renames(ids: ReadonlySet<string>, names: readonly ToolNoteName[]): boolean {
    if (!this.watch.list) return false
    let renamed = false
    const living = new Map(names.filter((note) => note.deleted_at === null).map((note) => [note.id, note]))
    for (const id of ids) {
      const note = living.get(id)
      const before = this.#titles.get(id)
      if (note && before === hashListing(note)) continue
      renamed = true
      this.#titles.delete(id)
      if (note) this.#remember(note)
    }
    return renamed
  }

  #remember(note: Listing): void {
    this.#titles.set(note.id, hashListing(note))
    const [oldest] = this.#titles.keys()
    if (oldest !== undefined && this.#titles.size > REMEMBERED_TITLES) this.#titles.delete(oldest)
  }

  async #rememberNewest(): Promise<void> {
    const query = { limit: String(REMEMBERED_TITLES), archived: 'any' } as const
    const { items } = await this.deps.notes.list(this.session, query)
    for (const note of items.toReversed()) this.#remember(note)
  }

  /** Whether another day has begun in the zone of the workspace, which may have changed. */
  async #beginsDay(changes: readonly FollowedChange[]): Promise<boolean> {
    const before = this.#today
    if (changes.some(({ type }) => type === 'workspace_settings')) await this.#readToday()
    else this.#today = today(this.deps.now(), this.#zone)
    return this.#today !== before
  }

  async #readToday(): Promise<void> {
    this.#zone = await this.deps.readZone(this.session)
    this.#today = today(this.deps.now(), this.#zone)
  }

  async #find(uri: string, name: Exclude<ResourceName, { kind: 'agenda' }>): Promise<WatchedNote> {
    const { notes } = this.deps
    if (name.kind === 'daily') {
      const id = await notes.names.findDaily(this.session, name.date)
      return { uri, names: (note) => note.daily_date === name.date, ids: new Set(id === null ? [] : [id]) }
    }
    const [byId] = await notes.names.list(this.session, [name.name])
    if (byId) return { uri, names: (note) => note.id === byId.id, ids: new Set([byId.id]) }
    const key = titleKey(name.name)
    const query = { title: name.name, archived: 'any', limit: String(MAX_NAMESAKES) } as const
    const { items } = await notes.list(this.session, query)
    return {
      uri,
      names: (note) => note.id === name.name || titleKey(note.title) === key,
      ids: new Set(items.map(({ id }) => id)),
    }
  }
}

interface Listing {
  readonly id: string
  readonly title: string
  readonly archived_at: unknown
}

const hashListing = ({ title, archived_at }: Listing): number | bigint => Bun.hash(`${archived_at === null} ${title}`)

const MAX_URIS = 200

/** The changes of a workspace from now on; see ChangeSubscription of the workspace's streams. */
export interface FollowedChanges {
  next(): Promise<readonly FollowedChange[] | null>
  end(): void
}

interface Deps extends Pick<Context, 'now'> {
  readonly notes: Pick<ToolServices['notes'], 'list' | 'names'>
  readonly readZone: (session: Session) => Promise<string>
  /** Counts as a stream of changes. Throws too_many_streams, unavailable. */
  readonly subscribe: (session: Session) => Promise<FollowedChanges>
  readonly log: { error(fields: object, message: string): void }
}

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
    await yieldTurn()
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
    await yieldTurn()
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
