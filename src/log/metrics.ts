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

export function singleMetric(type: 'counter' | 'gauge', name: string, help: string, value: number): MetricFamily {
  return { name, type, help, samples: [{ value }] }
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
