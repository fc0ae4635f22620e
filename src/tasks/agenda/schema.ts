import { type Static, t } from 'elysia'
import { dayParam, Id, Instant } from '../../http/schema'
import { taskExample } from '../examples'
import { archivedQuery, asOfQuery, CivilDate, Task, Zone } from '../schema'

const closed = { additionalProperties: false }

export const AgendaQuery = t.Object(
  {
    from: t.Optional(dayParam('The first day: a civil date. Default: today.')),
    to: t.Optional(dayParam('The last day: a civil date. Default: six days after `from`.')),
    archived: archivedQuery(),
    ...asOfQuery,
  },
  closed,
)

const AgendaItem = t.Object({
  task_id: Id,
  title: t.String(),
  kind: t.Union([t.Literal('due'), t.Literal('start')]),
  time: t.Union([t.String({ examples: ['09:00'] }), t.Null()], {
    description: 'The time of day in `time_zone`; null is all day.',
  }),
  at: t.Union([Instant, t.Null()], { description: 'Null is all day.' }),
  projected: t.Boolean({ description: 'A later date of a recurring task, calculated from its rule.' }),
})

export const Agenda = t.Object(
  {
    from: CivilDate,
    to: CivilDate,
    time_zone: Zone,
    overdue: t.Array(Task, {
      description: 'The oldest open tasks that are past at `now`, regardless of the days: at most 200 tasks or 8 MiB.',
    }),
    overdue_more: t.Boolean({ description: 'There are more overdue tasks: list them with the filter `overdue`.' }),
    days: t.Array(
      t.Object({
        date: CivilDate,
        items: t.Array(AgendaItem, { description: 'Sorted by time, whole days first.' }),
        more: t.Boolean({
          description:
            'This day alone has more than 2,000 items, of which the first are shown. List the tasks of the day instead.',
        }),
      }),
      { description: 'Each day up to `to`, or before `next_from`; a day is never split.' },
    ),
    next_from: t.Union([CivilDate, t.Null()], {
      description: 'If there are more than 2,000 items, the `from` of the next request; otherwise null.',
    }),
  },
  {
    examples: [
      {
        from: '2026-03-31',
        to: '2026-04-30',
        time_zone: 'Europe/Lisbon',
        overdue: [],
        overdue_more: false,
        days: [
          {
            date: '2026-03-31',
            items: [
              {
                task_id: taskExample.id,
                title: taskExample.title,
                kind: 'due' as const,
                time: '08:00',
                at: '2026-03-31T07:00:00.000Z',
                projected: false,
              },
            ],
            more: false,
          },
        ],
        next_from: '2026-04-01',
      },
    ],
  },
)

export type AgendaQuery = Static<typeof AgendaQuery>
export type AgendaItem = Static<typeof AgendaItem>
export type Agenda = Static<typeof Agenda>
