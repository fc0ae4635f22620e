/** Writes metrics in the text format of Prometheus, version 0.0.4. */

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

type Labels = Readonly<Record<string, string | number>>

interface Sample {
  /** Goes behind the name of the family, e.g. `_bucket`. */
  readonly suffix?: string
  readonly labels?: Labels
  readonly value: number
}

/** All samples of one name. */
export interface MetricFamily {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly samples: readonly Sample[]
}

/** The text of all families, in their order. */
export function writeMetrics(families: readonly MetricFamily[]): string {
  return families.map(writeFamily).join('')
}

/** A family of one number. */
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

/** How often a duration fell below each bound. */
export class Histogram {
  readonly #bounds: readonly number[]
  readonly #counts: number[]
  #sum = 0

  /** @param bounds upper bounds, ascending; each counts what equals it, too */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = bounds.map(() => 0).concat(0)
  }

  observe(value: number): void {
    let at = 0
    while (at < this.#bounds.length && value > (this.#bounds[at] ?? 0)) at++
    this.#counts[at] = (this.#counts[at] ?? 0) + 1
    this.#sum += value
  }

  samples(labels: Labels): Sample[] {
    let below = 0
    const buckets = this.#counts.map((count, i): Sample => {
      below += count
      return { suffix: '_bucket', labels: { ...labels, le: this.#bounds[i] ?? '+Inf' }, value: below }
    })
    return [...buckets, { suffix: '_sum', labels, value: this.#sum }, { suffix: '_count', labels, value: below }]
  }
}
