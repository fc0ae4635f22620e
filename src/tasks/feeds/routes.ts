import { Elysia } from 'elysia'
import { refuses } from '../../http/api-error'
import { ifMatch } from '../../http/conditional'
import type { RequestPlugin } from '../../http/request'
import { created, sendFile } from '../../http/responses'
import { NoContent, nameSchemas, Problem } from '../../http/schema'
import {
  CalendarFeed,
  CalendarFeedPage,
  CreateFeed,
  FeedOrToken,
  ListFeeds,
  NewFeed,
  OneFeed,
  UpdateFeed,
} from './schema'
import type { Feeds } from './service'

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
