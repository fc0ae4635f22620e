import { Elysia, t } from 'elysia'
import { RESOURCE_TYPES, type ResourceType } from '../db/change-feed'
import type { Session } from '../db/database'
import type { RequestPlugin } from '../http/api'
import { ifNotFound, invalid, refuses } from '../http/api-error'
import { preferredType, sendStream, streamChunks, type Tagged } from '../http/responses'
import { NoContent, nameSchemas, Problem } from '../http/schema'
import { DEFAULT_LIMIT, readChoices } from '../http/values'
import { ImportReport } from '../imports/schema'
import { yieldTurn } from '../lib/steps'
import type { WorkspaceEraser } from './processes'
import {
  ChangePage,
  EmptiedTrash,
  EmptyTrashQuery,
  EraseConfirmation,
  EraseWorkspace,
  EraseWorkspaceQuery,
  FeedChange,
  FollowChanges,
  LastEventId,
  ListChanges,
} from './schema'
import { type FeedPage, readFeedCursor, toChangePage, type Workspaces } from './service'
import type { ChangeStreams } from './stream'
import type { EmptyTrash } from './trash'

/** Reads a resource as a GET of its own address does. Throws not_found. */
type GetResource = (session: Session, id: string) => Promise<Tagged<object>>

export type ResourceReaders = Readonly<Record<ResourceType, GetResource>>

/** The most bytes of resources, as JSON, in a page: it ends early with the one that reaches them. */
const PAGE_BYTES = 1024 * 1024
/** Other requests are served after so many resources, of which each takes some 0.1 ms. */
const RESOURCES_PER_TURN = 20

/** Adds to the changes of a page the resources as they are now: null for one that was deleted, also since. */
export async function includeResources(session: Session, page: FeedPage, readers: ResourceReaders): Promise<FeedPage> {
  const items: FeedPage['items'] = []
  let bytes = 0
  for (const change of page.items) {
    const read = readers[change.type as ResourceType]
    // What was erased since the feed was read is in a later change of it.
    const found = change.op === 'delete' ? null : await read(session, change.id).catch(ifNotFound)
    const resource = found?.resource ?? null
    items.push({ ...change, resource })
    bytes += resource === null ? 0 : Buffer.byteLength(JSON.stringify(resource))
    if (bytes >= PAGE_BYTES) break
    if (items.length % RESOURCES_PER_TURN === 0) await yieldTurn()
  }
  const last = items.at(-1)
  return { ...page, items, nextSeq: last && items.length < page.items.length ? last.seq : page.nextSeq }
}

interface Deps {
  readonly workspaces: Workspaces
  readonly streams: ChangeStreams
  readonly readers: ResourceReaders
  readonly eraser: WorkspaceEraser
  readonly emptyTrash: EmptyTrash
  readonly api: RequestPlugin
}

nameSchemas({ EmptiedTrash, EraseConfirmation, ImportReport })
nameSchemas({ Change: FeedChange, ChangePage })

export function workspaceRoutes({ eraser, emptyTrash, api }: Pick<Deps, 'eraser' | 'emptyTrash' | 'api'>) {
  return new Elysia({ tags: ['Workspace'] })
    .use(api)
    .delete(
      '/api/workspace',
      async ({ query, body, session, reply }) => {
        requireConfirmed(body, query)
        await eraser.erase(session)
        reply.deleted()
      },
      {
        query: EraseWorkspaceQuery,
        body: EraseWorkspace,
        response: { 204: NoContent },
        detail: {
          operationId: 'eraseWorkspace',
          summary: 'Erase your workspace',
          description:
            'Permanently erases everything in the workspace, including the trash and the history. The key stays valid. Without ' +
            'a key this is the scratch space of your address at this site, which others at the address may use, too. ' +
            'Send `confirm` in the body or in the query: many clients drop the body of a DELETE. ' +
            'The data can no longer be read once erasing has begun. Until it ends, usually before the response, with many ' +
            'thousand resources up to a minute later, other requests to the workspace get 503. A server that is killed ' +
            'meanwhile continues by itself. In the files of the server the text is overwritten within about a minute ' +
            'afterwards, later if much is stored or an export is running. Backups keep their copies.',
        },
      },
    )
    .delete(
      '/api/trash',
      async ({ request, query, body, session, reply }) => {
        requireConfirmed(body, query)
        return reply.send(await emptyTrash(request, session, query.type ?? null))
      },
      {
        query: EmptyTrashQuery,
        body: EraseWorkspace,
        response: { 200: EmptiedTrash, 202: ImportReport },
        detail: {
          tags: ['Trash'],
          operationId: 'emptyTrash',
          summary: 'Empty the trash',
          description:
            'Permanently erases the resources that are in the trash now, all of them or those of one `type`. The feed lists each ' +
            'of them as deleted. Send `confirm` in the body or in the query: many clients drop the body of a DELETE. ' +
            'Other requests are served in between. If it takes more than 20 seconds, follow it with `GET /api/imports/{id}`. ' +
            'It continues after a crash.',
        },
      },
    )
}

