import { Type } from '@sinclair/typebox'
import { ApiError, type ErrorCode } from '../http/api-error'
import type { ErrorFormat } from '../http/error-format'
import { FaultSchema } from '../http/schema'

type RpcId = string | number

/** The codes of JSON-RPC for those of the API; all others are -32000, a code for servers. */
const RPC_CODES: Partial<Record<ErrorCode, number>> = {
  invalid_json: -32700,
  invalid_request: -32600,
  internal: -32603,
}
const SERVER_ERROR = -32000

/** The schema of an error of /api/mcp that is answered with a status other than 200. */
export const McpError = Type.Object({
  jsonrpc: Type.Literal('2.0'),
  id: Type.Optional(
    Type.Union([Type.String(), Type.Integer(), Type.Null()], {
      description: 'Only if the id of the request is known.',
    }),
  ),
  error: Type.Object({
    code: Type.Integer({ description: 'The code of JSON-RPC or of the protocol.' }),
    message: Type.String({ description: 'What went wrong this time, in one sentence.' }),
    data: Type.Optional(
      Type.Object(
        {
          code: Type.Optional(
            Type.String({ description: 'The stable code of the error; /docs/errors lists all codes.' }),
          ),
          request_id: Type.Optional(
            Type.String({ description: 'The id under which the log of the server has this request.' }),
          ),
          errors: Type.Optional(Type.Array(FaultSchema)),
        },
        {
          additionalProperties: true,
          description: 'Of errors that are not of the protocol: what other endpoints say.',
        },
      ),
    ),
  }),
})

export class McpFailure extends ApiError {
  constructor(
    error: ApiError,
    readonly id: RpcId,
    cause: unknown,
  ) {
    super(error.code, error.detail, error.extra, error.headers)
    this.cause = cause
  }
}

/** Errors of /api/mcp. An id that is not known is left out, as the protocol demands. */
export const MCP_ERRORS: ErrorFormat = {
  schema: McpError,
  schemaName: 'McpError',
  responseName: 'McpError',
  mediaType: 'application/json',
  toBody: (error, request_id) => ({
    jsonrpc: '2.0',
    ...(error instanceof McpFailure && { id: error.id }),
    error: {
      code: RPC_CODES[error.code] ?? SERVER_ERROR,
      message: error.detail,
      data: { code: error.code, request_id, ...error.extra },
    },
  }),
}

export function readRpcId(body: unknown): RpcId | null {
  if (typeof body !== 'object' || body === null || !('id' in body) || !('method' in body)) return null
  return typeof body.id === 'string' || typeof body.id === 'number' ? body.id : null
}

/** Adds the code of the API and the id of the request to an error of the SDK, whose status is 400 or 404. */
export async function withApiCode(response: Response, requestId: string): Promise<Response> {
  const { id, error } = (await response.json()) as RpcErrorBody
  const code: ErrorCode = response.status === 404 ? 'not_found' : 'invalid_request'
  const data = { code, request_id: requestId, ...error.data }
  const body = { jsonrpc: '2.0', ...(id !== null && { id }), error: { ...error, data } }
  return new Response(JSON.stringify(body), {
    status: response.status,
    headers: { 'Content-Type': 'application/json' },
  })
}

interface RpcErrorBody {
  readonly id: RpcId | null
  readonly error: { readonly code: number; readonly message: string; readonly data?: object }
}
