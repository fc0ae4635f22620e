import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { Id, nullable, ToldRevision } from '../../http/schema'
import { MAX_POSITION } from '../cards/card'
import { LONGEST_MS } from '../reviews/schema'
import { FactType } from '../schema'
import { DeckOverrides } from '../settings/schema'

/** Flashcards as an archive of the workspace tells of them: what is derived is left out. */

const closed = { additionalProperties: false }

const INSTANT = t.String()
const DAY = t.String()
const DIGEST = t.String({ pattern: '^[0-9a-f]{64}$' })
/** Days, steps and answers: as far as nobody gets. */
const COUNT = Type.Integer({ minimum: 0, maximum: 1e7 })

const stamps = { id: Id, revision: ToldRevision, created_at: INSTANT, updated_at: INSTANT }
/** `trashed_with`: the id of the deck that took it along into the trash. */
const trash = { trashed_at: nullable(INSTANT), trashed_with: nullable(Id) }

export const PortableSettings = t.Object(
  {
    revision: ToldRevision,
    created_at: INSTANT,
    updated_at: INSTANT,
    time_zone: t.String(),
    day_starts_at_hour: Type.Integer({ minimum: 0, maximum: 23 }),
    learn_ahead_minutes: Type.Integer({ minimum: 0, maximum: 1439 }),
    /** Null: as it is where nobody changed it. */
    deck_defaults: DeckOverrides,
  },
  closed,
)

export const PortableDeck = t.Object(
  { ...stamps, ...trash, parent_id: nullable(Id), name: t.String(), description: t.String(), settings: DeckOverrides },
  closed,
)

/** Its bytes are a file of the archive. */
export const PortableMedia = t.Object({ ...stamps, name: t.String(), sha256: DIGEST }, closed)

export const PortableFact = t.Object(
  {
    ...stamps,
    ...trash,
    deck_id: Id,
    type: FactType,
    front: nullable(t.String()),
    back: nullable(t.String()),
    text: nullable(t.String()),
    extra: nullable(t.String()),
    hint: nullable(t.String()),
    accepted: t.Array(t.String()),
    tags: t.Array(t.String()),
    source_note_id: nullable(Id),
    source_url: nullable(t.String()),
    external_id: nullable(t.String()),
    external_modified_at: nullable(INSTANT),
  },
  closed,
)

const STATE = t.Union([t.Literal('new'), t.Literal('learning'), t.Literal('review'), t.Literal('relearning')])

/** What cards and snapshots have in common: ranges are those of the scheduler. */
const schedule = {
  state: STATE,
  due_at: nullable(INSTANT),
  due_day: nullable(DAY),
  stability: nullable(Type.Number({ exclusiveMinimum: 0, maximum: 36_500 })),
  difficulty: nullable(Type.Number({ minimum: 1, maximum: 10 })),
  scheduled_days: COUNT,
  step: COUNT,
  reps: COUNT,
  lapses: COUNT,
  last_reviewed_at: nullable(INSTANT),
  suspended: t.Boolean(),
  leech: t.Boolean(),
  buried_until: nullable(DAY),
}

/** Of due_at and due_day the one that is stored. */
export const PortableCard = t.Object(
  {
    ...stamps,
    trashed_at: nullable(INSTANT),
    fact_id: Id,
    ordinal: Type.Integer({ minimum: 0, maximum: 499 }),
    ...schedule,
    flag: Type.Integer({ minimum: 0, maximum: 7 }),
    position: Type.Integer({ minimum: 0, maximum: MAX_POSITION }),
  },
  closed,
)

const PortableSnapshot = t.Object(schedule, closed)

export const PortableReview = t.Object(
  {
    ...stamps,
    card_id: Id,
    /** Of the card as it is told of beside: where the card is another, its log is another as well. */
    card_revision: ToldRevision,
    card_updated_at: INSTANT,
    kind: t.Union([
      t.Literal('learning'),
      t.Literal('review'),
      t.Literal('relearning'),
      t.Literal('manual'),
      t.Literal('import'),
    ]),
    rating: t.Union([t.Literal(1), t.Literal(2), t.Literal(3), t.Literal(4), t.Null()]),
    reviewed_at: INSTANT,
    study_day: DAY,
    duration_ms: Type.Integer({ minimum: 0, maximum: LONGEST_MS }),
    elapsed_days: COUNT,
    predicted_retrievability: nullable(Type.Number({ minimum: 0, maximum: 1 })),
    params_id: nullable(t.String({ maxLength: 100 })),
    before: PortableSnapshot,
    after: PortableSnapshot,
    undone_at: nullable(INSTANT),
    /** Of the request that it answers: so its repeat is known there, too. */
    fingerprint: nullable(DIGEST),
  },
  closed,
)

export type PortableSettings = Static<typeof PortableSettings>
export type PortableDeck = Static<typeof PortableDeck>
export type PortableMedia = Static<typeof PortableMedia>
export type PortableFact = Static<typeof PortableFact>
export type PortableCard = Static<typeof PortableCard>
export type PortableSnapshot = Static<typeof PortableSnapshot>
export type PortableReview = Static<typeof PortableReview>
