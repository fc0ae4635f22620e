import { Type } from '@sinclair/typebox'
import { Elysia, type Static, t } from 'elysia'
import type { Session } from '../db/database'
import type { HourlyUsage } from '../gate/admission'
import type { RequestPlugin } from '../http/api'
import { Instant, nameSchemas, WorkspaceUsage } from '../http/schema'
import { writeInstant } from '../http/values'

export const ServiceDocument = t.Object(
  {
    name: t.String(),
    version: t.String(),
    links: t.Record(t.String(), t.String(), {
      description: 'Where each group of endpoints, the docs and the key page are.',
    }),
  },
  { examples: [{ name: 'Satchel', version: '0.1.0', links: { notes: '/api/notes', docs: '/docs' } }] },
)

const usage = {
  tier: 'api',
  limit: 1000,
  remaining: 993,
  reset_seconds: 1800,
  limits: { free: 20, api: 1000 },
  workspace: {
    kind: 'key',
    created_at: '2026-03-01T08:15:00.000Z',
    expires_at: null,
    resources: 12,
    size_bytes: 34_567,
    quotas: { resources: 100_000, size_bytes: 268_435_456 },
  },
  history: [{ hour: '2026-03-01T08:00:00.000Z', used: 7, refused: 0 }],
}

export const Usage = t.Object(
  {
    tier: t.Union([t.Literal('free'), t.Literal('api')]),
    limit: Type.Integer({ description: 'Requests an hour.' }),
    remaining: Type.Integer({ minimum: 0, description: 'Requests left in this hour.' }),
    reset_seconds: Type.Integer({ minimum: 1, maximum: 10_800, description: 'Seconds until the next hour begins.' }),
    limits: t.Object(
      { free: Type.Integer(), api: Type.Integer() },
      { description: 'Requests an hour without a key and with one.' },
    ),
    workspace: WorkspaceUsage,
    history: t.Array(
      t.Object({ hour: Instant, used: Type.Integer({ minimum: 0 }), refused: Type.Integer({ minimum: 0 }) }),
      { description: "This caller's last 48 hours, oldest first." },
    ),
  },
  { examples: [usage] },
)

export type ServiceDocument = Static<typeof ServiceDocument>
export type Usage = Static<typeof Usage>

const HOUR_MS = 3_600_000

interface Deps {
  readonly version: string
  /** Requests an hour without a key and with one. */
  readonly limits: Usage['limits']
  readonly api: RequestPlugin
  readonly usageOf: (request: Request) => Promise<HourlyUsage>
  readonly workspaceUsage: (session: Session) => Promise<WorkspaceUsage>
}

/** An entry path for each group of endpoints; test/docs.test.ts checks that every route is below one of them. */
const LINKS = {
  notes: '/api/notes',
  tasks: '/api/tasks',
  flashcards: '/api/flashcards/decks',
  search: '/api/search',
  chat: '/api/chat',
  openai: '/api/openai/models',
  ollama: '/api/tags',
  mcp: '/api/mcp',
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
  // The first route comes before the plugin that makes the session: it works while the caller's workspace is being
  // erased.
  return new Elysia({ tags: ['Server'] })
    .get('/api', () => ({ name: 'Satchel', version, links: LINKS }), {
      response: { 200: ServiceDocument },
      detail: {
        operationId: 'getServiceDocument',
        summary: 'Get the service document',
        description: 'Names the service, and links to each group of endpoints.',
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
          description:
            'Returns your tier, the requests left in this hour, your workspace, and your last 48 hours. Not counted.',
        },
      },
    )
}

function toUsage({ resetSeconds, history, ...used }: HourlyUsage, workspace: WorkspaceUsage): Omit<Usage, 'limits'> {
  const hours = listHours(history.hour, history.used.length)
  return {
    ...used,
    reset_seconds: resetSeconds,
    workspace,
    history: history.used.map((used, i) => ({ hour: hours[i] ?? '', used, refused: history.refused[i] ?? 0 })),
  }
}

let cached: { readonly hour: number; readonly texts: readonly string[] } = { hour: 0, texts: [] }

/** Lists the newest hours as instants. They are cached: formatting them each time took a third of the request. */
function listHours(hour: number, count: number): readonly string[] {
  if (cached.texts.length !== count || cached.hour !== hour)
    cached = { hour, texts: Array.from({ length: count }, (_, i) => writeInstant((hour - count + 1 + i) * HOUR_MS)) }
  return cached.texts
}
