import { Kind, type TSchema, Type, TypeRegistry } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { ERRORS } from './api-error'
import { DEFAULT_LIMIT, ID_PATTERN, MAX_LIMIT, MAX_LISTED_IDS, MAX_NOTE_IDS, MAX_SOURCE_CHARS } from './values'

/** Shared by all routes; the API document adds the errors that any request can get (openapi/to-openapi-31.ts). */

/**
 * What the API document says of a schema whose validation is stricter than its type tells: `documented` in the options of
 * a schema replaces everything but its description and examples there. Query parameters are validated as strings, since
 * a coerced number also accepts `0x10` and ` 7`.
 */
export const documented = (schema: Readonly<Record<string, unknown>>) => ({ documented: schema })

/** Refuses members that a schema does not name. */
export const closed = { additionalProperties: false }

export const AS_FLAG = documented({ type: 'boolean' })

/** The option that documents a string as a day: `YYYY-MM-DD`. */
export const AS_DAY = documented({ type: 'string', format: 'date' })

const AS_INSTANT = documented({ type: 'string', format: 'date-time' })

/** Makes the option that documents a string as a whole number from `minimum` to `maximum`. */
export const asInteger = (range: {
  readonly minimum: number
  readonly maximum?: number
  /** What the server takes if the parameter is absent. */
  readonly default?: number
}) => documented({ type: 'integer', ...range })

/** Makes the option that documents a string as one of `values`. */
export const asOneOf = (values: readonly string[]) => documented({ type: 'string', enum: values })

/** A string is documented as a list with commas between its items. `explode` is moved to the parameter. */
export const asCommaList = (items: object, limits: { readonly maxItems: number; readonly uniqueItems?: true }) =>
  documented({ type: 'array', items, minItems: 1, ...limits, explode: false })

export const Id = t.String({
  pattern: ID_PATTERN,
  ...documented({ type: 'string', format: 'uuid' }),
  error: 'must be a UUIDv7 in lower case',
})

/** The schema of an instant: RFC 3339, UTC, milliseconds. */
export const Instant = t.String({
  ...AS_INSTANT,
})

export const Revision = Type.Integer({ minimum: 1, description: 'Grows by one with each change.' })

/** What every resource has. */
export const STAMPS = { id: Id, revision: Revision, created_at: Instant, updated_at: Instant }

export const Unchanged = t.Optional(
  Type.Literal(true, {
    description: 'Present if the op found all as it was to be. The revision is then not of this op.',
  }),
)

/** The schema of a revision in an archive. The maximum leaves room to grow, and is never reached by changes. */
export const ArchivedRevision = Type.Integer({ minimum: 1, maximum: 1e12 })

export const NoteIds = t.Array(Id, { maxItems: MAX_NOTE_IDS })

export const instantParam = (description: string) => t.String({ ...AS_INSTANT, description })

/** Makes the schema of a day (`YYYY-MM-DD`) in a query string, which its reader checks. */
export const dayParam = (description: string) => t.String({ ...AS_DAY, description })

export const Limit = t.String({
  pattern: '^([1-9][0-9]?|1[0-9][0-9]|200)$',
  ...asInteger({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT }),
  description: `The maximum number of items: 1 to ${MAX_LIMIT}. Default: ${DEFAULT_LIMIT}.`,
  error: `must be a whole number from 1 to ${MAX_LIMIT}`,
})

export const Cursor = t.String({
  description: 'The `next_cursor` of the previous page.',
  maxLength: 4096,
  error: 'must be the next_cursor of the previous page',
})

export const Flag = t.Union([t.Literal('true'), t.Literal('false')], AS_FLAG)

TypeRegistry.Set('Repeatable', (_, value) =>
  Array.isArray(value) ? value.every((item) => typeof item === 'string') : typeof value === 'string',
)

/** Elysia would decode the whole query once more for a `t.Array`, which takes as long as the gate. */
export function repeatableParam(description: string) {
  const list = { type: 'array', items: { type: 'string' } }
  const anyOf = [{ type: 'string' }, list]
  const validated = { [Kind]: 'Repeatable', elysiaMeta: 'ArrayQuery', anyOf }
  return t.Unsafe<string | string[]>({ ...validated, ...documented(list), description })
}

export const nullable = <T extends Parameters<typeof t.Union>[0][number]>(schema: T) => t.Union([schema, t.Null()])

export const file = (description: string) => ({ schema: { type: 'string', format: 'binary', description } }) as const

