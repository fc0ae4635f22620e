import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { AS_DAY, closed, Id, Instant, nullable, pageOf, STAMPS } from '../../http/schema'
import { Fact, factExample } from '../facts/fact-schema'

export const MAX_POSITION = 1_000_000_000

export const StudyDate = t.String({ ...AS_DAY, description: 'A civil date.', examples: ['2026-03-21'] })
export const CardState = t.Union(
  [t.Literal('new'), t.Literal('learning'), t.Literal('review'), t.Literal('relearning')],
  {
    error: 'must be new, learning, review or relearning',
  },
)
const whole = Type.Integer({ minimum: 0 })
const BuriedUntil = t.Union([StudyDate, t.Null()], { description: 'Hidden before this study day.' })
const Suspended = t.Boolean({ description: 'Hidden until it is unsuspended.' })
const CardFlag = Type.Integer({ minimum: 0, maximum: 7, description: '0: no flag.' })
const Position = Type.Integer({ minimum: 0, maximum: MAX_POSITION, description: 'Orders new cards.' })

export const snapshotExample = {
  state: 'review' as const,
  due_at: '2026-03-21T04:00:00.000Z',
  due_day: '2026-03-21',
  stability: 16.18802274,
  difficulty: 2.1043314,
  scheduled_days: 16,
  step: 0,
  reps: 3,
  lapses: 0,
  last_reviewed_at: '2026-03-05T13:15:00.000Z',
  suspended: false,
  leech: false,
  buried_until: null,
}

export const cardExample = {
  id: '01980000-0000-7000-8000-0000000000c0',
  revision: 4,
  created_at: '2026-03-01T08:15:00.000Z',
  updated_at: '2026-03-05T13:15:00.000Z',
  deleted_at: null,
  fact_id: factExample.id,
  deck_id: factExample.deck_id,
  ordinal: 0,
  prompt: factExample.front,
  answer: factExample.back,
  ...snapshotExample,
  retrievability: 0.98793264,
  flag: 0,
  position: 1,
}

/** The members of a card that its answers change, which a review has as `before` and `after`. */
export const SnapshotBody = t.Object({
  state: CardState,
  due_at: t.Union([Instant, t.Null()], { description: 'In review, when its study day begins. Null while new.' }),
  due_day: t.Union([StudyDate, t.Null()], { description: 'The study day. Null while new.' }),
  stability: nullable(Type.Number({ description: 'In days. Null while new.' })),
  difficulty: nullable(Type.Number({ description: '1 to 10. Null while new.' })),
  scheduled_days: whole,
  step: whole,
  reps: whole,
  lapses: whole,
  last_reviewed_at: nullable(Instant),
  suspended: Suspended,
  leech: t.Boolean(),
  buried_until: BuriedUntil,
})

export const Card = t.Object(
  {
    ...STAMPS,
    deleted_at: nullable(Instant),
    fact_id: Id,
    deck_id: Id,
    ordinal: Type.Integer({ minimum: 0, description: 'The side, or the number of the cloze less one.' }),
    prompt: t.String({ description: 'Markdown.' }),
    answer: t.String({ description: 'Markdown.' }),
    ...SnapshotBody.properties,
    retrievability: nullable(Type.Number({ description: 'The chance of recall today. Null while new.' })),
    flag: CardFlag,
    position: Position,
    prompt_html: t.Optional(
      t.String({
        description:
          'Only with `render=html`: the prompt as an HTML fragment, with a `<style>` that acts on this fragment alone. Nothing in it runs, or loads anything but media of the workspace, by signed addresses. A hidden `<span class="tts" lang data-speed>` has text to be spoken.',
      }),
    ),
    answer_html: t.Optional(t.String({ description: 'Only with `render=html`: the answer likewise.' })),
    typed_answer: t.Optional(
      t.Object(
        {
          right: t.Array(t.String(), { description: 'Without markup and sounds; the first is what the card shows.' }),
          ignores_accents: t.Boolean({ description: 'Whether it is as right without accents and other marks.' }),
        },
        { description: 'Only with `render=html`, and if the prompt asks to type the answer.' },
      ),
    ),
  },
  { examples: [cardExample] },
)
/** A fact as it is created: with its cards, so that a client need not ask for them. */
export const CreatedFact = t.Object(
  { ...Fact.properties, cards: t.Array(Card, { description: 'Its cards, by `ordinal`.' }) },
  { examples: [{ ...factExample, cards: [cardExample] }] },
)

export const RenderForm = t.Literal('html', {
  description: 'Adds `prompt_html` and `answer_html` to cards.',
  error: 'must be html',
})

export const CardPage = pageOf(Card)

export const UpdateCard = t.Object(
  {
    suspended: t.Optional(Suspended),
    buried_until: t.Optional(BuriedUntil),
    flag: t.Optional(CardFlag),
    position: t.Optional(Position),
  },
  {
    ...closed,
    description: 'A JSON merge patch (RFC 7396): absent members stay, null clears.',
    examples: [{ buried_until: '2026-03-09', flag: 3 }],
  },
)

export type Card = Static<typeof Card>
export type CreatedFact = Static<typeof CreatedFact>
export type UpdateCard = Static<typeof UpdateCard>
