import type { Session } from '../db/database'
import { getDeck } from './deck-store'
import { putReschedule } from './reschedule-store'
import type { Overrides } from './scheduling/settings'
import { getSettings } from './settings-store'

/** The own settings of a deck, or of `deck_defaults`, that due days depend on; null: inherited, or the default. */
export type IntervalSettings = {
  readonly [Name in 'desired_retention' | 'maximum_interval_days' | 'weights']: Overrides[Name] | null
}

/** How a change of settings that moved due days is undone. Stored as JSON. */
export interface Rescheduled {
  /** The id of a deck; null: `deck_defaults`. */
  readonly deckId: string | null
  readonly before: IntervalSettings
  readonly after: IntervalSettings
}

/** Returns the settings that due days depend on; null if the deck does not exist or is in the trash. */
export async function readIntervalSettings(
  { db, workspace }: Session,
  deckId: string | null,
): Promise<IntervalSettings | null> {
  const deck = deckId === null ? null : await getDeck(db, workspace.id, deckId)
  if (deckId !== null && deck?.deleted_at !== null) return null
  const stored = deck ? deck.settings : (await getSettings(db, workspace.id))?.deck_defaults
  const {
    desired_retention = null,
    maximum_interval_days = null,
    weights = null,
  }: Overrides = JSON.parse(stored ?? '{}')
  return { desired_retention, maximum_interval_days, weights }
}

/** Stores what undoes a change, after it was made, in place of the one before. */
export async function storeReschedule(
  session: Session,
  id: string,
  { deckId, before }: Omit<Rescheduled, 'after'>,
): Promise<void> {
  const after = (await readIntervalSettings(session, deckId)) ?? before
  const change: Rescheduled = { deckId, before, after }
  await putReschedule(session.db, session.workspace.id, { id, change: JSON.stringify(change) })
}
