import { type Static, Type } from '@sinclair/typebox'
import { FactContent } from '../schema'

/**
 * Our own export: `{ format, version, settings, decks, facts, media }`. Members beside those named here are written
 * for people and other programs, and not read.
 */

export const FORMAT = 'satchel-flashcards'
export const VERSION = 1

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()])
const instant = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' })
const day = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' })
const count = Type.Integer({ minimum: 0 })
const path = Type.Array(Type.String())
const state = Type.Union([
  Type.Literal('new'),
  Type.Literal('learning'),
  Type.Literal('review'),
  Type.Literal('relearning'),
])

export const ExportedDeck = Type.Object({
  path,
  description: Type.String(),
  /** The deck's own settings. */
  settings: Type.Unknown(),
})

export const ExportedCard = Type.Object({
  ordinal: count,
  state,
  due_day: nullable(day),
  due_at: nullable(instant),
  stability: nullable(Type.Number()),
  difficulty: nullable(Type.Number()),
  scheduled_days: count,
  step: count,
  reps: count,
  lapses: count,
  last_reviewed_at: nullable(instant),
  suspended: Type.Boolean(),
  buried_until: nullable(day),
  flag: count,
  leech: Type.Boolean(),
  position: nullable(Type.Integer()),
})

export const ExportedReview = Type.Object({
  id: Type.String(),
  ordinal: count,
  kind: Type.Union([
    Type.Literal('learning'),
    Type.Literal('review'),
    Type.Literal('relearning'),
    Type.Literal('manual'),
    Type.Literal('import'),
  ]),
  rating: nullable(Type.Union([Type.Literal(1), Type.Literal(2), Type.Literal(3), Type.Literal(4)])),
  reviewed_at: instant,
  duration_ms: count,
  undone_at: nullable(instant),
  /** The card before; null for what was imported without it. */
  before: nullable(Type.Object({ state })),
})

/** A fact as it is answered, with its deck's path instead of an id, its cards and the reviews of them. */
export const ExportedFact = Type.Object({
  ...FactContent.properties,
  id: Type.String(),
  deck: path,
  cards: Type.Array(ExportedCard),
  reviews: Type.Array(ExportedReview),
})

export const ExportedMedia = Type.Object({
  name: Type.String(),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
})

/** The whole file, for the documentation: what of it is read is checked member by member. */
export const ExportedFile = Type.Object(
  {
    format: Type.Literal(FORMAT),
    version: Type.Literal(VERSION),
    settings: Type.Unknown({ description: 'The study settings; null where one deck was asked for.' }),
    decks: Type.Array(ExportedDeck),
    facts: Type.Array(ExportedFact),
    media: Type.Array(ExportedMedia),
  },
  {
    examples: [
      {
        format: FORMAT,
        version: VERSION,
        settings: { time_zone: 'UTC', day_starts_at_hour: 4, learn_ahead_minutes: 20, deck_defaults: {} },
        decks: [{ path: ['Geography'], description: '', settings: {} }],
        facts: [],
        media: [],
      },
    ],
  },
)

export type ExportedDeck = Static<typeof ExportedDeck>
export type ExportedCard = Static<typeof ExportedCard>
export type ExportedReview = Static<typeof ExportedReview>
export type ExportedFact = Static<typeof ExportedFact>
export type ExportedMedia = Static<typeof ExportedMedia>
