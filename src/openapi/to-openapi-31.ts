/**
 * Makes a valid OpenAPI 3.1 document of what @elysiajs/swagger 1.3.1 writes, which calls itself 3.0.3 and is not that.
 * Everything here is pure. Routes say what is theirs; headers and errors common to all are added here, once.
 */
import {
  buildComponents,
  buildErrorResponse,
  commonParameters,
  commonStatuses,
  errorResponseName,
  headersOf,
} from './common'
import { asList, asObject, isObject, type JsonObject, mapValues, toJsonSchema } from './json-schema'
import { withReferences } from './schema-names'

const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'])
/** What the plugin lists for a route that does not say what it takes. We take JSON. */
const ANY_MEDIA = 'application/json,multipart/form-data,text/plain'
const DESCRIPTIONS: Record<string, string> = {
  200: 'Served.',
  201: 'Created.',
  202: 'Accepted.',
  204: 'Done; there is nothing to say.',
  304: 'Not modified since the ETag in If-None-Match.',
}

/**
 * The document as valid OpenAPI 3.1.0. Under /api every response gets the three limit headers, every failure the
 * common shape (application/problem+json, on chat's paths application/json), and every operation the errors that any
 * request can meet. The input is not changed; the result is plain JSON.
 * @param named schemas to refer to by their names, beside those that the document names itself
 */
export function toOpenApi31(document: object, named: Readonly<Record<string, object>> = {}): JsonObject {
  const source = asObject(JSON.parse(JSON.stringify(document)))
  const { schemas: models, ...own } = asObject(source.components)
  const schemas = { ...asObject(models), ...asObject(JSON.parse(JSON.stringify(named))) }
  const context: Context = { schemas, shared: {} }
  const paths: JsonObject = {}
  for (const [raw, item] of Object.entries(asObject(source.paths))) {
    const path = raw.length > 1 && raw.endsWith('/') ? raw.slice(0, -1) : raw
    const rewritten = mapValues(asObject(item), (value, method) =>
      METHODS.has(method) ? operation(asObject(value), method, path, context) : value,
    )
    paths[path] = { ...asObject(paths[path]), ...rewritten }
  }
  const added = buildComponents(schemas, context.shared)
  const tags = usedTags(source.tags, paths)
  const whole = { paths, components: { ...own, ...added } }
  return { ...source, openapi: '3.1.0', tags, security: [{}, { ApiKey: [] }], ...withReferences(whole) }
}

/** The groups that hold an operation: the page would show the others as empty promises. */
function usedTags(tags: unknown, paths: JsonObject): unknown[] {
  const operations = Object.values(paths).flatMap((item) => Object.values(asObject(item)))
  const used = new Set(operations.flatMap((one) => asList(asObject(one).tags)))
  return asList(tags).filter((tag) => used.has(asObject(tag).name))
}

interface Context {
  /** The named schemas, as the plugin writes them. */
  readonly schemas: JsonObject
  /** Failures that several operations share, by name; filled on the way. */
  readonly shared: JsonObject
}

/**
 * The responses of an operation with those that hold for the whole API, so that its route need not declare them:
 * a stored resource is read with If-None-Match (304) and written with If-Match (412), and a DELETE has nothing to say.
 */
function conventional(responses: JsonObject, method: string, path: string, stored: boolean): JsonObject {
  const one = path.startsWith('/api/') && path.includes('{')
  if (method !== 'delete') return one && stored ? { [method === 'get' ? 304 : 412]: {}, ...responses } : responses
  const { 200: ok, ...rest } = responses
  // What answers with content is no resource that goes, but a run that is stopped.
  if (ok !== undefined && 'content' in asObject(ok)) return responses
  const said = ok === undefined ? responses : { 204: ok, ...rest }
  return one && path.endsWith('}') ? { 412: {}, ...said } : said
}

/** Whether a success shows a stored resource: each of those has a revision, and an ETag made from it. */
function showsResource(responses: JsonObject, schemas: JsonObject): boolean {
  return [200, 201].some((status) => {
    const [media] = Object.values(asObject(asObject(responses[status]).content))
    const schema = asObject(asObject(media).schema)
    const name = String(schema.$ref ?? '').replace('#/components/schemas/', '')
    return 'revision' in asObject(asObject(name ? schemas[name] : schema).properties)
  })
}

