import { type Static, t } from 'elysia'
import type { RecordChange } from '../../db/change-feed'
import type { Context, Queries, Reader, Session, Workspace, WorkspaceId } from '../../db/database'
import { createTable, derived, fixed, int, type RowOf, STORED, text } from '../../db/table'
import type { RequestPlugin } from '../../http/api'
import { ApiError, refuses } from '../../http/api-error'
import { newStamps } from '../../http/resource'
import { created, sendFile, type Tagged } from '../../http/responses'
import { Id, nameSchemas, nullable } from '../../http/schema'
import type { RouteDeps } from '../../resources/operations'
import { declareResource } from '../../resources/resource'
import { checkFilter, type FindByText } from '../filter/service'
import { checkGroupName } from '../names-and-positions'

/** The table of feeds: instants are milliseconds, `include_done` is 0 or 1. */
const feedTable = createTable('task_feeds', {
  ...STORED,
  created_at: fixed(int()),
  /** Feeds are erased at once: none goes to the trash. */
  deleted_at: derived<null>('NULL'),
  name: text(),
  filter: text<string | null>(),
  component: text<'vevent' | 'vtodo'>(),
  include_done: int(),
  size_bytes: int(),
  token_hash: fixed(text()),
})

type FeedRow = RowOf<typeof feedTable>

function getFeedByToken({ db, workspace }: Session, tokenHash: string): Promise<FeedRow | null> {
  const sql = `SELECT ${feedTable.columns} FROM task_feeds WHERE workspace = $1 AND token_hash = $2`
  return db.get<FeedRow>(sql, [workspace.id, tokenHash])
}

/** Returns the workspace of a token, or null. The only query on feeds that does not know the workspace. */
async function findWorkspaceOfToken(db: Queries, tokenHash: string): Promise<WorkspaceId | null> {
  const sql = 'SELECT workspace FROM task_feeds WHERE token_hash = $1'
  return (await db.get<{ workspace: WorkspaceId }>(sql, [tokenHash]))?.workspace ?? null
}

async function countFeeds({ db, workspace }: Reader): Promise<number> {
  const sql = 'SELECT count(*) AS n FROM task_feeds WHERE workspace = $1'
  return (await db.get<{ n: number }>(sql, [workspace.id]))?.n ?? 0
}

const Name = t.String({ description: 'One line of at most 100 characters, which calendar programs show.' })
const Filter = nullable(t.String({ description: 'Which tasks, like `filter` of the list; null: all open tasks.' }))
const Component = t.Union([t.Literal('vevent'), t.Literal('vtodo')], {
  description: 'Events, which every calendar program shows, or to-dos.',
  error: 'must be vevent or vtodo',
})
const IncludeDone = t.Boolean({ description: 'Also closed tasks, unless the filter names a status.' })

const settable = {
  name: Name,
  filter: t.Optional(Filter),
  component: t.Optional(Component),
  include_done: t.Optional(IncludeDone),
}
type FeedInput = Static<ReturnType<typeof t.Object<typeof settable>>>
export type CreateFeed = { readonly id?: string | undefined } & FeedInput

const example = {
  id: '01980000-0000-7000-8000-0000000000f0',
  name: 'Work',
  filter: 'p1 or p2',
  component: 'vevent',
  include_done: false,
}

const feedResource = declareResource({
  type: 'task_feed',
  noun: 'feed',
  names: ['Feed', 'CalendarFeed'],
  path: '/api/tasks/feeds',
  tag: 'Calendar feeds',
  table: feedTable,
  order: ['created_at', 'id'],
  texts: ['name', 'filter'],
  shown: { name: t.String(), filter: nullable(t.String()), component: Component, include_done: IncludeDone },
  show: ({ name, filter, component, include_done }) => ({
    ...{ name, filter, component, include_done: include_done === 1 },
  }),
  once: {},
  settable,
  read: async (session, input, old, { at }) => ({
    ...(await readFeed(session, input, old, at)),
    token_hash: old?.token_hash ?? '',
  }),
  refused: { write: ['invalid_filter'] },
  examples: {
    shown: example,
    create: { name: 'Work', filter: 'p1 or p2' },
    update: { include_done: true },
  },
  notes: {
    list: 'In the order of their creation, without their tokens.',
    create:
      'Creates a calendar for programs that cannot send a key: its address contains a token of 256 bits, which is shown only once. It shows the tasks of its filter and nothing else. At most 20 feeds; each accepts 60 requests per hour, which count towards its owner’s limit.',
    get: 'Returns the feed by its id, or the calendar itself by its token and `.ics`, for anybody who has the token. If a name in its filter no longer exists, the calendar responds with 400, so that subscribers keep what they have.',
    update: 'The address stays the same.',
    remove:
      'Erases the feed immediately and for good: its address gives 404 from the next request on. No task changes.',
  },
})

/** Its columns but the token. Throws invalid_request, invalid_filter. */
async function readFeed(session: Session, input: Partial<FeedInput>, old: FeedRow | null, at: number) {
  const { component = old?.component ?? 'vevent', include_done = old?.include_done === 1 } = input
  const name = input.name === undefined && old ? old.name : checkGroupName(input.name ?? '').name
  if (typeof input.filter === 'string') await checkFilter(session, input.filter, at)
  const filter = input.filter === undefined ? (old?.filter ?? null) : input.filter
  return { name, filter, component, include_done: include_done ? 1 : 0 }
}

