import type { Reserve } from '../../db/change-feed'
import type { Session } from '../../db/database'
import { textBytes } from '../../http/resource'
import { writeInstant } from '../../http/values'
import { type Edge, updateComputedAround } from '../relation-store'
import type { TaskRow } from '../store'
import type { TaskCompletion } from './schema'
import { type CompletionRow, completionTable, type ShownCompletion } from './store'

/** The state that a completion changed. Each completion stores it before and after, so that it can be undone. */
export interface CompletionState {
  readonly members: Partial<TaskRow>
  readonly parts: readonly PartState[]
  readonly edges: readonly Edge[]
}

/** With the columns of the members that moved, all of each. */
export type PartState = Pick<TaskRow, 'key' | 'status' | 'closed' | 'completed_at' | 'cancelled_at'> & Partial<TaskRow>

/** @param moved the columns that moved, by their names alone */
export function toPartState(part: TaskRow, moved: Partial<TaskRow>): PartState {
  const { key, status, closed, completed_at, cancelled_at } = part
  const names = Object.keys(moved) as (keyof TaskRow)[]
  return {
    key,
    status,
    closed,
    completed_at,
    cancelled_at,
    ...Object.fromEntries(names.map((name) => [name, part[name]])),
  }
}

/** The columns of each member that completing can change. They are stored and restored together. */
export const MEMBER_COLUMNS = {
  status: ['status', 'closed', 'completed_at', 'cancelled_at'],
  due: ['due_date', 'due_time', 'due_tz', 'due_at', 'due_key'],
  start: ['start_date', 'start_time', 'start_tz', 'start_at', 'start_key'],
  recurrence: ['rrule', 'recurrence_mode', 'recurrence_skip', 'anchor', 'exdates', 'rdates', 'moved'],
  reminders: ['reminders'],
} as const satisfies Record<string, readonly (keyof TaskRow)[]>

const NAMES = Object.keys(MEMBER_COLUMNS) as (keyof typeof MEMBER_COLUMNS)[]

export function diffMembers(
  task: TaskRow,
  next: Partial<TaskRow>,
): { before: Partial<TaskRow>; after: Partial<TaskRow> } {
  const whole = { ...task, ...next }
  const changes = (name: keyof typeof MEMBER_COLUMNS) =>
    MEMBER_COLUMNS[name].some((column) => whole[column] !== task[column])
  // Due date and start are stored together: a start changed since might be after the restored due date.
  const names = NAMES.filter((name) => changes(name === 'start' ? 'due' : name))
  const columns = names.flatMap((name): readonly (keyof TaskRow)[] => MEMBER_COLUMNS[name])
  const pick = (row: TaskRow) => Object.fromEntries(columns.map((column) => [column, row[column]]))
  return { before: pick(task), after: pick(whole) }
}

/** Lists the members of a task, by their API names, that were changed since its completion. */
export function listEditedMembers(task: TaskRow, after: Partial<TaskRow>): string[] {
  return NAMES.filter((name) =>
    MEMBER_COLUMNS[name].some((column) => column in after && after[column] !== task[column]),
  )
}

/** Keys of rows, which differ between workspaces with the same content. */
const ROW_KEYS = /"(key|dependent|blocker|since)":\d+/g

/** Records a completion, and updates what depends on it. Its bytes are the same in every workspace that imports it. */
export async function recordCompletion(
  session: Session,
  reserve: Reserve,
  completion: ShownCompletion & Pick<CompletionRow, 'task'>,
  states: Readonly<Record<'before' | 'after', CompletionState>>,
): Promise<void> {
  const [before, after] = [JSON.stringify(states.before), JSON.stringify(states.after)]
  const counted = [before, after].map((state) => state.replace(ROW_KEYS, '"$1":0'))
  const size_bytes = textBytes(...counted, completion.missed, completion.title)
  await completionTable.insert(session, { ...completion, before, after, size_bytes })
  await reserve(session, size_bytes)
  await updateComputedAround(session, completion.task)
}

export function toTaskCompletion(row: ShownCompletion): TaskCompletion {
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
