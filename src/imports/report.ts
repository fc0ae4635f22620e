import { writeInstant } from '../http/values'
import type { Line } from './kind'
import type { Counts } from './lines'
import type { ImportReport } from './schema'
import type { Run } from './store'

/** The report of a run, the same for all imports. */

export type ReportItem = ImportReport['items'][number]
type Totals = ImportReport['totals']

/** How far a run is, over all its passes. */
export interface RunProgress {
  readonly done: number
  readonly total: number | null
}

/** @param passes how many its kind has */
export function toProgress(run: Run, passes: number): RunProgress {
  if (run.total === null || run.state === 'done') return { done: run.total ?? run.done, total: run.total }
  const done = Math.floor((Math.min(run.pass, passes) * run.total + run.done) / Math.max(1, passes))
  return { done: Math.min(done, run.total), total: run.total }
}

/** A run without its items. @param eta seconds that it takes yet; null if that is not known */
export function toReport(run: Run, passes: number, eta: number | null): ImportReport {
  const resources = [...new Set([...Object.keys(run.tally.items), ...Object.keys(run.tally.beside)])].sort()
  const totals = addTotals(Object.values(run.tally.items))
  return {
    id: run.id,
    kind: run.kind,
    format: run.facts?.format ?? null,
    dry_run: run.dryRun,
    state: run.state,
    ...toProgress(run, passes),
    eta_seconds: eta,
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
  for (const one of counts) for (const action of ACTIONS) totals[action] += one[action] ?? 0
  return totals
}

const ACTIONS = ['created', 'updated', 'unchanged', 'skipped', 'failed'] as const

/** An item as the report has it. */
export function toReportItem(
  item: { readonly where: string; readonly type: string },
  line: Line,
  dryRun: boolean,
): ReportItem {
  return {
    where: item.where,
    type: item.type,
    action: line.action,
    // An id that a dry run made up is none that the real run will make.
    id: dryRun && line.action === 'created' ? null : line.id,
    source: line.source ?? null,
    warnings: [...(line.warnings ?? [])],
  }
}
