import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { Instant, WorkspaceUsage } from '../http/schema'

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
