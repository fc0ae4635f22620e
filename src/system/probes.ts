/** GET /healthz, /readyz and /metrics: for whoever runs the server. Outside /api, so nobody is charged for them. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Socket } from '../gate/gate'
import { Refusal } from '../http/problem'
import { type Family, METRICS_TYPE, writeMetrics } from './metrics'

interface Deps {
  /** Shows that requests can be served. Rejects when they cannot. */
  readonly checkReady: () => Promise<void>
  readonly families: () => Promise<Family[]>
  /** Whether a request comes from somebody who may read /metrics. */
  readonly mayObserve: (request: Request, peer: string | null) => boolean
  /** The address at the other end of the connection, or null. */
  readonly peer: (request: Request, server: Socket | null) => string | null
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly log: { error(fields: object, message: string): void }
}

/** So long one look at the disk serves all that ask, in milliseconds: nobody can make us write without end. */
const LOOK_MS = 1000

const problem = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
})

export function probes(deps: Deps) {
  const ready = once(deps)
  return new Elysia({ name: 'probes', tags: ['System'] })
    .get('/healthz', () => ({ status: 'ok' as const }), {
      response: { 200: Type.Object({ status: Type.Literal('ok') }, { examples: [{ status: 'ok' }] }) },
      detail: { summary: 'Is the process alive', description: 'Answers as long as the process does. Not counted.' },
    })
    .get('/readyz', async () => ({ status: await ready() }), {
      response: { 200: Type.Object({ status: Type.Literal('ready') }, { examples: [{ status: 'ready' }] }) },
      detail: {
        summary: 'Can requests be served',
        description:
          'Whether the database is up to date and takes a write, and requests can be counted. Looked at once a second at most. Not counted.',
        responses: { 503: problem('Requests cannot be served now: `unavailable`.') },
      },
    })
    .get(
      '/metrics',
      async ({ request, server }) => {
        if (!deps.mayObserve(request, deps.peer(request, server))) throw nothing()
        return new Response(writeMetrics(await deps.families()), { headers: { 'Content-Type': METRICS_TYPE } })
      },
      {
        detail: {
          summary: 'Read the metrics',
          description:
            'Metrics for Prometheus. Only for callers on the machine itself and in METRICS_ALLOW; for others there is nothing here. Not counted.',
          responses: {
            200: { description: 'Served.', content: { 'text/plain': { schema: { type: 'string' } } } },
            404: problem('The caller may not read them: `not_found`.'),
          },
        },
      },
    )
}

/** As for any unknown path: who may not look need not know. */
const nothing = () => new Refusal('not_found', 'There is nothing at this path.')

/** Looks whether requests can be served, once for all that ask within LOOK_MS. */
function once({ checkReady, now, log }: Deps): () => Promise<'ready'> {
  let look: { readonly at: number; readonly answer: Promise<'ready'> } | null = null
  const ready = async (): Promise<'ready'> => {
    try {
      await checkReady()
      return 'ready'
    } catch (err) {
      log.error({ err }, 'requests cannot be served now')
      throw new Refusal('unavailable', 'The server cannot write its data, or count requests, right now.')
    }
  }
  return () => {
    const at = now()
    if (!look || Math.abs(at - look.at) >= LOOK_MS) look = { at, answer: ready() }
    return look.answer
  }
}
