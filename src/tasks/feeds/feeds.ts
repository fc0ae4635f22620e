import { Elysia, type Static, t } from 'elysia'
import type { RecordChange } from '../../db/change-feed'
import type { Context, Queries, Session, Workspace, WorkspaceId } from '../../db/database'
import type { RequestPlugin } from '../../http/api'
import { ApiError, refuses } from '../../http/api-error'
import { type Page, readCursor, toPage } from '../../http/cursor'
import { createResourceReader, createResourceWriter, newStamps, textBytes, writeStamps } from '../../http/resource'
import { created, ifMatch, type Precondition, sendFile, type Tagged, writeEtag } from '../../http/responses'
import { Cursor, closed, Id, Limit, NoContent, nameSchemas, nullable, Problem, pageOf, STAMPS } from '../../http/schema'
import { DEFAULT_LIMIT } from '../../http/values'
import { checkFilter, type FindByText } from '../filter/service'
import { checkGroupName } from '../names-and-positions'
import { countFeeds, type FeedRow, feedTable, findWorkspaceOfToken, getFeedByToken, listFeeds } from './store'

const example = {
  id: '01980000-0000-7000-8000-0000000000f0',
  revision: 1,
  created_at: '2026-03-01T08:15:00.000Z',
  updated_at: '2026-03-01T08:15:00.000Z',
  name: 'Work',
  filter: 'p1 or p2',
  component: 'vevent' as const,
  include_done: false,
}
const token = 'fY3vJ9sQm1x0Zk7cTgB4aLrUeWdNpXo2HiV5nSqD8tE'

const Name = t.String({ description: 'One line of at most 100 characters, which calendar programs show.' })
const Filter = nullable(t.String({ description: 'Which tasks, like `filter` of the list; null: all open tasks.' }))
const Component = t.Union([t.Literal('vevent'), t.Literal('vtodo')], {
  description: 'Events, which every calendar program shows, or to-dos.',
  error: 'must be vevent or vtodo',
})
const IncludeDone = t.Boolean({ description: 'Also closed tasks, unless the filter names a status.' })

const members = {
  ...STAMPS,
  name: t.String(),
  filter: nullable(t.String()),
  component: Component,
  include_done: IncludeDone,
}

export const CalendarFeed = t.Object(members, { examples: [example] })
const CalendarFeedPage = pageOf(CalendarFeed)

export const NewFeed = t.Object(
  {
    ...members,
    token: t.Union([t.String(), t.Null()], {
      description: 'Shown only once: anybody who has it can read the feed. Null in a replayed response.',
    }),
    url: t.Union([t.String(), t.Null()], {
      description: 'The path to subscribe to, on this server. Shown only once.',
    }),
  },
  { examples: [{ ...example, token, url: `/api/tasks/feeds/${token}.ics` }] },
)

const settable = {
  filter: t.Optional(Filter),
  component: t.Optional(Component),
  include_done: t.Optional(IncludeDone),
}

export const CreateFeed = t.Object(
  {
    id: t.Optional(Id),
    name: Name,
    ...settable,
  },
  { ...closed, examples: [{ name: 'Work', filter: 'p1 or p2' }] },
)

const UpdateFeed = t.Object(
  { name: t.Optional(Name), ...settable },
  {
    ...closed,
    description: 'A JSON merge patch (RFC 7396): absent members stay, null clears.',
    examples: [{ include_done: true }],
  },
)

const ListFeeds = t.Object({ limit: t.Optional(Limit), cursor: t.Optional(Cursor) }, closed)

const OneFeed = t.Object({ id: Id })

/** The id of a feed, or its token and `.ics`: both have the same route. */
const FeedOrToken = t.Object({
  id: t.String({
    pattern: `${Id.pattern}|^[^/]+\\.ics$`,
    description: 'The id of a feed, or its token and `.ics` for the calendar itself.',
    error: 'must be a UUIDv7 in lower case, or a token and .ics',
  }),
})

