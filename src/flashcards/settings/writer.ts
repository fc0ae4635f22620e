import type { RecordChange } from '../../db/change-feed'
import type { Session } from '../../db/database'
import { putSettings, type SettingsRow } from './store'

/** Every workspace has one, under this id. */
export const SETTINGS_ID = '00000000-0000-7000-8000-000000000000'

/** Study settings without what follows from the rest of them. */
export type UnsizedSettings = Omit<SettingsRow, 'size_bytes'>

/** The one way to write study settings: it keeps the journal in step. `session.db` must be a transaction. */
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
