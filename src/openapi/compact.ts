/**
 * Says in fewer bytes what the OpenAPI document says, for programs: every type, with the first clauses of the texts and
 * without examples. Pure.
 */
import {
  asList,
  asObject,
  DATA_KEYWORDS,
  isObject,
  type JsonObject,
  listReferences,
  mapInTurns,
  mapValues,
  nameOfReference,
  SCHEMAS,
} from './json-schema'

/** The bytes of a reference without its name. */
const REFERENCE_BYTES = 40

/**
 * Returns the document without examples and with shorter texts, in which a schema that has all members of another one
 * extends it. No type changes.
 * @param document with references to its named schemas, as withReferences returns it
 */
export async function compactDocument(document: JsonObject): Promise<JsonObject> {
  const { paths, components, ...rest } = document
  const { schemas, responses, ...others } = asObject(components)
  const sent = listReferences(Object.values(asObject(paths)).flatMap(bodiesOf), asObject(schemas))
  const shorter = await mapInTurns(asObject(schemas), (schema, name) =>
    asObject(drop(sent.has(name) ? NOT_SENT : NOT_ANSWERED, schema)),
  )
  const shown = {
    paths: await mapInTurns(asObject(paths), (item) =>
      shortenTexts(mapValues(asObject(item), (one) => toShortOperation(asObject(one)))),
    ),
    components: {
      ...asObject(
        shortenTexts({
          ...asObject(drop(NOT_SENT, others)),
          responses: mapValues(asObject(responses), toShortResponse),
        }),
      ),
      schemas: await mapInTurns(await extendSchemas({ ...shorter, ...storedBase(shorter) }), shortenTexts),
    },
  }
  return { ...rest, ...inlineSingle(shown) }
}

function bodiesOf(item: unknown): unknown[] {
  return Object.values(asObject(item)).map((operation) => asObject(operation).requestBody)
}

/** Keywords that are dropped of what is sent. That objects are closed is left out, since some generators need it so. */
const NOT_SENT = new Set(['additionalProperties', 'examples'])
/** Those of answers: also limits, on which a client must not rely, since a later server may say more. */
const NOT_ANSWERED = new Set([
  ...NOT_SENT,
  'maximum',
  'maxItems',
  'maxLength',
  'minimum',
  'minItems',
  'minLength',
  'pattern',
])

/** Drops keywords from all schemas in a part of the document, but `additionalProperties` only where it is no schema. */
function drop(keywords: ReadonlySet<string>, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => drop(keywords, one))
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([key, inner]) => !keywords.has(key) || isObject(inner))
  return mapValues(Object.fromEntries(kept), (inner, key) => {
    if (key === 'properties') return mapValues(asObject(inner), (member) => drop(keywords, member))
    return DATA_KEYWORDS.has(key) ? inner : drop(keywords, inner)
  })
}

function toShortOperation({ responses, ...operation }: JsonObject): JsonObject {
  return { ...asObject(drop(NOT_SENT, operation)), responses: mapValues(asObject(responses), toShortResponse) }
}

