import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { ELDHistogram } from 'node:perf_hooks'
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Context, Database, SlowStatements } from '../db/database'
import type { PeerLookup } from '../gate/gate'
import type { OpenCounter } from '../gate/tiers'
import { ApiError } from '../http/api-error'
import { METRICS_TYPE, type MetricFamily, singleMetric, writeMetrics } from '../log/traffic'

/**
 * GET /healthz, /readyz and /metrics, for the operator of the server. They are outside /api, so they are not counted.
 */

interface Deps extends Pick<Context, 'now'> {
  readonly checkReady: () => Promise<void>
  readonly families: () => Promise<MetricFamily[]>
  /** Whether a caller may read /metrics. */
  readonly mayObserve: (request: Request, peer: string | null) => boolean
  readonly peer: (request: Request, server: PeerLookup | null) => string | null
  readonly log: { error(fields: object, message: string): void }
}

/** Time for which the result of a check is reused, so that callers cannot make the server write without end. */
const READY_CACHED_MS = 1000

/** As the document has it: what a route adds to its responses takes the place of all of them. */
const READINESS = {
  type: 'object' as const,
  required: ['status'],
  properties: { status: { type: 'string' as const, enum: ['ready'] } },
  examples: [{ status: 'ready' }],
}

const problem = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
})

export function probeRoutes(deps: Deps) {
  const checkReady = createReadyCheck(deps)
  const answer = async () => ({ status: await checkReady() })
  const answerHealthy = () => ({ status: 'ok' as const })
  // HAProxy checks with OPTIONS unless it is given another method.
  const hidden = { detail: { hide: true } }
  return new Elysia({ name: 'probes', tags: ['Server'] })
    .options('/healthz', answerHealthy, hidden)
    .options('/readyz', answer, hidden)
    .get('/healthz', answerHealthy, {
      response: { 200: Type.Object({ status: Type.Literal('ok') }, { examples: [{ status: 'ok' }] }) },
      detail: {
        operationId: 'getHealth',
        summary: 'Is the process alive',
        description: 'Answers as long as the process runs. Not counted.',
      },
    })
    .get('/readyz', answer, {
      response: { 200: Type.Object({ status: Type.Literal('ready') }, { examples: [{ status: 'ready' }] }) },
      detail: {
        operationId: 'getReadiness',
        summary: 'Can requests be served',
        description:
          'Checks that the database is up to date and can be written, and that requests can be counted; at most once a second. Not counted.',
        responses: {
          200: { description: 'Served.', content: { 'application/json': { schema: READINESS } } },
          503: problem('Requests cannot be served now: `unavailable`.'),
        },
      },
    })
    .get(
      '/metrics',
      async ({ request, server }) => {
        if (!deps.mayObserve(request, deps.peer(request, server))) throw notFound()
        return new Response(writeMetrics(await deps.families()), { headers: { 'Content-Type': METRICS_TYPE } })
      },
      {
        detail: {
          operationId: 'getMetrics',
          summary: 'Read the metrics',
          description:
            'Returns metrics for Prometheus. Only callers on the machine itself and those in METRICS_ALLOW can read them; others get 404. Not counted.',
          responses: {
            200: { description: 'Served.', content: { 'text/plain': { schema: { type: 'string' } } } },
            404: problem('The caller may not read them: `not_found`.'),
          },
        },
      },
    )
}

/** Makes the error of an unknown path, so that other callers do not learn that there are metrics. */
const notFound = () => new ApiError('not_found', 'There is nothing at this path.')

/** Makes a function that checks whether requests can be served, and reuses the result for READY_CACHED_MS. */
function createReadyCheck({ checkReady, now, log }: Deps): () => Promise<'ready'> {
  let last: { readonly at: number; readonly answer: Promise<'ready'> } | null = null
  const check = async (): Promise<'ready'> => {
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
    if (!last || Math.abs(at - last.at) >= READY_CACHED_MS) last = { at, answer: check() }
    return last.answer
  }
}

/** The metrics of the process and its data folder. */

