import { asObject, type JsonObject } from '../../src/openapi/json-schema'

/** The forms of errors, as the clients of each API read them: written down here once more, apart from the source. */

const OLLAMA = /^\/api\/(chat|generate|embed|embeddings|tags|show|ps|version|pull|push|create|copy|delete|blobs)(\/|$)/
const MCP = /^\/api\/mcp(\/|$)/
const OPENAI = /^\/api\/openai(\/|$)/

export interface ReadError {
  /** The media type that the path owes. */
  readonly mediaType: string
  readonly code: unknown
  /** The sentence for people. */
  readonly detail: unknown
  readonly request_id: unknown
  /** The faults of a request that failed validation. */
  readonly errors: unknown
  /** What is wrong with its form, in words. */
  readonly faults: readonly string[]
}

/** Reads an error in the form of its path, which is without its query. */
export function readError(path: string, status: number, body: JsonObject): ReadError {
  if (OPENAI.test(path)) return readOpenAi(status, body)
  if (MCP.test(path)) return readMcp(body)
  const { code, request_id, errors, error, detail } = body
  const faults = [
    ...(body.type === `/docs/errors#${code}` ? [] : [`type ${body.type}`]),
    ...(body.status === status ? [] : [`status ${body.status}`]),
    ...(typeof body.title === 'string' ? [] : [`title ${body.title}`]),
    ...(detail === error ? [] : [`detail ${detail}, error ${error}`]),
  ]
  const mediaType = OLLAMA.test(path) ? 'application/json' : 'application/problem+json'
  return { mediaType, code, detail, request_id, errors, faults }
}

const OPENAI_TYPES: readonly [type: string, from: number, to: number][] = [
  ['rate_limit_error', 429, 429],
  ['insufficient_quota', 429, 429],
  ['service_unavailable_error', 503, 503],
  ['server_error', 500, 599],
  ['invalid_request_error', 400, 499],
]

const OPENAI_CODES = new Map<unknown, string>([
  ['rate_limited', 'rate_limit_exceeded'],
  ['quota_exceeded', 'insufficient_quota'],
])

function readOpenAi(status: number, body: JsonObject): ReadError {
  const error = asObject(body.error)
  const { code, errors } = asObject(error.x_satchel)
  const [type] = OPENAI_TYPES.find(([name]) => name === error.type) ?? []
  const faults = [
    ...(Object.keys(body).join() === 'error,request_id' ? [] : [`members ${Object.keys(body)}`]),
    ...(Object.keys(error).join() === 'message,type,param,code,x_satchel' ? [] : [`members ${Object.keys(error)}`]),
    ...(OPENAI_TYPES.some(([name, from, to]) => name === type && status >= from && status <= to)
      ? []
      : [`type ${error.type} with status ${status}`]),
    ...(error.param === null || typeof error.param === 'string' ? [] : [`param ${error.param}`]),
    ...(error.code === (OPENAI_CODES.get(code) ?? code) ? [] : [`code ${error.code}, ours ${code}`]),
  ]
  return {
    mediaType: 'application/json',
    code,
    detail: error.message,
    request_id: body.request_id,
    errors,
    faults,
  }
}

/** The codes of JSON-RPC and of the protocol, for ours. */
const RPC_CODES: Readonly<Record<string, readonly number[]>> = {
  invalid_json: [-32700],
  invalid_request: [-32600, -32602, -32000, -32020, -32021, -32022],
  not_found: [-32601, -32000],
  internal: [-32603],
}

function readMcp(body: JsonObject): ReadError {
  const { code: rpcCode, message, data } = asObject(body.error)
  const { code, request_id, errors } = asObject(data)
  const known = RPC_CODES[String(code)] ?? [-32000]
  const faults = [
    ...(body.jsonrpc === '2.0' ? [] : [`jsonrpc ${body.jsonrpc}`]),
    ...(['undefined', 'string', 'number'].includes(typeof body.id) ? [] : [`id ${body.id}`]),
    ...(known.includes(Number(rpcCode)) ? [] : [`code ${rpcCode} for ${code}`]),
  ]
  return { mediaType: 'application/json', code, detail: message, request_id, errors, faults }
}
