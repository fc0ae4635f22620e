import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { RESOURCE_TYPES } from '../db/change-feed'
import { asCommaList, Instant, Limit } from '../http/schema'

const Seq = t.String({
  pattern: '^(0|[1-9][0-9]{0,14}(-[1-9][0-9]{0,14})?)$',
  description: 'The seq of the last change that you have, or a `next_cursor`. Default: 0, the beginning.',
  error: 'must be a whole number, the seq of a change, or a next_cursor',
})

export const ListChanges = t.Object(
  {
    since: t.Optional(Seq),
    limit: t.Optional(Limit),
    types: t.Optional(
      t.String({
        ...asCommaList(
          { type: 'string', enum: RESOURCE_TYPES },
          { maxItems: RESOURCE_TYPES.length, uniqueItems: true },
        ),
        description: 'Only changes of these types, separated by commas.',
      }),
    ),
    include: t.Optional(t.Literal('resource', { description: 'Adds what changed.', error: 'must be resource' })),
  },
  { additionalProperties: false },
)

export const FollowChanges = t.Object({ since: t.Optional(Seq) }, { additionalProperties: false })

/** The header that a client of Server-Sent Events sends when it reconnects. It takes precedence over `since`. */
export const LastEventId = t.Object({ 'last-event-id': t.Optional(Seq) })

const change = {
  seq: 7,
  type: 'note',
  id: '01980000-0000-7000-8000-000000000000',
  op: 'upsert',
  revision: 2,
  changed_at: '2026-03-01T09:30:00.000Z',
}

export const FeedChange = t.Object({
  seq: Type.Integer({ minimum: 1 }),
  type: t.String({ description: 'The kind of the resource, e.g. `note`.' }),
  id: t.String(),
  op: t.Union([t.Literal('upsert'), t.Literal('delete')], {
    description: '`delete`: it was moved to the trash or erased.',
  }),
  revision: Type.Integer({ minimum: 1 }),
  changed_at: Instant,
  resource: t.Optional(
    t.Union([Type.Object({}, { additionalProperties: true }), t.Null()], {
      description: 'With `include=resource`: as its GET answers now; null if it was deleted, also since.',
    }),
  ),
})

export const ChangePage = t.Object(
  {
    items: t.Array(FeedChange),
    next_cursor: t.Union([t.String(), t.Null()], { description: 'The `since` of the next page.' }),
    latest_seq: Type.Integer({ minimum: 0, description: 'The seq of the newest change in the workspace.' }),
  },
  { examples: [{ items: [change], next_cursor: null, latest_seq: 7 }] },
)

export type FeedChange = Static<typeof FeedChange>
export type ChangePage = Static<typeof ChangePage>

const Confirm = t.Optional(
  t.Literal('erase', { description: 'Required, in the body or in the query.', error: 'must be erase' }),
)

/**
 * The query of the request that erases a workspace. Many clients drop the body of a DELETE, so it may confirm as well.
 */
export const EraseWorkspaceQuery = t.Object({ confirm: Confirm }, { additionalProperties: false })
export type EraseWorkspaceQuery = Static<typeof EraseWorkspaceQuery>

export const EraseConfirmation = t.Object(
  { confirm: Confirm },
  { additionalProperties: false, examples: [{ confirm: 'erase' }] },
)
export const EraseWorkspace = t.Union([EraseConfirmation, t.Null()])
export type EraseWorkspace = Static<typeof EraseWorkspace> | undefined

const TrashType = t.Union([
  t.Literal('note'),
  t.Literal('task'),
  t.Literal('task_section'),
  t.Literal('task_project'),
  t.Literal('task_label'),
  t.Literal('task_filter'),
  t.Literal('fact'),
  t.Literal('deck'),
  t.Literal('card'),
])

export const EmptyTrashQuery = t.Object(
  { confirm: Confirm, type: t.Optional(TrashType) },
  { additionalProperties: false },
)

const count = Type.Integer({ minimum: 0 })

export const EmptiedTrash = t.Object(
  {
    erased: count,
    resources: t.Record(t.String(), count, { description: 'The same by type.' }),
    kept: t.Array(t.Object({ type: t.String(), id: t.String(), code: t.String() }), {
      description:
        'Resources that could not be erased, for example because too much depends on them, with the code of the error.',
    }),
  },
  { examples: [{ erased: 3, resources: { note: 2, task: 1 }, kept: [] }] },
)
export type EmptiedTrash = Static<typeof EmptiedTrash>
