import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import {
  AS_DAY,
  closed,
  Flag,
  Id,
  Instant,
  instantParam,
  NoteIds,
  nullable,
  pageOf,
  Source,
  SourceInput,
  STAMPS,
} from '../http/schema'
import { MAX_DATE_WORDS_CHARS } from '../http/values'
import { onConflict } from '../imports/schema'
import { TIME_LANGUAGES } from '../lib/civil/day'
import { taskExample } from './examples'

export const filterQuery = {
  language: t.Optional(
    t.Union(
      TIME_LANGUAGES.map((language) => t.Literal(language)),
      {
        description: 'The language of dates in the filter, besides English. Default: that of the workspace.',
        error: 'must be en, de, fr or es',
      },
    ),
  ),
  date_order: t.Optional(
    t.Union([t.Literal('dmy'), t.Literal('mdy')], {
      description: 'How to read `03/04` in the filter. Without it, such a date is not read.',
      error: 'must be dmy or mdy',
    }),
  ),
  filter: t.Optional(
    t.String({
      description:
        'Only tasks that match, e.g. `(today or overdue) and @home`. `"words"` are found by the search: all of them, in the title, the labels or the notes; not in the trash.',
    }),
  ),
  filter_id: t.Optional(t.String({ description: 'The id of a saved filter, instead of `filter`.' })),
}

const count = Type.Integer({ minimum: 0 })

export const CivilDate = t.String({
  ...AS_DAY,
  description: 'A civil date, 1900-01-01 to 2200-12-31.',
  examples: ['2026-03-31'],
})
export const Time = t.String({ description: 'A time of day, HH:MM.', examples: ['09:00'] })
export const Zone = t.String({ description: 'An IANA time zone.', examples: ['Europe/Lisbon'] })

/** A due date or a start. Unlike an instant, it keeps its time of day when clocks change. */
export const TaskDate = t.Object(
  {
    date: CivilDate,
    time: t.Union([Time, t.Null()], { description: 'Null: all day.' }),
    time_zone: t.Union([Zone, t.Null()], { description: 'Null: floating, the same time of day in every zone.' }),
  },
  closed,
)
export const TaskDateCreated = t.Object(
  { date: CivilDate, time: t.Optional(nullable(Time)), time_zone: t.Optional(nullable(Zone)) },
  closed,
)
export const TaskDateChange = t.Object(
  { date: t.Optional(CivilDate), time: t.Optional(nullable(Time)), time_zone: t.Optional(nullable(Zone)) },
  { ...closed, description: 'Absent members stay: `{"time":"09:00"}` keeps the date and the zone.' },
)

const DateWords = t.String({
  description: `The whole date in words, at most ${MAX_DATE_WORDS_CHARS} characters. Refused unless all of them are understood.`,
  examples: ['next friday 9am'],
})

export const wordSettings = {
  time_zone: t.Optional(
    t.Union([t.String(), t.Null()], {
      description:
        'The IANA time zone of words. Default: that of the workspace. Without one, or with null, times are floating, and today is that of UTC.',
    }),
  ),
  now: t.Optional(
    t.Union([Instant, t.Null()], { description: 'The instant that words count from. Default: the current time.' }),
  ),
  language: t.Optional(
    t.Union([...TIME_LANGUAGES.map((language) => t.Literal(language)), t.Null()], {
      description:
        'The language of days, times and repeats: English, German, French or Spanish. By default the words tell, in that of the workspace first.',
    }),
  ),
  date_order: t.Optional(
    t.Union([t.Literal('dmy'), t.Literal('mdy'), t.Null()], {
      description: 'How to read `03/04`. Without it, such a date is not read.',
    }),
  ),
}

export const Status = t.Union([t.Literal('open'), t.Literal('in_progress'), t.Literal('done'), t.Literal('cancelled')])
export const Priority = Type.Integer({
  minimum: 0,
  maximum: 4,
  description: '1 is the most urgent; 0 means no priority.',
})
export const Duration = Type.Integer({ minimum: 1, maximum: 43_200 })

