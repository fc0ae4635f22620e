import type { Session } from '../db/database'
import { invalid } from '../http/api-error'
import { takeWithin } from '../http/cursor'
import { textBytes } from '../http/resource'
import { type Tagged, writeEtag } from '../http/responses'
import {
  CONTROL_CHARS,
  columnsOfSource,
  patchSource,
  readInstant,
  readSource,
  requireLength,
  sourceOfRow,
  writeInstant,
  writeOptional,
} from '../http/values'
import { toSortKey } from '../search/fold'
import type { WithDates } from './date-words'
import { getTasksByKeys, listPartKeys, type PartKey } from './relation-store'
import {
  type CreateTask,
  MAX_PAGE_SUBTASKS,
  type Recurrence,
  type Reminder,
  type ReminderCreated,
  type Task,
  type TaskDate,
  type TaskWithSubtasks,
  type UpdateTask,
} from './schema'
import { NO_FORMER_PLACE, type TaskDraft, type TaskRow, taskTable } from './store'
import {
  getDueDate,
  getStartDate,
  isCertainlyLater,
  isClosed,
  patchTaskDate,
  prefixDateColumns,
  readDateInRange,
  toDateColumns,
  toRecurrenceColumns,
  toStatusColumns,
} from './task-date'
import { patchRecurrence, settleMoved, toRecurrence } from './task-recurrence'

/** The limits of a task, and its conversion from requests to rows and from rows to responses. */

/** In code points. */
export const MAX_TASK_TITLE_CHARS = 500
/** In bytes of UTF-8. */
const MAX_NOTES_BYTES = 64 * 1024

interface NewTask {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly input: WithDates<CreateTask>
}

/** Creates a task from a request, without a place. Throws invalid_request, and as `patchRecurrence` does. */
export function createTaskDraft({ id, at, input }: NewTask): TaskDraft {
  const due = patchTaskDate(null, input.due, 'due')
  const draft: TaskContent = {
    id,
    revision: 1,
    created_at: at,
    updated_at: at,
    deleted_at: null,
    trashed_with: null,
    title: input.title,
    notes: input.notes ?? '',
    ...toStatusColumns(input.status ?? 'open', at),
    priority: input.priority ?? 0,
    due,
    start: patchTaskDate(null, input.start, 'start'),
    duration_minutes: input.duration_minutes ?? null,
    recurrence: settleMoved(NO_SERIES, patchRecurrence(null, input.recurrence, due), due, input.recurrence),
    reminders: readReminders(input.reminders ?? []),
    ...columnsOfSource(readSource(input.source)),
    ...NO_RELATIONS,
  }
  checkDates(draft)
  return finishDraft(draft)
}

/** Returns the task after a merge patch, without changing its place or status. Throws like `createTaskDraft`. */
export function applyTaskPatch(old: TaskRow, patch: WithDates<UpdateTask>): TaskRow {
  const due = patchTaskDate(getDueDate(old), patch.due, 'due')
  const dates = patch.due !== undefined || patch.start !== undefined || patch.reminders !== undefined
  const series = { recurrence: toRecurrence(old), due: getDueDate(old) }
  const draft: TaskContent = {
    ...old,
    title: patch.title ?? old.title,
    notes: patch.notes === undefined ? old.notes : (patch.notes ?? ''),
    priority: patch.priority ?? old.priority,
    due,
    start: patchTaskDate(getStartDate(old), patch.start, 'start'),
    duration_minutes: patch.duration_minutes === undefined ? old.duration_minutes : patch.duration_minutes,
    recurrence: settleMoved(series, patchRecurrence(series.recurrence, patch.recurrence, due), due, patch.recurrence),
    reminders: patch.reminders === undefined ? JSON.parse(old.reminders) : readReminders(patch.reminders),
    ...(patch.source === undefined ? {} : columnsOfSource(readSource(patchSource(sourceOfRow(old), patch.source)))),
  }
  // Dates that a series or a clock change moved may break the rules: that must not prevent e.g. a new title.
  if (dates) checkDates(draft)
  return { ...old, ...finishDraft(draft) }
}

const NO_SERIES = { recurrence: null, due: null }

/** The columns that change beside those that clients set, directly or by actions. */
const KEPT_COLUMNS: readonly string[] = [
  ...['revision', 'updated_at', 'trashed_with', 'former_project_id', 'former_section_id', 'size_bytes'],
  // They follow from the dates, and from what the time zones are at the time.
  ...['due_at', 'start_at'],
]
const CONTENT_COLUMNS = taskTable.written.filter((column) => !KEPT_COLUMNS.includes(column)) as (keyof TaskDraft)[]

