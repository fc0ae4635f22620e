import { Type } from '@sinclair/typebox'
import { t } from 'elysia'

/** Shapes that the imports of every feature share. */

/** `on_conflict` of an import; the description says what is meant by each. */
export const onConflict = (description: string) =>
  t.Optional(
    t.Union([t.Literal('skip'), t.Literal('overwrite'), t.Literal('copy')], {
      description,
      error: 'must be one of skip, overwrite, copy',
    }),
  )
export type OnConflict = 'skip' | 'overwrite' | 'copy'

const count = Type.Integer({ minimum: 0 })

export const Totals = t.Object({ created: count, updated: count, unchanged: count, skipped: count, failed: count })

export const Action = t.Union([
  t.Literal('created'),
  t.Literal('updated'),
  t.Literal('unchanged'),
  t.Literal('skipped'),
  t.Literal('failed'),
])

export const Warnings = t.Array(t.Object({ code: t.String(), detail: t.String() }))
