import type { TimeLanguage } from '../lib/civil/words/read'
import type { Queries, WorkspaceId } from './database'
import { createSettingsTable, type SettingsStamps } from './settings-table'

/** The settings of a workspace. They lie beside the workspace, since every feature reads them. */

export interface WorkspaceSettingsRow extends SettingsStamps {
  /** An IANA name; null is UTC. */
  readonly time_zone: string | null
  /** Null is English. */
  readonly language: TimeLanguage | null
}

/** What a request that names neither zone nor language has. */
export type TimeSettings = Pick<WorkspaceSettingsRow, 'time_zone' | 'language'>

const UNSET: TimeSettings = { time_zone: null, language: null }

export const { get: getWorkspaceSettings, createPut: createWorkspaceSettingsWriter } =
  createSettingsTable<WorkspaceSettingsRow>({
    type: 'workspace_settings',
    members: ['time_zone', 'language'],
    measure: ({ time_zone, language }) => Buffer.byteLength(time_zone ?? '') + Buffer.byteLength(language ?? ''),
  })

export async function getTimeSettings(db: Pick<Queries, 'get'>, workspace: WorkspaceId): Promise<TimeSettings> {
  return (await getWorkspaceSettings(db, workspace)) ?? UNSET
}

export async function deleteWorkspaceSettings(db: Queries, workspace: WorkspaceId): Promise<void> {
  await db.run('DELETE FROM workspace_settings WHERE workspace = $1', [workspace])
}
