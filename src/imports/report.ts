import { writeInstant } from '../http/values'
import type { ImportAction, Line } from './kind'
import type { Counts } from './lines'
import type { ImportReport } from './schema'
import type { Run } from './store'

/** Makes the report of a run, which has the same form for all kinds. */

export type ReportItem = ImportReport['items'][number]
type Totals = ImportReport['totals']

/** The progress of a run over all its passes, in items. */
export interface RunProgress {
  readonly done: number
  readonly total: number | null
}

/** Computes the progress of a run. @param passes the number of passes that its kind has */
export function toProgress(run: Run, passes: number): RunProgress {
  if (run.total === null || run.state === 'done') return { done: run.total ?? run.done, total: run.total }
  const done = Math.floor((Math.min(run.pass, passes) * run.total + run.done) / Math.max(1, passes))
  return { done: Math.min(done, run.total), total: run.total }
}

/** Makes the report of a run without items. @param etaSeconds the remaining time; null if unknown */
export function toReport(run: Run, passes: number, etaSeconds: number | null): ImportReport {
  const resources = [...new Set([...Object.keys(run.tally.items), ...Object.keys(run.tally.beside)])].sort()
  const totals = addTotals(Object.values(run.tally.items))
  return {
    id: run.id,
    kind: run.kind,
    format: run.facts?.format ?? null,
    dry_run: run.dryRun,
    state: run.state,
    ...toProgress(run, passes),
    eta_seconds: etaSeconds,
    created_at: writeInstant(run.createdAt),
    updated_at: writeInstant(run.updatedAt),
    error: run.error,
    totals,
    resources: Object.fromEntries(resources.map((type) => [type, totalsOfType(run, type)])),
    warnings: [...(run.facts?.warnings ?? [])],
    ignored: [...(run.facts?.ignored ?? [])],
    items: [],
    items_total: Object.values(totals).reduce((sum, number) => sum + number, 0),
    next_cursor: null,
  }
}

function totalsOfType({ tally }: Run, type: string): Totals {
  return addTotals([tally.items[type] ?? {}, tally.beside[type] ?? {}])
}

function addTotals(counts: readonly Counts[string][]): Totals {
  const totals = { created: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0 }
  for (const ofType of counts) for (const action of ACTIONS) totals[action] += ofType[action] ?? 0
  return totals
}

/** Bytes of JSON that a stored report may have. Further items are not kept, only counted in the totals. */
const MAX_REPORT_BYTES = 8 * 1024 * 1024

interface ReportLine {
  /** The index of the item among all of its file. */
  readonly seq: number
  readonly item: ReportItem
}

/** Collects the lines of a report: each is the `seq` of an item and its JSON. */
export class ReportWriter {
  readonly #lines: string[] = []
  #bytesLeft = MAX_REPORT_BYTES

  /** Adds a line. Returns whether there was room for it. */
  add({ seq, item }: ReportLine): boolean {
    const line = `${seq} ${JSON.stringify(item)}`
    this.#bytesLeft -= Buffer.byteLength(line)
    if (this.#bytesLeft >= 0) this.#lines.push(line)
    return this.#bytesLeft >= 0
  }

  pack(): Promise<Uint8Array> {
    return Bun.zstdCompress(this.#lines.join('\n'))
  }
}

/** Reads lines of a packed report from `seq` on, all or those with one action. */
export async function readReport(
  packed: Uint8Array,
  seq: number,
  limit: number,
  action: ImportAction | null,
): Promise<ReportLine[]> {
  const found: ReportLine[] = []
  for (const line of (await Bun.zstdDecompress(packed)).toString().split('\n')) {
    if (found.length === limit) break
    const own = Number.parseInt(line, 10)
    // Lines before the page are not parsed; an empty report has one that is empty.
    if (!(own >= seq)) continue
    const item: ReportItem = JSON.parse(line.slice(line.indexOf(' ')))
    if (action === null || item.action === action) found.push({ seq: own, item })
  }
  return found
}

const ACTIONS = ['created', 'updated', 'unchanged', 'skipped', 'failed'] as const

export function toReportItem(
  item: { readonly where: string; readonly type: string },
  line: Line,
  dryRun: boolean,
): ReportItem {
  return {
    where: item.where,
    type: item.type,
    action: line.action,
    // The real run will make another id than the dry run did.
    id: dryRun && line.action === 'created' ? null : line.id,
    source: line.source ?? null,
    warnings: [...(line.warnings ?? [])],
  }
}
