/**
 * Says in fewer bytes what the OpenAPI document says, for programs: every type, with the first sentences of the texts, and
 * examples of what is sent. Pure.
 */
import { asList, asObject, isObject, type JsonObject, mapValues } from './json-schema'

const SCHEMAS = '#/components/schemas/'
/** Keywords whose values are data, not schemas. */
const DATA = new Set(['const', 'default', 'enum', 'example', 'examples', 'required'])
/** The bytes of a reference without its name. */
const REFERENCE_BYTES = 40
/** A clause of fewer characters says too little without the next one. */
const LEAST_CHARS = 16

/**
 * Returns the document without the examples of answers and with shorter texts, in which each part of a schema is said
 * once: a schema that has all members of another one extends it, and what several repeat has a name. No type changes.
 * @param document with references to its named schemas, as withReferences returns it
 */
export function compactDocument(document: JsonObject): JsonObject {
  const { paths, components, ...rest } = document
  const { schemas, responses, ...others } = asObject(components)
  const sent = reachable(Object.values(asObject(paths)).flatMap(bodiesOf), asObject(schemas))
  const answered = mapValues(asObject(schemas), (schema, name) =>
    sent.has(name) ? toSent(asObject(schema)) : toAnswer(schema),
  )
  const shown = {
    paths: mapValues(asObject(paths), (item) => mapValues(asObject(item), (one) => toShortOperation(asObject(one)))),
    components: {
      ...others,
      responses: mapValues(asObject(responses), toShortResponse),
      schemas: extendSchemas({ ...answered, ...storedBase(answered) }),
    },
  }
  return { ...rest, ...inlineSingle(nameRepeated(asObject(shortenTexts(shown)))) }
}

function bodiesOf(item: unknown): unknown[] {
  return Object.values(asObject(item)).map((operation) => asObject(operation).requestBody)
}

/** Returns the names of the schemas to which parts of the document refer, directly or not. */
function reachable(parts: readonly unknown[], schemas: JsonObject): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part ?? null).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (found.has(name)) continue
      found.add(name)
      visit(schemas[name])
    }
  }
  for (const part of parts) visit(part)
  return found
}

/** Keywords of an answer that are no part of its type, and on which a client must not rely: a later server may say more. */
const LIMITS = [
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'pattern',
  'additionalProperties',
]

/** Drops from the schema of an answer its examples and limits, and that objects have no other members. */
function toAnswer(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toAnswer)
  if (!isObject(value)) return value
  const { examples: _, ...rest } = value
  const isLimit = (key: string) => LIMITS.includes(key) && !isObject(rest[key])
  const kept = Object.fromEntries(Object.entries(rest).filter(([key]) => !isLimit(key)))
  return mapValues(kept, (inner, key) =>
    key === 'properties' ? mapValues(asObject(inner), toAnswer) : DATA.has(key) ? inner : toAnswer(inner),
  )
}

/** Drops from the schema of what is sent the examples of members where the whole has one, and that it is closed. */
function toSent({ examples, ...schema }: JsonObject): JsonObject {
  return {
    ...asObject(withoutExamples(schema, examples === undefined)),
    ...(examples === undefined ? {} : { examples }),
  }
}

function withoutExamples(value: unknown, keeps: boolean): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutExamples(one, keeps))
  if (!isObject(value)) return value
  const { examples, additionalProperties, ...rest } = value
  const kept = {
    ...rest,
    ...(examples !== undefined && (keeps || !Array.isArray(examples)) ? { examples } : {}),
    ...(isObject(additionalProperties) ? { additionalProperties } : {}),
  }
  return mapValues(kept, (inner, key) =>
    DATA.has(key) && Array.isArray(inner) ? inner : withoutExamples(inner, keeps),
  )
}

function toShortOperation(operation: JsonObject): JsonObject {
  return { ...operation, responses: mapValues(asObject(operation.responses), toShortResponse) }
}