/** Drops the example of a response, but for the error that shows the form of all. */
function toShortResponse(value: unknown, name?: string): unknown {
  const { content, description, ...rest } = asObject(value)
  if ('$ref' in rest) return value
  const media = mapValues(asObject(content), (one) => {
    const { example, schema, ...others } = asObject(one)
    const shown = name === 'Problem' ? { example } : {}
    return { ...others, ...shown, schema: drop(NOT_ANSWERED, schema) }
  })
  // The codes are explained where the description of Problem says.
  const text = String(description).replaceAll(/\[(`\w+`)\]\(\/docs\/errors#\w+\)/g, '$1')
  return { description: text, ...rest, ...(isObject(content) ? { content: media } : {}) }
}

/** Puts each response to which one operation refers into that operation. */
function inlineSingle({ paths, components }: JsonObject): JsonObject {
  const { responses, ...others } = asObject(components)
  const uses = [...JSON.stringify(paths).matchAll(/"#\/components\/responses\/([^"]+)"/g)].map(([, name]) => name)
  const single = new Set(
    [...Map.groupBy(uses, (name) => name)].flatMap(([name, all]) => (all.length === 1 ? [name] : [])),
  )
  const inline = (value: unknown) => {
    const name = String(asObject(value).$ref).replace('#/components/responses/', '')
    return single.has(name) ? asObject(responses)[name] : value
  }
  const kept = Object.entries(asObject(responses)).filter(([name]) => !single.has(name))
  return {
    paths: mapValues(asObject(paths), (item) =>
      mapValues(asObject(item), (one) => ({
        ...asObject(one),
        responses: mapValues(asObject(asObject(one).responses), inline),
      })),
    ),
    components: { ...others, responses: Object.fromEntries(kept) },
  }
}

/** The members that every resource has. */
const STORED = ['id', 'revision', 'created_at', 'updated_at', 'deleted_at']

/** Returns the schema of what every resource has, by the name `Stored`, from one that has it. */
function storedBase(schemas: JsonObject): JsonObject {
  const properties = asObject(asObject(schemas.Task).properties)
  if (!STORED.every((name) => name in properties)) return {}
  const members = Object.fromEntries(STORED.map((name) => [name, properties[name]]))
  return { Stored: { type: 'object', required: STORED, properties: members } }
}

/** Writes each schema that has all members of another one as an extension of the one with which it shares most. */
function extendSchemas(schemas: JsonObject): Promise<JsonObject> {
  const objects = Object.entries(schemas).flatMap(([name, value]) => {
    const schema = asObject(value)
    const isPlain = schema.type === 'object' && isObject(schema.properties) && schema.additionalProperties === undefined
    return isPlain ? [{ name, members: new Map(listMembers(schema)) }] : []
  })
  return mapInTurns(schemas, (value, name) => {
    const own = objects.find((one) => one.name === name)?.members
    if (!own) return value
    const parts = objects.filter(
      ({ name: other, members }) =>
        other !== name &&
        [...members.keys()].every((key) => own.has(key)) &&
        [...members].every(([key, text]) => own.get(key) === text || refines(own.get(key), text, schemas)) &&
        [...own].some(([key, text]) => members.get(key) !== text),
    )
    const sizes = parts.map(({ members }) => [...members].join('').length)
    const largest = Math.max(0, ...sizes)
    const base = parts[sizes.indexOf(largest)]
    return base && largest > 3 * REFERENCE_BYTES ? extend(asObject(value), base.name, base.members) : value
  })
}

function listMembers({ properties, required }: JsonObject): [name: string, text: string][] {
  const needed = new Set(asList(required))
  return Object.entries(asObject(properties)).map(([name, member]) => [
    name,
    JSON.stringify([member, needed.has(name)]),
  ])
}

function refines(text: string | undefined, other: string, schemas: JsonObject): boolean {
  const [own, base] = [text, other].map((one) => {
    const schema = asObject(asList(JSON.parse(one ?? '[]'))[0])
    return new Map(listMembers(asObject(schemas[nameOfReference(schema) ?? ''] ?? schema)))
  })
  if (!own || !base || base.size === 0) return false
  return own.size > base.size && [...base].every(([key, member]) => own.get(key) === member)
}

function extend(schema: JsonObject, base: string, members: ReadonlyMap<string, unknown>): JsonObject {
  const { type, properties, required, ...rest } = schema
  const isOwn = (name: unknown) => members.get(String(name)) !== new Map(listMembers(schema)).get(String(name))
  const more = Object.entries(asObject(properties)).filter(([name]) => isOwn(name))
  const needed = asList(required).filter(isOwn)
  const own = { type, ...(needed.length > 0 ? { required: needed } : {}), properties: Object.fromEntries(more) }
  return { ...rest, allOf: [{ $ref: SCHEMAS + base }, own] }
}

function shortenTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shortenTexts)
  if (!isObject(value)) return value
  return mapValues(value, (inner, key) => {
    if (key === 'responses') return mapValues(asObject(inner), keepText)
    if (DATA_KEYWORDS.has(key)) return inner
    if (key === 'properties') return mapValues(asObject(inner), shortenTexts)
    return key === 'description' && typeof inner === 'string' ? shorten(inner) : shortenTexts(inner)
  })
}

/** Shortens the texts below a response, whose own names the codes of errors. */
function keepText(response: unknown): unknown {
  const { description, ...rest } = asObject(response)
  return { ...(description === undefined ? {} : { description }), ...asObject(shortenTexts(rest)) }
}

/** Cuts a text to its first sentence, and that to its first clause, unless a colon explains a single word. */
function shorten(text: string): string {
  const [first = ''] = text.split(/(?<=[.!?])\s+(?=[A-Z`[])/)
  const ends = [...first.matchAll(/; |(?<=\S+ \S+ \S+): /g)].map(({ index }) => index)
  const end = ends.find((at) => first.slice(0, at).split('`').length % 2 === 1)
  return end === undefined ? first : `${first.slice(0, end)}.`
}
