import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { dayParam } from '../../http/schema'
import { asOfQuery, CivilDate, Zone } from '../schema'

const closed = { additionalProperties: false }
const count = Type.Integer({ minimum: 0 })

export const StatsQuery = t.Object(
  {
    from: t.Optional(dayParam('The first day: a civil date. Default: 29 days before `to`.')),
    to: t.Optional(dayParam('The last day: a civil date. Default: today.')),
    ...asOfQuery,
  },
  closed,
)

export const Stats = t.Object(
  {
    from: CivilDate,
    to: CivilDate,
    time_zone: Zone,
    per_day: t.Array(
      t.Object({
        date: CivilDate,
        created: count,
        completed: count,
        overdue: t.Union([count, t.Null()], {
          description:
            'Tasks that were overdue at the end of the day; for today, tasks due before today that are still open. Null for future days.',
        }),
      }),
    ),
    totals: t.Object({ created: count, completed: count }),
  },
  {
    examples: [
      {
        from: '2026-03-01',
        to: '2026-03-02',
        time_zone: 'Europe/Lisbon',
        per_day: [
          { date: '2026-03-01', created: 2, completed: 1, overdue: 1 },
          { date: '2026-03-02', created: 0, completed: 2, overdue: 0 },
        ],
        totals: { created: 2, completed: 3 },
      },
    ],
  },
)

export type StatsQuery = Static<typeof StatsQuery>
export type Stats = Static<typeof Stats>
