import { type Static, t } from 'elysia'
import { Cursor, closed, dayParam, Flag, Id, Instant, Limit, nullable, pageOf } from '../../http/schema'
import { completionExample, taskExample } from '../examples'
import { CivilDate, OccurrenceName, Task, Time } from '../schema'

export const TaskCompletion = t.Object(
  {
    id: Id,
    task_id: Id,
    kind: t.Union([t.Literal('done'), t.Literal('skip')]),
    occurrence: t.Union([OccurrenceName, t.Null()], { description: 'The due date that was completed or skipped.' }),
    completed_at: Instant,
    next_due: t.Union([OccurrenceName, t.Null()], { description: 'Null: there was no next date.' }),
    missed: t.Array(OccurrenceName, {
      description: 'Due dates between the occurrence and the next date; at most the last 1,000.',
    }),
    title: t.String({ description: 'The title at that time.' }),
    project_id: nullable(Id),
  },
  { examples: [completionExample] },
)
export const TaskCompletionPage = pageOf(TaskCompletion)

const Occurrence = t.String({
  description:
    'The due date that you mean, with its time where the rule has hours or minutes. If the task now has another one, the response is 409 and nothing changes.',
  examples: ['2026-01-31'],
})
const TimeZone = t.String({
  description:
    'The time zone of the day of completion, for a task that has none: an IANA name. Default: that of the workspace, else UTC.',
})

export const CompleteTaskBody = t.Object(
  {
    completed_at: t.Optional(Instant),
    occurrence: t.Optional(Occurrence),
    time_zone: t.Optional(TimeZone),
    subtasks: t.Optional(
      t.Union([t.Literal('keep'), t.Literal('complete')], {
        description: '`complete` completes its open parts, too; `keep` (the default) leaves them as they are.',
      }),
    ),
  },
  closed,
)
export const SkipTaskBody = t.Object({ occurrence: t.Optional(Occurrence), time_zone: t.Optional(TimeZone) }, closed)

export const CompleteTask = t.Union([CompleteTaskBody, t.Null()], {
  examples: [{ occurrence: '2026-03-31' }],
  error: 'must be an object or empty',
})

export const SkipTask = t.Union([SkipTaskBody, t.Null()], {
  examples: [{ time_zone: 'Europe/Lisbon' }],
  error: 'must be an object or empty',
})

export const CompletedTask = t.Object(
  { task: Task, completion: t.Union([TaskCompletion, t.Null()], { description: 'Null if nothing was recorded.' }) },
  { examples: [{ task: taskExample, completion: completionExample }] },
)

export const ListTaskCompletions = t.Object({ limit: t.Optional(Limit), cursor: t.Optional(Cursor) }, closed)

export const UndoCompletion = t.Object({ force: t.Optional(Flag) }, closed)

export const ListCompletions = t.Object(
  {
    from: t.Optional(Instant),
    to: t.Optional(Instant),
    project_id: t.Optional(t.String({ description: 'Only tasks of this project.' })),
    limit: t.Optional(Limit),
    cursor: t.Optional(Cursor),
  },
  closed,
)

export const ListOccurrences = t.Object(
  {
    from: t.Optional(dayParam('The first day: a civil date. Default: the due date.')),
    to: t.Optional(dayParam('The last day: a civil date. Default: a year after `from`.')),
    limit: t.Optional(Limit),
    cursor: t.Optional(Cursor),
  },
  closed,
)

export const OccurrencePage = pageOf(
  t.Object(
    {
      occurrence: OccurrenceName,
      date: CivilDate,
      time: nullable(Time),
      at: t.Union([Instant, t.Null()], { description: 'Null for all-day and floating.' }),
      status: t.Union(
        [t.Literal('done'), t.Literal('skipped'), t.Literal('missed'), t.Literal('current'), t.Literal('future')],
        { description: '`missed`: before the due date, and neither completed nor skipped.' },
      ),
    },
    {
      examples: [
        {
          occurrence: '2026-03-31',
          date: '2026-03-31',
          time: '08:00',
          at: '2026-03-31T07:00:00.000Z',
          status: 'current',
        },
      ],
    },
  ),
)

export type TaskCompletion = Static<typeof TaskCompletion>
export type CompleteTask = Exclude<Static<typeof CompleteTask>, null>
export type SkipTask = Exclude<Static<typeof SkipTask>, null>
export type ListCompletions = Static<typeof ListCompletions>
export type ListOccurrences = Static<typeof ListOccurrences>
export type Occurrence = Static<typeof OccurrencePage>['items'][number]
export type CompletedTask = Static<typeof CompletedTask>
