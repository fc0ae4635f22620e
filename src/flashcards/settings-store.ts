import type { RecordChange } from '../db/change-feed'
import type { Queries, Session, WorkspaceId } from '../db/database'

/** A row of `study_settings`: instants are milliseconds. */
export interface SettingsRow {
  readonly revision: number
  readonly created_at: number
  readonly updated_at: number
  readonly time_zone: string
  readonly day_starts_at_hour: number
  readonly learn_ahead_minutes: number
  /** JSON: the deck settings that differ from the defaults. */
  readonly deck_defaults: string
  readonly size_bytes: number
}

/** Returns the settings of the workspace; null if they were never changed. */
export function getSettings(db: Pick<Queries, 'get'>, workspace: WorkspaceId): Promise<SettingsRow | null> {
  return db.get<SettingsRow>(
    `SELECT revision, created_at, updated_at, time_zone, day_starts_at_hour, learn_ahead_minutes, deck_defaults, size_bytes
     FROM study_settings WHERE workspace = $1`,
    [workspace],
  )
}

async function putSettings(db: Queries, workspace: WorkspaceId, row: SettingsRow): Promise<void> {
  await db.run(
    `INSERT INTO study_settings (workspace, revision, created_at, updated_at, time_zone, day_starts_at_hour,
       learn_ahead_minutes, deck_defaults, size_bytes) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     ON CONFLICT (workspace) DO UPDATE SET revision = excluded.revision,
       created_at = excluded.created_at, updated_at = excluded.updated_at,
       time_zone = excluded.time_zone, day_starts_at_hour = excluded.day_starts_at_hour,
       learn_ahead_minutes = excluded.learn_ahead_minutes, deck_defaults = excluded.deck_defaults,
       size_bytes = excluded.size_bytes`,
    [
      workspace,
      row.revision,
      row.created_at,
      row.updated_at,
      row.time_zone,
      row.day_starts_at_hour,
      row.learn_ahead_minutes,
      row.deck_defaults,
      row.size_bytes,
    ],
  )
}

/** The id of the study settings in every workspace. */
export const SETTINGS_ID = '00000000-0000-7000-8000-000000000000'

/** Study settings without their derived size. */
export type UnsizedSettings = Omit<SettingsRow, 'size_bytes'>

/** The only way to write study settings. It records the change. `session.db` must be a transaction. */
export type PutStudySettings = (
  session: Session,
  old: SettingsRow | null,
  next: UnsizedSettings,
) => Promise<SettingsRow>

export function createSettingsWriter(record: RecordChange): PutStudySettings {
  return async (session, old, next) => {
    const size_bytes = Buffer.byteLength(next.time_zone) + Buffer.byteLength(next.deck_defaults)
    await putSettings(session.db, session.workspace.id, { ...next, size_bytes })
    const { revision, updated_at: at } = next
    const bytes = size_bytes - (old?.size_bytes ?? 0)
    await record(session, {
      type: 'study_settings',
      id: SETTINGS_ID,
      op: 'upsert',
      revision,
      at,
      resources: 0,
      bytes,
    })
    return { ...next, size_bytes }
  }
}
