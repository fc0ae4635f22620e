/** Converts the schemas of routes (TypeBox with the additions of Elysia) to plain JSON Schema 2020-12. Pure. */
import { yieldTurn } from '../lib/steps'

export interface JsonObject {
  [name: string]: unknown
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

export function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

export function mapValues(object: JsonObject, change: (value: unknown, name: string) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]))
}

/** Does mapValues with a turn of the event loop after each value, since the document takes a second of processor time. */
export async function mapInTurns(
  object: JsonObject,
  change: (value: unknown, name: string) => unknown,
): Promise<JsonObject> {
  const entries: [string, unknown][] = []
  for (const [name, value] of Object.entries(object)) {
    entries.push([name, change(value, name)])
    await yieldTurn()
  }
  return Object.fromEntries(entries)
}

/** Where references to named schemas begin. */
export const SCHEMAS = '#/components/schemas/'

/** Returns the name of the named schema to which a schema refers; null if it refers to none. */
export function nameOfReference({ $ref }: JsonObject): string | null {
  return typeof $ref === 'string' && $ref.startsWith(SCHEMAS) ? $ref.slice(SCHEMAS.length) : null
}

/** Keywords whose values are data, not schemas. */
export const DATA_KEYWORDS: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'example', 'examples'])

/** Returns the names of the schemas to which a part of a document refers, also through others. */
export function listReferences(part: unknown, schemas: JsonObject): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value ?? null).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (found.has(name)) continue
      found.add(name)
      visit(schemas[name])
    }
  }
  visit(part)
  return found
}

/** Returns a value without what JSON does not have, such as the symbols that TypeBox keeps on its schemas. */
export function asPlain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

/** Keywords to drop: those without a meaning in 2020-12, those for validation alone, and those that are converted. */
const DROPPED = new Set(['$id', 'nullable', 'error', 'elysiaMeta', 'anyOf', 'additionalItems', 'example'])
const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'])
/** Formats of the string alternative that Elysia adds to the type of a query parameter: the text before conversion. */
const UNCONVERTED_FORMATS = new Set(['numeric', 'integer', 'boolean'])

/**
 * Converts one schema. Unions of literals become `enum`, a union with null becomes a list of types,
 * tuples become `prefixItems`, and a member with a default is not required, since the server fills it in.
 */
export function toJsonSchema(schema: unknown): unknown {
  if (!isObject(schema)) return schema
  if (isObject(schema.documented)) return { ...schema.documented, ...textsOf(schema) }
  const kept = Object.entries(schema).filter(([keyword]) => !DROPPED.has(keyword))
  const rest = Object.assign({}, ...kept.map(([keyword, value]) => convertKeyword(keyword, value)))
  if ('example' in schema) rest.examples ??= [schema.example]
  if (Array.isArray(rest.required)) makeDefaultsOptional(rest)
  return Array.isArray(schema.anyOf) ? simplifyUnion(rest, schema.anyOf.map(toJsonSchema).filter(isObject)) : rest
}

/** Returns what a schema tells people, which `documented` does not replace (see http/schema.ts). */
function textsOf({ description, examples }: JsonObject): JsonObject {
  return { ...(description === undefined ? {} : { description }), ...(examples === undefined ? {} : { examples }) }
}

/** Values of `const`, `enum`, `default` and `examples` are data, not schemas. */
function convertKeyword(keyword: string, value: unknown): JsonObject {
  switch (keyword) {
    case 'patternProperties':
      // The members of a record have any name.
      return { additionalProperties: toJsonSchema(asObject(value)['^(.*)$']) }
    case 'properties':
      return { properties: mapValues(asObject(value), toJsonSchema) }
    case 'items':
      return Array.isArray(value)
        ? { prefixItems: value.map(toJsonSchema), items: false }
        : { items: toJsonSchema(value) }
    case 'additionalProperties':
      return { additionalProperties: toJsonSchema(value) }
    default:
      return { [keyword]: value }
  }
}

function makeDefaultsOptional(schema: JsonObject): void {
  const properties = asObject(schema.properties)
  const required = asList(schema.required).filter((name) => !('default' in asObject(properties[String(name)])))
  if (required.length > 0) schema.required = required
  else delete schema.required
}

/** Simplifies `anyOf`. Keywords next to it (`rest`) take precedence over those of an alternative. */
function simplifyUnion(rest: JsonObject, alternatives: JsonObject[]): JsonObject {
  const real = alternatives.flatMap(flatten).filter((schema) => isReal(schema, alternatives.length))
  const [first] = real
  if (first && real.length === 1) return { ...first, ...rest }
  const concrete = real.filter(({ type }) => type !== 'null')
  const { const: _, ...only } = (concrete.length === 1 && concrete[0]) || {}
  const values = real.map(valuesOf)
  if (values.every((list) => list !== null)) return { ...only, ...rest, ...enumOf(values.flat()) }
  // A nullable object stays an alternative of its own, so that it can become a reference to a named schema.
  if (typeof only.type === 'string' && !('properties' in only)) return { ...only, ...rest, type: [only.type, 'null'] }
  return { ...('examples' in only ? { examples: only.examples } : {}), ...rest, anyOf: real }
}

function flatten(schema: JsonObject): JsonObject[] {
  return Array.isArray(schema.anyOf) && Object.keys(schema).length === 1 ? schema.anyOf.filter(isObject) : [schema]
}

/** Whether an alternative is neither a pseudo type of Elysia nor the text of a parameter before conversion. */
function isReal({ type, format }: JsonObject, alternatives: number): boolean {
  if (typeof type === 'string' && !TYPES.has(type)) return false
  return !(alternatives > 1 && type === 'string' && UNCONVERTED_FORMATS.has(String(format)))
}

function valuesOf(schema: JsonObject): unknown[] | null {
  if ('const' in schema) return [schema.const]
  if (Array.isArray(schema.enum)) return schema.enum
  return schema.type === 'null' ? [null] : null
}

function enumOf(values: unknown[]): JsonObject {
  const types = [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))]
  return { type: types.length === 1 ? types[0] : types, enum: [...new Set(values)] }
}
