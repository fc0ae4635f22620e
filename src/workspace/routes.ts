import { Elysia } from 'elysia'
import type { Session } from '../db/database'
import { Problem } from '../http/schema'
import { DEFAULT_LIMIT } from '../http/values'
import { ChangeList, ListChanges } from './schema'
import type { Workspaces } from './service'

interface Deps {
  readonly workspaces: Workspaces
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

export function workspaceRoutes({ workspaces, session }: Deps) {
  return new Elysia({ prefix: '/api/changes', tags: ['System'] }).get(
    '',
    ({ request, query }) =>
      workspaces.changes(session(request), Number(query.since ?? 0), Number(query.limit ?? DEFAULT_LIMIT)),
    {
      query: ListChanges,
      response: { 200: ChangeList, 410: Problem },
      detail: {
        summary: 'List changes',
        description: 'The latest change of each resource after `since`, oldest first: enough to keep a copy in step.',
      },
    },
  )
}
