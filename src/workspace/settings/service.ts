import { type Static, Type } from '@sinclair/typebox'
import type { ArchivedType } from '../../archive/archived-type'
import type { RecordChange } from '../../db/change-feed'
import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { SETTINGS_ID } from '../../db/settings-table'
import {
  createWorkspaceSettingsWriter,
  getWorkspaceSettings,
  type TimeSettings,
  type WorkspaceSettingsRow,
} from '../../db/workspace-settings-store'
import { type Precondition, requireRevision, type Tagged, writeEtag } from '../../http/conditional'
import { hasMembers } from '../../http/resource'
import { ArchivedRevision, Instant } from '../../http/schema'
import { createValidator } from '../../http/validation'
import { readInstant, readZone, writeInstant } from '../../http/values'
import { Language, type UpdateWorkspaceSettings, type WorkspaceSettings } from './schema'

interface Deps extends Pick<Context, 'now'> {
  readonly record: RecordChange
}

const UNCHANGED = { revision: 1, time_zone: null, language: null } as const

export type WorkspaceSettingsService = ReturnType<typeof createWorkspaceSettings>

export function createWorkspaceSettings({ now, record }: Deps) {
  const put = createWorkspaceSettingsWriter(record)
  return {
    get: async ({ db, workspace }: Session): Promise<Tagged<WorkspaceSettings>> =>
      toWorkspaceSettings(await getWorkspaceSettings(db, workspace.id)),

    /** Throws invalid_request, precondition_failed. */
    update(
      session: Session,
      patch: UpdateWorkspaceSettings,
      precondition: Precondition = null,
    ): Promise<Tagged<WorkspaceSettings>> {
      return session.db.transaction(async (db) => {
        const old = await getWorkspaceSettings(db, session.workspace.id)
        requireRevision(precondition, toWorkspaceSettings(old).resource)
        const before = old ?? UNCHANGED
        const { time_zone = before.time_zone, language = before.language } = patch
        const members = { time_zone: readOptionalZone(time_zone), language }
        if (hasMembers<TimeSettings>(before, members)) return toWorkspaceSettings(old)
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
  },
  { additionalProperties: false },
)
type SettingsLine = Static<typeof SettingsLine>

const toLine = createValidator(SettingsLine, 'the settings of the workspace')

export function archivedWorkspaceSettings({ record }: Pick<Deps, 'record'>): ArchivedType {
  const put = createWorkspaceSettingsWriter(record)
  return {
    type: 'workspace_settings',

    async *items(db, workspace): AsyncGenerator<SettingsLine> {
      const row = await getWorkspaceSettings(db, workspace)
      if (!row) return
      const { revision, created_at, updated_at, time_zone, language } = row
      const stamps = { created_at: writeInstant(created_at), updated_at: writeInstant(updated_at) }
      yield { revision, ...stamps, time_zone, language }
    },

    async merge(session, item) {
      const { revision, created_at, updated_at, time_zone, language } = toLine(item)
      const next = {
        revision,
        created_at: readInstant(created_at, '/created_at'),
        updated_at: readInstant(updated_at, '/updated_at'),
        time_zone: readOptionalZone(time_zone),
        language,
      }
      const old = await getWorkspaceSettings(session.db, session.workspace.id)
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
  const { revision, time_zone, language } = row ?? UNCHANGED
  return {
    resource: {
      id: SETTINGS_ID,
      revision,
      created_at: row && writeInstant(row.created_at),
      updated_at: row && writeInstant(row.updated_at),
      time_zone,
      language,
    },
    etag: writeEtag(revision),
  }
}
