import type { Session } from '../db/database'
import { getTimeSettings } from '../db/workspace-settings-store'
import { readZone } from './values'

/** The zone of the request, else of the workspace, else UTC. @throws ApiError invalid_request unless IANA has it */
export async function readZoneOrDefault({ db, workspace }: Session, name: string | undefined): Promise<string> {
  if (name !== undefined) return readZone(name, '/time_zone')
  return (await getTimeSettings(db, workspace.id)).time_zone ?? 'UTC'
}
