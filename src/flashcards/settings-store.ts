import { createSettingsTable, type PutSettings, type SettingsStamps } from '../db/settings-table'

/** A row of `study_settings`. */
export interface SettingsRow extends SettingsStamps {
  readonly time_zone: string
  readonly day_starts_at_hour: number
  readonly learn_ahead_minutes: number
  /** JSON: the deck settings that differ from the defaults. */
  readonly deck_defaults: string
}

/** Study settings without their derived size. */
export type UnsizedSettings = Omit<SettingsRow, 'size_bytes'>

export type PutStudySettings = PutSettings<SettingsRow>

export const { get: getSettings, createPut: createSettingsWriter } = createSettingsTable<SettingsRow>({
  type: 'study_settings',
  members: ['time_zone', 'day_starts_at_hour', 'learn_ahead_minutes', 'deck_defaults'],
  measure: ({ time_zone, deck_defaults }) => Buffer.byteLength(time_zone) + Buffer.byteLength(deck_defaults),
})
