import { ApiError, type Fault } from '../../http/api-error'
import { DEFAULT_SETTINGS, listSettingFaults, type Overrides, type SettingName } from '../scheduling/settings'
import type { DeckOverrides } from './schema'

const SETTING_NAMES = Object.keys(DEFAULT_SETTINGS) as SettingName[]

/**
 * Overrides after a merge patch, as JSON: null takes a member out, null alone takes out all. Throws invalid_request.
 * @param pointer the member of the request that holds them, e.g. `/settings`
 */
export function patchOverrides(stored: string, patch: Overrides | null, pointer: string): string {
  if (patch === null) return '{}'
  const faults = listSettingFaults(patch)
  if (faults.length > 0) throw refused(faults, pointer)
  const merged: Overrides = { ...JSON.parse(stored), ...patch }
  const set = SETTING_NAMES.filter((name) => (merged[name] ?? null) !== null)
  return JSON.stringify(Object.fromEntries(set.map((name) => [name, merged[name]])))
}

/** `deck_defaults` as JSON, without those that are the defaults anyway: naming them changes nothing. */
export function withoutDefaults(stored: string): string {
  const other = Object.entries(JSON.parse(stored) as Overrides).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(DEFAULT_SETTINGS[name as SettingName]),
  )
  return JSON.stringify(Object.fromEntries(other))
}

/** Overrides with every member; null where it is inherited. */
export function toOverrides(overrides: Overrides): DeckOverrides {
  const { learning_steps_minutes, relearning_steps_minutes, weights } = overrides
  return {
    new_limit_per_day: overrides.new_limit_per_day ?? null,
    review_limit_per_day: overrides.review_limit_per_day ?? null,
    new_ignores_review_limit: overrides.new_ignores_review_limit ?? null,
    fuzz: overrides.fuzz ?? null,
    bury_siblings: overrides.bury_siblings ?? null,
    desired_retention: overrides.desired_retention ?? null,
    maximum_interval_days: overrides.maximum_interval_days ?? null,
    learning_steps_minutes: learning_steps_minutes ? [...learning_steps_minutes] : null,
    relearning_steps_minutes: relearning_steps_minutes ? [...relearning_steps_minutes] : null,
    new_order: overrides.new_order ?? null,
    review_order: overrides.review_order ?? null,
    new_mix: overrides.new_mix ?? null,
    leech_threshold: overrides.leech_threshold ?? null,
    leech_action: overrides.leech_action ?? null,
    weights: weights ? [...weights] : null,
  }
}

function refused(faults: ReturnType<typeof listSettingFaults>, pointer: string): ApiError {
  const errors = faults.map(
    ({ name, detail }): Fault => ({ pointer: `${pointer}/${name}`, code: 'invalid_value', detail }),
  )
  return new ApiError('invalid_request', faults[0]?.detail ?? '', { errors })
}
