import { OWN_ERRORS } from '../http/api-error'
import { OTHER_TYPES } from '../http/schema'
import {
  buildComponents,
  buildDefaultResponse,
  buildErrorResponse,
  commonParameters,
  errorContent,
  headersOf,
  ownCodes,
  statusOf,
} from './common'
import { TAG_GROUPS } from './groups'
import {
  asList,
  asObject,
  asPlain,
  isObject,
  type JsonObject,
  mapInTurns,
  mapValues,
  nameOfReference,
  toJsonSchema,
} from './json-schema'
import { withReferences } from './schema-names'

/**
 * Converts the document of @elysiajs/swagger 1.3.1, which claims to be OpenAPI 3.0.3 but is not valid, to OpenAPI 3.1.
 * Routes declare only what is specific to them; the headers and errors that all have in common are added here. Pure.
 */

const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'])
/** The media types that the plugin lists for a body without a declared type. Such a body is JSON. */
const ANY_MEDIA = 'application/json,multipart/form-data,text/plain'
const DESCRIPTIONS: Record<string, string> = {
  200: 'Served.',
  201: 'Created.',
  202: 'Accepted.',
  204: 'Done; the response has no content.',
  304: 'Not modified since the ETag in If-None-Match.',
}

/**
 * Converts a document to valid OpenAPI 3.1.0. Under /api every error gets the schema of its path (mostly
 * application/problem+json), and every operation its own errors and, as `default`, those that any request can get. What
 * several operations repeat is said once. The input is not changed; the result is plain JSON. It comes in many turns of the
 * event loop.
 * @param named schemas to refer to by their names, in addition to those that the document names itself
 */
export async function toOpenApi31(
  document: JsonObject,
  named: Readonly<Record<string, object>> = {},
): Promise<JsonObject> {
  const { paths: sourcePaths, components, ...source } = document
  const { schemas: models, ...own } = asObject(components)
  const context: Context = { schemas: { ...asObject(models), ...named }, shared: {} }
  const paths = await mapInTurns(asObject(sourcePaths), (item, path) =>
    mapValues(asObject(asPlain(item)), (value, method) =>
      METHODS.has(method) ? convertOperation(asObject(value), method, path, context) : value,
    ),
  )
  const added = await buildComponents(context.schemas, context.shared)
  const whole = await withReferences({ paths, components: { ...asObject(asPlain(own)), ...added } })
  return {
    ...asObject(asPlain(source)),
    openapi: '3.1.0',
    'x-tagGroups': TAG_GROUPS,
    security: [{}, { ApiKey: [] }],
    ...(await shareRepeated(whole)),
  }
}

interface Context {
  readonly schemas: JsonObject
  /** The error responses that several operations share, by name; filled during the conversion. */
  readonly shared: JsonObject
}

/**
 * Adds the responses that follow from the conventions of the API: a stored resource is read with If-None-Match (304)
 * and written with If-Match (412), and a DELETE has no content (204).
 */
function addConventionalResponses(responses: JsonObject, method: string, path: string, stored: boolean): JsonObject {
  const isSingle = path.startsWith('/api/') && path.includes('{')
  if (method !== 'delete') return isSingle && stored ? { [method === 'get' ? 304 : 412]: {}, ...responses } : responses
  const { 200: ok, ...rest } = responses
  // A DELETE with content deletes no resource: it stops a run, for example.
  if (ok !== undefined && 'content' in asObject(ok)) return responses
  const deleted = ok === undefined ? responses : { 204: ok, ...rest }
  return isSingle && path.endsWith('}') ? { 412: {}, ...deleted } : deleted
}

/** Whether a successful response shows a stored resource, which has a revision and an ETag. */
function showsResource(responses: JsonObject, schemas: JsonObject): boolean {
  return [200, 201].some((status) => {
    const [media] = Object.values(asObject(asObject(responses[status]).content))
    const schema = asObject(asObject(media).schema)
    const name = nameOfReference(schema)
    return 'revision' in asObject(asObject(name === null ? schema : schemas[name]).properties)
  })
}

