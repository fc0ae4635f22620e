import { type Static, t } from 'elysia'
import { UpdateNote } from '../schema'

export const DailyNoteParams = t.Object({
  date: t.String({ description: '`YYYY-MM-DD`, or `today`.', examples: ['2026-03-01', 'today'] }),
})

export const TimeZoneQuery = t.Object(
  {
    time_zone: t.Optional(
      t.String({
        description: 'The IANA time zone of `today`. Default: that of the workspace, else UTC.',
        examples: ['Europe/Lisbon'],
      }),
    ),
  },
  { additionalProperties: false },
)

export const PutDailyNote = t.Object(
  {
    body: t.String(),
    title: t.Optional(t.String()),
    tags: UpdateNote.properties.tags,
    folder: UpdateNote.properties.folder,
  },
  {
    additionalProperties: false,
    description: 'Absent members do not change. The title of a new daily note is its date.',
    examples: [{ body: '- called Ana\n', tags: ['journal'] }],
  },
)

export type PutDailyNote = Static<typeof PutDailyNote>