const Mode = t.Union([t.Literal('schedule'), t.Literal('completion')], {
  description:
    'Whether the next date follows from the rule alone, or counts from the day of completion; where the rule names days, it is also after the due date.',
})
const Skip = t.Union([t.Literal('backward'), t.Literal('omit')], {
  description: 'If a month lacks the day: `backward` takes its last day, `omit` skips the month.',
})
export const OccurrenceName = t.String({
  description: 'A civil date; where the rule has hours or minutes, with the time: `2026-03-01T08:00`.',
  examples: ['2026-03-31'],
})
const Exdates = t.Array(OccurrenceName, {
  maxItems: 500,
  description: 'Dates of the rule that do not occur. A date without time leaves out its whole day.',
})
const Rdates = t.Array(OccurrenceName, {
  maxItems: 500,
  description: 'Dates beside those of the rule. COUNT does not count them.',
})
export const MovedOccurrence = t.Object({ occurrence: OccurrenceName, moved_to: OccurrenceName }, closed)
const Moved = t.Array(MovedOccurrence, {
  maxItems: 500,
  description:
    'The current and later dates of the rule that are due on another date. A change of `due` alone moves the current one.',
})
const Anchor = t.String({
  description:
    'What the rule counts from: a civil date; where the rule has hours or minutes, with the time. Default: the due date; for a new rule its first date from there on.',
  examples: ['2026-03-31'],
})
const Rrule = t.String({
  maxLength: 500,
  description:
    'A recurrence rule (RFC 5545), down to `FREQ=HOURLY`. One with hours or minutes needs a due date with a time.',
  examples: ['FREQ=MONTHLY'],
})
export const Recurrence = t.Object(
  { rrule: Rrule, mode: Mode, skip: Skip, anchor: Anchor, exdates: Exdates, rdates: Rdates, moved: Moved },
  closed,
)
const recurrenceMembers = {
  mode: t.Optional(Mode),
  skip: t.Optional(Skip),
  anchor: t.Optional(nullable(Anchor)),
  exdates: t.Optional(Exdates),
  rdates: t.Optional(Rdates),
  moved: t.Optional(Moved),
}
export const RecurrenceCreated = t.Object({ rrule: Rrule, ...recurrenceMembers }, closed)
export const RecurrenceChanged = t.Object({ rrule: t.Optional(Rrule), ...recurrenceMembers }, closed)

const From = t.Union([t.Literal('due'), t.Literal('start')])
const Offset = Type.Integer({ minimum: -525_600, maximum: 1440 })
export const Reminder = t.Object(
  { at: nullable(Instant), offset_minutes: nullable(Offset), from: nullable(From) },
  { ...closed, description: 'Either an instant, or minutes relative to `due` or `start`; negative is before.' },
)
export const ReminderAt = t.Object(
  { at: Instant, offset_minutes: t.Optional(t.Null()), from: t.Optional(t.Null()) },
  closed,
)
export const ReminderBefore = t.Object(
  { at: t.Optional(t.Null()), offset_minutes: Offset, from: t.Optional(nullable(From)) },
  closed,
)
export const ReminderCreated = t.Union([ReminderAt, ReminderBefore], {
  error: 'must be { at } or { offset_minutes, from }',
})
const ReminderWords = t.String({
  description: `A reminder in words, at most ${MAX_DATE_WORDS_CHARS} characters: how long before the due date, or a day with a time.`,
  examples: ['2 days before', 'friday 9am'],
})

export const MAX_LABELS = 50
export const LabelNames = t.Array(t.String(), {
  maxItems: MAX_LABELS,
  description: 'Names, compared without case. New labels are created.',
})
const Blockers = t.Array(Id, { maxItems: 50 })