/** The members of a route's `detail` with the media types beside JSON that its body and its response 200 may have. */
export const OTHER_TYPES = { body: 'x-body-types', response: 'x-response-types' } as const

type TextTypes = Readonly<Record<string, { readonly examples?: readonly string[] }>>

/** Declares, in the `detail` of a route with a JSON body, the texts that are taken as well, by media type. */
export const alsoTakes = (types: TextTypes): object => ({ [OTHER_TYPES.body]: types })

/** What a route answers besides JSON, by media type. Without NDJSON, of which a generated client would read no JSON. */
export const alsoAnswers = (types: TextTypes): object => ({ [OTHER_TYPES.response]: types })

/** Makes the schema of the `ids` of a list, which readIds reads. */
export const idsParam = (description: string) =>
  t.String({
    ...asCommaList({ type: 'string', format: 'uuid' }, { maxItems: MAX_LISTED_IDS }),
    description: `Up to ${MAX_LISTED_IDS} ids, separated by commas. Unknown ones are left out${description}`,
  })

/** Makes the schema of a page of a list. Its example is a page of the item's examples. */
export function pageOf<Item extends Parameters<typeof t.Array>[0]>(item: Item) {
  return t.Object(
    {
      items: t.Array(item),
      next_cursor: t.Union([t.String(), t.Null()], { description: 'Null on the last page.' }),
    },
    item.examples ? { examples: [{ items: item.examples, next_cursor: null }] } : {},
  )
}

export const WorkspaceUsage = t.Object({
  kind: t.Union([t.Literal('key'), t.Literal('scratch')]),
  created_at: t.Union([Instant, t.Null()], { description: 'Null if nothing was ever stored.' }),
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

export const FaultSchema = Type.Object({
  pointer: Type.String({ description: 'JSON Pointer into the body, or /name of a parameter.' }),
  code: Type.String(),
  detail: Type.String(),
})

/**
 * The schema of every error (RFC 9457), for `response: { 404: Problem }`. It is open, since some codes have additional
 * members, e.g. `current`. It has no description, which would hide that of each status in the docs.
 */
export const Problem = Type.Object(
  {
    type: Type.String({ format: 'uri-reference', description: 'The address of the explanation of the code.' }),
    title: Type.String(),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    code: Type.String({
      ...asOneOf(Object.keys(ERRORS)),
      description: 'The stable code of the error; /docs/errors lists all codes.',
    }),
    detail: Type.String({ description: 'What went wrong this time, in one sentence.' }),
    error: Type.String({ description: 'The same sentence, for clients that read a plain string.' }),
    request_id: Type.String({ description: 'The id under which the log of the server has this request.' }),
    errors: Type.Optional(Type.Array(FaultSchema, { description: 'Each fault of a request that failed validation.' })),
  },
  { additionalProperties: true },
)

/** The schema for a status without content: `response: { 204: NoContent }`, `304: NoContent`. */
export const NoContent = Type.Void()

const named = new Map<string, TSchema>()

/**
 * Names schemas for the API document. Elysia's `.model` does the same, but also builds a module of all models on each
 * call, which made the start 160 ms longer.
 * @throws Error if another schema has the name
 */
export function nameSchemas(schemas: Readonly<Record<string, TSchema>>): void {
  for (const [name, schema] of Object.entries(schemas)) {
    if ((named.get(name) ?? schema) !== schema) throw new Error(`two schemas are called ${name}`)
    named.set(name, schema)
  }
}

export function getNamedSchemas(): Readonly<Record<string, TSchema>> {
  return Object.fromEntries(named)
}

const System = Type.String({
  description: `The program or file that it came from, at most ${MAX_SOURCE_CHARS.system} characters.`,
})
const SourceId = Type.String({ description: `Its id there, at most ${MAX_SOURCE_CHARS.id} characters.` })
const SourceUrl = Type.String({
  description: `An http or https address of at most ${MAX_SOURCE_CHARS.url} characters.`,
})
const SOURCE = { system: nullable(System), id: nullable(SourceId), url: nullable(SourceUrl) }
export const Source = Type.Object(SOURCE, {
  ...closed,
  description:
    'Where the resource came from. `system` and `id` come together, and are unique among resources of the kind.',
})
export const SourceInput = Type.Partial(Type.Object(SOURCE), {
  ...closed,
  description: 'Where the resource came from: `system` with `id`, `url`, or both.',
})
