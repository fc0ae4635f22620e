import {
  asObject,
  DATA_KEYWORDS,
  isObject,
  type JsonObject,
  listReferences,
  mapInTurns,
  mapValues,
  SCHEMAS,
} from './json-schema'

/**
 * Replaces each object that equals a named schema (components/schemas) by a reference, also inside the named schemas.
 * Objects are equal if their whole schemas are, including descriptions and examples; only `additionalProperties` is
 * ignored. Named schemas without a reference are removed. Pure.
 */
export async function withReferences(document: JsonObject): Promise<JsonObject> {
  const { schemas: own, ...components } = asObject(document.components)
  const names = new SchemaNames()
  // A schema that is inside another one is shorter, so in this order it has its name before the other needs it.
  const lengths = await mapInTurns(asObject(own), (schema) => JSON.stringify(schema).length)
  const byLength = Object.entries(asObject(own)).sort(([a], [b]) => Number(lengths[a]) - Number(lengths[b]))
  const schemas = await mapInTurns(Object.fromEntries(byLength), (schema, name) => {
    const named = mapValues(asObject(schema), (value) => replaceNamed(value, names))
    if (!isObject(named.properties)) return named
    names.add(named, name)
    // The plugin moves the description of a response's schema to the response, so the schema is known without it, too.
    const { description: _, ...bare } = named
    if (names.find(bare) === undefined) names.add(bare, name)
    return named
  })
  const rest = {
    paths: await mapInTurns(asObject(document.paths), (item) => replaceNamed(item, names)),
    components: asObject(replaceNamed(components, names)),
  }
  const used = [...listReferences(rest, schemas)].sort().map((name) => [name, schemas[name]])
  return { ...rest, components: { ...rest.components, schemas: Object.fromEntries(used) } }
}

/** Replaces named schemas from the inside out, so that an object that contains one is found as well. */
function replaceNamed(value: unknown, names: SchemaNames): unknown {
  if (Array.isArray(value)) return value.map((item) => replaceNamed(item, names))
  if (!isObject(value)) return value
  const inner = mapValues(value, (member, name) => (DATA_KEYWORDS.has(name) ? member : replaceNamed(member, names)))
  const name = isObject(inner.properties) ? names.find(inner) : undefined
  return name === undefined ? inner : { $ref: SCHEMAS + name }
}

/** The names of schemas, by what they say. */
class SchemaNames {
  readonly #names = new Map<string, string>()
  /** Without them the text of a part would be written again for each object around it. */
  readonly #texts = new WeakMap<object, string>()

  find(schema: JsonObject): string | undefined {
    return this.#names.get(this.#canonical(schema))
  }

  add(schema: JsonObject, name: string): void {
    this.#names.set(this.#canonical(schema), name)
  }

  /**
   * Writes a schema as text, without `additionalProperties` and with sorted members, to compare it. Elysia opens the
   * closed objects of responses, in the schemas themselves, when it compiles a route.
   */
  #canonical(schema: unknown): string {
    if (typeof schema !== 'object' || schema === null) return JSON.stringify(schema)
    const known = this.#texts.get(schema)
    if (known !== undefined) return known
    const members = Object.entries(schema)
      .filter(([name, value]) => name !== 'additionalProperties' || typeof value !== 'boolean')
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => `${JSON.stringify(name)}:${this.#canonical(value)}`)
    const text = Array.isArray(schema) ? `[${schema.map((one) => this.#canonical(one))}]` : `{${members}}`
    this.#texts.set(schema, text)
    return text
  }
}
