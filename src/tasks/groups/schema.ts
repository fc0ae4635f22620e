import { type TObject, type TProperties, Type } from '@sinclair/typebox'
import { t } from 'elysia'
import type { ERRORS } from '../../http/api-error'
import { Cursor, closed, Flag, Id, Instant, Limit, nameSchemas, nullable, pageOf, STAMPS } from '../../http/schema'
import { siblingMove } from '../schema'

/** What the API shows and takes of a kind of group, and what its documentation says. */
export interface Documented {
  /** What a sentence calls one, e.g. `filter`. */
  readonly noun: string
  /** In the names of operations and of what they take, e.g. `SavedFilter`; then the name of its own schema. */
  readonly names: readonly [name: string, schema: string]
  readonly path: string
  readonly tag: string
  /** What it shows beside its stamps and its name. With `position`, users put them in order. */
  readonly shown: TProperties
  /** What a request sets beside the name: only at first, and at any time. */
  readonly once: TProperties
  readonly settable: TProperties
  /** Parameters of the list, and of DELETE, beside those that all have. */
  readonly filters?: TProperties
  readonly removal?: TProperties
  /** Errors of a write, and of a deletion or restoring, beside those that all have. */
  readonly refused?: { readonly write?: readonly Code[]; readonly remove?: readonly Code[] }
  readonly examples: { readonly shown: object; readonly create: object; readonly update: object }
  /** What is special about an operation. Those on an order are said where there is one. */
  readonly notes: Readonly<Record<'list' | 'remove' | 'restore', string>> & {
    readonly create?: string
    readonly update?: string
  }
}

type Code = keyof typeof ERRORS

/** The schema of a name in a request. */
const Name = t.String({
  description: 'One line of at most 100 characters; unique outside the trash, without regard to case.',
})
export const Color = nullable(
  t.String({
    pattern: '^#[0-9A-Fa-f]{6}$',
    description: 'As `#rrggbb`.',
    examples: ['#3366cc'],
    error: 'must be null or a colour such as #3366cc',
  }),
)
export const GroupPosition = t.String({ description: 'Sorts it among the others; set it with `after` or `before`.' })

const EXAMPLE = {
  revision: 1,
  created_at: '2026-03-01T08:15:00.000Z',
  updated_at: '2026-03-01T08:15:00.000Z',
  deleted_at: null,
}

export function createSchemas({ names: [name, schema], shown, once, settable, examples, ...of }: Documented) {
  const moved = 'position' in shown ? siblingMove : {}
  const One: TObject = t.Object(
    { ...STAMPS, deleted_at: nullable(Instant), name: t.String(), ...shown },
    { examples: [{ id: '', ...EXAMPLE, ...examples.shown }] },
  )
  const PageOfThem = pageOf(One)
  const Create = t.Object(
    { id: t.Optional(Id), ...once, name: Name, ...settable, ...moved },
    { ...closed, examples: [examples.create] },
  )
  const Update = t.Object(
    { ...Type.Partial(Type.Object({ name: Name, ...settable })).properties, ...moved },
    {
      ...closed,
      description: 'A JSON merge patch (RFC 7396): absent members stay, null clears.',
      examples: [examples.update],
    },
  )
  const paging = { limit: t.Optional(Limit), cursor: t.Optional(Cursor), trashed: t.Optional(Flag) }
  nameSchemas({ [schema]: One, [`${schema}Page`]: PageOfThem, [`Create${name}`]: Create, [`Update${name}`]: Update })
  return {
    One,
    PageOfThem,
    Create,
    Update,
    List: t.Object({ ...paging, ...of.filters }, closed),
    Remove: t.Object({ permanent: t.Optional(Flag), ...of.removal }, closed),
  }
}
