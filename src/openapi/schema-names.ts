import { asObject, isObject, type JsonObject, mapValues } from './json-schema'

/**
 * The document with a reference wherever an object is one of its named schemas (components/schemas), in those schemas
 * as well. An object is the same when its whole schema is, descriptions and examples included; only whether it is closed
 * counts for nothing. Schemas that nothing
 * refers to are left out. Pure.
 */
export function withReferences(document: JsonObject): JsonObject {
  const components = asObject(document.components)
  const names = new Map<string, string>()
  const schemas: JsonObject = {}
  // What is inside of another schema is shorter than that, so it has its name by then.
  const byLength = Object.entries(asObject(components.schemas)).map(([name, schema]) => ({ name, schema }))
  byLength.sort((a, b) => JSON.stringify(a.schema).length - JSON.stringify(b.schema).length)
  for (const { name, schema } of byLength) {
    const named = mapValues(asObject(schema), (value) => replaced(value, names))
    schemas[name] = named
    if (!isObject(named.properties)) continue
    names.set(canonical(named), name)
    // The description of an answer's schema is by then that of the answer.
    const { description: _, ...bare } = named
    if (!names.has(canonical(bare))) names.set(canonical(bare), name)
  }
  const rest = mapValues({ ...document, components: { ...components, schemas: {} } }, (value) => replaced(value, names))
  return { ...rest, components: { ...asObject(rest.components), schemas: referred(schemas, rest) } }
}

/** Members whose values are data, not schemas. */
const DATA = new Set(['const', 'default', 'enum', 'example', 'examples'])

/** From the inside out, so that an object which holds a named one is found as well. */
function replaced(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((one) => replaced(one, names))
  if (!isObject(value)) return value
  const inner = mapValues(value, (one, name) => (DATA.has(name) ? one : replaced(one, names)))
  const name = isObject(inner.properties) ? names.get(canonical(inner)) : undefined
  return name === undefined ? inner : { $ref: `#/components/schemas/${name}` }
}

/**
 * The same text for schemas that differ only in the order of their members, or in whether they are closed: Elysia opens the
 * closed objects of answers, in the schemas themselves, when it compiles the route.
 */
function canonical(schema: unknown): string {
  return JSON.stringify(schema, (name, value) => {
    if (name === 'additionalProperties' && typeof value === 'boolean') return undefined
    return isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value
  })
}

/** Of the named schemas, in the order of their names, those that `rest` refers to, directly or through another one. */
function referred(schemas: JsonObject, rest: JsonObject): JsonObject {
  const found = new Set<string>()
  const visit = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (found.has(name)) continue
      found.add(name)
      visit(schemas[name] ?? null)
    }
  }
  visit(rest)
  return Object.fromEntries([...found].sort().map((name) => [name, schemas[name]]))
}
