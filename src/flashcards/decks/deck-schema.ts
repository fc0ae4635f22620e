import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { AS_FLAG, Cursor, closed, Flag, Id, Limit, nullable } from '../../http/schema'
import { DEFAULT_SETTINGS, MAX_STEP_MINUTES } from '../scheduling/settings'

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

export const PatchOverrides = t.Partial(DeckOverrides, {
  ...closed,
  description: 'A merge patch: absent members stay, null inherits.',
})

export const EffectiveSettings = t.Object({ ...settings, weights: unsettable.weights }, closed)

export type DeckOverrides = Static<typeof DeckOverrides>
export type PatchOverrides = Static<typeof PatchOverrides>

/** The overrides of a deck that inherits all. */
export const inheriting = eachSetting(() => null)

const count = Type.Integer({ minimum: 0 })

export const DeckCounts = t.Object(
  {
    new: count,
    learning: Type.Integer({ minimum: 0, description: 'Learning and relearning.' }),
    review: count,
    suspended: Type.Integer({ minimum: 0, description: 'In any state; they count only here and in total.' }),
    total: count,
    due_today: Type.Integer({
      minimum: 0,
      description:
        'Learning and reviews due by the end of the study day, neither suspended nor buried; no limits applied.',
    }),
  },
  { examples: [{ new: 120, learning: 4, review: 310, suspended: 6, total: 440, due_today: 27 }] },
)

export const ListDecks = t.Object(
  {
    parent_id: t.Optional(
      t.Union([Id, t.Literal('none')], {
        description: 'Only the direct children of this deck, or with `none` the decks at the top.',
        error: 'must be the id of a deck, or none',
      }),
    ),
    trashed: t.Optional(Flag),
    counts: t.Optional(
      t.String({
        pattern: '^(true|false)$',
        ...AS_FLAG,
        description: '`true` adds to each deck the `counts` of its cards, with those of its subdecks.',
        error: 'must be true or false',
      }),
    ),
    limit: t.Optional(Limit),
    cursor: t.Optional(Cursor),
  },
  closed,
)

const From = t.Object(
  eachSetting(() => t.String()),
  { description: 'For each setting, the id of the deck that sets it, or `deck_defaults`.' },
)

export const DeckSettingsView = t.Object(
  { overrides: DeckOverrides, effective: EffectiveSettings, from: From },
  {
    examples: [
      {
        overrides: { ...inheriting, new_limit_per_day: 10 },
        effective: { ...DEFAULT_SETTINGS, new_limit_per_day: 10 },
        from: {
          ...eachSetting(() => 'deck_defaults'),
          new_limit_per_day: '01980000-0000-7000-8000-0000000000e0',
        },
      },
    ],
  },
)

export type ListDecks = Static<typeof ListDecks>
export type DeckSettingsView = Static<typeof DeckSettingsView>
export type DeckCounts = Static<typeof DeckCounts>
