/** Changes in the form of the server's batches, and what they do to the copy before it has answered. */
import type { deriveMembers } from '../../src/notes/markdown/scan-markdown'
import type {
  CardAnswer,
  CardChange,
  CreateFact,
  NoteBatchOp,
  NoteSummary,
  Recurrence,
  Reminder,
  Task,
  TaskBatchOp,
  TaskDate,
} from '../api/types'
import { changedNames } from './name-lists'

/** The texts of a note or a task, which a person types. */
export type Texts = { readonly [Member in (typeof TEXTS)[number]]?: string }
export const TEXTS = ['title', 'body', 'notes'] as const
/** The title that the server gives to a note without one. */
export const UNTITLED = 'Untitled'

/** What a write of texts is merged by where they were changed elsewhere, too. It is not sent. */
interface OfTexts {
  /** The texts that the new ones were made of. */
  readonly base?: Texts
  /** How often they were merged since a person typed them. */
  readonly merges?: number
}

/** A change of one note or task, a line for the note of a day, a new card, an answer to one, or a change of one. Ids are made here, so that a repeat makes no second one. */
export type Write =
  | ({
      readonly type: 'note'
      readonly op: NoteBatchOp & { readonly id: string }
    } & OfTexts)
  | ({
      readonly type: 'task'
      readonly op: TaskBatchOp & { readonly id: string }
      /** Where a moved task is shown among its siblings until the server has placed it. It is not sent. */
      readonly position?: string
      /** What a completion or a skip makes of a task that repeats, until the server says it. It is not sent. */
      readonly after?: Partial<Task>
    } & OfTexts)
  | {
      readonly type: 'day'
      /** A paragraph at the end of the note of a day, which the server makes if there is none. */
      readonly op: { readonly op: 'append'; readonly id: string; readonly date: string; readonly content: string }
    }
  | { readonly type: 'fact'; readonly op: CreateFact & { readonly id: string } }
  | { readonly type: 'review'; readonly op: CardAnswer }
  | { readonly type: 'card'; readonly op: CardChange }

/** A change that the server has not confirmed. */
export type PendingWrite = Write & {
  /** The tab that sends it; see tabs.ts. */
  readonly tab: string
  /** Its place in the order of those of the tab. */
  readonly seq: number
  /** Milliseconds since 1970. */
  readonly at: number
  /** The Idempotency-Key of the batch that it was sent in: it is repeated in the same batch, which is then not done twice. */
  readonly batch?: string
  /** Why the server does not take it, in a sentence: it is told until the person has seen it, and never sent again. */
  readonly refused?: string
}

/** A write of one note or task, of which it is known before it is sent. */
export type ResourceWrite = Extract<PendingWrite, { type: 'note' | 'task' }>
export const isOfResource = <W extends Write>(write: W): write is Extract<W, { type: 'note' | 'task' }> =>
  write.type === 'note' || write.type === 'task'

/** A write that adds to the note of a day. */
export type DayWrite = Extract<PendingWrite, { type: 'day' }>
export const isOfDay = (write: PendingWrite): write is DayWrite => write.type === 'day'

/** The clock of a device may be ahead by this much, in milliseconds: the server takes no completion of later. */
const CLOCK_MS = 60_000

/** Whether a write says when it was done: the server refuses what is of its future. */
export const isTimed = (write: PendingWrite): boolean =>
  write.type === 'review' || (write.type === 'task' && write.op.op === 'complete')

/**
 * A write as it is sent. A completion that waited until another day says when it was: a series may go on from the day on
 * which it was done. What the clock of the device put into the future is of now. Both are milliseconds since 1970: `now` by
 * the device, `serverNow` by the server.
 */
