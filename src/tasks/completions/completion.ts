import { writeInstant } from '../../http/values'
import type { Edge } from '../relation-store'
import type { TaskRow } from '../store'
import type { Completion } from './schema'
import type { CompletionRow, ShownCompletion } from './store'

/** What completing changed: kept with the completion, as it was before and as it became, so that it can be undone. */
export interface State {
  /** Columns of the task. */
  readonly members: Partial<TaskRow>
  readonly parts: readonly PartState[]
  readonly edges: readonly Edge[]
}

/** The columns that say how far a part of the task is. */
export type PartState = Pick<TaskRow, 'key' | 'status' | 'closed' | 'completed_at' | 'cancelled_at'>

export function partState({ key, status, closed, completed_at, cancelled_at }: PartState): PartState {
  return { key, status, closed, completed_at, cancelled_at }
}

/** Those of the new values that differ from what there is, and what there is instead. */
export function changedMembers(
  task: TaskRow,
  next: Partial<TaskRow>,
): { before: Partial<TaskRow>; after: Partial<TaskRow> } {
  const names = columns(next).filter((name) => next[name] !== task[name])
  const pick = (row: Partial<TaskRow>) => Object.fromEntries(names.map((name) => [name, row[name]]))
  return { before: pick(task), after: pick(next) }
}

/** The members of a task, by the API's names, that are no longer as completing left them. */
export function editedSince(task: TaskRow, after: Partial<TaskRow>): string[] {
  const edited = columns(after).filter((name) => after[name] !== task[name])
  return [...new Set(edited.map(memberOf))]
}

function columns(row: Partial<TaskRow>): (keyof TaskRow)[] {
  return Object.keys(row) as (keyof TaskRow)[]
}

function memberOf(column: string): string {
  if (column.startsWith('due_')) return 'due'
  if (column.startsWith('start_')) return 'start'
  if (column === 'anchor' || column === 'rrule') return 'recurrence'
  return column === 'reminders' ? column : 'status'
}

/** Bytes that a completion counts for. */
export function bytesOf(row: Pick<CompletionRow, 'before' | 'after' | 'missed' | 'title'>): number {
  return [row.before, row.after, row.missed, row.title].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}

export function toCompletion(row: ShownCompletion): Completion {
  return {
    id: row.id,
    task_id: row.task_id,
    kind: row.kind,
    occurrence: row.occurrence,
    completed_at: writeInstant(row.completed_at),
    next_due: row.next_due,
    missed: JSON.parse(row.missed),
    title: row.title,
    project_id: row.project_id,
  }
}
