import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { ApiError } from '../http/api-error'
import type { ToolContext } from '../tools/tool'

/** With ?mode=read there are reading tools alone. The time zone is that of the workspace's settings. */
export interface McpCall extends Pick<ToolContext, 'session' | 'mode' | 'timeZone' | 'now' | 'signal'> {
  /** The era of the protocol: 2026-07-28 or one of 2025. */
  readonly era: 'modern' | 'legacy'
}

/** What the handlers of a POST tell the endpoint beside their results. */
export interface McpExchange {
  readonly request: Request
  /**
   * Reports an error that is no result of the protocol: an ApiError that any endpoint would answer with its status, or
   * a fault of ours. The whole POST is answered with the first one.
   */
  fail(error: unknown): void
  /** Reports that the result is the stored one of an earlier request with the same Idempotency-Key. */
  markReplayed(): void
}

export function invalidParams(detail: string, data: Readonly<Record<string, unknown>> = {}): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, detail, { code: 'invalid_request', ...data })
}

/** Throws ApiErrors that the caller can mend as invalid parameters, with our code in `data`; see createEndpoint. */
export async function withProtocolErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    throw invalidParams(error.detail, { code: error.code })
  }
}
