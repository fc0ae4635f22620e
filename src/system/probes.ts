import { statSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { PeerLookup } from '../gate/gate'
import { ApiError } from '../http/api-error'
import { METRICS_TYPE, type MetricFamily, singleMetric, writeMetrics } from '../log/metrics'
import type { Disk } from './disk'

/** GET /healthz, /readyz and /metrics: for the operator of the server. Outside /api, so nobody is charged for them. */

interface Deps {
  /** Shows that requests can be served. Rejects when they cannot. */
  readonly checkReady: () => Promise<void>
  readonly families: () => Promise<MetricFamily[]>
  /** Whether a request comes from somebody who may read /metrics. */
  readonly mayObserve: (request: Request, peer: string | null) => boolean
  /** The address at the other end of the connection, or null. */
  readonly peer: (request: Request, server: PeerLookup | null) => string | null
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

export function probeRoutes(deps: Deps) {
  const ready = once(deps)
  return new Elysia({ name: 'probes', tags: ['System'] })
    .get('/healthz', () => ({ status: 'ok' as const }), {
      response: { 200: Type.Object({ status: Type.Literal('ok') }, { examples: [{ status: 'ok' }] }) },
      detail: {
        operationId: 'getHealth',
        summary: 'Is the process alive',
        description: 'Answers as long as the process does. Not counted.',
      },
    })
    .get('/readyz', async () => ({ status: await ready() }), {
      response: { 200: Type.Object({ status: Type.Literal('ready') }, { examples: [{ status: 'ready' }] }) },
      detail: {
        operationId: 'getReadiness',
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
          operationId: 'getMetrics',
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
const nothing = () => new ApiError('not_found', 'There is nothing at this path.')

/** Looks whether requests can be served, once for all that ask within LOOK_MS. */
function once({ checkReady, now, log }: Deps): () => Promise<'ready'> {
  let look: { readonly at: number; readonly answer: Promise<'ready'> } | null = null
  const ready = async (): Promise<'ready'> => {
    try {
      await checkReady()
      return 'ready'
    } catch (err) {
      log.error({ err }, 'requests cannot be served now')
      throw new ApiError('unavailable', 'The server cannot write its data, or count requests, right now.')
    }
  }
  return () => {
    const at = now()
    if (!look || Math.abs(at - look.at) >= LOOK_MS) look = { at, answer: ready() }
    return look.answer
  }
}

/** What /metrics tells of the process and its data folder. */

interface ServerStateDeps {
  readonly version: string
  readonly meter: { readonly state: { commits: number; failing: boolean; entries: number } }
  /** What is likely set up wrongly. */
  readonly warnings: ReadonlySet<string>
  /** The data folder. */
  readonly folder: string
  readonly disk: Pick<Disk, 'space'>
  /** How many lines of the log could not be written. */
  readonly droppedLines: () => number
  /** How many texts are still to be indexed for search; null while that is not known. */
  readonly unindexed: number | null
  /** Of embeddings: texts that wait, texts that were done, calls that failed; null where there are none. */
  readonly meant: { readonly left: number; readonly texts: number; readonly failures: number } | null
}

/** The databases and what is not moved into them yet. */
const FILES = ['satchel.db', 'satchel.db-wal', 'meter.db', 'meter.db-wal']

export function listServerMetrics({
  version,
  meter,
  warnings,
  folder,
  disk,
  droppedLines,
  unindexed,
  meant,
}: ServerStateDeps): MetricFamily[] {
  const { commits, failing, entries } = meter.state
  const space = disk.space()
  /** Without a sample where it is not known: no number would be true. */
  const known = (name: string, help: string, value?: number | null): MetricFamily => ({
    name,
    type: 'gauge',
    help,
    samples: value == null ? [] : [{ value }],
  })
  return [
    { name: 'satchel_info', type: 'gauge', help: 'The version.', samples: [{ labels: { version }, value: 1 }] },
    {
      name: 'satchel_warning',
      type: 'gauge',
      help: 'What is likely set up wrongly; the log has it in words.',
      samples: [...warnings].map((warning) => ({ labels: { warning }, value: 1 })),
    },
    {
      name: 'satchel_database_bytes',
      type: 'gauge',
      help: 'Size of the files of the databases.',
      samples: FILES.map((file) => ({ labels: { file }, value: sizeOf(join(folder, file)) })),
    },
    known('satchel_disk_free_bytes', 'Free space of the disk that holds the data folder.', space?.free),
    known('satchel_disk_floor_bytes', 'Free space below which growth is refused: MIN_FREE_BYTES.', space?.floor),
    known('satchel_search_unindexed', 'Texts that are not in the index of search yet.', unindexed),
    known('satchel_search_unembedded', 'Texts that wait for their embeddings, as far as known.', meant?.left),
    { ...known('satchel_search_embedded_total', 'Texts that got their embeddings.', meant?.texts), type: 'counter' },
    {
      ...known('satchel_search_embedding_failures_total', 'Calls for embeddings that failed.', meant?.failures),
      type: 'counter',
    },
    singleMetric('counter', 'satchel_meter_flushes_total', 'Transactions that wrote the counts of requests.', commits),
    singleMetric(
      'gauge',
      'satchel_meter_failing',
      'Whether counts cannot be written: every request gets 503.',
      +failing,
    ),
    singleMetric('gauge', 'satchel_meter_entries', 'Counters held in memory.', entries),
    singleMetric(
      'counter',
      'satchel_log_lines_dropped_total',
      'Lines of the log that could not be written.',
      droppedLines(),
    ),
    singleMetric('gauge', 'process_resident_memory_bytes', 'Resident memory.', process.memoryUsage.rss()),
  ]
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
