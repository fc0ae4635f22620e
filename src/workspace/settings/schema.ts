import { type Static, t } from 'elysia'
import { Id, Instant, nullable, Revision } from '../../http/schema'
import { TIME_LANGUAGES, type TimeLanguage } from '../../lib/civil/words/read'

const Zone = t.Union([t.String({ examples: ['Europe/Lisbon'] }), t.Null()], {
  description: 'The IANA time zone of requests that name none. Null: UTC.',
})
// The static type of a union built from an array is not known.
export const Language = t.Unsafe<TimeLanguage | null>(
  t.Union([...TIME_LANGUAGES.map((language) => t.Literal(language)), t.Null()], {
    description: 'The language of words of time in requests that name none: `en`, `de`, `fr` or `es`. Null: English.',
    error: `must be ${TIME_LANGUAGES.join(', ')} or null`,
  }),
)

export const WorkspaceSettings = t.Object(
  {
    id: Id,
    revision: Revision,
    created_at: t.Union([Instant, t.Null()], { description: 'Null while nothing was ever changed.' }),
    updated_at: nullable(Instant),
    time_zone: Zone,
    language: Language,
  },
  {
    examples: [
      {
        id: '00000000-0000-7000-8000-000000000000',
        revision: 2,
        created_at: '2026-03-01T08:15:00.000Z',
        updated_at: '2026-03-01T08:15:00.000Z',
        time_zone: 'Europe/Lisbon',
        language: 'de',
      },
    ],
  },
)

export const UpdateWorkspaceSettings = t.Object(
  { time_zone: t.Optional(Zone), language: t.Optional(Language) },
  {
    additionalProperties: false,
    description: 'A JSON merge patch (RFC 7396): absent members stay, null clears.',
    examples: [{ time_zone: 'Europe/Lisbon', language: 'de' }],
  },
)

export type WorkspaceSettings = Static<typeof WorkspaceSettings>
export type UpdateWorkspaceSettings = Static<typeof UpdateWorkspaceSettings>
