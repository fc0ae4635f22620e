import type { Context } from '../db/database'
import { parseTarget } from '../http/answer'

/** Writes metrics in the text format of Prometheus, version 0.0.4. */

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

type Labels = Readonly<Record<string, string | number>>

interface Sample {
  /** Appended to the name of the family, e.g. `_bucket`. */
  readonly suffix?: string
  readonly labels?: Labels
  readonly value: number
}

export interface MetricFamily {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly samples: readonly Sample[]
}

export function writeMetrics(families: readonly MetricFamily[]): string {
  return families.map(writeFamily).join('')
}

/** Makes a metric of one number, without a sample if the number is unknown. */
export function singleMetric(
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  value: number | null | undefined,
): MetricFamily {
  return { name, type, help, samples: value == null ? [] : [{ value }] }
}

function writeFamily({ name, type, help, samples }: MetricFamily): string {
  const lines = samples.map(
    ({ suffix = '', labels = {}, value }) => `${name}${suffix}${writeLabels(labels)} ${value}\n`,
  )
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function writeLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(String(value))}"`)
  return pairs.length > 0 ? `{${pairs.join(',')}}` : ''
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

/** A histogram of durations: for each upper bound, how many durations did not exceed it. */
export class Histogram {
  readonly #bounds: readonly number[]
  readonly #counts: number[]
  #sum = 0

  /** @param bounds upper bounds, inclusive, in ascending order */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = bounds.map(() => 0).concat(0)
  }

  observe(value: number): void {
    let bucket = 0
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] ?? 0)) bucket++
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.#sum += value
  }

  samples(labels: Labels): Sample[] {
    let total = 0
    const buckets = this.#counts.map((count, i): Sample => {
      total += count
      return { suffix: '_bucket', labels: { ...labels, le: this.#bounds[i] ?? '+Inf' }, value: total }
    })
    return [...buckets, { suffix: '_sum', labels, value: this.#sum }, { suffix: '_count', labels, value: total }]
  }
}

/**
 * Finds the pattern of the route that serves a path, for code that has no access to the router; null if there is none.
 */
export type FindRoutePattern = (path: string) => string | null

/** What can follow after some segments of a path: the next ones, by what they are; `:` is any text. */
interface Branch {
  pattern: string | null
  readonly next: Map<string, Branch>
}

const createBranch = (): Branch => ({ pattern: null, next: new Map() })

/**
 * Creates a FindRoutePattern.
 * @param patterns the paths of all routes; a segment that begins with `:` matches any text
 */
export function createRouteFinder(patterns: Iterable<string>): FindRoutePattern {
  const root = createBranch()
  for (const pattern of patterns) {
    const names = pattern.split('/').map((segment) => (segment.startsWith(':') ? ':' : segment))
    names.reduce(({ next }, name) => next.getOrInsertComputed(name, createBranch), root).pattern = pattern
  }
  // Segments that are spelled out take precedence over those that match any text.
  const find = ({ pattern, next }: Branch, segments: readonly string[], at: number): string | null => {
    const segment = segments[at]
    if (segment === undefined) return pattern
    const [named, any] = [next.get(segment), segment === '' ? undefined : next.get(':')]
    return (named && find(named, segments, at + 1)) ?? (any && find(any, segments, at + 1)) ?? null
  }
  return (path) => find(root, path.split('/'), 0)
}

/**
 * Records every response: a line in the log, and a count and a duration for /metrics. A route is named by its pattern,
 * so no path (which may hold a token), query, key or address is recorded.
 */

interface Deps extends Pick<Context, 'ticks' | 'ids'> {
  readonly log: TrafficLog
}

export interface TrafficLog {
  info(fields: object, message: string): void
}

interface ApiRequest {
  readonly path: string
  readonly requestId: string
  readonly tier: string
}

/** Paths that monitoring requests every few seconds. They are not logged, since they would fill the log. */
export const PROBE_PATHS = ['/healthz', '/readyz', '/metrics']

/** Upper bounds of the histogram, in seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** The label of a request without a route or without a tier. */
const NONE = 'none'
/** The methods that are counted by name. The server reads about thirty others, which anybody can send. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const OTHER = 'other'

interface Count {
  readonly labels: Readonly<Record<string, string | number>>
  value: number
}

export class Traffic {
  readonly #deps: Deps
  readonly #idsOutsideApi = new WeakMap<Request, string>()
  readonly #counts = new Map<string, Count>()
  readonly #durations = new Map<string, Histogram>()
  #findRoute: FindRoutePattern = () => null

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Before this, responses are recorded without a route. */
  registerRoutes(patterns: Iterable<string>): void {
    this.#findRoute = createRouteFinder(patterns)
  }

  /** Returns the id of a request outside /api, where the gate makes none. */
  idOf(request: Request): string {
    const known = this.#idsOutsideApi.get(request) ?? this.#deps.ids()
    this.#idsOutsideApi.set(request, known)
    return known
  }

  begin(): number {
    return this.#deps.ticks()
  }

  /** Records a response. The duration of a stream is the time to its beginning. @param began the result of `begin` */
  recordAnswer(request: Request, status: number, context: ApiRequest | null, began: number): void {
    const duration = Math.max(0, this.#deps.ticks() - began)
    const { method } = request
    const route = this.#findRoute(context?.path ?? parseTarget(request.url).path)
    const tier = context?.tier ?? null
    this.#count(METHODS.has(method) ? method : OTHER, route ?? NONE, status, tier ?? NONE, duration)
    if (route !== null && PROBE_PATHS.includes(route)) return
    const request_id = context?.requestId ?? this.idOf(request)
    const duration_ms = Math.round(duration * 1000) / 1000
    this.#deps.log.info({ request_id, method, route, status, duration_ms, tier }, 'answered')
  }

  #count(method: string, route: string, status: number, tier: string, duration: number): void {
    const name = `${method} ${route} ${status} ${tier}`
    const count = this.#counts.get(name)
    if (count) count.value++
    else this.#counts.set(name, { labels: { method, route, status, tier }, value: 1 })
    const durations = this.#durations.get(route) ?? new Histogram(BOUNDS)
    this.#durations.set(route, durations)
    durations.observe(duration / 1000)
  }

  /**
   * The metrics for /metrics. Their number is bounded: requests without a route, and with other methods, are counted
   * together.
   */
  get families(): MetricFamily[] {
    return [
      {
        name: 'satchel_requests_total',
        type: 'counter',
        help: 'Requests answered, by method, pattern of the route, status and tier.',
        samples: [...this.#counts.values()],
      },
      {
        name: 'satchel_request_duration_seconds',
        type: 'histogram',
        help: 'Time to the answer (of a stream: to its beginning), by pattern of the route.',
        samples: [...this.#durations].flatMap(([route, histogram]) => histogram.samples({ route })),
      },
    ]
  }
}
