import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { Instant, WorkspaceUsage } from '../http/schema'

export const ServiceDocument = t.Object({
  name: t.String(),
  version: t.String(),
  links: t.Record(t.String(), t.String(), {
    description: 'Where each group of endpoints, the docs and the key page are.',
  }),
})

export const Usage = t.Object({
  tier: t.Union([t.Literal('free'), t.Literal('api')]),
  limit: Type.Integer({ description: 'Requests an hour.' }),
  remaining: Type.Integer({ minimum: 0, description: 'Requests left in this hour.' }),
  reset_seconds: Type.Integer({ minimum: 1, maximum: 3600, description: 'Seconds until the next hour begins.' }),
  workspace: WorkspaceUsage,
  history: t.Array(
    t.Object({ hour: Instant, used: Type.Integer({ minimum: 0 }), refused: Type.Integer({ minimum: 0 }) }),
    { description: "This caller's last 48 hours, oldest first." },
  ),
})

export type ServiceDocument = Static<typeof ServiceDocument>
export type Usage = Static<typeof Usage>
