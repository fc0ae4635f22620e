import type { Session } from '../../../db/database'
import { Refusal } from '../../../http/problem'
import { createCheck } from '../../../http/shape'
import { UpdateStudySettings } from '../../settings/schema'
import type { StudySettingsService } from '../../settings/service'
import { getSettings } from '../../settings/store'
import type { ParsedSettings } from '../parsed'
import type { Telling } from './telling'

const checkOfSettings = createCheck(UpdateStudySettings)
const MEMBERS = ['time_zone', 'day_starts_at_hour', 'learn_ahead_minutes', 'deck_defaults']

export type ImportSettings = (session: Session, item: ParsedSettings, telling: Telling) => Promise<void>

/** Takes over the study settings of an export where nobody changed those that are here. */
export function createSettingsImport({ update }: Pick<StudySettingsService, 'update'>): ImportSettings {
  return async (session, { settings }, telling) => {
    if (await getSettings(session.db, session.workspace.id)) return telling.became('skipped', null)
    const given = typeof settings === 'object' && settings !== null ? Object.entries(settings) : []
    const patch = Object.fromEntries(given.filter(([name]) => MEMBERS.includes(name)))
    try {
      if (checkOfSettings().Check(patch)) {
        await update(session, patch)
        // Those that every workspace begins with are not stored.
        const isStored = await getSettings(session.db, session.workspace.id)
        return telling.became(isStored ? 'updated' : 'unchanged', null)
      }
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'invalid_request') throw error
    }
    telling.fail('invalid_settings', 'The study settings cannot be taken over.')
  }
}
