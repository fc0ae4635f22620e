import { writeInstant } from '../http/values'
import type { Line } from './kind'
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
