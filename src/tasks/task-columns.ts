import type { Recurrence, Status, TaskDate } from './schema'
import type { TaskDraft, TaskRow } from './store'
import { fromDateColumns, type toDateColumns } from './task-date'

// The columns of a task's dates, recurrence and status. The app shares them.

type PrefixedDateColumns<Name extends 'due' | 'start'> = Pick<
  TaskDraft,
  `${Name}_date` | `${Name}_time` | `${Name}_tz` | `${Name}_at` | `${Name}_key`
>

export function prefixDateColumns<Name extends 'due' | 'start'>(
  name: Name,
  when: ReturnType<typeof toDateColumns>,
): PrefixedDateColumns<Name> {
  return Object.fromEntries(
    Object.entries(when).map(([part, value]) => [`${name}_${part}`, value]),
  ) as PrefixedDateColumns<Name>
}

export function toRecurrenceColumns(recurrence: Recurrence | null) {
  return {
    rrule: recurrence?.rrule ?? null,
    recurrence_mode: recurrence?.mode ?? null,
    recurrence_skip: recurrence?.skip ?? null,
    anchor: recurrence?.anchor ?? null,
    exdates: JSON.stringify(recurrence?.exdates ?? []),
    rdates: JSON.stringify(recurrence?.rdates ?? []),
    moved: JSON.stringify(recurrence?.moved ?? []),
  }
}

export function isClosed(status: Status): boolean {
  return status === 'done' || status === 'cancelled'
}

export function toStatusColumns(status: Status, at: number) {
  return {
    status,
    closed: isClosed(status) ? 1 : 0,
    completed_at: status === 'done' ? at : null,
    cancelled_at: status === 'cancelled' ? at : null,
  }
}

export function getDueDate(row: Pick<TaskRow, 'due_date' | 'due_time' | 'due_tz'>): TaskDate | null {
  return fromDateColumns(row.due_date, row.due_time, row.due_tz)
}

export function getStartDate(row: Pick<TaskRow, 'start_date' | 'start_time' | 'start_tz'>): TaskDate | null {
  return fromDateColumns(row.start_date, row.start_time, row.start_tz)
}
