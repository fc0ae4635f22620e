import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { Id, nullable } from '../../http/schema'
import { taskExample } from '../examples'
import { RecurrenceCreated, Reminder, Task, wordSettings } from '../schema'
import type { QuickSpan } from './types'

/** The most code points of a text. */
export const MAX_QUICK_TEXT_CHARS = 1000

export const QuickAdd = t.Object(
  {
    text: t.String({ description: `At most ${MAX_QUICK_TEXT_CHARS} characters.` }),
    dry_run: t.Optional(t.Boolean({ description: 'Only shows what would be created.' })),
    project_id: t.Optional(nullable(Id)),
    create_missing: t.Optional(t.Boolean({ description: 'Creates projects and sections that do not exist yet.' })),
    ...wordSettings,
  },
  {
    additionalProperties: false,
    examples: [{ text: 'Pay rent #Home @bills !2 every month on the 31st at 9am', time_zone: 'Europe/Berlin' }],
  },
)

const offset = Type.Integer({ minimum: 0 })
const where = { start: offset, end: offset, text: t.String() }

const SpanValue = t.Unsafe<QuickSpan['value']>(
  t.Union([t.String(), Type.Number(), Reminder, RecurrenceCreated, t.Null()], {
    description: 'The value it set: an id, a name, a number, a date, a time, a reminder or the recurrence.',
  }),
)

export const QuickAdded = t.Object(
  {
    task: Task,
    spans: t.Array(
      t.Object({
        ...where,
        kind: t.String({
          description: 'project, section, label, priority, duration, reminder, recurrence, date, time or escape.',
        }),
        value: SpanValue,
      }),
      { description: 'The parts that were understood, in order. Offsets count characters (code points).' },
    ),
    warnings: t.Array(t.Object({ ...where, code: t.String(), detail: t.String() }), {
      description: 'Parts that look like e.g. a date, but stayed in the title.',
    }),
  },
  {
    examples: [
      {
        task: taskExample,
        spans: [{ start: 16, end: 22, kind: 'label', text: '@bills', value: 'bills' }],
        warnings: [],
      },
    ],
  },
)

export type QuickAdd = Static<typeof QuickAdd>
export type QuickAdded = Static<typeof QuickAdded>