export type CalendarFeed = Static<typeof CalendarFeed>
export type NewFeed = Static<typeof NewFeed>
export type CreateFeed = Static<typeof CreateFeed>
type UpdateFeed = Static<typeof UpdateFeed>

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
  const writer = createResourceWriter<FeedRow, Omit<FeedRow, 'key'>>({
    now,
    record,
    type: 'task_feed',
    noun: 'feed',
    store: feedTable,
  })

  return {
    /** Creates a feed and its token. Throws conflict if the id is taken, quota_exceeded, invalid_filter. */
    create(session: Session, input: CreateFeed): Promise<{ feed: Tagged<CalendarFeed>; token: string }> {
      const { id = ids(), filter = null, component = 'vevent', include_done = false } = input
      const { name } = checkGroupName(input.name)
      const token = Buffer.from(random(new Uint8Array(TOKEN_BYTES))).toString('base64url')
      const draft = {
        ...newStamps(id, now()),
        ...{ name, filter, component, include_done: include_done ? 1 : 0, token_hash: hashToken(token) },
        deleted_at: null,
        size_bytes: textBytes(name, filter),
      }
      return session.db.transaction(async (db) => {
        const inside = { ...session, db }
        if (filter !== null) await checkFilter(inside, filter, now())
        if ((await countFeeds(inside)) >= MAX_FEEDS)
          throw new ApiError('quota_exceeded', `A workspace may have ${MAX_FEEDS} feeds. Delete one first.`)
        return { feed: toFeed(await writer.insert(inside, draft)), token }
      })
    },

    get: feedReader.get,

    /** Lists feeds in the order of their creation. Throws invalid_cursor. */
    async list(session: Session, query: { limit?: string; cursor?: string }): Promise<Page<CalendarFeed>> {
      const limit = Number(query.limit ?? DEFAULT_LIMIT)
      const after = query.cursor === undefined ? [] : readCursor(query.cursor, 'feeds', ['number', 'string'])
      const rows = await listFeeds(session, after, limit + 1)
      const keys = ({ created_at, id }: FeedRow) => [created_at, id]
      return toPage(rows, limit, 'feeds', keys, (row) => toFeed(row).resource)
    },

    /** Applies a merge patch; the token stays the same. Throws precondition_failed, invalid_filter. */
    update(
      session: Session,
      id: string,
      patch: UpdateFeed,
      precondition: Precondition = null,
    ): Promise<Tagged<CalendarFeed>> {
      return feedReader.withRow(session, id, precondition, async (inside, old) => {
        const name = patch.name === undefined ? old.name : checkGroupName(patch.name).name
        const filter = patch.filter === undefined ? old.filter : patch.filter
        if (typeof patch.filter === 'string') await checkFilter(inside, patch.filter, now())
        const include_done = patch.include_done === undefined ? old.include_done : patch.include_done ? 1 : 0
        const next = { name, filter, include_done, component: patch.component ?? old.component }
        return toFeed(await writer.save(inside, old, { ...next, size_bytes: textBytes(name, filter) }))
      })
    },

    /** Erases the feed for good; its token stops working. Throws not_found, precondition_failed. */
    erase(session: Session, id: string, precondition: Precondition = null): Promise<void> {
      return feedReader.withRow(session, id, precondition, (inside, feed) => writer.erase(inside, feed))
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

const feedReader = createResourceReader({ noun: 'feed', show: toFeed, get: feedTable.get })

function hashToken(token: string): string {
  return new Bun.CryptoHasher('sha256').update(token).digest('hex')
}

function toFeed(row: Omit<FeedRow, 'key'>): Tagged<CalendarFeed> {
  const { name, filter, component, include_done } = row
  return {
    resource: { ...writeStamps(row), name, filter, component, include_done: include_done === 1 },
    etag: writeEtag(row.revision),
  }
}

const COLLECTION = '/api/tasks/feeds'
const CALENDAR = {
  'text/calendar': { schema: { type: 'string', examples: ['BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n'] } },
} as const

nameSchemas({ CalendarFeed, CalendarFeedPage, NewFeed, CreateFeed, UpdateFeed })

/** Returns the token in the path of a feed's calendar; null for any other path. Tokens need no percent-decoding. */
export function readTokenInPath(path: string): string | null {
  return /^\/api\/tasks\/feeds\/([\w-]{43})\.ics$/.exec(path)?.[1] ?? null
}

export function feedsRoutes({ feeds, api }: { feeds: Feeds; api: RequestPlugin }) {
  return new Elysia({ tags: ['Calendar feeds'] })
    .use(api)
    .get(COLLECTION, ({ session, query }) => feeds.list(session, query), {
      query: ListFeeds,
      response: { 200: CalendarFeedPage },
      detail: {
        operationId: 'listFeeds',
        ...refuses('invalid_cursor'),
        summary: 'List feeds',
        description: 'In the order of their creation, without their tokens.',
      },
    })
    .post(
      COLLECTION,
      async ({ body, once }) => {
        // The stored outcome must not contain the token: a repeated request only learns that the feed was created.
        let token: string | null = null
        const feed = await once(async (session) => {
          const newFeed = await feeds.create(session, body)
          token = newFeed.token
          return created(COLLECTION, {
            ...newFeed.feed,
            resource: { ...newFeed.feed.resource, token: null, url: null },
          })
        })
        return { ...feed, token, url: token === null ? null : `${COLLECTION}/${token}.ics` }
      },
      {
        idempotent: true,
        body: CreateFeed,
        response: { 201: NewFeed, 409: Problem },
        detail: {
          operationId: 'createFeed',
          ...refuses('invalid_filter'),
          summary: 'Create a feed',
          description:
            'Creates a calendar for programs that cannot send a key: its address contains a token of 256 bits, which is shown only once. It shows the tasks of its filter and nothing else. At most 20 feeds; each accepts 60 requests per hour, which count towards its owner’s limit.',
        },
      },
    )
    .get(
      `${COLLECTION}/:id`,
      async ({ request, session, params: { id }, reply }) => {
        if (!id.endsWith('.ics')) return reply.read(await feeds.get(session, id))
        return sendFile(
          request,
          'text/calendar',
          await feeds.getCalendarByToken(session, id.slice(0, -'.ics'.length)),
        ) as never
      },
      {
        params: FeedOrToken,
        response: { 200: CalendarFeed, 304: NoContent },
        detail: {
          operationId: 'getFeed',
          ...refuses('invalid_filter'),
          summary: 'Get a feed, or its calendar',
          description:
            'Returns the feed by its id, or the calendar itself by its token and `.ics`, for anybody who has the token. If a name in its filter no longer exists, the calendar responds with 400, so that subscribers keep what they have.',
          responses: {
            200: {
              description: 'The feed, or the calendar.',
              content: { 'application/json': { schema: CalendarFeed }, ...CALENDAR },
            },
            304: {},
          },
        } as object,
      },
    )
    .patch(
      `${COLLECTION}/:id`,
      async ({ request, session, params, body, reply }) =>
        reply.changed(await feeds.update(session, params.id, body, ifMatch(request))),
      {
        params: OneFeed,
        body: UpdateFeed,
        response: { 200: CalendarFeed, 412: Problem },
        detail: {
          operationId: 'updateFeed',
          ...refuses('invalid_filter'),
          summary: 'Change a feed',
          description: 'The address stays the same.',
        },
      },
    )
    .delete(
      `${COLLECTION}/:id`,
      async ({ request, session, params, reply }) => {
        await feeds.erase(session, params.id, ifMatch(request))
        reply.deleted()
      },
      {
        params: OneFeed,
        response: { 204: NoContent, 412: Problem },
        detail: {
          operationId: 'deleteFeed',
          summary: 'Delete a feed',
          description:
            'Erases the feed immediately and for good: its address gives 404 from the next request on. No task changes.',
        },
      },
    )
}
