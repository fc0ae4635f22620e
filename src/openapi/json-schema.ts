/** Turns the schemas of routes (TypeBox, and what Elysia adds to it) into plain JSON Schema 2020-12. Pure. */

/** An object of a JSON document. */
export interface JsonObject {
  [name: string]: unknown
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value if it is an object, else an empty one. */
export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** The value if it is a list, else an empty one. */
export function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

export function mapValues(object: JsonObject, change: (value: unknown, name: string) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]))
}

/** `$id` and `nullable` mean nothing in this place in 2020-12; `error` and `elysiaMeta` are for validation. */
const DROPPED = new Set(['$id', 'nullable', 'error', 'elysiaMeta', 'anyOf', 'additionalItems', 'example'])
const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'])
/** Beside the real type, Elysia lists the string that a query parameter is before it is converted. */
const BEFORE_CONVERSION = new Set(['numeric', 'integer', 'boolean'])

/**
 * One schema as JSON Schema 2020-12. Unions of literals become `enum`, a union with null becomes a list of types,
 * tuples become `prefixItems`, and a member with a default is not required, since the server fills it in.
 */
export function toJsonSchema(schema: unknown): unknown {
  if (!isObject(schema)) return schema
  const kept = Object.entries(schema).filter(([keyword]) => !DROPPED.has(keyword))
  const rest = Object.assign({}, ...kept.map(([keyword, value]) => inner(keyword, value)))
  if ('example' in schema) rest.examples ??= [schema.example]
  if (Array.isArray(rest.required)) optionalDefaults(rest)
  return Array.isArray(schema.anyOf) ? union(rest, schema.anyOf.map(toJsonSchema).filter(isObject)) : rest
}

/** One keyword with the schemas inside it. Values of `const`, `enum`, `default` and `examples` are data, not schemas. */
function inner(keyword: string, value: unknown): JsonObject {
  switch (keyword) {
    case 'properties':
    case 'patternProperties':
    case '$defs':
      return { [keyword]: mapValues(asObject(value), toJsonSchema) }
    case 'items':
      return Array.isArray(value)
        ? { prefixItems: value.map(toJsonSchema), items: false }
        : { items: toJsonSchema(value) }
    case 'allOf':
    case 'oneOf':
    case 'prefixItems':
      return { [keyword]: asList(value).map(toJsonSchema) }
    case 'not':
    case 'contains':
    case 'propertyNames':
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return { [keyword]: toJsonSchema(value) }
    default:
      return { [keyword]: value }
  }
}

function optionalDefaults(schema: JsonObject): void {
  const properties = asObject(schema.properties)
  const required = asList(schema.required).filter((name) => !('default' in asObject(properties[String(name)])))
  if (required.length > 0) schema.required = required
  else delete schema.required
}

/** `anyOf` in the shortest form that says the same; keywords beside it (`rest`) win over those of an alternative. */
function union(rest: JsonObject, alternatives: JsonObject[]): JsonObject {
  const real = alternatives.flatMap(unnested).filter((one) => isReal(one, alternatives.length))
  const [first] = real
  if (first && real.length === 1) return { ...first, ...rest }
  const concrete = real.filter((one) => one.type !== 'null')
  const { const: _, ...only } = (concrete.length === 1 && concrete[0]) || {}
  const values = real.map(valuesOf)
  if (values.every((list) => list !== null)) return { ...only, ...rest, ...enumOf(values.flat()) }
  // An object stays whole beside its null, so that it can be a reference to a named one.
  if (typeof only.type === 'string' && !('properties' in only)) return { ...only, ...rest, type: [only.type, 'null'] }
  return { ...('examples' in only ? { examples: only.examples } : {}), ...rest, anyOf: real }
}

/** A union that is nothing but an alternative of another one dissolves into it. */
function unnested(schema: JsonObject): JsonObject[] {
  return Array.isArray(schema.anyOf) && Object.keys(schema).length === 1 ? schema.anyOf.filter(isObject) : [schema]
}

function isReal({ type, format }: JsonObject, alternatives: number): boolean {
  if (typeof type === 'string' && !TYPES.has(type)) return false
  return !(alternatives > 1 && type === 'string' && BEFORE_CONVERSION.has(String(format)))
}

/** The values of a schema that lists them one by one, else null. */
function valuesOf(schema: JsonObject): unknown[] | null {
  if ('const' in schema) return [schema.const]
  if (Array.isArray(schema.enum)) return schema.enum
  return schema.type === 'null' ? [null] : null
}

function enumOf(values: unknown[]): JsonObject {
  const types = [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))]
  return { type: types.length === 1 ? types[0] : types, enum: [...new Set(values)] }
}
