import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { Id, nullable } from '../../http/schema'
import { ReschedulePreview } from '../rescheduling/schema'

const closed = { additionalProperties: false }

export const Optimize = t.Object(
  {
    deck_id: t.Optional(
      nullable(
        t.String({
          ...Id,
          description: 'The deck whose weights are trained, on its cards and those of subdecks that inherit them.',
        }),
      ),
    ),
    apply: t.Optional(t.Boolean({ description: 'Whether to use the new weights if they are better.' })),
    reschedule: t.Optional(
      t.Boolean({ description: 'With `apply`: whether to recompute due days under the new weights. Else they stay.' }),
    ),
    dry_run: t.Optional(
      t.Boolean({ description: 'With `reschedule`: counts the cards that would move, and changes nothing.' }),
    ),
  },
  {
    ...closed,
    description: 'Without `deck_id`: the weights of `deck_defaults`.',
    examples: [{ deck_id: null, apply: false }],
  },
)

const weights = t.Array(Type.Number(), { minItems: 21, maxItems: 21, description: 'The weights of FSRS-6.' })
const metrics = {
  log_loss: Type.Number({ minimum: 0, description: 'How far predictions are off; lower is better.' }),
  rmse_bins: Type.Number({
    minimum: 0,
    description: 'RMSE(bins): between predicted and observed recall of items alike in interval, items and lapses.',
  }),
}
const fit = { weights, ...metrics }

export const Optimized = t.Object(
  {
    reviews: Type.Integer({ minimum: 0, description: 'Answers that were read: at most the newest 200,000.' }),
    items: Type.Integer({
      minimum: 400,
      description: 'Those of them that came a day or more after the one before, on cards whose whole log is known.',
    }),
    current: t.Object(fit, { ...closed, description: 'The weights in use.' }),
    proposed: t.Object(fit, { ...closed, description: 'The trained weights, on the items that they learnt from.' }),
    held_out: t.Object(
      {
        before: t.Object(metrics, { ...closed, description: 'The weights in use.' }),
        after: t.Object(metrics, { ...closed, description: 'Weights that learnt only from the items before.' }),
      },
      {
        ...closed,
        description:
          'On answers that were not learnt from: of six parts by time, each after the first is predicted from those before it.',
      },
    ),
    improved: t.Boolean({ description: 'Whether the log-loss of `held_out` fell.' }),
    applied: t.Boolean(),
    preview: t.Optional(ReschedulePreview),
  },
  {
    ...closed,
    examples: [
      {
        reviews: 12_580,
        items: 6032,
        current: {
          weights: [
            0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796, 1.4835, 0.0614, 0.2629,
            1.6483, 0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542,
          ],
          log_loss: 0.4667,
          rmse_bins: 0.0855,
        },
        proposed: {
          weights: [
            0.1659, 0.8197, 2.488, 6.406, 6.5646, 0.4961, 3.2013, 0.0354, 1.6375, 0.2537, 0.5868, 1.5975, 0.0306,
            0.3912, 1.8249, 0.6, 1.8729, 0.821, 0.0983, 0.1623, 0.2237,
          ],
          log_loss: 0.4551,
          rmse_bins: 0.0577,
        },
        held_out: {
          before: { log_loss: 0.4619, rmse_bins: 0.0816 },
          after: { log_loss: 0.4601, rmse_bins: 0.0632 },
        },
        improved: true,
        applied: false,
      },
    ],
  },
)

export type Optimize = Static<typeof Optimize>
export type Optimized = Static<typeof Optimized>
