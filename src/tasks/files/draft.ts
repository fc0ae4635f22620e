import { ApiError } from '../../http/api-error'
import type { ItemWarning } from '../../lib/ical/item'
import { stripControls } from '../../lib/ical/text'
import type { SlotDate } from '../../lib/recurrence/slots'
import { titleKey } from '../../lib/text'
import type { WithDates } from '../date-words'
import type { CreateTask, Reminder, ReminderCreated } from '../schema'
import type { TaskDraft, TaskRow } from '../store'
import { applyTaskPatch, createTaskDraft } from '../task'
import { fromItemMoment, getDueDate, getStartDate, toStatusColumns } from '../task-date'
import { findMoved, isTimed, nameOccurrence, toRecurrence } from '../task-recurrence'
import { hashOf, type TodoItem } from './item'

/** Conversion of calendar items to tasks, and digests that show who changed a task since its last import. */

interface DraftResult<Row extends TaskDraft> {
  readonly row: Row
  readonly warning: ItemWarning | null
}

/** Returns a new task from an item, without a place. Throws invalid_request if a task cannot hold it. */
export function draftNewTask(item: TodoItem, id: string, at: number): DraftResult<TaskDraft> {
  const { created_at, updated_at, status } = item.members
  const source = { system: item.system, id: item.uid }
  const { row, warning } = draftWithRecurrence(item, (input) =>
    createTaskDraft({ id, at, input: { ...input, status, source } }),
  )
  const updated = parseInstant(updated_at) ?? at
  const stamped = {
    ...row,
    ...toClosedColumns(item, null, updated, at),
    labels: JSON.stringify(item.members.labels),
    created_at: parseInstant(created_at) ?? Math.min(updated, at),
    updated_at: updated,
  }
  return { row: stamped, warning }
}

/** Members that no file carries stay. Throws invalid_request. */
export function draftChangedTask(old: TaskRow, item: TodoItem, at: number): DraftResult<TaskRow> {
  const { created_at, updated_at } = item.members
  const { row, warning } = draftWithRecurrence(item, (input) => applyTaskPatch(old, keepUncarried(old, input)))
  const updated = parseInstant(updated_at) ?? at
  const labels = hasSameNames(old.labels, item.members.labels) ? old.labels : JSON.stringify(item.members.labels)
  const stamped = {
    ...row,
    ...toClosedColumns(item, old, updated, at),
    labels,
    revision: old.revision + 1,
    created_at: keepIfSameSecond(old.created_at, parseInstant(created_at)) ?? old.created_at,
    updated_at: updated,
  }
  return { row: stamped, warning }
}

/** Returns a digest of an item without its timestamps, which programs change without any other change. */
export function hashItem({
  members,
  parent_uid,
  blocked_by_uids,
  priority_read,
  rest,
  digest: known,
}: TodoItem): string {
  if (known !== null) return known
  const { created_at: _, updated_at: __, completed_at: ___, cancelled_at: ____, ...content } = members
  return hashOf([content, parent_uid, [...blocked_by_uids].sort(), priority_read, rest])
}

/** Base64url characters of a digest in a file: 132 bits. */
const REVISION_CHARS = 22

const HASHED_COLUMNS = [
  ...([
    'title',
    'notes',
    'status',
    'priority',
    'due_key',
    'due_tz',
    'start_key',
    'start_tz',
    'duration_minutes',
  ] as const),
  ...(['rrule', 'recurrence_mode', 'recurrence_skip', 'anchor', 'exdates', 'rdates', 'moved'] as const),
  ...(['reminders', 'labels', 'parent_id', 'blocked_by'] as const),
] satisfies (keyof TaskRow)[]

/** Returns a digest of the members that the owner can edit and a file can carry. */
export function hashTask(row: TaskRow): string {
  return hashOf(HASHED_COLUMNS.map((column) => row[column]))
}

/**
 * Returns the digest of a task that its export carries, as X-SATCHEL-REVISION. It is the same in every workspace that
 * has the task, since it names parents and blockers as the file does.
 * @param uids the UIDs of its parent and its blockers, by their ids
 */
export function hashForFile(row: TaskRow, uids: ReadonlyMap<string, string>): string {
  const blockers: string[] = JSON.parse(row.blocked_by)
  const blocked_by = JSON.stringify(blockers.map((id) => uids.get(id) ?? null))
  const parent_id = row.parent_id === null ? null : (uids.get(row.parent_id) ?? null)
  return hashTask({ ...row, parent_id, blocked_by }).slice(0, REVISION_CHARS)
}

