import type { Session } from '../../db/database'
import { elementsIn, integersIn } from '../../db/dialect'
import { CARD, type CardRow } from '../cards/card-store'
import { getDeck } from '../decks/deck-store'
import { getSettings } from '../decks/study'
import type { Overrides } from '../scheduling/settings'

/** The last change of settings that moved due days; see the schema. */
interface RescheduleRow {
  readonly id: string
  /** JSON. */
  readonly change: string
}

/** A card that was moved, with its due day and interval before. */
interface CardMove {
  readonly card: number
  readonly due_day: number
  readonly scheduled_days: number
  readonly moved_to: number
  /** Of the card, which has others once it was answered. */
  readonly reps: number
}

/** Stores what can be undone, in place of the one before. */
async function putReschedule({ db, workspace }: Session, { id, change }: RescheduleRow): Promise<void> {
  const sql = `INSERT INTO study_reschedules (workspace, id, change) VALUES ($1, $2, $3)
    ON CONFLICT (workspace) DO UPDATE SET id = excluded.id, change = excluded.change`
  await db.run(sql, [workspace.id, id, change])
}

export function getReschedule({ db, workspace }: Session): Promise<RescheduleRow | null> {
  return db.get<RescheduleRow>('SELECT id, change FROM study_reschedules WHERE workspace = $1', [workspace.id])
}

export async function deleteReschedule({ db, workspace }: Session, id: string): Promise<void> {
  await db.run('DELETE FROM study_reschedules WHERE workspace = $1 AND id = $2', [workspace.id, id])
}

/** Stores moves, in place of earlier ones of the same cards. */
export async function putMoves({ db, workspace }: Session, reschedule: string, moves: readonly CardMove[]) {
  const sql = `INSERT INTO study_moved_cards (card, workspace, reschedule, due_day, scheduled_days, moved_to,
      reps)
    SELECT CAST(value ->> 'card' AS bigint), $1, $2, CAST(value ->> 'due_day' AS bigint),
      CAST(value ->> 'scheduled_days' AS bigint), CAST(value ->> 'moved_to' AS bigint), CAST(value ->> 'reps' AS bigint)
    FROM ${elementsIn('$3')}`
  const cards = moves.map(({ card }) => card)
  await deleteMoves({ db, workspace }, cards)
  await db.run(sql, [workspace.id, reschedule, JSON.stringify(moves)])
}

/** Counts the cards that were moved and not put back. Reads only an index. */
export async function countMoves({ db, workspace }: Session, reschedule: string): Promise<number> {
  const sql = 'SELECT count(*) AS count FROM study_moved_cards WHERE workspace = $1 AND reschedule = $2'
  return (await db.get<{ count: number }>(sql, [workspace.id, reschedule]))?.count ?? 0
}

/** A card that was moved, also one in the trash, with its due day before as `old_day`. */
type MovedCard = CardRow & {
  readonly old_day: number
  readonly old_days: number
  readonly moved_to: number
  readonly old_reps: number
}

export function listMovedCards({ db, workspace }: Session, reschedule: string, limit: number) {
  const sql = `SELECT ${CARD}, study_moved_cards.due_day AS old_day,
      study_moved_cards.scheduled_days AS old_days, study_moved_cards.reps AS old_reps, moved_to
    FROM study_moved_cards JOIN study_cards ON study_cards.key = study_moved_cards.card
    WHERE study_moved_cards.workspace = $1 AND reschedule = $2 ORDER BY study_moved_cards.card LIMIT $3`
  return db.all<MovedCard>(sql, [workspace.id, reschedule, limit])
}

export async function deleteMoves({ db, workspace }: Session, cards: readonly number[]): Promise<void> {
  const sql = `DELETE FROM study_moved_cards WHERE workspace = $1 AND card IN ${integersIn('$2')}`
  await db.run(sql, [workspace.id, JSON.stringify(cards)])
}

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
export async function readIntervalSettings(session: Session, deckId: string | null) {
  const deck = deckId === null ? null : await getDeck(session, deckId)
  if (deckId !== null && deck?.deleted_at !== null) return null
  const stored = deck ? deck.settings : (await getSettings(session))?.deck_defaults
  const {
    desired_retention = null,
    maximum_interval_days = null,
    weights = null,
  }: Overrides = JSON.parse(stored ?? '{}')
  return { desired_retention, maximum_interval_days, weights }
}

/** Stores what undoes a change, after it was made, in place of the one before. */
export async function storeReschedule(session: Session, id: string, { deckId, before }: Omit<Rescheduled, 'after'>) {
  const after = (await readIntervalSettings(session, deckId)) ?? before
  const change: Rescheduled = { deckId, before, after }
  await putReschedule(session, { id, change: JSON.stringify(change) })
}