export function asSent(write: PendingWrite, now: number, serverNow = now): PendingWrite {
  const until = (at: number) => new Date(Math.min(at, serverNow)).toISOString()
  if (write.type === 'review')
    return Date.parse(write.op.reviewed_at) > serverNow
      ? { ...write, op: { ...write.op, reviewed_at: until(serverNow) } }
      : write
  if (write.type !== 'task' || write.op.op !== 'complete') return write
  const isOfToday = new Date(write.at).toDateString() === new Date(now).toDateString()
  if (now - write.at < CLOCK_MS || isOfToday) return write
  return { ...write, op: { ...write.op, data: { ...write.op.data, completed_at: until(write.at) } } }
}

/** The body that a write gives to a note; undefined: it leaves it as it is. */
export function writtenBody({ type, op }: Write): string | undefined {
  return type === 'note' && (op.op === 'create' || op.op === 'update') ? op.data.body : undefined
}

/** The texts that a write gives. */
export function textsOf(write: Write): Texts {
  if (!isOfResource(write) || (write.op.op !== 'create' && write.op.op !== 'update')) return {}
  const data = write.op.data as Readonly<Record<string, unknown>>
  return Object.fromEntries(TEXTS.flatMap((name) => (typeof data[name] === 'string' ? [[name, data[name]]] : [])))
}

/** What a person typed of a write, to be given back if the server does not take it; undefined: nothing. */
export function typedText(write: Write): string | undefined {
  if (write.type === 'day') return write.op.content
  if (write.type === 'fact') return `${write.op.front} :: ${write.op.back}`
  const texts = textsOf(write)
  const typed = TEXTS.flatMap((name) => texts[name] || [])
  return typed.length > 0 ? typed.join('\n\n') : undefined
}

/** A note as it will be, or null when it goes to the trash. `now` is milliseconds since 1970. */
export function applyToNote(
  note: NoteSummary | null,
  { op }: Write & { type: 'note' },
  now: number,
): NoteSummary | null {
  const at = new Date(now).toISOString()
  if (op.op === 'delete') return null
  if (op.op === 'create') return summaryOf({ ...op.data, title: op.data.title ?? null }, newNote(op.id, at))
  if (op.op !== 'update' || !note) return note
  const { properties: _, ...data } = op.data
  return { ...summaryOf({ ...data, tags: changedNames('note', data, note.tags) }, note), updated_at: at }
}

/** What reads the title and the like of a text; null until a text is written here, since few pages need it. */
let derive: typeof deriveMembers | null = null

/** Loads what reads the members of a note from its text. Returns false if it was there, or cannot be loaded. */
export async function loadDeriving(): Promise<boolean> {
  if (derive) return false
  // Without network and a copy of it, lists show the first line until the server has answered.
  const loaded = await import('../../src/notes/markdown/scan-markdown').catch(() => null)
  derive = loaded?.deriveMembers ?? null
  return derive !== null
}

type NoteData = Extract<NoteBatchOp, { op: 'create' }>['data']

