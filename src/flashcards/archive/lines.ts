import { type Static, Type } from '@sinclair/typebox'
import { invalid } from '../../http/api-error'
import { ArchivedRevision, closed, Id, Instant, nullable, STAMPS } from '../../http/schema'
import { readCivilDate, readInstant, readOptional } from '../../http/values'
import { toDay } from '../../lib/civil/day'
import { MAX_POSITION } from '../cards/card-schema'
import { DeckOverrides } from '../decks/deck-schema'
import type { DeckRow } from '../decks/deck-store'
import { Fact } from '../facts/fact-schema'
import { noteTypeMembers } from '../note-types'
import { MAX_DURATION_MS, Review } from '../reviews/review-schema'
import type { CardSnapshot } from '../scheduling/snapshot'

/** Flashcards in an archive, without derived members. In the code, instants are milliseconds and days whole days. */

const DIGEST = Type.String({ pattern: '^[0-9a-f]{64}$' })
/** A count of days, steps or answers, with a limit that no real card reaches. */
const COUNT = Type.Integer({ minimum: 0, maximum: 1e7 })

const stamps = { ...STAMPS, revision: ArchivedRevision }

export const SettingsLine = Type.Object(
  {
    revision: ArchivedRevision,
    created_at: Instant,
    updated_at: Instant,
    time_zone: Type.String(),
    day_starts_at_hour: Type.Integer({ minimum: 0, maximum: 23 }),
    learn_ahead_minutes: Type.Integer({ minimum: 0, maximum: 1439 }),
    /** Null: the default. */
    deck_defaults: DeckOverrides,
  },
  closed,
)

export const MediaLine = Type.Object({ ...stamps, name: Type.String(), sha256: DIGEST }, closed)

/** A fact. `trashed_with` is the id of the deck that it was trashed with. `ordinals` are those of the cards of a custom fact. */
export const FactLine = Type.Object(
  { ...Fact.properties, ...stamps, trashed_with: nullable(Id), ordinals: nullable(Type.Array(Type.Integer())) },
  closed,
)

export const NoteTypeLine = Type.Object({ ...stamps, ...noteTypeMembers }, closed)

/** The members that cards and snapshots share, in the ranges of the scheduler. */
const schedule = {
  ...Review.properties.before.properties,
  stability: nullable(Type.Number({ exclusiveMinimum: 0, maximum: 36_500 })),
  difficulty: nullable(Type.Number({ minimum: 1, maximum: 10 })),
  scheduled_days: COUNT,
  step: COUNT,
  reps: COUNT,
  lapses: COUNT,
}

/** A card. It has the one of `due_at` and `due_day` that is stored. */
export const CardLine = Type.Object(
  {
    ...stamps,
    deleted_at: nullable(Instant),
    fact_id: Id,
    ordinal: Type.Integer({ minimum: 0, maximum: 499 }),
    ...schedule,
    flag: Type.Integer({ minimum: 0, maximum: 7 }),
    position: Type.Integer({ minimum: 0, maximum: MAX_POSITION }),
  },
  closed,
)

const SnapshotLine = Type.Object(schedule, closed)

export const ReviewLine = Type.Object(
  {
    ...Review.properties,
    ...stamps,
    /** The revision of the card in the same archive. If the stored card differs, so does its log. */
    card_revision: ArchivedRevision,
    card_updated_at: Instant,
    duration_ms: Type.Integer({ minimum: 0, maximum: MAX_DURATION_MS }),
    elapsed_days: COUNT,
    predicted_retrievability: nullable(Type.Number({ minimum: 0, maximum: 1 })),
    params_id: nullable(Type.String({ maxLength: 100 })),
    before: SnapshotLine,
    after: SnapshotLine,
    /** Of the request, so that a repeated request is recognized after the import, too. */
    fingerprint: nullable(DIGEST),
  },
  closed,
)

export type SettingsLine = Static<typeof SettingsLine>
export type MediaLine = Static<typeof MediaLine>
export type NoteTypeLine = Static<typeof NoteTypeLine>
export type FactLine = Static<typeof FactLine>
export type CardLine = Static<typeof CardLine>
type SnapshotLine = Static<typeof SnapshotLine>
export type ReviewLine = Static<typeof ReviewLine>

/** Throws invalid_request. */
function readDay(text: string | null, pointer: string): number | null {
  return text === null ? null : toDay(readCivilDate(text, pointer))
}

/** Throws invalid_request. */
export function readLineStamps({ created_at, updated_at }: Readonly<Record<'created_at' | 'updated_at', string>>) {
  return { created_at: readInstant(created_at, '/created_at'), updated_at: readInstant(updated_at, '/updated_at') }
}

/**
 * Reads a snapshot. Throws invalid_request.
 * @param pointer the JSON pointer of the snapshot; empty if it is the whole line
 */
export function readSnapshotAt(line: SnapshotLine, pointer: string): CardSnapshot {
  return {
    ...line,
    due_at: readOptional(line.due_at, `${pointer}/due_at`),
    due_day: readDay(line.due_day, `${pointer}/due_day`),
    last_reviewed_at: readOptional(line.last_reviewed_at, `${pointer}/last_reviewed_at`),
    buried_until: readDay(line.buried_until, `${pointer}/buried_until`),
  }
}

/**
 * Checks that the scheduler could have made the schedule: a new card was never answered, an answered card has memory,
 * and a card that is not new is due. Only a card that was set due without an answer is in review without memory. Throws
 * invalid_request.
 */
export function requireSchedule(line: SnapshotLine, pointer: string): void {
  const { state, due_at, due_day, stability, difficulty, last_reviewed_at } = line
  const { scheduled_days, step, reps, lapses } = line
  const isRemembered = stability !== null && difficulty !== null && last_reviewed_at !== null
  const isForgotten = stability === null && difficulty === null && last_reviewed_at === null && reps === 0
  const fits = {
    new: isForgotten && due_at === null && due_day === null && scheduled_days + step + lapses === 0,
    review: (isRemembered || isForgotten) && due_day !== null,
    learning: isRemembered && due_at !== null,
    relearning: isRemembered && due_at !== null,
  }
  if (!fits[state])
    throw invalid(`${pointer}/state`, 'invalid_schedule', `no card in ${state} has a schedule such as this`)
}

/** When a row was trashed and with which deck; both null if it is not in the trash. */
type TrashState = Pick<DeckRow, 'deleted_at' | 'trashed_with'>

/** Everything in a trashed deck is in the trash, and was only trashed with another deck if its own deck was, too. */
export function readTrashState(
  { deleted_at, trashed_with }: TrashState,
  deck: (TrashState & Pick<DeckRow, 'id'>) | null,
): TrashState {
  const entry = deck === null || deck.deleted_at === null ? null : (deck.trashed_with ?? deck.id)
  if (deleted_at === null) return { deleted_at: deck?.deleted_at ?? null, trashed_with: entry }
  return { deleted_at, trashed_with: trashed_with === entry ? entry : null }
}
