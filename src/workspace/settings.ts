import { Type } from '@sinclair/typebox'
import { Elysia, type Static, t } from 'elysia'
import type { ArchivedType } from '../archive/archived-type'
import type { RecordChange } from '../db/change-feed'
import type { Context, Session } from '../db/database'
import {
  createWorkspaceSettingsWriter,
  getWorkspaceSettings,
  SETTINGS_ID,
  type WorkspaceSettingsRow,
} from '../db/settings-store'
import type { RequestPlugin } from '../http/api'
import { hasMembers } from '../http/resource'
import { ifMatch, type Precondition, requireRevision, type Tagged, writeEtag } from '../http/responses'
import { ArchivedRevision, Id, Instant, NoContent, nameSchemas, nullable, Problem, Revision } from '../http/schema'
import { createValidator } from '../http/validation'
import { readInstant, readZone, writeInstant } from '../http/values'
import { TIME_LANGUAGES, type TimeLanguage } from '../lib/civil/day'

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

const LineBreaks = t.Boolean({
  description:
    'Whether a line end within a paragraph of Markdown is shown as one, as in Obsidian; else it is a space, as in CommonMark. Default: true.',
})

export const WorkspaceSettings = t.Object(
  {
    id: Id,
    revision: Revision,
    created_at: t.Union([Instant, t.Null()], { description: 'Null while nothing was ever changed.' }),
    updated_at: nullable(Instant),
    time_zone: Zone,
    language: Language,
    line_breaks: LineBreaks,
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
        line_breaks: true,
      },
    ],
  },
)

export const UpdateWorkspaceSettings = t.Object(
  { time_zone: t.Optional(Zone), language: t.Optional(Language), line_breaks: t.Optional(LineBreaks) },
  {
    additionalProperties: false,
    description: 'A JSON merge patch (RFC 7396): absent members stay, null clears.',
    examples: [{ time_zone: 'Europe/Lisbon', language: 'de' }],
  },
)

export type WorkspaceSettings = Static<typeof WorkspaceSettings>
export type UpdateWorkspaceSettings = Static<typeof UpdateWorkspaceSettings>

interface Deps extends Pick<Context, 'now'> {
  readonly record: RecordChange
}

const UNCHANGED = { revision: 1, time_zone: null, language: null, line_breaks: 1 } as const

/** What the settings have beside their stamps. */
type Members = Pick<WorkspaceSettingsRow, 'time_zone' | 'language' | 'line_breaks'>

export type WorkspaceSettingsService = ReturnType<typeof createWorkspaceSettings>

export function createWorkspaceSettings({ now, record }: Deps) {
  const put = createWorkspaceSettingsWriter(record)
  return {
    get: async (session: Session): Promise<Tagged<WorkspaceSettings>> =>
      toWorkspaceSettings(await getWorkspaceSettings(session)),

    /** Throws invalid_request, precondition_failed. */
    update(
      session: Session,
      patch: UpdateWorkspaceSettings,
      precondition: Precondition = null,
    ): Promise<Tagged<WorkspaceSettings>> {
      return session.db.transaction(async (db) => {
        const old = await getWorkspaceSettings({ ...session, db })
        requireRevision(precondition, toWorkspaceSettings(old).resource)
        const before = old ?? UNCHANGED
        const { time_zone = before.time_zone, language = before.language } = patch
        const line_breaks = patch.line_breaks === undefined ? before.line_breaks : Number(patch.line_breaks)
        const members = { time_zone: readOptionalZone(time_zone), language, line_breaks }
        if (hasMembers<Members>(before, members)) return toWorkspaceSettings(old)
        const at = now()
        const stamps = { revision: before.revision + 1, created_at: old?.created_at ?? at, updated_at: at }
        return toWorkspaceSettings(await put({ ...session, db }, old, { ...stamps, ...members }))
      })
    },
  }
}

const SettingsLine = Type.Object(
  {
    revision: ArchivedRevision,
    created_at: Instant,
    updated_at: Instant,
    time_zone: Type.Union([Type.String(), Type.Null()]),
    language: Language,
    line_breaks: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)
type SettingsLine = Static<typeof SettingsLine>

const toLine = createValidator(SettingsLine, 'the settings of the workspace')

export function archivedWorkspaceSettings({ record }: Pick<Deps, 'record'>): ArchivedType {
  const put = createWorkspaceSettingsWriter(record)
  return {
    type: 'workspace_settings',

    async *items(reader): AsyncGenerator<SettingsLine> {
      const row = await getWorkspaceSettings(reader)
      if (!row) return
      const { revision, created_at, updated_at, time_zone, language, line_breaks } = row
      const stamps = { created_at: writeInstant(created_at), updated_at: writeInstant(updated_at) }
      yield { revision, ...stamps, time_zone, language, line_breaks: line_breaks !== 0 }
    },

    async merge(session, item) {
      const { revision, created_at, updated_at, time_zone, language, line_breaks = true } = toLine(item)
      const next = {
        revision,
        created_at: readInstant(created_at, '/created_at'),
        updated_at: readInstant(updated_at, '/updated_at'),
        time_zone: readOptionalZone(time_zone),
        language,
        line_breaks: Number(line_breaks),
      }
      const old = await getWorkspaceSettings(session)
      if ((old ?? UNCHANGED).revision >= revision) return 'unchanged'
      await put(session, old, next)
      return old ? 'updated' : 'created'
    },
  }
}

function readOptionalZone(name: string | null): string | null {
  return name === null ? null : readZone(name, '/time_zone')
}

function toWorkspaceSettings(row: WorkspaceSettingsRow | null): Tagged<WorkspaceSettings> {
  const { revision, time_zone, language, line_breaks } = row ?? UNCHANGED
  return {
    resource: {
      id: SETTINGS_ID,
      revision,
      created_at: row && writeInstant(row.created_at),
      updated_at: row && writeInstant(row.updated_at),
      time_zone,
      language,
      line_breaks: line_breaks !== 0,
    },
    etag: writeEtag(revision),
  }
}

nameSchemas({ WorkspaceSettings, UpdateWorkspaceSettings })

export function workspaceSettingsRoutes({ settings, api }: { settings: WorkspaceSettingsService; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/workspace', tags: ['Workspace'] })
    .use(api)
    .get('/settings', async ({ session, reply }) => reply.read(await settings.get(session)), {
      response: { 200: WorkspaceSettings, 304: NoContent },
      detail: {
        operationId: 'getWorkspaceSettings',
        summary: 'Get the settings of your workspace',
        description: 'The time zone and the language of requests that name none, and how Markdown is shown.',
      },
    })
    .patch(
      '/settings',
      async ({ session, request, body, reply }) =>
        reply.changed(await settings.update(session, body, ifMatch(request))),
      {
        body: UpdateWorkspaceSettings,
        response: { 200: WorkspaceSettings, 412: Problem },
        detail: {
          operationId: 'updateWorkspaceSettings',
          summary: 'Change the settings of your workspace',
          description:
            'From then on `today`, words of time and the like are those of this zone and language, unless a request names others. Stored dates stay as they are. Study days have a zone of their own. `line_breaks` changes the HTML of notes.',
        },
      },
    )
}
