import type { Session } from '../db/database'
import { getTimeSettings } from '../db/workspace-settings-store'
import { readZone } from './values'

/**
 * Returns the zone that a request names as `time_zone`, else that of the workspace, else UTC.
 * @throws ApiError invalid_request unless the name is an IANA time zone
 */
export async function readZoneOrDefault({ db, workspace }: Session, name: string | undefined): Promise<string> {
  if (name !== undefined) return readZone(name, '/time_zone')
  return (await getTimeSettings(db, workspace.id)).time_zone ?? 'UTC'
}