const taskMembers = {
  ...STAMPS,
  deleted_at: nullable(Instant),
  title: t.String(),
  notes: t.String({ description: 'Markdown.' }),
  status: Status,
  priority: Priority,
  due: nullable(TaskDate),
  start: nullable(TaskDate),
  due_at: t.Union([Instant, t.Null()], {
    description: 'Null for all-day and floating dates: their instant depends on the reader’s time zone.',
  }),
  duration_minutes: nullable(Duration),
  recurrence: nullable(Recurrence),
  reminders: t.Array(Reminder),
  parent_id: nullable(Id),
  blocked_by: t.Array(Id),
  project_id: t.Union([Id, t.Null()], { description: 'Null is the inbox.' }),
  section_id: nullable(Id),
  labels: t.Array(t.String()),
  note_ids: t.Array(Id),
  position: t.String({ description: 'Sorts the task among its siblings; set by moving it.' }),
  completed_at: nullable(Instant),
  cancelled_at: nullable(Instant),
  source: nullable(Source),
  blocked: t.Boolean({ description: 'It waits for a task that is not done.' }),
  blocking: t.Boolean({ description: 'Another task waits for it.' }),
}
const subtaskCounts = { total: count, done: count }

export const Task = t.Object({ ...taskMembers, subtasks: t.Object(subtaskCounts) }, { examples: [taskExample] })

export const TaskWithSubtasks = t.Object({
  ...taskMembers,
  subtasks: t.Object({
    ...subtaskCounts,
    items: t.Array(Task, { description: 'Its direct parts outside the trash, by position.' }),
    more: t.Boolean({ description: 'There are parts beyond 8 MiB: list them with `parent_id`.' }),
  }),
})
export const ReadTask = t.Union([Task, TaskWithSubtasks], { examples: [taskExample] })
export const TaskPage = pageOf(ReadTask)

/** The most parts in one page of a list with `include=subtasks`, unless one task alone has more. */
export const MAX_PAGE_SUBTASKS = 1000

const writable = {
  notes: t.Optional(nullable(t.String({ description: 'Markdown, at most 64 KiB.' }))),
  status: t.Optional(Status),
  priority: t.Optional(Priority),
  duration_minutes: t.Optional(nullable(Duration)),
  reminders: t.Optional(
    t.Array(
      t.Union([ReminderAt, ReminderBefore, ReminderWords], {
        error: 'must be { at }, { offset_minutes, from } or words such as "2 days before"',
      }),
      { maxItems: 10 },
    ),
  ),
  parent_id: t.Optional(nullable(Id)),
  blocked_by: t.Optional(Blockers),
  project_id: t.Optional(nullable(Id)),
  section_id: t.Optional(nullable(Id)),
  labels: t.Optional(LabelNames),
  note_ids: t.Optional(NoteIds),
  source: t.Optional(nullable(SourceInput)),
}
const Title = t.String({ description: 'One line of at most 500 characters.' })

export const CreateTask = t.Object(
  {
    id: t.Optional(Id),
    title: Title,
    ...writable,
    due: t.Optional(t.Union([TaskDateCreated, DateWords, t.Null()])),
    start: t.Optional(t.Union([TaskDateCreated, DateWords, t.Null()])),
    recurrence: t.Optional(nullable(RecurrenceCreated)),
    ...wordSettings,
  },
  {
    ...closed,
    examples: [
      { title: 'Pay rent', due: { date: '2026-03-31' }, recurrence: { rrule: 'FREQ=MONTHLY' }, labels: ['bills'] },
      { title: 'Call Ann', due: 'next friday 9am', reminders: ['2 days before'], time_zone: 'Europe/Berlin' },
    ],
  },
)

export const UpdateTask = t.Object(
  {
    title: t.Optional(Title),
    ...writable,
    due: t.Optional(t.Union([TaskDateChange, DateWords, t.Null()])),
    start: t.Optional(t.Union([TaskDateChange, DateWords, t.Null()])),
    recurrence: t.Optional(nullable(RecurrenceChanged)),
    ...wordSettings,
  },
  {
    ...closed,
    description: 'A JSON merge patch (RFC 7396): absent members stay, null clears.',
    examples: [
      { priority: 1, due: { time: '09:00' } },
      { start: 'übermorgen um 9 Uhr', language: 'de', time_zone: 'Europe/Berlin' },
    ],
  },
)

