import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { Id, Instant, nullable, Revision } from '../../http/schema'
import { DEFAULT_SETTINGS, MAX_STEP_MINUTES } from '../scheduling/settings'

const closed = { additionalProperties: false }

const perDay = Type.Integer({ minimum: 0, maximum: 9999, description: 'Cards per study day.' })
const steps = t.Array(Type.Integer({ minimum: 1, maximum: MAX_STEP_MINUTES }), { maxItems: 10 })

const settings = {
  new_limit_per_day: perDay,
  review_limit_per_day: perDay,
  new_ignores_review_limit: t.Boolean({ description: 'Else new cards use up the limit of reviews too.' }),
  fuzz: t.Boolean({ description: 'Spreads due days a little, so that cards learnt together are not due together.' }),
  bury_siblings: t.Boolean({ description: 'Shows one card of a fact a day.' }),
  desired_retention: Type.Number({ minimum: 0.7, maximum: 0.99, description: 'The chance of recall when due.' }),
  maximum_interval_days: Type.Integer({ minimum: 1, maximum: 36_500 }),
  learning_steps_minutes: steps,
  relearning_steps_minutes: steps,
  new_order: t.Union([t.Literal('position'), t.Literal('random')]),
  review_order: t.Union([t.Literal('due'), t.Literal('retrievability'), t.Literal('random')]),
  new_mix: t.Union([t.Literal('mix'), t.Literal('after'), t.Literal('before')]),
  leech_threshold: Type.Integer({ minimum: 1, maximum: 99, description: 'Lapses that make a card a leech.' }),
  leech_action: t.Union([t.Literal('suspend'), t.Literal('none')]),
  weights: t.Array(Type.Number(), {
    minItems: 21,
    maxItems: 21,
    description: 'The weights of FSRS-6; null: the default ones.',
  }),
}

type Settings = typeof settings

/** Makes something of each setting. */
export function eachSetting<Made>(make: (schema: Settings[keyof Settings]) => Made): Record<keyof Settings, Made> {
  const made = Object.entries(settings).map(([name, schema]) => [name, make(schema)])
  return Object.fromEntries(made) as Record<keyof Settings, Made>
}

/** A setting and the null that inherits it. */
const unsettable = eachSetting(nullable) as {
  [Name in keyof Settings]: ReturnType<typeof nullable<Settings[Name]>>
}

/** The settings that a deck sets itself; null ones are inherited. */
export const DeckOverrides = t.Object(unsettable, { ...closed, description: 'Null: inherited from the parent.' })

/** Overrides in a request. */
export const PatchOverrides = t.Partial(DeckOverrides, {
  ...closed,
  description: 'A merge patch: absent members stay, null inherits.',
})

export const EffectiveSettings = t.Object({ ...settings, weights: unsettable.weights }, closed)

/** The effective settings of an untouched workspace, as examples show them. */
export const settingsExample = {
  ...DEFAULT_SETTINGS,
  learning_steps_minutes: [...DEFAULT_SETTINGS.learning_steps_minutes],
  relearning_steps_minutes: [...DEFAULT_SETTINGS.relearning_steps_minutes],
  weights: null,
}

const Zone = t.String({ description: 'The IANA time zone of study days.', examples: ['Europe/Lisbon'] })
const Hour = Type.Integer({ minimum: 0, maximum: 23, description: 'When a study day begins.' })
const Ahead = Type.Integer({
  minimum: 0,
  maximum: 1439,
  description: 'How many minutes before it is due a learning card may be shown.',
})

export const StudySettings = t.Object(
  {
    id: Id,
    revision: Revision,
    created_at: t.Union([Instant, t.Null()], { description: 'Null while nothing was ever changed.' }),
    updated_at: nullable(Instant),
    time_zone: Zone,
    day_starts_at_hour: Hour,
    learn_ahead_minutes: Ahead,
    deck_defaults: EffectiveSettings,
  },
  {
    examples: [
      {
        id: '00000000-0000-7000-8000-000000000000',
        revision: 2,
        created_at: '2026-03-01T08:15:00.000Z',
        updated_at: '2026-03-01T08:15:00.000Z',
        time_zone: 'Europe/Lisbon',
        day_starts_at_hour: 4,
        learn_ahead_minutes: 20,
        deck_defaults: settingsExample,
      },
    ],
  },
)

export const UpdateStudySettings = t.Object(
  {
    time_zone: t.Optional(nullable(Zone)),
    day_starts_at_hour: t.Optional(nullable(Hour)),
    learn_ahead_minutes: t.Optional(nullable(Ahead)),
    deck_defaults: t.Optional(nullable(PatchOverrides)),
  },
  {
    ...closed,
    description: 'A JSON merge patch (RFC 7396): absent members stay, null restores the default.',
    examples: [{ time_zone: 'Europe/Lisbon', deck_defaults: { desired_retention: 0.92 } }],
  },
)

export type DeckOverrides = Static<typeof DeckOverrides>
export type PatchOverrides = Static<typeof PatchOverrides>
export type EffectiveSettings = Static<typeof EffectiveSettings>
export type StudySettings = Static<typeof StudySettings>
export type UpdateStudySettings = Static<typeof UpdateStudySettings>
