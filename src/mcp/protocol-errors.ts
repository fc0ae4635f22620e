import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { ApiError } from '../http/api-error'

export function invalidParams(detail: string, data: Readonly<Record<string, unknown>> = {}): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, detail, { code: 'invalid_request', ...data })
}

/**
 * Does some work, and throws the ApiErrors that the caller can mend as invalid parameters, with our code in `data`.
 * Other errors fail the whole POST, see createEndpoint.
 */
export async function withProtocolErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    throw invalidParams(error.detail, { code: error.code })
  }
}