/** Drops the example of a response, but for the error that shows the form of all. */
function toShortResponse(value: unknown, name?: string): unknown {
  const { content, description, ...rest } = asObject(value)
  if ('$ref' in rest) return value
  const media = mapValues(asObject(content), (one) => {
    const { example, schema, ...others } = asObject(one)
    const shown = name === 'Problem' ? { example } : {}
    return { ...others, ...shown, schema: toAnswer(schema) }
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
function extendSchemas(schemas: JsonObject): JsonObject {
  const objects = Object.entries(schemas).flatMap(([name, value]) => {
    const schema = asObject(value)
    const isPlain = schema.type === 'object' && isObject(schema.properties) && schema.additionalProperties === undefined
    return isPlain ? [{ name, members: new Map(listMembers(schema)) }] : []
  })
  return mapValues(schemas, (value, name) => {
    const own = objects.find((one) => one.name === name)?.members
    if (!own) return value
    const parts = objects.filter(
      ({ name: other, members }) =>
        other !== name &&
        [...members].every(([key, text]) => own.get(key) === text || refines(own.get(key), text, schemas)) &&
        [...own].some(([key, text]) => members.get(key) !== text),
    )
    const sizes = parts.map(({ members }) => [...members].join('').length)
    const largest = Math.max(0, ...sizes)
    const base = parts[sizes.indexOf(largest)]
    return base && largest > 3 * REFERENCE_BYTES ? extend(asObject(value), base.name, base.members) : value
  })
}

/** Lists the members of an object as text: their names, and whether they are required. */
function listMembers({ properties, required }: JsonObject): [name: string, text: string][] {
  const needed = new Set(asList(required))
  return Object.entries(asObject(properties)).map(([name, member]) => [
    name,
    JSON.stringify([member, needed.has(name)]),
  ])
}

/** Whether a member is an object with all members of another one, and more. */
function refines(text: string | undefined, other: string, schemas: JsonObject): boolean {
  const [own, base] = [text, other].map((one) => {
    const schema = asObject(asList(JSON.parse(one ?? '[]'))[0])
    return new Map(listMembers(asObject(schemas[referenceOf(schema)] ?? schema)))
  })
  if (!own || !base || base.size === 0) return false
  return own.size > base.size && [...base].every(([key, member]) => own.get(key) === member)
}

function referenceOf(schema: JsonObject): string {
  return String(schema.$ref).replace(SCHEMAS, '')
}

function extend(schema: JsonObject, base: string, members: ReadonlyMap<string, unknown>): JsonObject {
  const { type, properties, required, ...rest } = schema
  const isOwn = (name: unknown) => members.get(String(name)) !== new Map(listMembers(schema)).get(String(name))
  const more = Object.entries(asObject(properties)).filter(([name]) => isOwn(name))
  const needed = asList(required).filter(isOwn)
  const own = { type, ...(needed.length > 0 ? { required: needed } : {}), properties: Object.fromEntries(more) }
  return { ...rest, allOf: [{ $ref: SCHEMAS + base }, own] }
}

/** Shortens every text to its first sentences. */
function shortenTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shortenTexts)
  if (!isObject(value)) return value
  return mapValues(value, (inner, key) => {
    if (key === 'responses' || DATA.has(key)) return key === 'responses' ? mapValues(asObject(inner), keepText) : inner
    if (key === 'properties') return mapValues(asObject(inner), shortenTexts)
    return key === 'description' && typeof inner === 'string' ? shorten(inner) : shortenTexts(inner)
  })
}

/** Shortens the texts below a response, whose own names the codes of errors. */
function keepText(response: unknown): unknown {
  const { description, ...rest } = asObject(response)
  return { ...(description === undefined ? {} : { description }), ...asObject(shortenTexts(rest)) }
}

/** Cuts a text to its first sentence, and that to its first clause. A clause does not end within code. */
function shorten(text: string): string {
  const [first = ''] = text.split(/(?<=[.!?])\s+(?=[A-Z`[])/)
  const ends = [...first.matchAll(/[;:] /g)].map(({ index }) => index)
  const end = ends.find((at) => at >= LEAST_CHARS && first.slice(0, at).split('`').length % 2 === 1)
  return end === undefined ? first : `${first.slice(0, end)}.`
}

interface Found {
  count: number
  readonly member: string
  readonly owner: string
}

/** Names what several schemas repeat, by the member that it is. */
function nameRepeated(document: JsonObject): JsonObject {
  const found = new Map<string, Found>()
  visitSchemas(document, (schema, member, owner) => {
    const text = JSON.stringify(schema)
    const known = found.get(text) ?? { count: 0, member, owner }
    found.set(text, { ...known, count: known.count + 1 })
    return schema
  })
  const components = asObject(document.components)
  const schemas: JsonObject = { ...asObject(components.schemas) }
  const names = new Map<string, string>()
  for (const [text, { count, member, owner }] of found) {
    const name = [toPascal(member), toPascal(`${owner}_${member}`)].find(
      (one) => one && !(one in schemas || one in globalThis),
    )
    // A type of a generated program must not hide one of the language.
    if (name === undefined || (count - 1) * text.length < count * (REFERENCE_BYTES + name.length) + name.length)
      continue
    names.set(text, name)
    schemas[name] = JSON.parse(text)
  }
  const refer = (schema: JsonObject) => {
    const name = names.get(JSON.stringify(schema))
    return name === undefined ? schema : { $ref: SCHEMAS + name }
  }
  const sorted = Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)))
  return visitSchemas({ ...document, components: { ...components, schemas: sorted } }, refer, names)
}

type Change = (schema: JsonObject, member: string, owner: string) => unknown

/** Replaces each schema below another one or in a parameter, from the outside in; `added` are named already. */
function visitSchemas(
  document: JsonObject,
  change: Change,
  added: ReadonlyMap<string, string> = new Map(),
): JsonObject {
  const names = new Set(added.values())
  const replace = (value: unknown, member: string, owner: string): unknown => {
    if (!isObject(value) || '$ref' in value) return value
    const changed = change(value, member, owner)
    return isObject(changed) && '$ref' in changed ? changed : visit(value, member, owner)
  }
  const visit = (value: unknown, member: string, owner: string): unknown => {
    if (!isObject(value)) return value
    return mapValues(value, (inner, key) => {
      if (key === 'properties') return mapValues(asObject(inner), (one, name) => replace(one, name, owner))
      if (key === 'items' || key === 'additionalProperties') return replace(inner, `${member}_item`, owner)
      if (/^(anyOf|allOf|oneOf)$/.test(key))
        return asList(inner).map((one, i) => replace(one, `${member}_${i + 1}`, owner))
      return inner
    })
  }
  const components = asObject(document.components)
  const schemas = mapValues(asObject(components.schemas), (schema, name) =>
    visit(schema, names.has(name) ? name : '', name),
  )
  return { ...document, components: { ...components, schemas } }
}

function toPascal(name: string): string {
  return name.replaceAll(/(?:^|[^a-zA-Z0-9]+)(\w)/g, (_, letter: string) => letter.toUpperCase())
}
