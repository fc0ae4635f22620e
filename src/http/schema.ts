/**
 * Shapes that routes of every feature share. A route declares only what is its own: the document of the API adds the
 * errors that any request can meet (see openapi/document.ts).
 */
import { Kind, type TSchema, Type, TypeRegistry } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { DEFAULT_LIMIT, MAX_LIMIT } from './values'

export const Id = t.String({
  pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
  description: 'A UUIDv7 in lower case.',
  error: 'must be a UUIDv7 in lower case',
})

export const Instant = t.String({
  description: 'An instant: RFC 3339, UTC, milliseconds.',
  examples: ['2026-03-01T08:15:00.000Z'],
})

export const Revision = Type.Integer({ minimum: 1, description: 'Grows by one with each change.' })

/** A revision in an archive: so high that none comes there by changes, so low that it can go on growing. */
export const ArchivedRevision = Type.Integer({ minimum: 1, maximum: 1e12 })

/** Notes that a resource may belong to. */
export const MAX_NOTE_IDS = 20
export const NoteIds = t.Array(Id, { maxItems: MAX_NOTE_IDS })

/** `limit` of a list. A string with a pattern, since a coerced number also takes `0x10` and ` 7`. */
export const Limit = t.String({
  pattern: '^([1-9][0-9]?|1[0-9][0-9]|200)$',
  description: `How many items at most: 1 to ${MAX_LIMIT}, else ${DEFAULT_LIMIT}.`,
  error: `must be a whole number from 1 to ${MAX_LIMIT}`,
})

export const Cursor = t.String({
  description: '`next_cursor` of the page before.',
  maxLength: 4096,
  error: 'must be the next_cursor of the page before',
})

/** `true` or `false` in a query string. */
export const Flag = t.Union([t.Literal('true'), t.Literal('false')])

TypeRegistry.Set('Repeatable', (_, value) =>
  Array.isArray(value) ? value.every((one) => typeof one === 'string') : typeof value === 'string',
)

/**
 * A parameter of a query that may stand more than once. For a `t.Array` in it Elysia would decode the whole query by its
 * schema once more, which takes as long as the gate does.
 */
export function repeatable(description: string) {
  const anyOf = [{ type: 'string' }, { type: 'array', items: { type: 'string' } }]
  return t.Unsafe<string | string[]>({ [Kind]: 'Repeatable', elysiaMeta: 'ArrayQuery', anyOf, description })
}

/** What may be unset. */
export const nullable = <T extends Parameters<typeof t.Union>[0][number]>(schema: T) => t.Union([schema, t.Null()])

/** A file as the body of a request or an answer, in the document of the API. */
export const file = (description: string) => ({ schema: { type: 'string', format: 'binary', description } }) as const

/** The form of every list; its example in the docs is a page of the item's examples. */
export function pageOf<Item extends Parameters<typeof t.Array>[0]>(item: Item) {
  return t.Object(
    {
      items: t.Array(item),
      next_cursor: t.Union([t.String(), t.Null()], { description: 'Null on the last page.' }),
    },
    item.examples ? { examples: [{ items: item.examples, next_cursor: null }] } : {},
  )
}

/** What a workspace holds and may hold. */
export const WorkspaceUsage = t.Object({
  kind: t.Union([t.Literal('key'), t.Literal('scratch')]),
  created_at: t.Union([Instant, t.Null()], { description: 'Null while nothing was ever stored.' }),
  expires_at: t.Union([Instant, t.Null()], {
    description: 'A scratch space is erased then, unless another request comes first. Null with a key.',
  }),
  resources: Type.Integer({ minimum: 0 }),
  size_bytes: Type.Integer({ minimum: 0 }),
  quotas: t.Object(
    { resources: Type.Integer(), size_bytes: Type.Integer() },
    { description: 'Without a key, what the scratch spaces of the address may hold, at all sites together.' },
  ),
})
export type WorkspaceUsage = Static<typeof WorkspaceUsage>

const FaultSchema = Type.Object({
  pointer: Type.String({ description: 'JSON Pointer into the body, or /name of a parameter.' }),
  code: Type.String(),
  detail: Type.String(),
})

/**
 * The one shape of every failure (RFC 9457), for `response: { 404: Problem }`. It is open: a code may bring members of
 * its own, e.g. `current`. Without a description of its own, since that would hide the one of each status in the docs.
 */
export const Problem = Type.Object(
  {
    type: Type.String({ format: 'uri-reference', description: 'Where the code is explained.' }),
    title: Type.String(),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    code: Type.String({ description: 'Stable name of what went wrong; all are listed at /docs/errors.' }),
    detail: Type.String({ description: 'What went wrong this time, in a sentence.' }),
    error: Type.String({ description: 'The same sentence, for clients that read a plain string.' }),
    request_id: Type.String({ description: 'Ties this answer to the log of the server.' }),
    errors: Type.Optional(Type.Array(FaultSchema, { description: 'Each fault of a request that failed validation.' })),
  },
  { additionalProperties: true },
)

/** For a status without content: `response: { 204: NoContent }`, `304: NoContent`. */
export const NoContent = Type.Void()

const named = new Map<string, TSchema>()

/**
 * Gives schemas the names that the document of the API shows them under. It does what Elysia's `.model` does for the
 * document; that one also builds a module of all models each time, which made the start 160 ms longer.
 * @throws Error if the name is that of another schema
 */
export function nameSchemas(schemas: Readonly<Record<string, TSchema>>): void {
  for (const [name, schema] of Object.entries(schemas)) {
    if ((named.get(name) ?? schema) !== schema) throw new Error(`two schemas are called ${name}`)
    named.set(name, schema)
  }
}

/** The schemas that have names, by these. */
export function namedSchemas(): Readonly<Record<string, TSchema>> {
  return Object.fromEntries(named)
}