/** @throws ApiError invalid_request */
function requireConfirmed(body: EraseWorkspace, query: EraseWorkspaceQuery): void {
  if ((body?.confirm ?? query.confirm) !== undefined) return
  throw invalid('/confirm', 'required', 'confirm must be erase, in the body or as ?confirm=erase')
}

export function changesRoutes({ workspaces, streams, readers, api }: Omit<Deps, 'eraser' | 'emptyTrash'>) {
  return new Elysia({ prefix: '/api/changes', tags: ['Changes'] })
    .use(api)
    .get(
      '',
      async ({ request, query, session, set }) => {
        const limit = Number(query.limit ?? DEFAULT_LIMIT)
        const types = query.types === undefined ? null : readChoices(query.types, RESOURCE_TYPES, '/types')
        const readPage = async (since: string) => {
          const page = await workspaces.listChanges(session, readFeedCursor(since), limit, types)
          return toChangePage(query.include ? await includeResources(session, page, readers) : page)
        }
        const since = query.since ?? '0'
        if (preferredType(request.headers.get('accept'), ['application/json', PAGES]) === PAGES) {
          const body = await streamChunks(writePages(since, readPage))
          return (await sendStream(request, body, { 'Content-Type': PAGES, Vary: 'Accept' }, true)) as never
        }
        set.headers.Vary = 'Accept'
        return await readPage(since)
      },
      {
        query: ListChanges,
        response: { 200: ChangePage, 410: Problem },
        detail: {
          operationId: 'listChanges',
          ...refuses('cursor_expired'),
          summary: 'List changes',
          description:
            'Lists the latest change of each resource after `since`, oldest first: enough to keep a copy up to date. With ' +
            '`include=resource` each has the resource as it is now, which may be newer, and a page ends early at 1 MiB of them. ' +
            'With `types` a page may be short or empty: go on until `next_cursor` is null, later from `latest_seq`. With ' +
            '`Accept: application/x-ndjson` all pages come in one answer, each on a line; one that breaks off is continued ' +
            'from the `next_cursor` of the last whole line.',
          responses: {
            200: {
              description: 'A page, or by Accept all from there on, each on a line.',
              content: {
                'application/json': { schema: ChangePage },
                [PAGES]: { schema: { type: 'string', examples: ['{"items":[],"next_cursor":null,"latest_seq":7}\n'] } },
              },
            },
            410: {},
          },
        } as object,
      },
    )
    .get(
      '/stream',
      async ({ request, query, headers, session }) => {
        const body = await streams.follow(session, readFeedCursor(headers['last-event-id'] ?? query.since ?? '0'))
        const isHead = request.method === 'HEAD'
        if (isHead) await body.cancel()
        return new Response(isHead ? new ReadableStream() : body, { headers: EVENTS })
      },
      {
        query: FollowChanges,
        headers: LastEventId,
        response: { 200: t.Any({ description: 'A stream of events.' }), 410: Problem },
        detail: FOLLOW,
      },
    )
}

const PAGES = 'application/x-ndjson'

/** Yields the page after a cursor and the pages that follow it, as JSON, each on a line. */
async function* writePages(
  since: string,
  readPage: (since: string) => Promise<ChangePage>,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for (let next: string | null = since; next !== null; ) {
    const page = await readPage(next)
    yield encoder.encode(`${JSON.stringify(page)}\n`)
    next = page.next_cursor
  }
}

const EVENTS = { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store' }

const EXAMPLE = `id: 7
event: change
data: {"seq":7,"type":"note","id":"01980000-0000-7000-8000-000000000000","op":"upsert","revision":2,"changed_at":"2026-03-01T09:30:00.000Z"}

`

const FOLLOW = {
  operationId: 'streamChanges',
  ...refuses('too_many_streams'),
  summary: 'Follow changes',
  description:
    'Sends the feed as Server-Sent Events: the changes after `since`, then each new change. The `id` of an event is its seq, ' +
    'for clients that began at 0 with a second number after a hyphen; a client that was cut off continues with ' +
    '`Last-Event-ID` and misses nothing. Events called `import`, without an `id`, report the progress of imports: `id`, ' +
    '`state`, `done` and `total`, at most twice a second. A stream lasts an hour; a workspace may have 10 open.',
  responses: {
    200: {
      description: 'A stream of events.',
      content: { 'text/event-stream': { schema: { type: 'string', examples: [EXAMPLE] } } },
    },
    410: {},
  },
} as object
