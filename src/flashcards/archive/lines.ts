import { type Static, Type } from '@sinclair/typebox'
import { invalid } from '../../http/api-error'
import { ArchivedRevision, Id, Instant, nullable } from '../../http/schema'
import { readCivilDate, readInstant, readOptional, writeOptional } from '../../http/values'
import { fromDay, toDay } from '../../lib/civil/day'
import { MAX_POSITION } from '../card-schema'
import type { DeckRow } from '../deck-store'
import { Deck } from '../decks/schema'
import { Fact } from '../fact-schema'
import { MAX_DURATION_MS, Review } from '../review-schema'
import type { CardSnapshot } from '../scheduling/snapshot'
import { DeckOverrides } from '../settings/schema'

/**
 * The lines of an archive: flashcards as they are stored, without what is derived. Instants are milliseconds inside, days
 * whole days.
 */

const closed = { additionalProperties: false }

const DIGEST = Type.String({ pattern: '^[0-9a-f]{64}$' })
/** Days, steps and answers: as far as nobody gets. */
const COUNT = Type.Integer({ minimum: 0, maximum: 1e7 })

const stamps = { id: Id, revision: ArchivedRevision, created_at: Instant, updated_at: Instant }

export const SettingsLine = Type.Object(
  {
    revision: ArchivedRevision,
    created_at: Instant,
    updated_at: Instant,
    time_zone: Type.String(),
    day_starts_at_hour: Type.Integer({ minimum: 0, maximum: 23 }),
    learn_ahead_minutes: Type.Integer({ minimum: 0, maximum: 1439 }),
    /** Null: as it is where nobody changed it. */
    deck_defaults: DeckOverrides,
  },
  closed,
)

/** `trashed_with`: the id of the deck that took it along into the trash; likewise of facts. */
export const DeckLine = Type.Object({ ...Deck.properties, ...stamps, trashed_with: nullable(Id) }, closed)

/** Its bytes are a file of the archive. */
export const MediaLine = Type.Object({ ...stamps, name: Type.String(), sha256: DIGEST }, closed)

export const FactLine = Type.Object({ ...Fact.properties, ...stamps, trashed_with: nullable(Id) }, closed)

/** What cards and snapshots have in common: ranges are those of the scheduler. */
const schedule = {
  ...Review.properties.before.properties,
  stability: nullable(Type.Number({ exclusiveMinimum: 0, maximum: 36_500 })),
  difficulty: nullable(Type.Number({ minimum: 1, maximum: 10 })),
  scheduled_days: COUNT,
  step: COUNT,
  reps: COUNT,
  lapses: COUNT,
}

/** Of due_at and due_day the one that is stored. */
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

export const SnapshotLine = Type.Object(schedule, closed)

export const ReviewLine = Type.Object(
  {
    ...Review.properties,
    ...stamps,
    /** Of the card in the same archive: where the card here differs, so does its log. */
    card_revision: ArchivedRevision,
    card_updated_at: Instant,
    duration_ms: Type.Integer({ minimum: 0, maximum: MAX_DURATION_MS }),
    elapsed_days: COUNT,
    predicted_retrievability: nullable(Type.Number({ minimum: 0, maximum: 1 })),
    params_id: nullable(Type.String({ maxLength: 100 })),
    before: SnapshotLine,
    after: SnapshotLine,
    /** Of the request that it answers: so its repeat is known there, too. */
    fingerprint: nullable(DIGEST),
  },
  closed,
)

export type SettingsLine = Static<typeof SettingsLine>
export type DeckLine = Static<typeof DeckLine>
export type MediaLine = Static<typeof MediaLine>
export type FactLine = Static<typeof FactLine>
export type CardLine = Static<typeof CardLine>
export type SnapshotLine = Static<typeof SnapshotLine>
export type ReviewLine = Static<typeof ReviewLine>

const date = (day: number | null) => (day === null ? null : fromDay(day))

/** Throws invalid_request. */
function readDay(text: string | null, pointer: string): number | null {
  return text === null ? null : toDay(readCivilDate(text, pointer))
}

/** When a row was made and last changed. Throws invalid_request. */
export function readLineStamps({
  created_at,
  updated_at,
}: {
  readonly created_at: string
  readonly updated_at: string
}): {
  created_at: number
  updated_at: number
} {
  return { created_at: readInstant(created_at, '/created_at'), updated_at: readInstant(updated_at, '/updated_at') }
}

export function snapshotLine(of: CardSnapshot): SnapshotLine {
  const { state, stability, difficulty, scheduled_days, step, reps, lapses, suspended, leech } = of
  return {
    state,
    due_at: writeOptional(of.due_at),
    due_day: date(of.due_day),
    stability,
    difficulty,
    scheduled_days,
    step,
    reps,
    lapses,
    last_reviewed_at: writeOptional(of.last_reviewed_at),
    suspended,
    leech,
    buried_until: date(of.buried_until),
  }
}

/** @param pointer of the snapshot; empty where it is the whole. Throws invalid_request. */
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
 * Holds a schedule to what the scheduler makes: what is new was never answered, what was answered is remembered, and
 * what is not new is due. Only what was set due without an answer is in review without memory. Throws invalid_request.
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

/** Where something lies in the trash, or null and null. */
export type TrashState = Pick<DeckRow, 'deleted_at' | 'trashed_with'>

/**
 * What a line says of the trash, as far as its deck allows it: nothing lives in a deck that is in the trash,
 * and nothing went along with a deck that its own did not go along with.
 */
export function readTrashState(
  { deleted_at, trashed_with }: TrashState,
  deck: (TrashState & Pick<DeckRow, 'id'>) | null,
): TrashState {
  const entry = deck === null || deck.deleted_at === null ? null : (deck.trashed_with ?? deck.id)
  if (deleted_at === null) return { deleted_at: deck?.deleted_at ?? null, trashed_with: entry }
  return { deleted_at, trashed_with: trashed_with === entry ? entry : null }
}
