import type { RecordChange } from '../../db/change-feed'
import type { Context } from '../../db/context'
import type { Queries, Session, Workspace, WorkspaceId } from '../../db/database'
import { ApiError } from '../../http/api-error'
import { type Precondition, type Tagged, writeEtag } from '../../http/conditional'
import { type Page, readCursor, toPage } from '../../http/cursor'
import {
  changeOf,
  changeOfErased,
  createResourceReader,
  hasMembers,
  newStamps,
  revise,
  taken,
  textBytes,
} from '../../http/resource'
import { DEFAULT_LIMIT, writeInstant } from '../../http/values'
import { checkFilter } from '../filter/service'
import { checkGroupName } from '../groups/records'
import { writeFeedCalendar } from './calendar'
import type { CalendarFeed, CreateFeed, UpdateFeed } from './schema'
import {
  countFeeds,
  eraseFeed,
  type FeedRow,
  findWorkspaceOfToken,
  getFeed,
  getFeedByToken,
  insertFeed,
  listFeeds,
  updateFeed,
} from './store'

const MAX_FEEDS = 20
const TOKEN_BYTES = 32

export interface FeedsDeps extends Pick<Context, 'now' | 'ids' | 'random'> {
  readonly record: RecordChange
  readonly findWorkspace: (db: Queries, id: WorkspaceId) => Promise<Workspace>
}

export type Feeds = ReturnType<typeof createFeeds>

/** Only the SHA-256 of a token is stored. */
export function createFeeds({ now, ids, random, record, findWorkspace }: FeedsDeps) {
  return {
    /** Creates a feed and its token. Throws conflict if the id is taken, quota_exceeded, invalid_filter. */
    create(session: Session, input: CreateFeed): Promise<{ feed: Tagged<CalendarFeed>; token: string }> {
      const { id = ids(), filter = null, component = 'vevent', include_done = false } = input
      const { name } = checkGroupName(input.name)
      const row = {
        ...newStamps(id, now()),
        name,
        filter,
        component,
        include_done: include_done ? 1 : 0,
        size_bytes: textBytes(name, filter),
      }
      const token = Buffer.from(random(new Uint8Array(TOKEN_BYTES))).toString('base64url')
      return session.db.transaction(async (db) => {
        const inside = { ...session, db }
        if (filter !== null) await checkFilter(inside, filter, now())
        if ((await countFeeds(db, session.workspace.id)) >= MAX_FEEDS)
          throw new ApiError('quota_exceeded', `A workspace may have ${MAX_FEEDS} feeds. Delete one first.`)
        if (!(await insertFeed(db, session.workspace.id, row, hashToken(token))))
          throw taken('A feed with this id exists already.', id)
        await record(inside, changeOf('task_feed', row, 1, row.size_bytes))
        return { feed: toFeed(row), token }
      })
    },

    get: feedReader.get,

    /** Lists feeds in the order of their creation. Throws invalid_cursor. */
    async list({ db, workspace }: Session, query: { limit?: string; cursor?: string }): Promise<Page<CalendarFeed>> {
      const limit = Number(query.limit ?? DEFAULT_LIMIT)
      const after = query.cursor === undefined ? [] : readCursor(query.cursor, 'feeds', ['number', 'string'])
      const rows = await listFeeds(db, workspace.id, after, limit + 1)
      return toPage(
        rows,
        limit,
        'feeds',
        ({ created_at, id }) => [created_at, id],
        (row) => toFeed(row).resource,
      )
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
        const next = { ...old, name, filter, include_done, component: patch.component ?? old.component }
        if (hasMembers(old, next)) return toFeed(old)
        const row = revise(old, { ...next, size_bytes: textBytes(name, filter) }, now())
        await updateFeed(inside.db, inside.workspace.id, row)
        await record(inside, changeOf('task_feed', row, 0, row.size_bytes - old.size_bytes))
        return toFeed(row)
      })
    },

    /** Erases the feed for good; its token stops working. Throws not_found, precondition_failed. */
    erase(session: Session, id: string, precondition: Precondition = null): Promise<void> {
      return feedReader.withRow(session, id, precondition, async (inside, feed) => {
        await eraseFeed(inside.db, inside.workspace.id, id)
        await record(inside, changeOfErased('task_feed', feed, now(), feed.size_bytes))
      })
    },

    /** Returns the calendar of a token in this workspace, which the gate finds by the token. Throws not_found. */
    async getCalendarByToken(session: Session, token: string): Promise<Tagged<string>> {
      const feed = await getFeedByToken(session.db, session.workspace.id, hashToken(token))
      if (!feed) throw createNoFeedError()
      return writeFeedCalendar(session, { ...feed, include_done: feed.include_done === 1 }, now())
    },

    /** Returns the owner of the feed with this token; `subject` replaces the token where requests are counted. */
    async findOwner(db: Queries, token: string): Promise<{ workspace: Workspace; subject: string } | null> {
      const hash = hashToken(token)
      const id = await findWorkspaceOfToken(db, hash)
      return id === null ? null : { workspace: await findWorkspace(db, id), subject: hash.slice(0, 32) }
    },
  }
}

const feedReader = createResourceReader({ noun: 'feed', show: toFeed, get: getFeed })

function createNoFeedError(): ApiError {
  return new ApiError('not_found', 'There is no such feed.')
}

function hashToken(token: string): string {
  return new Bun.CryptoHasher('sha256').update(token).digest('hex')
}

function toFeed(row: Omit<FeedRow, 'key'>): Tagged<CalendarFeed> {
  const { id, revision, created_at, updated_at, name, filter, component, include_done } = row
  const stamps = { id, revision, created_at: writeInstant(created_at), updated_at: writeInstant(updated_at) }
  return {
    resource: { ...stamps, name, filter, component, include_done: include_done === 1 },
    etag: writeEtag(revision),
  }
}
