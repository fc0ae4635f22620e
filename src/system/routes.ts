import { Elysia } from 'elysia'
import type { Session } from '../db/database'
import type { HourlyUsage } from '../gate/gate'
import type { RequestPlugin } from '../http/request'
import { nameSchemas, WorkspaceUsage } from '../http/schema'
import { writeInstant } from '../http/values'
import { ServiceDocument, Usage } from './schema'

const HOUR_MS = 3_600_000

interface Deps {
  readonly version: string
  /** Requests an hour without a key and with one. */
  readonly limits: Usage['limits']
  readonly api: RequestPlugin
  /** What the caller used of its limit. */
  readonly usageOf: (request: Request) => Promise<HourlyUsage>
  readonly workspaceUsage: (session: Session) => Promise<WorkspaceUsage>
}

/** A way into each group of endpoints; test/docs.test.ts holds that every route is below one of them. */
const LINKS = {
  notes: '/api/notes',
  tasks: '/api/tasks',
  flashcards: '/api/flashcards/decks',
  search: '/api/search',
  chat: '/api/chat',
  openai: '/api/openai/models',
  ollama: '/api/tags',
  changes: '/api/changes',
  changes_stream: '/api/changes/stream',
  usage: '/api/usage',
  workspace: '/api/workspace',
  trash: '/api/trash',
  export: '/api/export',
  import: '/api/import',
  imports: '/api/imports',
  docs: '/docs',
  openapi: '/openapi.json',
  errors: '/docs/errors',
  key_page: '/',
}

nameSchemas({ ServiceDocument, Usage, WorkspaceUsage })

export function systemRoutes({ version, limits, api, usageOf, workspaceUsage }: Deps) {
  // Before the session is read: this one is for everybody, whatever becomes of their workspace.
  return new Elysia({ tags: ['System'] })
    .get('/api', () => ({ name: 'Satchel', version, links: LINKS }), {
      response: { 200: ServiceDocument },
      detail: {
        operationId: 'getServiceDocument',
        summary: 'Get the service document',
        description: 'What this is, and where everything is.',
      },
    })
    .use(api)
    .get(
      '/api/usage',
      async ({ request, session }) => ({
        ...toUsage(await usageOf(request), await workspaceUsage(session)),
        limits,
      }),
      {
        response: { 200: Usage },
        detail: {
          operationId: 'getUsage',
          summary: 'Get your usage',
          description: 'Your tier, what is left of this hour, your workspace and your last 48 hours. Not counted.',
        },
      },
    )
}

function toUsage({ resetSeconds, history, ...used }: HourlyUsage, workspace: WorkspaceUsage): Omit<Usage, 'limits'> {
  const hours = hoursUpTo(history.hour, history.used.length)
  return {
    ...used,
    reset_seconds: resetSeconds,
    workspace,
    history: history.used.map((used, i) => ({ hour: hours[i] ?? '', used, refused: history.refused[i] ?? 0 })),
  }
}

let written: readonly string[] = []

/** The names of the newest hours, kept: writing them each time took a third of a request. */
function hoursUpTo(hour: number, count: number): readonly string[] {
  const newest = writeInstant(hour * HOUR_MS)
  if (written.length !== count || written.at(-1) !== newest)
    written = Array.from({ length: count }, (_, i) => writeInstant((hour - count + 1 + i) * HOUR_MS))
  return written
}