/** Creates the row of an item. If its rule has no date, the task is kept without a recurrence, with a warning. */
function draftWithRecurrence<Row extends TaskDraft>(
  { members }: TodoItem,
  make: (input: WithDates<CreateTask>) => Row,
): DraftResult<Row> {
  const { title, notes, priority, duration_minutes, recurrence, reminders } = members
  const [due, start] = [fromItemMoment(members.due), fromItemMoment(members.start)]
  const input = { title, notes, priority, due, start, duration_minutes, reminders: [...reminders] as ReminderCreated[] }
  const { exdates = [], rdates = [] } = recurrence ?? {}
  const repeat = recurrence && { ...recurrence, exdates: [...exdates], rdates: [...rdates] }
  try {
    return { row: make({ ...input, recurrence: repeat }), warning: null }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'recurrence_never_occurs') throw error
    return { row: make({ ...input, recurrence: null }), warning: { code: error.code, detail: error.detail } }
  }
}

/** Returns the columns of the status. Takes the instant from the file, but never one in the future. */
function toClosedColumns({ members }: TodoItem, old: TaskRow | null, updated: number, at: number) {
  const { status, completed_at, cancelled_at } = members
  const columns = toStatusColumns(status, Math.min(updated, at))
  const known = old?.status === status ? old : null
  const fileInstant = (text: string | null) => (text === null ? null : Math.min(Date.parse(text), at))
  if (status === 'done')
    columns.completed_at = keepIfSameSecond(known?.completed_at ?? columns.completed_at, fileInstant(completed_at))
  if (status === 'cancelled')
    columns.cancelled_at = keepIfSameSecond(known?.cancelled_at ?? columns.cancelled_at, fileInstant(cancelled_at))
  return columns
}

/** Returns the known instant if the one in the file, which has only seconds, is in the same second. */
function keepIfSameSecond(known: number | null, read: number | null): number | null {
  if (read === null) return known
  return known !== null && Math.floor(known / 1000) === Math.floor(read / 1000) ? known : read
}

/** Returns the input with the old texts and reminders where they differ only by what a file cannot carry. */
function keepUncarried(old: TaskRow, input: WithDates<CreateTask>): WithDates<CreateTask> {
  const reminders: Reminder[] = JSON.parse(old.reminders)
  const same = (one: string, other: string | null) => one.slice(0, 19) === other?.slice(0, 19)
  return {
    ...input,
    ...keepMovedDates(old, input),
    title: input.title === stripControls(old.title).trim() ? old.title : input.title,
    notes: input.notes === toCarriedNotes(old.notes) ? old.notes : (input.notes ?? ''),
    reminders: (input.reminders ?? []).map((reminder) =>
      typeof reminder.at === 'string'
        ? (reminders.find(({ at }) => same(reminder.at ?? '', at)) ?? reminder)
        : reminder,
    ) as ReminderCreated[],
  }
}

/**
 * Returns the dates of a series whose current occurrence was moved, if the file has that occurrence where the rule has it:
 * where it was moved to is an item of its own.
 */
function keepMovedDates(old: TaskRow, { due }: WithDates<CreateTask>) {
  const recurrence = toRecurrence(old)
  const present = getDueDate(old)
  if (!recurrence || !present || !due || old.closed === 1) return {}
  const nameOf = (date: SlotDate) => nameOccurrence(recurrence.rrule, date)
  const entry = findMoved(recurrence.moved, nameOf(present))
  if (entry?.occurrence !== nameOf({ date: due.date, time: due.time ?? null })) return {}
  return { due: isTimed(recurrence.rrule) ? present : { ...due, date: present.date }, start: getStartDate(old) }
}

/** Returns notes as a file carries them: with one kind of line ends and no control characters. */
function toCarriedNotes(notes: string): string | null {
  return stripControls(notes.replace(/\r\n|[\r\n\u0085\u2028\u2029]/g, '\n')) || null
}

function hasSameNames(stored: string, names: readonly string[]): boolean {
  const keys = (list: readonly string[]) => JSON.stringify(list.map(titleKey))
  return keys(JSON.parse(stored)) === keys(names)
}

function parseInstant(text: string | null): number | null {
  return text === null ? null : Date.parse(text)
}