function operation(source: JsonObject, method: string, path: string, context: Context): JsonObject {
  const { parameters, requestBody, responses, security, ...rest } = source
  const api = path === '/api' || path.startsWith('/api/')
  const stored = showsResource(asObject(responses), context.schemas)
  const declared = conventional(asObject(responses), method, path, stored)
  const all = [
    ...asList(parameters).map((one) => parameter(asObject(one))),
    ...missing(parameters, api ? commonParameters(method, declared) : []),
  ]
  const body = isObject(requestBody) ? { ...requestBody, content: contentOf(requestBody.content, {}) } : null
  return {
    ...rest,
    ...(all.length > 0 ? { parameters: all } : {}),
    ...(body ? { requestBody: body } : {}),
    responses: {
      ...answers(declared, stored, api),
      ...(api ? failures(declared, commonStatuses(method, path, kindOf(body)), path, context.shared) : {}),
    },
    ...(api ? {} : { security: [] }),
    ...(security === undefined ? {} : { security }),
  }
}

function parameter({ schema, examples, required, ...rest }: JsonObject): JsonObject {
  const plain = asObject(toJsonSchema({ ...asObject(schema), ...(examples === undefined ? {} : { examples }) }))
  const needed = rest.in === 'path' || (required === true && !('default' in plain))
  return { ...rest, required: needed, schema: plain }
}

/** References to the common header parameters, less those that the route declares itself. */
function missing(declared: unknown, names: readonly string[]): JsonObject[] {
  const own = new Set(asList(declared).map((one) => String(asObject(one).name).toLowerCase()))
  return names
    .filter((name) => !own.has(name.toLowerCase()))
    .map((name) => ({ $ref: `#/components/parameters/${name}` }))
}

/** The responses that a route declares, less the failures under /api. */
function answers(declared: JsonObject, stored: boolean, api: boolean): JsonObject {
  const own = Object.entries(declared).filter(([status]) => !(api && Number(status) >= 400))
  return Object.fromEntries(
    own.map(([status, value]) => {
      const headers = api ? headersOf(Number(status), stored) : {}
      return [status, response(asObject(value), Number(status), headers)]
    }),
  )
}

/** A response as declared. The plugin spreads keywords of the schema over it; they go back to where they belong. */
function response(source: JsonObject, status: number, common: JsonObject): JsonObject {
  const { description, headers, links, content, ...keywords } = source
  const empty = status === 204 || status === 304 || !isObject(content)
  const all = { ...common, ...asObject(headers) }
  return {
    description: typeof description === 'string' ? description : (DESCRIPTIONS[status] ?? 'Answered.'),
    ...(Object.keys(all).length > 0 ? { headers: all } : {}),
    ...(empty ? {} : { content: contentOf(content, keywords) }),
    ...(isObject(links) ? { links } : {}),
  }
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
 * The failures that a route declares and those that any request can meet, each a reference to the shared response of
 * its status, unless the route describes it itself.
 */
function failures(declared: JsonObject, common: number[], path: string, shared: JsonObject): JsonObject {
  const own = Object.keys(declared).map(Number)
  const statuses = [...own, ...common].filter((status) => status >= 400)
  return Object.fromEntries(
    statuses.map((status) => {
      const { description } = asObject(declared[status])
      if (typeof description === 'string') return [status, buildErrorResponse(status, path, description)]
      const name = errorResponseName(status, path)
      shared[name] ??= buildErrorResponse(status, path)
      return [status, { $ref: `#/components/responses/${name}` }]
    }),
  )
}

/** Bytes of whatever kind are announced as `application/octet-stream` alone. */
function kindOf(body: { readonly content: JsonObject } | null): 'none' | 'any' | 'typed' {
  if (body === null) return 'none'
  return Object.keys(body.content).join() === 'application/octet-stream' ? 'any' : 'typed'
}
