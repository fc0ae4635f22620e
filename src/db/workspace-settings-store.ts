import type { TimeLanguage } from '../lib/civil/words/read'
import type { Queries, WorkspaceId } from './database'

/** The settings of a workspace. They lie beside the workspace, since every feature reads them. */

/** A row of `workspace_settings`: instants are milliseconds. */
export interface WorkspaceSettingsRow {
  readonly revision: number
  readonly created_at: number
  readonly updated_at: number
  /** An IANA name; null is UTC. */
  readonly time_zone: string | null
  /** Null is English. */
  readonly language: TimeLanguage | null
  readonly size_bytes: number
}

/** What a request that names neither zone nor language has. */
export type TimeSettings = Pick<WorkspaceSettingsRow, 'time_zone' | 'language'>

const UNSET: TimeSettings = { time_zone: null, language: null }

/** Returns the settings of a workspace; null if they were never changed. */
export function getWorkspaceSettings(
  db: Pick<Queries, 'get'>,
  workspace: WorkspaceId,
): Promise<WorkspaceSettingsRow | null> {
  return db.get<WorkspaceSettingsRow>(
    `SELECT revision, created_at, updated_at, time_zone, language, size_bytes FROM workspace_settings
     WHERE workspace = $1`,
    [workspace],
  )
}

/** Returns the zone and the language of requests that name none. */
export async function getTimeSettings(db: Pick<Queries, 'get'>, workspace: WorkspaceId): Promise<TimeSettings> {
  return (await getWorkspaceSettings(db, workspace)) ?? UNSET
}

/** Stores the settings of a workspace. */
export async function putWorkspaceSettings(
  db: Queries,
  workspace: WorkspaceId,
  row: WorkspaceSettingsRow,
): Promise<void> {
  await db.run(
    `INSERT INTO workspace_settings (workspace, revision, created_at, updated_at, time_zone, language, size_bytes)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (workspace) DO UPDATE SET revision = excluded.revision, created_at = excluded.created_at,
       updated_at = excluded.updated_at, time_zone = excluded.time_zone, language = excluded.language,
       size_bytes = excluded.size_bytes`,
    [workspace, row.revision, row.created_at, row.updated_at, row.time_zone, row.language, row.size_bytes],
  )
}

/** Deletes the settings of a workspace. */
export async function deleteWorkspaceSettings(db: Queries, workspace: WorkspaceId): Promise<void> {
  await db.run('DELETE FROM workspace_settings WHERE workspace = $1', [workspace])
}
