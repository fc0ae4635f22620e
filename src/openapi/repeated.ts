import { asList, asObject, isObject, type JsonObject, mapInTurns, mapValues } from './json-schema'

/**
 * Moves parameters and responses without content that several operations repeat to the components, and refers to them.
 * A component has the name of its parameter, or `Done` or `Unchanged`, with a number from the second on. Pure.
 * @param document with `paths` and `components`
 */
export async function shareRepeated(document: JsonObject): Promise<JsonObject> {
  const components = asObject(document.components)
  const parameters = new Repeated('parameters', asObject(components.parameters))
  const responses = new Repeated('responses', asObject(components.responses))
  const change = (convert: (operation: JsonObject) => unknown) =>
    mapInTurns(asObject(document.paths), (item) => mapValues(asObject(item), (one) => convert(asObject(one))))
  await change((operation) => {
    for (const one of asList(operation.parameters)) parameters.count(one)
    for (const one of Object.values(asObject(operation.responses))) responses.count(one)
  })
  const paths = await change((operation) => {
    const { parameters: own } = operation
    return {
      ...operation,
      ...(Array.isArray(own)
        ? { parameters: own.map((one) => parameters.refer(one, String(asObject(one).name))) }
        : {}),
      responses: mapValues(asObject(operation.responses), (one, status) => responses.refer(one, nameOf(one, status))),
    }
  })
  const shared = { parameters: parameters.components, responses: responses.components }
  return { ...document, paths, components: { ...components, ...shared } }
}

/** Names a response by its schemas and status: `Task`, `TaskCreated`, or `TaskStored` with an ETag. */
function nameOf(response: unknown, status: string): string {
  const { content, headers } = asObject(response)
  if (!isObject(content)) return status === '304' ? 'Unchanged' : 'Done'
  const { schema } = asObject(content['application/json'])
  const held = [schema, ...asList(asObject(schema).anyOf)].flatMap((one) => asObject(one).$ref ?? [])
  const name = held.map((reference) => String(reference).replace(/.*\//, '')).join('Or') || 'Answer'
  if (status === '201') return `${name}Created`
  if (status === '202') return `${name}Begun`
  return 'ETag' in asObject(headers) ? `${name}Stored` : name
}

/** The components of one kind, to which what is counted more than once is added. */
class Repeated {
  readonly components: JsonObject
  readonly #kind: string
  readonly #times = new Map<string, number>()
  readonly #names = new Map<string, string>()

  constructor(kind: string, components: JsonObject) {
    this.#kind = kind
    this.components = { ...components }
  }

  count(value: unknown): void {
    const text = JSON.stringify(value)
    this.#times.set(text, (this.#times.get(text) ?? 0) + 1)
  }

  /** Returns a reference to a value that was counted more than once, otherwise the value. */
  refer(value: unknown, name: string): unknown {
    const text = JSON.stringify(value)
    if ((this.#times.get(text) ?? 0) < 2 || '$ref' in asObject(value)) return value
    const known = this.#names.get(text) ?? this.#add(name, value)
    this.#names.set(text, known)
    return { $ref: `#/components/${this.#kind}/${known}` }
  }

  #add(name: string, value: unknown): string {
    let free = name
    for (let n = 2; free in this.components; n++) free = `${name}${n}`
    this.components[free] = value
    return free
  }
}