const { One } = feedResource.schemas
const token = 'fY3vJ9sQm1x0Zk7cTgB4aLrUeWdNpXo2HiV5nSqD8tE'

const NewFeed = t.Object(
  {
    ...One.properties,
    token: t.Union([t.String(), t.Null()], {
      description: 'Shown only once: anybody who has it can read the feed. Null in a replayed response.',
    }),
    url: t.Union([t.String(), t.Null()], {
      description: 'The path to subscribe to, on this server. Shown only once.',
    }),
  },
  { examples: [{ ...One.examples?.[0], token, url: `/api/tasks/feeds/${token}.ics` }] },
)

nameSchemas({ NewFeed })

export type CalendarFeed = ReturnType<typeof feedResource.show>['resource']
export type NewFeed = CalendarFeed & { readonly token: string | null; readonly url: string | null }

/** The id of a feed, or its token and `.ics`: both have the same route. */
const FeedOrToken = t.Object({
  id: t.String({
    pattern: `${Id.pattern}|^[^/]+\\.ics$`,
    description: 'The id of a feed, or its token and `.ics` for the calendar itself.',
    error: 'must be a UUIDv7 in lower case, or a token and .ics',
  }),
})

const MAX_FEEDS = 20
const TOKEN_BYTES = 32

interface FeedsDeps extends Pick<Context, 'now' | 'ids' | 'random'> {
  readonly record: RecordChange
  readonly findWorkspace: (db: Queries, id: WorkspaceId) => Promise<Workspace>
  readonly findByText: FindByText
}

export type Feeds = ReturnType<typeof createFeeds>

/** Only the SHA-256 of a token is stored. */
export function createFeeds({ now, ids, random, record, findWorkspace, findByText }: FeedsDeps) {
  const { records, get, list, update, remove } = feedResource.createService({ now, ids, record })

  return {
    ...{ get, list, update, remove },

    /** Creates a feed and its token. Throws conflict if the id is taken, quota_exceeded, invalid_filter. */
    create(
      session: Session,
      { id = ids(), ...input }: CreateFeed,
    ): Promise<{ feed: Tagged<CalendarFeed>; token: string }> {
      const token = Buffer.from(random(new Uint8Array(TOKEN_BYTES))).toString('base64url')
      return session.db.transaction(async (db) => {
        const inside = { ...session, db }
        const columns = await readFeed(inside, input, null, now())
        if ((await countFeeds(inside)) >= MAX_FEEDS)
          throw new ApiError('quota_exceeded', `A workspace may have ${MAX_FEEDS} feeds. Delete one first.`)
        const draft = { ...newStamps(id, now()), ...columns, token_hash: hashToken(token) }
        return { feed: feedResource.show(await records.insert(inside, draft)), token }
      })
    },

    /** Returns the calendar of a token in this workspace, which the gate finds by the token. Throws not_found. */
    async getCalendarByToken(session: Session, token: string): Promise<Tagged<string>> {
      const feed = await getFeedByToken(session, hashToken(token))
      if (!feed) throw new ApiError('not_found', 'There is no such feed.')
      const { writeFeedCalendar } = await import('./calendar')
      return writeFeedCalendar(session, { ...feed, include_done: feed.include_done === 1 }, now(), findByText)
    },

    /** Returns the owner of the feed with this token; `subject` replaces the token where requests are counted. */
    async findOwner(db: Queries, token: string): Promise<{ workspace: Workspace; subject: string } | null> {
      const hash = hashToken(token)
      const id = await findWorkspaceOfToken(db, hash)
      return id === null ? null : { workspace: await findWorkspace(db, id), subject: hash.slice(0, 32) }
    },
  }
}

function hashToken(token: string): string {
  return new Bun.CryptoHasher('sha256').update(token).digest('hex')
}

const CALENDAR = {
  'text/calendar': { schema: { type: 'string', examples: ['BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n'] } },
} as const

/** Returns the token in the path of a feed's calendar; null for any other path. Tokens need no percent-decoding. */
export function readTokenInPath(path: string): string | null {
  return /^\/api\/tasks\/feeds\/([\w-]{43})\.ics$/.exec(path)?.[1] ?? null
}

export function feedsRoutes({ feeds, api }: { feeds: Feeds; api: RequestPlugin }) {
  const { create, ...service } = feeds
  const { path } = feedResource
  const own = {
    create: {
      handler: async ({ body, once }) => {
        // The stored outcome must not contain the token: a repeated request only learns that the feed was created.
        let token: string | null = null
        const feed = await once(async (session) => {
          const newFeed = await create(session, body)
          token = newFeed.token
          return created(path, { ...newFeed.feed, resource: { ...newFeed.feed.resource, token: null, url: null } })
        })
        return { ...feed, token, url: token === null ? null : `${path}/${token}.ics` }
      },
      response: { 201: NewFeed },
    },
    get: {
      handler: async ({ request, session, params: { id }, reply }) => {
        if (!id.endsWith('.ics')) return reply.read(await feeds.get(session, id))
        const calendar = await feeds.getCalendarByToken(session, id.slice(0, -'.ics'.length))
        return sendFile(request, 'text/calendar', calendar)
      },
      params: FeedOrToken,
      detail: {
        ...refuses('invalid_filter'),
        summary: 'Get a feed, or its calendar',
        responses: {
          200: {
            description: 'The feed, or the calendar.',
            content: { 'application/json': { schema: One }, ...CALENDAR },
          },
          304: {},
        },
      },
    },
  } satisfies RouteDeps['own']
  return feedResource.routes({ api, service, own })
}