/** A task has changed if one of these columns has. */
export function isSameTask(a: TaskDraft, b: TaskDraft): boolean {
  return CONTENT_COLUMNS.every((member) => a[member] === b[member])
}

/** The relations of a task that has no place, labels, blockers or notes yet. */
export const NO_RELATIONS = {
  parent_id: null,
  project_id: null,
  section_id: null,
  place: '',
  position: '',
  ...NO_FORMER_PLACE,
  labels: '[]',
  blocked_by: '[]',
  note_ids: '[]',
}

/** The columns that `finishDraft` computes. */
type Derived =
  | ('title_sort' | 'closed' | 'urgency' | 'reminders' | 'size_bytes')
  | keyof ReturnType<typeof prefixDateColumns<'due' | 'start'>>
  | keyof ReturnType<typeof toRecurrenceColumns>

type TaskContent = Omit<TaskDraft, Derived> & {
  readonly due: TaskDate | null
  readonly start: TaskDate | null
  readonly recurrence: Recurrence | null
  readonly reminders: Task['reminders']
}

/** Refuses a start after the due date, and reminders without their date. Throws invalid_request. */
function checkDates({ due, start, reminders }: TaskContent): void {
  if (isCertainlyLater(toDateColumns(start), toDateColumns(due)))
    throw invalid('/start', 'after_due', 'start must not be after due')
  requireReminderDates(reminders, { due: due !== null, start: start !== null })
}

/** Checks the texts, and computes the derived columns. Throws invalid_request. */
export function finishDraft({ due, start, recurrence, reminders, ...draft }: TaskContent): TaskDraft {
  checkTaskTexts(draft)
  return {
    ...draft,
    title_sort: toSortKey(draft.title),
    closed: isClosed(draft.status) ? 1 : 0,
    urgency: draft.priority === 0 ? 5 : draft.priority,
    ...prefixDateColumns('due', toDateColumns(due)),
    ...prefixDateColumns('start', toDateColumns(start)),
    ...toRecurrenceColumns(recurrence),
    reminders: JSON.stringify(reminders),
    // The writer counts them.
    size_bytes: 0,
  }
}

export function withSize<Row extends TaskDraft>(row: Row): Row {
  const { title, notes, rrule, exdates, rdates, moved, reminders, labels, note_ids, blocked_by, source_url } = row
  const texts = [
    title,
    notes,
    rrule,
    exdates,
    rdates === '[]' ? '' : rdates,
    moved === '[]' ? '' : moved,
    reminders,
    labels,
    note_ids,
    blocked_by,
    source_url,
  ]
  return { ...row, size_bytes: textBytes(...texts) }
}

/** Checks the title and the notes of a task. Throws invalid_request. */
export function checkTaskTexts({ title, notes }: { readonly title: string; readonly notes: string }): void {
  requireLength(title, MAX_TASK_TITLE_CHARS, '/title')
  if (title.trim() === '') throw invalid('/title', 'too_short', 'title must not be blank')
  if (CONTROL_CHARS.test(title))
    throw invalid('/title', 'invalid_title', 'title must be one line without control characters')
  checkNotes(notes)
}

/** Checks the notes of a task or a project. Throws invalid_request. */
export function checkNotes(notes: string): void {
  if (Buffer.byteLength(notes) > MAX_NOTES_BYTES)
    throw invalid('/notes', 'too_long', `notes must be at most ${MAX_NOTES_BYTES} bytes`)
}

export function toTask(row: TaskRow): Tagged<Task> {
  const resource: Task = {
    // Not by writeTrashStamps: a spread for each of many items of a list takes as long as all the rest.
    id: row.id,
    revision: row.revision,
    created_at: writeInstant(row.created_at),
    updated_at: writeInstant(row.updated_at),
    deleted_at: writeOptional(row.deleted_at),
    title: row.title,
    notes: row.notes,
    status: row.status,
    priority: row.priority,
    due: getDueDate(row),
    start: getStartDate(row),
    due_at: writeOptional(row.due_at),
    duration_minutes: row.duration_minutes,
    recurrence: toRecurrence(row),
    reminders: JSON.parse(row.reminders),
    parent_id: row.parent_id,
    blocked_by: JSON.parse(row.blocked_by),
    project_id: row.project_id,
    section_id: row.section_id,
    labels: JSON.parse(row.labels),
    note_ids: JSON.parse(row.note_ids),
    position: row.position,
    completed_at: writeOptional(row.completed_at),
    cancelled_at: writeOptional(row.cancelled_at),
    source: sourceOfRow(row),
    blocked: row.blockers > 0,
    blocking: row.held_up > 0,
    subtasks: { total: row.subtasks_total, done: row.subtasks_done },
  }
  return { resource, etag: writeEtag(row.revision, row.computed_revision) }
}

