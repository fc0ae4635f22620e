import { type Fault, Refusal } from '../../http/problem'
import { DEFAULT_SETTINGS, type Overrides, type SettingName, settingFaults } from '../scheduling/settings'

export const SETTING_NAMES = Object.keys(DEFAULT_SETTINGS) as SettingName[]

/**
 * Overrides after a merge patch, as JSON: null takes a member out, null alone takes out all. Throws invalid_request.
 * @param pointer the member of the request that they stand in, e.g. `/settings`
 */
export function patchedOverrides(stored: string, patch: Overrides | null, pointer: string): string {
  if (patch === null) return '{}'
  const faults = settingFaults(patch)
  if (faults.length > 0) throw refused(faults, pointer)
  const merged: Overrides = { ...JSON.parse(stored), ...patch }
  const set = SETTING_NAMES.filter((name) => (merged[name] ?? null) !== null)
  return JSON.stringify(Object.fromEntries(set.map((name) => [name, merged[name]])))
}

/** Overrides with every member; null where it is inherited. */
export function shownOverrides(overrides: Overrides): { [Name in SettingName]: Overrides[Name] | null } {
  const members = SETTING_NAMES.map((name) => [name, overrides[name] ?? null])
  return Object.fromEntries(members)
}

function refused(faults: ReturnType<typeof settingFaults>, pointer: string): Refusal {
  const errors = faults.map(
    ({ name, detail }): Fault => ({ pointer: `${pointer}/${name}`, code: 'invalid_value', detail }),
  )
  return new Refusal('invalid_request', faults[0]?.detail ?? '', { errors })
}
