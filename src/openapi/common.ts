/** The parts of the document that every endpoint has: headers, errors and parameters that no route declares. */
import { STATUS_CODES } from 'node:http'
import { ApiError, ERRORS } from '../http/api-error'
import { errorFormatOf } from '../http/error-format'
import { Problem } from '../http/schema'
import { asObject, asPlain, type JsonObject, mapInTurns, mapValues, toJsonSchema } from './json-schema'

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
  Location: {
    description: 'Path of what was created, or of the report of what goes on.',
    schema: { type: 'string', format: 'uri-reference' },
  },
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

/** Returns the headers of a served response as references. @param isResource whether it shows a stored resource */
export function headersOf(status: number, isResource: boolean): JsonObject {
  const names: (keyof typeof HEADERS)[] = []
  if (status === 201 || status === 202) names.push('Location')
  if (status === 304 || (isResource && status < 202)) names.push('ETag')
  return refer(names)
}

function refer(names: readonly (keyof typeof HEADERS)[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, headerRef(name)]))
}

/** Every POST reads Idempotency-Key, an operation with 412 If-Match, and one with 304 If-None-Match. */
export function commonParameters(method: string, responses: JsonObject): (keyof typeof PARAMETERS)[] {
  const names: (keyof typeof PARAMETERS)[] = []
  if (method === 'post') names.push('Idempotency-Key')
  if ('412' in responses) names.push('If-Match')
  if ('304' in responses) names.push('If-None-Match')
  return names
}

type Code = keyof typeof ERRORS

/** The errors that any request can get: the document says them once, as the `default` response. */
export const GENERIC_CODES: readonly Code[] = [
  'invalid_request',
  'invalid_json',
  'invalid_api_key',
  'method_not_allowed',
  'too_large',
  'unsupported_media_type',
  'rate_limited',
  'too_many_new_keys',
  'quota_exceeded',
  'internal',
  'unavailable',
  'storage_full',
]

/**
 * Lists the errors of an operation that are its own: what its route declares (see `refuses`), what follows from its path
 * and its method, and the most common error of a status among its responses for which it declares none.
 */
export function ownCodes(method: string, path: string, responses: JsonObject, declared: readonly unknown[]): Code[] {
  const codes = new Set(declared.filter(isCode))
  if (path.includes('{id}') && !hasStatus(codes, 404)) codes.add('not_found')
  if (method === 'post') codes.add('conflict')
  if ('412' in responses) codes.add('precondition_failed')
  for (const status of Object.keys(responses).map(Number)) {
    const [first] = codesOf(status)
    if (first && !hasStatus(codes, status)) codes.add(first)
  }
  return [...codes].filter((code) => !GENERIC_CODES.includes(code)).sort()
}

function hasStatus(codes: Iterable<Code>, status: number): boolean {
  return [...codes].some((code) => statusOf(code) === status)
}

function isCode(name: unknown): name is Code {
  return typeof name === 'string' && name in ERRORS
}

/** For errors of one status, in the form of the path, with its name. Its example is the most common of the codes. */
export function buildErrorResponse(status: number, path: string, codes: readonly Code[]): [string, JsonObject] {
  const name = STATUS_CODES[status] ?? 'Failure'
  const links = codes.map(linkTo).join(', ')
  const known = codesOf(status).filter((code) => codes.includes(code))
  return [
    errorFormatOf(path).responseName.replace(/^Problem$/, '') + known.map(toPascal).join('Or'),
    { description: `${name}: ${links}`, content: errorContent(path, known[0]) },
  ]
}

/** Builds the shared response for the errors that any request can get, in the form of the path, with its name. */
export function buildDefaultResponse(path: string): [string, JsonObject] {
  const headers = refer(['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-Tier', 'Retry-After'])
  const name = errorFormatOf(path).responseName
  const codes = name === 'Problem' ? `: ${GENERIC_CODES.map(linkTo).join(', ')}` : ', as in `Problem`'
  const description = `Any other failure. What any request can get${codes}.`
  return [name, { description, headers, content: errorContent(path, 'rate_limited') }]
}

export function errorContent(path: string, code?: Code): JsonObject {
  const { schemaName, mediaType, toBody } = errorFormatOf(path)
  const example = code ? { example: toBody(new ApiError(code, ERRORS[code].help), EXAMPLE_REQUEST_ID) } : {}
  return { [mediaType]: { schema: schemaRef(schemaName), ...example } }
}

export function statusOf(code: Code): number {
  return ERRORS[code].status
}

function linkTo(code: Code): string {
  return `[\`${code}\`](/docs/errors#${code})`
}

function toPascal(code: Code): string {
  return code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
}

const EXAMPLE_REQUEST_ID = '01980000-0000-7000-8000-000000000000'

/** Builds the components that the document refers to; `schemas` and `responses` are its own. */
export async function buildComponents(schemas: JsonObject, responses: JsonObject): Promise<JsonObject> {
  return {
    schemas: await mapInTurns({ ...schemas, Problem }, (schema) => toJsonSchema(asPlain(schema))),
    responses,
    parameters: mapValues(PARAMETERS, (parameter, name) => ({ name, in: 'header', ...asObject(parameter) })),
    headers: HEADERS,
    securitySchemes: {
      ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'A key from the key page. Optional.' },
    },
  }
}

function codesOf(status: number): Code[] {
  return (Object.keys(ERRORS) as Code[]).filter((code) => ERRORS[code].status === status)
}