/** Query parameters of requests that depend on the current time, so that any result can be reproduced. */
export const asOfQuery = {
  time_zone: t.Optional(
    t.String({ description: 'The time zone of `today`: an IANA name. Default: that of the workspace, else UTC.' }),
  ),
  now: t.Optional(instantParam('The instant to use as `now`. Default: the current time.')),
}

/** Makes the schema of `archived`. @param otherwise what it says of the default */
export function archivedQuery(otherwise = 'Default: `false`.') {
  return t.Optional(
    t.Union([t.Literal('true'), t.Literal('false'), t.Literal('any')], {
      description: `Tasks of archived projects: \`false\` leaves them out, \`true\` lists only them, \`any\` lists all. ${otherwise}`,
      error: 'must be true, false or any',
    }),
  )
}

export const DeleteTask = t.Object({ permanent: t.Optional(Flag) }, closed)

/** The members that set a position; at most one of the two. */
export const siblingMove = {
  after: t.Optional(
    t.Union([Id, t.Null()], { description: 'The id of the sibling to put it after; null: it becomes the first.' }),
  ),
  before: t.Optional(
    t.Union([Id, t.Null()], { description: 'The id of the sibling to put it before; null: it becomes the last.' }),
  ),
}

export const MoveTask = t.Object(
  {
    project_id: t.Optional(nullable(Id)),
    section_id: t.Optional(nullable(Id)),
    parent_id: t.Optional(nullable(Id)),
    ...siblingMove,
  },
  { ...closed, examples: [{ project_id: null, after: null }] },
)

export const ImportTasks = t.Object(
  {
    dry_run: t.Optional(Flag),
    project_id: t.Optional(
      t.String({
        ...Id,
        description: 'The project, unless the file names one. Default: the inbox; for Todoist, that of `file_name`.',
      }),
    ),
    file_name: t.Optional(
      t.String({
        pattern: '^.{1,255}$',
        description:
          'The name of the file. Lines have no ids: with `project_id` it tells whether the file, such as `Garden.csv`, came before.',
        error: 'must be one line of 1 to 255 characters',
      }),
    ),
    on_conflict: onConflict(
      'What to do with a task that was changed both here and in the file: `skip` it (the default), `overwrite` it, or import a `copy`.',
    ),
  },
  closed,
)

export const ExportTasks = t.Object(
  {
    format: t.Optional(
      t.Union([t.Literal('ics'), t.Literal('json')], {
        description: 'A calendar of to-dos (the default), or the tasks as the API shows them, in one list.',
        error: 'must be ics or json',
      }),
    ),
    ...filterQuery,
    ...asOfQuery,
  },
  closed,
)

export const ExportedTasks = t.Object({ items: t.Array(Task) }, { examples: [{ items: [taskExample] }] })

export type WordSettings = Static<ReturnType<typeof t.Object<typeof wordSettings>>>
export type TaskDate = Static<typeof TaskDate>
export type TaskDateChange = Static<typeof TaskDateChange>
export type Recurrence = Static<typeof Recurrence>
export type RecurrenceChanged = Static<typeof RecurrenceChanged>
export type Reminder = Static<typeof Reminder>
export type ReminderCreated = Static<typeof ReminderCreated>
export type Status = Static<typeof Status>
export type Task = Static<typeof Task>
export type TaskWithSubtasks = Static<typeof TaskWithSubtasks>
export type ReadTask = Static<typeof ReadTask>
export type CreateTask = Static<typeof CreateTask>
export type UpdateTask = Static<typeof UpdateTask>
export type MoveTask = Static<typeof MoveTask>
export type ImportTasks = Static<typeof ImportTasks>
export type ExportTasks = Static<typeof ExportTasks>