/** What lists show of the members that are given. A title that is null is derived from the body as the server does it. */
function summaryOf({ title, body, folder, tags, pinned, archived_at }: NoteData, old: NoteSummary): NoteSummary {
  const derived = body === undefined ? null : derive?.(body, title === undefined ? old.title : title)
  const first = title === null && !derived ? body?.trim().replace(/^#+ /, '').split('\n')[0] : undefined
  return {
    ...old,
    ...(first && { title: first }),
    ...(title != null && { title }),
    ...(derived && {
      title: derived.title,
      excerpt: derived.excerpt,
      word_count: derived.word_count,
      inline_tags: [...derived.inline_tags],
      checklist: derived.checklist,
    }),
    ...(folder !== undefined && { folder }),
    ...(tags !== undefined && { tags }),
    ...(pinned !== undefined && { pinned }),
    ...(archived_at !== undefined && { archived_at }),
  }
}

export function newNote(id: string, at: string): NoteSummary {
  return {
    id,
    revision: 0,
    created_at: at,
    updated_at: at,
    deleted_at: null,
    title: UNTITLED,
    file_name: null,
    folder: null,
    tags: [],
    inline_tags: [],
    pinned: false,
    archived_at: null,
    source: null,
    daily_date: null,
    excerpt: '',
    word_count: 0,
    checklist: { total: 0, done: 0 },
    links: { out: 0, unresolved: 0, in: 0 },
  }
}

/** A task as it will be, or null when it goes to the trash. `now` is milliseconds since 1970. */
export function applyToTask(
  task: Task | null,
  { op, position, after }: Write & { type: 'task' },
  now: number,
): Task | null {
  const at = new Date(now).toISOString()
  if (op.op === 'delete') return null
  if (op.op === 'create') return { ...newTask(op.id, at), ...taskData(op.data) }
  if (!task) return null
  switch (op.op) {
    case 'update':
      return { ...task, ...taskData(op.data), labels: changedNames('task', op.data, task.labels), updated_at: at }
    case 'complete':
      return { ...task, status: 'done', completed_at: at, ...after, updated_at: at }
    case 'skip':
      return { ...task, ...after, updated_at: at }
    case 'reopen':
      return { ...task, status: 'open', completed_at: null, cancelled_at: null, updated_at: at }
    case 'move': {
      const { after: _, before: __, ...places } = op.data
      return { ...task, ...places, ...(position !== undefined && { position }), updated_at: at }
    }
    default:
      return task // What a repeat skips or a restore brings back only the server knows.
  }
}

type TaskData = Extract<TaskBatchOp, { op: 'create' | 'update' }>['data']

/** Members that are shown as they are sent. */
const PLAIN = [
  'title',
  'status',
  'priority',
  'duration_minutes',
  'parent_id',
  'project_id',
  'section_id',
  'labels',
  'note_ids',
] as const satisfies readonly (keyof Task & keyof TaskData)[]

/** The members that can be shown before the server has answered. Dates and reminders in words are left to it. */
function taskData(data: TaskData): Partial<Task> {
  const { due, start, notes, reminders } = data
  const recurrence = data.recurrence ? wholeRecurrence(data.recurrence) : data.recurrence
  return {
    ...Object.fromEntries(PLAIN.flatMap((name) => (data[name] === undefined ? [] : [[name, data[name]]]))),
    ...(due !== undefined && typeof due !== 'string' && { due: wholeDate(due) }),
    ...(start !== undefined && typeof start !== 'string' && { start: wholeDate(start) }),
    ...(recurrence !== undefined && { recurrence }),
    ...(reminders?.every((each) => typeof each !== 'string') && { reminders: reminders.map(wholeReminder) }),
    ...(notes !== undefined && { notes: notes ?? '' }),
  }
}

const wholeReminder = (given: Partial<Reminder>): Reminder => ({ at: null, offset_minutes: null, from: null, ...given })

/** A repeat that is given whole; undefined for a change of one, which the server makes. */
function wholeRecurrence({ rrule, anchor, ...rest }: NonNullable<TaskData['recurrence']>): Recurrence | undefined {
  if (rrule === undefined || !anchor) return undefined
  return { mode: 'schedule', skip: 'backward', exdates: [], rdates: [], moved: [], ...rest, rrule, anchor }
}

function wholeDate(given: { date?: string; time?: string | null; time_zone?: string | null } | null): TaskDate | null {
  if (given?.date === undefined) return null
  return { date: given.date, time: given.time ?? null, time_zone: given.time_zone ?? null }
}

function newTask(id: string, at: string): Task {
  return {
    id,
    revision: 0,
    created_at: at,
    updated_at: at,
    deleted_at: null,
    title: '',
    notes: '',
    status: 'open',
    priority: 0,
    due: null,
    start: null,
    due_at: null,
    duration_minutes: null,
    recurrence: null,
    reminders: [],
    parent_id: null,
    blocked_by: [],
    project_id: null,
    section_id: null,
    labels: [],
    note_ids: [],
    // Behind all that the server has placed, until it places it.
    position: '~',
    completed_at: null,
    cancelled_at: null,
    source: null,
    blocked: false,
    blocking: false,
    subtasks: { total: 0, done: 0 },
  }
}
