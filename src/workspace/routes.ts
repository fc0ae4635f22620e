import { Elysia, t } from 'elysia'
import { invalid } from '../http/api-error'
import type { RequestPlugin } from '../http/request'
import { NoContent, nameSchemas, Problem } from '../http/schema'
import { DEFAULT_LIMIT } from '../http/values'
import { ImportReport } from '../imports/schema'
import type { WorkspaceEraser } from './erase-workspace'
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
import { readFeedCursor, toChangePage, type Workspaces } from './service'
import type { ChangeStreams } from './stream'
import type { EmptyTrash } from './trash'

interface Deps {
  readonly workspaces: Workspaces
  readonly streams: ChangeStreams
  readonly erasing: WorkspaceEraser
  readonly emptyTrash: EmptyTrash
  readonly api: RequestPlugin
}

nameSchemas({ EmptiedTrash, EraseConfirmation, ImportReport })
nameSchemas({ Change: FeedChange, ChangePage })

export function workspaceRoutes({ erasing, emptyTrash, api }: Pick<Deps, 'erasing' | 'emptyTrash' | 'api'>) {
  return new Elysia({ tags: ['System'] })
    .use(api)
    .delete(
      '/api/workspace',
      async ({ query, body, session, reply }) => {
        requireConfirmed(body, query)
        await erasing.erase(session)
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
            'Erases everything in it for good, the trash and the history too; what was exported before is all that is left. ' +
            'The key stays good. Without a key this is the scratch space of your address at this site, which others there may use too. ' +
            'Say `confirm` in the body or in the query: many clients drop the body of a DELETE. ' +
            'From here on nothing of it can be read any more. Until all of it is gone, mostly before the answer and with many ' +
            'thousand resources a minute later, other requests to the workspace get 503; a server that is killed midway goes ' +
            'on by itself. In its files the text is overwritten within about a minute after that, later where much is ' +
            'stored or an export is running; backups keep what they hold.',
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
          operationId: 'emptyTrash',
          summary: 'Empty the trash',
          description:
            'Erases what is in the trash now for good, all of it or one `type`; of what comes into it meanwhile, nothing. The feed ' +
            'lists each of them as deleted. Say `confirm` in the body or in the query: many clients drop the body of a DELETE. ' +
            'Others need not wait meanwhile; what takes more than 20 seconds is reported by `GET /api/imports/{id}`, and goes on after ' +
            'a crash.',
        },
      },
    )
}

/** @throws ApiError invalid_request */
function requireConfirmed(body: EraseWorkspace, query: EraseWorkspaceQuery): void {
  if ((body?.confirm ?? query.confirm) !== undefined) return
  throw invalid('/confirm', 'required', 'confirm must be erase, in the body or as ?confirm=erase')
}

export function changesRoutes({ workspaces, streams, api }: Omit<Deps, 'erasing' | 'emptyTrash'>) {
  return new Elysia({ prefix: '/api/changes', tags: ['System'] })
    .use(api)
    .get(
      '',
      async ({ query, session }) => {
        const limit = Number(query.limit ?? DEFAULT_LIMIT)
        return toChangePage(await workspaces.changes(session, readFeedCursor(query.since ?? '0'), limit))
      },
      {
        query: ListChanges,
        response: { 200: ChangePage, 410: Problem },
        detail: {
          operationId: 'listChanges',
          summary: 'List changes',
          description: 'The latest change of each resource after `since`, oldest first: enough to keep a copy in step.',
        },
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
        response: { 200: t.Any({ description: 'Events without an end.' }), 410: Problem },
        detail: FOLLOW,
      },
    )
}

const EVENTS = { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store' }

const EXAMPLE = `id: 7
event: change
data: {"seq":7,"type":"note","id":"01980000-0000-7000-8000-000000000000","op":"upsert","revision":2,"changed_at":"2026-03-01T09:30:00.000Z"}

`

const FOLLOW = {
  operationId: 'streamChanges',
  summary: 'Follow changes',
  description:
    'The feed as Server-Sent Events: what there is after `since`, then each change as it comes. The `id` of an event is its ' +
    'seq (behind a hyphen, up to where forgotten deletions do not matter to who begins at 0), so a client that is cut off ' +
    'goes on with `Last-Event-ID` and misses nothing. An import tells of itself in events called `import`, without an `id`: ' +
    '`id`, `state`, `done` and `total`, at most twice a second. A stream lasts an hour; a workspace may have 10.',
  responses: {
    200: {
      description: 'Events without an end.',
      content: { 'text/event-stream': { schema: { type: 'string', examples: [EXAMPLE] } } },
    },
    410: {},
  },
} as object
