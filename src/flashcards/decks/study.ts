import type { Reader, Session } from '../../db/database'
import { createSettingsTable, type SettingsStamps } from '../../db/settings-store'
import {
  DEFAULT_SETTINGS,
  type DeckSettings,
  type InheritedSettings,
  inheritSettings,
  type Overrides,
} from '../scheduling/settings'
import { type StudyClock, studyDay } from '../scheduling/study-day'
import { type LinkedDeck, listDecksUpwards } from './deck-store'

export interface SettingsRow extends SettingsStamps {
  readonly time_zone: string
  readonly day_starts_at_hour: number
  readonly learn_ahead_minutes: number
  /** JSON: the deck settings that differ from the defaults. */
  readonly deck_defaults: string
}

export type UnsizedSettings = Omit<SettingsRow, 'size_bytes'>

export const { get: getSettings, createPut: createSettingsWriter } = createSettingsTable<SettingsRow>({
  type: 'study_settings',
  members: ['time_zone', 'day_starts_at_hour', 'learn_ahead_minutes', 'deck_defaults'],
  measure: ({ time_zone, deck_defaults }) => Buffer.byteLength(time_zone) + Buffer.byteLength(deck_defaults),
})

/** The study settings of a workspace at one instant. */
export interface Study {
  /** Milliseconds since 1970. */
  readonly now: number
  readonly clock: StudyClock
  readonly today: number
  readonly learn_ahead_minutes: number
  readonly defaults: DeckSettings
  /** Of the study settings: the last part of the ETag of a card. */
  readonly revision: number
}

/** The settings that were never changed, at revision 1. */
export const DEFAULT_STUDY_SETTINGS = {
  revision: 1,
  time_zone: 'UTC',
  day_starts_at_hour: 4,
  learn_ahead_minutes: 20,
  deck_defaults: '{}',
} as const satisfies Partial<SettingsRow>

export async function readStudy(reader: Reader, now: number): Promise<Study> {
  const row = (await getSettings(reader)) ?? DEFAULT_STUDY_SETTINGS
  const { revision, learn_ahead_minutes, time_zone, day_starts_at_hour } = row
  const clock = { time_zone, day_starts_at_hour }
  return { now, clock, today: studyDay(now, clock), learn_ahead_minutes, defaults: readDefaults(row), revision }
}

export function readDefaults({ deck_defaults }: Pick<SettingsRow, 'deck_defaults'>): DeckSettings {
  return { ...DEFAULT_SETTINGS, ...JSON.parse(deck_defaults) }
}

export async function readInherited(
  session: Session,
  { defaults }: Pick<Study, 'defaults'>,
  decks: readonly number[],
): Promise<ReadonlyMap<number, InheritedSettings>> {
  const keys = [...new Set(decks)]
  const known = new Map((await listDecksUpwards(session, keys)).map((deck) => [deck.key, deck]))
  return new Map(keys.map((key) => [key, inheritSettings(listDeckAncestors(key, known), defaults)]))
}

export async function readDeckSettings(session: Session, study: Pick<Study, 'defaults'>, deck: number) {
  return (await readInherited(session, study, [deck])).get(deck)?.effective ?? study.defaults
}

/** Returns a deck and its ancestors, the topmost last. */
export function listDeckAncestors(
  key: number,
  known: ReadonlyMap<number, LinkedDeck>,
): { id: string; overrides: Overrides }[] {
  const chain = []
  for (let deck = known.get(key); deck; deck = known.get(deck.parent ?? 0))
    chain.push({ id: deck.id, overrides: JSON.parse(deck.settings) as Overrides })
  return chain
}