function convertOperation(source: JsonObject, method: string, path: string, context: Context): JsonObject {
  const { parameters, requestBody, responses, [OWN_ERRORS]: refused, ...others } = source
  const { [OTHER_TYPES.body]: bodyTypes, [OTHER_TYPES.response]: responseTypes, ...rest } = others
  const api = path === '/api' || path.startsWith('/api/')
  const stored = showsResource(asObject(responses), context.schemas)
  const declared = addConventionalResponses(asObject(responses), method, path, stored)
  const all = [
    ...asList(parameters).map((parameter) => convertParameter(asObject(parameter))),
    ...(api ? commonParameters(method, declared) : []).map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ]
  const body = isObject(requestBody)
    ? { ...requestBody, content: { ...contentOf(requestBody.content, {}), ...textsOf(bodyTypes) } }
    : null
  return {
    ...rest,
    ...(all.length > 0 ? { parameters: all } : {}),
    ...(body ? { requestBody: body } : {}),
    responses: {
      ...convertResponses(declared, stored, api, responseTypes),
      ...(api ? buildErrors(declared, path, ownCodes(method, path, declared, asList(refused)), context.shared) : {}),
    },
    ...(api ? {} : { security: [] }),
  }
}

function convertParameter({ schema, examples, required, ...rest }: JsonObject): JsonObject {
  const plain = asObject(toJsonSchema({ ...asObject(schema), ...(examples === undefined ? {} : { examples }) }))
  const { explode, ...type } = plain
  const needed = rest.in === 'path' || (required === true && !('default' in plain))
  const separated = explode === false ? { style: 'form', explode } : {}
  return { ...rest, ...(needed ? { required: true } : {}), ...separated, schema: type }
}

/** Converts the responses that a route declares, without the errors under /api. */
function convertResponses(declared: JsonObject, stored: boolean, api: boolean, texts: unknown): JsonObject {
  const own = Object.entries(declared).filter(([status]) => !(api && Number(status) >= 400))
  return Object.fromEntries(
    own.map(([status, value]) => {
      // 202 without content is no report, which alone has an address.
      const isPlain = !api || (status === '202' && !('content' in asObject(value)))
      const headers = isPlain ? {} : headersOf(Number(status), stored)
      const response = convertResponse(asObject(value), Number(status), headers)
      if (status === '200' && isObject(texts)) response.content = { ...asObject(response.content), ...textsOf(texts) }
      return [status, response]
    }),
  )
}

/** Converts a declared response. The plugin spreads keywords of the schema over the response; they are moved back. */
function convertResponse(source: JsonObject, status: number, common: JsonObject): JsonObject {
  const { description, headers, content, ...keywords } = source
  const empty = status === 204 || status === 304 || !isObject(content)
  const all = { ...common, ...asObject(headers) }
  return {
    description: typeof description === 'string' ? description : (DESCRIPTIONS[status] ?? 'Answered.'),
    ...(Object.keys(all).length > 0 ? { headers: all } : {}),
    ...(empty ? {} : { content: contentOf(content, keywords) }),
  }
}

/** Returns the content of the texts that a route takes or answers beside JSON (see alsoTakes and alsoAnswers). */
function textsOf(types: unknown): JsonObject {
  return mapValues(asObject(types), (type) => ({ schema: { type: 'string', ...asObject(type) } }))
}

function contentOf(content: unknown, keywords: JsonObject): JsonObject {
  const media = asObject(content)
  const kept = Object.keys(media).join() === ANY_MEDIA ? { 'application/json': media['application/json'] } : media
  return mapValues(kept, (value) => {
    const { schema, ...rest } = asObject(value)
    if (!isObject(schema)) return rest
    return { ...rest, schema: toJsonSchema('$ref' in schema ? schema : { ...keywords, ...schema }) }
  })
}

/**
 * Builds the error responses: those that are the operation's own by their status, and as `default` those that any
 * request can get. Each is a reference to a shared response, unless the route describes it.
 */
function buildErrors(
  declared: JsonObject,
  path: string,
  codes: ReturnType<typeof ownCodes>,
  shared: JsonObject,
): JsonObject {
  const refer = ([name, response]: [string, JsonObject]) => {
    shared[name] = response
    return { $ref: `#/components/responses/${name}` }
  }
  const errors: JsonObject = {}
  for (const status of new Set(codes.map(statusOf))) {
    const own = codes.filter((code) => statusOf(code) === status)
    const { description } = asObject(declared[status])
    const described = typeof description === 'string' && { description, content: errorContent(path, own[0]) }
    errors[status] = described || refer(buildErrorResponse(status, path, own))
  }
  return { ...errors, default: refer(buildDefaultResponse(path)) }
}

/**
 * Moves parameters and responses without content that several operations repeat to the components, and refers to them.
 * A component has the name of its parameter, or `Done` or `Unchanged`, with a number from the second on. Pure.
 * @param document with `paths` and `components`
 */
async function shareRepeated(document: JsonObject): Promise<JsonObject> {
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