/** Returns reminders as they are stored. Throws invalid_request for an invalid instant, or one outside 1900 to 2200. */
export function readReminders(reminders: readonly ReminderCreated[]): Reminder[] {
  return reminders.map(
    (reminder, i): Reminder =>
      'offset_minutes' in reminder && typeof reminder.offset_minutes === 'number'
        ? { at: null, offset_minutes: reminder.offset_minutes, from: reminder.from ?? 'due' }
        : {
            at: readReminderInstant(reminder.at ?? '', `/reminders/${i}/at`),
            offset_minutes: null,
            from: null,
          },
  )
}

/** Reads an instant in the years of tasks: its year still has four digits after it moves with a series. */
function readReminderInstant(text: string, pointer: string): string {
  const at = writeInstant(readInstant(text, pointer))
  readDateInRange(at.slice(0, 10), pointer)
  return at
}

/** Refuses a reminder relative to a date that the task does not have. Throws invalid_request. */
export function requireReminderDates(reminders: readonly Reminder[], has: { due: boolean; start: boolean }): void {
  reminders.forEach(({ from }, i) => {
    if (from !== null && !has[from])
      throw invalid(`/reminders/${i}`, `needs_${from}`, `a reminder before ${from} needs a ${from} date`)
  })
}

/** Tasks with their direct parts, for `include=subtasks`. */

/** The most bytes of the tasks of one page, unless one task alone has more. */
export const MAX_PAGE_BYTES = 8 * 1024 * 1024

interface Included {
  readonly task: TaskRow
  readonly parts: readonly PartKey[]
  /** Whether it has parts that do not fit. */
  readonly more: boolean
}

/** As many tasks as fit; always at least one, whose own parts are cut where they do not fit. */
export async function showWithSubtasks(
  session: Session,
  tasks: readonly TaskRow[],
): Promise<Tagged<TaskWithSubtasks>[]> {
  const whole = takeWithin(tasks, MAX_PAGE_SUBTASKS, ({ subtasks_total }) => subtasks_total)
  const ids = whole.filter(({ subtasks_total }) => subtasks_total > 0).map(({ id }) => id)
  const parts = Map.groupBy(ids.length > 0 ? await listPartKeys(session, ids) : [], (part) => part.parent_id)
  const included = takeWithin(
    whole.map((task): Included => cutToFit(task, parts.get(task.id) ?? [])),
    MAX_PAGE_BYTES,
    ({ task, parts: shown }) => task.size_bytes + sumBytes(shown),
  )
  const keys = included.flatMap(({ parts: shown }) => shown.map(({ key }) => key))
  const rows = new Map((await getTasksByKeys(session, keys)).map((row) => [row.key, row]))
  return included.map((each) => toTaskWithSubtasks(each, rows))
}

function cutToFit(task: TaskRow, all: readonly PartKey[]): Included {
  const fitting = takeWithin(all, MAX_PAGE_BYTES - task.size_bytes, ({ size_bytes }) => size_bytes)
  return { task, parts: fitting, more: fitting.length < all.length }
}

function sumBytes(parts: readonly PartKey[]): number {
  return parts.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
}

/**
 * The ETag has a digest of the ETags of the parts: a change of one changes the response, but not the revision of the
 * task. Which parts there are need not be in it, since the ETag of the task changes with that.
 */
function toTaskWithSubtasks(
  { task, parts, more }: Included,
  rows: ReadonlyMap<number, TaskRow>,
): Tagged<TaskWithSubtasks> {
  const { resource, etag } = toTask(task)
  const shown = parts.flatMap(({ key }) => rows.get(key) ?? []).map(toTask)
  const digest = Bun.hash(shown.map((part) => part.etag).join()).toString(36)
  const items = shown.map((part) => part.resource)
  return {
    resource: { ...resource, subtasks: { ...resource.subtasks, items, more } },
    etag: `${etag.slice(0, -1)}-${digest}"`,
  }
}
