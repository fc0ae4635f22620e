/**
 * What is recorded of every answer: a line in the log, and a count and a duration for /metrics. A route is named by its
 * pattern, so neither a path (which may hold a token), nor a query, a key or an address gets anywhere.
 */
import { parseTarget } from '../http/security-headers'
import { Histogram, type MetricFamily } from './metrics'
import { createRouteFinder, type FindRoutePattern } from './route-names'

interface Deps {
  /** Milliseconds with fractions that never go back, from whatever moment. */
  readonly ticks: () => number
  readonly ids: () => string
  readonly log: TrafficLog
}

export interface TrafficLog {
  info(fields: object, message: string): void
}

/** What the gate knows of a request under /api. */
interface Visited {
  readonly path: string
  readonly requestId: string
  readonly tier: string
}

/** What probes ask every few seconds; it would fill the log. */
export const PROBE_PATHS = ['/healthz', '/readyz', '/metrics']

/** Upper bounds of the histogram, in seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** The label of what has no route, or no tier. */
const NONE = 'none'
/** Of the methods that the server reads, the ones that are counted by name; anyone can send the other thirty. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const OTHER = 'other'

interface Count {
  readonly labels: Readonly<Record<string, string | number>>
  value: number
}

export class Traffic {
  readonly #deps: Deps
  readonly #outside = new WeakMap<Request, string>()
  readonly #counts = new Map<string, Count>()
  readonly #durations = new Map<string, Histogram>()
  #routeOf: FindRoutePattern = () => null

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Learns the patterns of all routes. Until then no answer has one. */
  registerRoutes(patterns: Iterable<string>): void {
    this.#routeOf = createRouteFinder(patterns)
  }

  /** The id of a request outside /api, where the gate gives none. */
  idOf(request: Request): string {
    const known = this.#outside.get(request) ?? this.#deps.ids()
    this.#outside.set(request, known)
    return known
  }

  begin(): number {
    return this.#deps.ticks()
  }

  /** @param began what `begin` gave; the duration of a stream is the one to its beginning */
  recordAnswer(request: Request, status: number, visit: Visited | null, began: number): void {
    const duration = Math.max(0, this.#deps.ticks() - began)
    const { method } = request
    const route = this.#routeOf(visit?.path ?? parseTarget(request.url).path)
    const tier = visit?.tier ?? null
    this.#count(METHODS.has(method) ? method : OTHER, route ?? NONE, status, tier ?? NONE, duration)
    if (route !== null && PROBE_PATHS.includes(route)) return
    const request_id = visit?.requestId ?? this.idOf(request)
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

  /** For /metrics. Their number is bounded by the routes: what has none, or a method of no route, is counted together. */
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
