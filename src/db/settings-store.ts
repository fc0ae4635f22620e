import type { TimeLanguage } from '../lib/civil/day'
import type { RecordChange, ResourceType } from './change-feed'
import type { Reader, Session, Writer } from './database'
import { valuesOf } from './table'

/** The id of the settings of a kind in every workspace, which has one row of them. */
export const SETTINGS_ID = '00000000-0000-7000-8000-000000000000'

/** What the rows of all settings have: instants are milliseconds. */
export interface SettingsStamps {
  readonly revision: number
  readonly created_at: number
  readonly updated_at: number
  readonly size_bytes: number
}

/** The only way to write settings. It records the change. `session.db` must be a transaction. */
type PutSettings<Row> = (session: Session, old: Row | null, next: Omit<Row, 'size_bytes'>) => Promise<Row>

interface SettingsShape<Row> {
  /** The type in the change feed, by which the table is called, too. */
  readonly type: Extract<ResourceType, `${string}_settings`>
  /** The settings themselves, all that a row has beside its stamps. */
  readonly members: readonly (Exclude<keyof Row, keyof SettingsStamps> & string)[]
  readonly measure: (row: Omit<Row, 'size_bytes'>) => number
}

/** Makes the statements on a table of settings, whose columns are called as the members of a row. */
export function createSettingsTable<Row extends SettingsStamps>({ type, members, measure }: SettingsShape<Row>) {
  const columns = ['revision', 'created_at', 'updated_at', ...members, 'size_bytes']
  const select = `SELECT ${columns.join(', ')} FROM ${type} WHERE workspace = $1`
  const upsert = `INSERT INTO ${type} (workspace, ${columns.join(', ')})
    VALUES ($1, ${columns.map((_, i) => `$${i + 2}`).join(', ')})
    ON CONFLICT (workspace) DO UPDATE SET ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`

  return {
    /** Returns the settings of the workspace; null if they were never changed. */
    get: ({ db, workspace }: Reader): Promise<Row | null> => db.get<Row>(select, [workspace.id]),

    createPut:
      (record: RecordChange): PutSettings<Row> =>
      async (session, old, next) => {
        const row = { ...next, size_bytes: measure(next) } as Row
        await session.db.run(upsert, valuesOf([session.workspace.id], row, columns))
        const { revision, updated_at: at } = row
        const bytes = row.size_bytes - (old?.size_bytes ?? 0)
        await record(session, { type, id: SETTINGS_ID, op: 'upsert', revision, at, resources: 0, bytes })
        return row
      },
  }
}

/** The settings of a workspace. They lie beside the workspace, since every feature reads them. */

export interface WorkspaceSettingsRow extends SettingsStamps {
  /** An IANA name; null is UTC. */
  readonly time_zone: string | null
  /** Null is English. */
  readonly language: TimeLanguage | null
  /** 0 or 1. */
  readonly line_breaks: number
}

/** What a request that names neither zone nor language has. */
export type TimeSettings = Pick<WorkspaceSettingsRow, 'time_zone' | 'language'>

const UNSET: TimeSettings = { time_zone: null, language: null }

export const { get: getWorkspaceSettings, createPut: createWorkspaceSettingsWriter } =
  createSettingsTable<WorkspaceSettingsRow>({
    type: 'workspace_settings',
    members: ['time_zone', 'language', 'line_breaks'],
    measure: ({ time_zone, language }) => Buffer.byteLength(time_zone ?? '') + Buffer.byteLength(language ?? ''),
  })

export async function getTimeSettings(reader: Reader): Promise<TimeSettings> {
  return (await getWorkspaceSettings(reader)) ?? UNSET
}

/** Whether a line end within a paragraph of Markdown is shown as one. */
export async function getLineBreaks(reader: Reader): Promise<boolean> {
  return (await getWorkspaceSettings(reader))?.line_breaks !== 0
}

export async function deleteWorkspaceSettings({ db, workspace }: Writer): Promise<void> {
  await db.run('DELETE FROM workspace_settings WHERE workspace = $1', [workspace.id])
}
