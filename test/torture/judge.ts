import { ERRORS } from '../../src/http/api-error'
import { asObject, type JsonObject } from '../../src/openapi/json-schema'
import { type ReadError, readError } from '../support/error-forms'

/** What every answer owes, however bad its request. */

export interface Judged {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const COUNT = /^(0|[1-9][0-9]*)$/
/** What must not reach a client: where our code lies, and what it is made of. */
const INTERNAL = /SQLITE|bun:sqlite|node_modules|\/src\/|\.ts:\d|SyntaxError|TypeError|RangeError/

const EMBEDDINGS = /^\/api\/(embed|embeddings|openai\/embeddings)$/

/** What is wrong with an answer, in words. `pathname` is without its query. */
export function faultsOf({ status, headers, text }: Judged, pathname: string): string[] {
  // Bun refuses a head of over 16 KiB itself, without our headers: docs/operating.md.
  if (status === 431) return []
  const isApi = pathname === '/api' || pathname.startsWith('/api/')
  return [
    ...(status >= 500 && !isExpected(status, headers, text, pathname)
      ? [`status ${status}: ${text.slice(0, 200)}`]
      : []),
    ...(isApi ? limitFaults(headers) : []),
    ...(headers.get('X-Content-Type-Options') === 'nosniff' ? [] : ['no X-Content-Type-Options']),
    ...(headers.has('Content-Security-Policy') ? [] : ['no Content-Security-Policy']),
    ...(status >= 400 && text !== '' && isApi ? problemFaults(status, headers, text, pathname) : []),
  ]
}

/** 501 tells those who ask a server without a model for embeddings; 503 an import that waits for others. */
function isExpected(status: number, headers: Headers, text: string, pathname: string): boolean {
  if (status === 501) return EMBEDDINGS.test(pathname)
  return status === 503 && headers.has('Retry-After') && /yours has place \d+ in line/.test(text)
}

function limitFaults(headers: Headers): string[] {
  const tier = headers.get('X-Tier') ?? ''
  const counts = ['X-RateLimit-Limit', 'X-RateLimit-Remaining']
  return [
    ...(['free', 'api'].includes(tier) ? [] : [`X-Tier is ${tier}`]),
    ...counts.flatMap((name) => (COUNT.test(headers.get(name) ?? '') ? [] : [`${name} is ${headers.get(name)}`])),
  ]
}

function problemFaults(status: number, headers: Headers, text: string, pathname: string): string[] {
  const told = headers.get('Content-Type')
  let problem: ReadError
  try {
    problem = readError(pathname, status, asObject(JSON.parse(text)))
  } catch {
    return [`the error is no JSON: ${text.slice(0, 100)}`]
  }
  const { mediaType, code, detail, errors, request_id, faults } = problem
  const known = Object.entries(ERRORS).find(([name]) => name === code)?.[1]
  const said = [detail, ...(Array.isArray(errors) ? errors.map((one) => asObject(one).detail) : [])]
  return [
    ...(told === mediaType ? [] : [`Content-Type is ${told}`]),
    ...faults,
    ...(known?.status === status ? [] : [`code ${code} with status ${status}`]),
    ...(typeof detail === 'string' && detail !== '' ? [] : [`detail ${detail}`]),
    ...(typeof request_id === 'string' ? [] : ['no request_id']),
    ...(INTERNAL.test(said.join(' ')) ? [`it tells of our inside: ${said.join(' ').slice(0, 200)}`] : []),
  ]
}

/** Statuses that any operation may answer without saying so: another method, or a type that is not to be had. */
const ALWAYS = [405, 406, 204]

/** The answer's status is among those that the document gives the operation. */
export function undocumented(
  document: JsonObject,
  operation: string | null,
  pathname: string,
  status: number,
): string[] {
  if (operation === null || ALWAYS.includes(status)) return []
  const [method = '', path = ''] = operation.split(' ')
  // With an empty parameter it is another path, which may not be there.
  if (pathname.includes('//') || pathname.split('/').length !== path.split('/').length || pathname.endsWith('/'))
    return []
  const { responses, requestBody } = asObject(asObject(asObject(document.paths)[path])[method.toLowerCase()])
  // A body where none belongs is looked at all the same.
  if (!requestBody && [413, 415].includes(status)) return []
  // What any request can be refused with is said once.
  const isShared = status >= 400 && 'default' in asObject(responses)
  return isShared || String(status) in asObject(responses)
    ? []
    : [`${operation} answers ${status}, which the document does not say`]
}
