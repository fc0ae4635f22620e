/**
 * What is wrong with an OpenAPI document, by judges that are not ours: a validator for the document, which leaves out the
 * schemas inside (it says so), and ajv for those. Then our own rules for endpoints under /api.
 */
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { asList, asObject, isObject, type JsonObject } from '../../src/openapi/json-schema'

const LIMIT_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-Tier']
const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace']

/** Every finding in a sentence with its place; an empty list means that the document is good. */
export async function findings(document: JsonObject): Promise<string[]> {
  return [
    ...(await invalidDocument(document)),
    ...invalidSchemas(document),
    ...leftovers(document),
    ...brokenRules(document),
  ]
}

/** The operations of a document, with the path and method they stand under. */
export function operations(document: JsonObject): { path: string; method: string; operation: JsonObject }[] {
  return Object.entries(asObject(document.paths)).flatMap(([path, item]) =>
    METHODS.filter((method) => method in asObject(item)).map((method) => ({
      path,
      method,
      operation: asObject(asObject(item)[method]),
    })),
  )
}

/** What a local reference points at, or the value itself. */
export function resolve(document: JsonObject, value: unknown): JsonObject {
  const { $ref } = asObject(value)
  if (typeof $ref !== 'string') return asObject(value)
  const steps = $ref.slice(2).split('/')
  return asObject(steps.reduce<unknown>((node, step) => asObject(node)[step], document))
}

/** One for all documents: it compiles the schema of a version once. */
const validator = new Validator()

async function invalidDocument(document: JsonObject): Promise<string[]> {
  const { valid, errors } = await validator.validate(structuredClone(document))
  return valid ? [] : [`document: ${typeof errors === 'string' ? errors : JSON.stringify(errors)}`]
}

/** Schemas that are not JSON Schema 2020-12, use unknown keywords, or contradict their own defaults and examples. */
function invalidSchemas(document: JsonObject): string[] {
  const local: JsonObject = JSON.parse(JSON.stringify(document).replaceAll('"#/components/schemas/', '"doc#/$defs/'))
  const ajv = new Ajv2020({
    strictSchema: true,
    strictTypes: false,
    validateFormats: false,
    allErrors: true,
    logger: false,
    // Each schema is asked little: to write it out where it is used, and well, takes longer than to ask it.
    inlineRefs: false,
    code: { optimize: false },
  })
  const bundle = { $id: 'doc', $defs: asObject(asObject(local.components).schemas) }
  if (!ajv.validateSchema(bundle)) return [`components/schemas: ${ajv.errorsText()}`]
  ajv.addSchema(bundle)
  return schemasOf(local).flatMap(({ place, schema }) => {
    try {
      const check = ajv.compile(schema)
      const samples = [...('default' in schema ? [schema.default] : []), ...asList(schema.examples)]
      return samples
        .filter((sample) => !check(sample))
        .map((sample) => `${place}: ${JSON.stringify(sample)} does not fit`)
    } catch (fault) {
      return [`${place}: ${fault}`]
    }
  })
}

function schemasOf(document: JsonObject): { place: string; schema: JsonObject }[] {
  const found: { place: string; schema: JsonObject }[] = []
  for (const [name, schema] of Object.entries(asObject(asObject(document.components).schemas))) {
    found.push({ place: `components/schemas/${name}`, schema: asObject(schema) })
  }
  walk(document, '', (node, place) => {
    if (place.includes('/schema') || !isObject(node.schema)) return
    found.push({ place: `${place}/schema`, schema: node.schema })
  })
  return found
}

/** What belongs to TypeBox, to OpenAPI 3.0 or to our validation, but not here. Names of members may be anything. */
function leftovers(document: JsonObject): string[] {
  const found: string[] = []
  walk(document, '', (node, place) => {
    if (/\/(properties|\$defs|schemas|headers|default)$|\/examples?(\/|$)/.test(place)) return
    for (const keyword of ['$id', 'nullable', 'error']) if (keyword in node) found.push(`${place}: ${keyword} is left`)
  })
  return found
}

function walk(node: unknown, place: string, visit: (node: JsonObject, place: string) => void): void {
  if (isObject(node)) visit(node, place)
  if (typeof node !== 'object' || node === null) return
  for (const [name, value] of Object.entries(node)) walk(value, `${place}/${name.replaceAll('/', '~1')}`, visit)
}

function brokenRules(document: JsonObject): string[] {
  const all = operations(document)
  const ids = all.map(({ operation }) => String(operation.operationId))
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `operationId ${id} is there twice`)
  const odd = ids.filter((id) => !/^[a-z][A-Za-z0-9]*$/.test(id)).map((id) => `operationId ${id} is no plain name`)
  return [
    ...twice,
    ...odd,
    ...all.flatMap(({ path, method, operation }) => brokenRulesOf(document, path, method, operation)),
  ]
}

function brokenRulesOf(document: JsonObject, path: string, method: string, operation: JsonObject): string[] {
  const place = `${method.toUpperCase()} ${path}`
  const found: string[] = []
  const isApi = /^\/api(\/|$)/.test(path)
  if (isApi && !('default' in asObject(operation.responses))) found.push(`${place} has no default response`)
  if (!operation.summary) found.push(`${place} has no summary`)
  if (asList(operation.tags).length !== 1) found.push(`${place} has not one tag`)
  for (const [status, value] of Object.entries(asObject(operation.responses))) {
    const { description, headers, content } = resolve(document, value)
    if (!description) found.push(`${place} ${status} has no description`)
    if (['204', '304'].includes(status) && content) found.push(`${place} ${status} has content`)
    const absent = LIMIT_HEADERS.filter((name) => !resolve(document, asObject(headers)[name]).description)
    if (status === 'default' && absent.length > 0) found.push(`${place} ${status} lacks ${absent.join(', ')}`)
  }
  return found
}