interface ServerStateDeps {
  readonly version: string
  readonly db: Pick<Database, 'slow'>
  readonly meter: Pick<OpenCounter, 'state'>
  /** The likely faults of the setup; see Warnings of the gate. */
  readonly warnings: ReadonlySet<string>
  readonly folder: string
  /** The free bytes of the disk, and those that must stay free; see createDisk. */
  readonly disk: { space(): { readonly free: number; readonly floor: number } | null }
  readonly droppedLines: () => number
  readonly loopDelay: ELDHistogram
  /** The number of texts that are not in the search index yet; null while it is unknown. */
  readonly unindexed: number | null
  /** Changes that wait for embeddings of their texts, texts that got them, and failed requests; null without embeddings. */
  readonly embeddings: { readonly left: number; readonly texts: number; readonly failures: number } | null
}

/** The databases and their write-ahead logs. */
const FILES = ['satchel.db', 'satchel.db-wal', 'meter.db', 'meter.db-wal']

export function listServerMetrics({
  version,
  db,
  meter,
  warnings,
  folder,
  disk,
  droppedLines,
  loopDelay,
  unindexed,
  embeddings,
}: ServerStateDeps): MetricFamily[] {
  const { commits, failing, entries } = meter.state
  const space = disk.space()
  return [
    { name: 'satchel_info', type: 'gauge', help: 'The version.', samples: [{ labels: { version }, value: 1 }] },
    {
      name: 'satchel_warning',
      type: 'gauge',
      help: 'Likely faults of the setup; the log explains them.',
      samples: [...warnings].map((warning) => ({ labels: { warning }, value: 1 })),
    },
    {
      name: 'satchel_database_bytes',
      type: 'gauge',
      help: 'Size of the files of the databases; none with PostgreSQL and Redis.',
      samples: FILES.flatMap((file) => {
        const stats = statSync(join(folder, file), { throwIfNoEntry: false })
        return stats ? [{ labels: { file }, value: stats.size }] : []
      }),
    },
    singleMetric('gauge', 'satchel_disk_free_bytes', 'Free space of the disk that holds the data folder.', space?.free),
    singleMetric(
      'gauge',
      'satchel_disk_floor_bytes',
      'Free space below which growth is refused: MIN_FREE_BYTES.',
      space?.floor,
    ),
    ...listSearchMetrics(unindexed, embeddings),
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
    ...listSlowStatements(db.slow),
    ...listLoopDelay(loopDelay),
    singleMetric('gauge', 'process_resident_memory_bytes', 'Resident memory.', process.memoryUsage.rss()),
  ]
}

function listSlowStatements({ counts }: SlowStatements): MetricFamily[] {
  const family = (name: string, help: string, figure: 'count' | 'seconds'): MetricFamily => ({
    ...{ name, type: 'counter', help },
    samples: [...counts].map(([statement, slow]) => ({ labels: { statement }, value: slow[figure] })),
  })
  return [
    family('satchel_slow_statements_total', 'Statements that took over 20 ms, by first word and table.', 'count'),
    family('satchel_slow_statement_seconds_total', 'Time that these statements took.', 'seconds'),
  ]
}

/**
 * The names are those of prom-client, which dashboards know. The first reading begins to measure, since a process whose
 * metrics nobody reads would wake up for it in vain; each reading begins again.
 */
function listLoopDelay(delay: ELDHistogram): MetricFamily[] {
  const { min, max, mean, stddev, count } = delay
  const percentiles = [50, 90, 99].map((n) => [`p${n}`, delay.percentile(n)] as const)
  delay.reset()
  delay.enable()
  return [...Object.entries({ min, max, mean, stddev }), ...percentiles].map(([name, nanoseconds]) =>
    singleMetric(
      'gauge',
      `nodejs_eventloop_lag_${name}_seconds`,
      `Delay of the event loop since the metrics were last read: ${name}.`,
      count > 0 ? nanoseconds / 1e9 : null,
    ),
  )
}

function listSearchMetrics(
  unindexed: ServerStateDeps['unindexed'],
  embeddings: ServerStateDeps['embeddings'],
): MetricFamily[] {
  return [
    singleMetric(
      'gauge',
      'satchel_search_unindexed',
      'Indexes of search that wait for changes to be indexed.',
      unindexed,
    ),
    singleMetric(
      'gauge',
      'satchel_search_unembedded',
      'Changes that wait for embeddings of their texts, as far as known.',
      embeddings?.left,
    ),
    singleMetric('counter', 'satchel_search_embedded_total', 'Texts that got their embeddings.', embeddings?.texts),
    singleMetric(
      'counter',
      'satchel_search_embedding_failures_total',
      'Requests for embeddings that failed.',
      embeddings?.failures,
    ),
  ]
}
