/**
 * The parts of the document that are the same for every endpoint: headers, errors and parameters that no route
 * declares.
 */
import { STATUS_CODES } from 'node:http'
import { ApiError, ERRORS } from '../http/api-error'
import { errorFormatOf } from '../http/error-format'
import { Problem } from '../http/schema'
import { asObject, type JsonObject, mapValues, toJsonSchema } from './json-schema'

const headerRef = (name: string) => ({ $ref: `#/components/headers/${name}` })
const schemaRef = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const HEADERS = {
  'X-RateLimit-Limit': {
    description: 'Requests an hour that the tier allows.',
    schema: { type: 'integer', minimum: 1, examples: [1000] },
  },
  'X-RateLimit-Remaining': {
    description: 'Requests left in this hour, after this one.',
    schema: { type: 'integer', minimum: 0, examples: [993] },
  },
  'X-Tier': {
    description: 'The tier that served the request.',
    schema: { type: 'string', enum: ['free', 'api'], examples: ['api'] },
  },
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1, maximum: 10_800 } },
  Location: { description: 'Path of what was created.', schema: { type: 'string', format: 'uri-reference' } },
  ETag: { description: 'Names this revision, for If-Match and If-None-Match.', schema: { type: 'string' } },
}

const PARAMETERS = {
  'Idempotency-Key': {
    description:
      'Up to 255 visible ASCII characters. The same request with the same key within 24 hours is not done twice.',
    schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
  },
  'If-Match': {
    description: 'The ETag last seen: a resource that changed since is left alone, with 412.',
    schema: { type: 'string' },
  },
  'If-None-Match': {
    description: 'The ETag last seen: a resource that did not change since is answered with 304 and no content.',
    schema: { type: 'string' },
  },
}

/** Returns the headers of a response under /api as references. @param isResource whether it shows a stored resource */
export function headersOf(status: number, isResource: boolean): JsonObject {
  const names = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-Tier']
  if (status === 429) names.push('Retry-After')
  if (status === 201) names.push('Location')
  if (status === 304 || (isResource && status < 300)) names.push('ETag')
  return Object.fromEntries(names.map((name) => [name, headerRef(name)]))
}

/**
 * Lists the header parameters that follow from the method and the responses of an operation: every POST reads
 * Idempotency-Key, an operation with 412 If-Match, and one with 304 If-None-Match.
 */
export function commonParameters(method: string, responses: JsonObject): (keyof typeof PARAMETERS)[] {
  const names: (keyof typeof PARAMETERS)[] = []
  if (method === 'post') names.push('Idempotency-Key')
  if ('412' in responses) names.push('If-Match')
  if ('304' in responses) names.push('If-None-Match')
  return names
}

/**
 * Lists the error statuses that an operation can have although its route does not declare them.
 * @param body whether it takes a body, of `any` media type or only of certain ones
 */
export function commonStatuses(method: string, path: string, body: 'none' | 'any' | 'typed'): number[] {
  const statuses = [400, 429, 500, 503]
  if (body !== 'none') statuses.push(413)
  if (body === 'typed') statuses.push(415)
  if (method === 'post') statuses.push(409)
  if (['post', 'put', 'patch'].includes(method)) statuses.push(507)
  if (path.includes('{id}')) statuses.push(404)
  return statuses
}

/** Returns the name of the shared response for a status, of which there is one for each form of errors. */
export function errorResponseName(status: number, path: string): string {
  return `${errorFormatOf(path).responseName}${status}`
}

/** Builds the response for an error status, in the form of the path, with the first code of the status as the example. */
export function buildErrorResponse(status: number, path: string, description = errorDescription(status)): JsonObject {
  const { schemaName, mediaType, toBody } = errorFormatOf(path)
  const [code] = codesOf(status)
  const example = code ? { example: toBody(new ApiError(code, ERRORS[code].help), EXAMPLE_REQUEST_ID) } : {}
  return {
    description,
    headers: headersOf(status, false),
    content: { [mediaType]: { schema: schemaRef(schemaName), ...example } },
  }
}

const EXAMPLE_REQUEST_ID = '01980000-0000-7000-8000-000000000000'

/** Builds the components that the document refers to; `schemas` and `responses` are its own. */
export function buildComponents(schemas: unknown, responses: JsonObject): JsonObject {
  return {
    schemas: { ...mapValues(asObject(schemas), toJsonSchema), Problem: asPlain(toJsonSchema(Problem)) },
    responses,
    parameters: mapValues(PARAMETERS, (parameter, name) => ({ name, in: 'header', ...asObject(parameter) })),
    headers: HEADERS,
    securitySchemes: {
      ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'A key from the key page. Optional.' },
    },
  }
}

type Code = keyof typeof ERRORS

function codesOf(status: number): Code[] {
  return (Object.keys(ERRORS) as Code[]).filter((code) => ERRORS[code].status === status)
}

function errorDescription(status: number): string {
  const codes = codesOf(status).map((code) => `[\`${code}\`](/docs/errors#${code})`)
  const name = STATUS_CODES[status] ?? 'Failure'
  return codes.length > 0 ? `${name}: ${codes.join(', ')}` : name
}

/** Drops the symbols that TypeBox keeps on its schemas. */
function asPlain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
