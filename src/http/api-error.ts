/**
 * The one place that makes an error response (RFC 9457).
 * A service says no by throwing a Refusal; anything else that is thrown is our fault and becomes `internal`.
 */
import { ERRORS, type ErrorCode } from './error-codes'

/** One fault of a validated request. `pointer` is a JSON Pointer (RFC 6901) into the body, or `/name` of a parameter. */
export interface Fault {
  readonly pointer: string
  readonly code: string
  readonly detail: string
}

/** Of more faults in one request, the first are told: a hostile one has thousands. */
export const FAULTS_TOLD = 20

/** A request that is told no. `extra` are further members of the error object, e.g. `current` or `errors`. */
export class ApiError extends Error {
  override readonly name = 'Refusal'

  constructor(
    readonly code: ErrorCode,
    readonly detail: string,
    readonly extra: Readonly<Record<string, unknown>> = {},
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail)
  }

  get status(): number {
    return ERRORS[this.code].status
  }
}

/** A 400 that points at one member of the body or one parameter. */
export function invalid(pointer: string, code: string, detail: string): ApiError {
  return new ApiError('invalid_request', detail, { errors: [{ pointer, code, detail } satisfies Fault] })
}

/** UTF-16 units of a name that a sentence shows. */
const NAME_SHOWN = 200

/** A name from a request as a sentence shows it: it may be as long as a body, and is told several times. */
export function shownName(name: string): string {
  return name.length <= NAME_SHOWN ? name : `${name.slice(0, NAME_SHOWN)}…`.toWellFormed()
}

/** A failure of ours. The sentence is fixed: no internal text, SQL, path or stack reaches a client. */
export function internal(): ApiError {
  return new ApiError(
    'internal',
    'The server failed to answer this request. Its log has the details under this request_id.',
  )
}

/** Ollama and OpenAI clients read errors only under application/json: these paths get the same object so. */
const PLAIN_JSON = /^\/api\/(chat|embed|version|tags|show|ps|mcp|openai\/.*)\/?$/

/** The response for a refusal. `path` decides the media type, `requestId` ties the answer to the log. */
export function errorResponse(refusal: ApiError, path: string, requestId: string): Response {
  return new Response(JSON.stringify(errorBody(refusal, requestId)), {
    status: refusal.status,
    headers: {
      'Content-Type': PLAIN_JSON.test(path) ? 'application/json' : 'application/problem+json',
      'Cache-Control': 'no-store',
      ...refusal.headers,
    },
  })
}

/** The error object itself, for an answer that holds several. */
export function errorBody(refusal: ApiError, requestId: string) {
  return {
    type: `/docs/errors#${refusal.code}`,
    title: ERRORS[refusal.code].title,
    status: refusal.status,
    code: refusal.code,
    detail: refusal.detail,
    error: refusal.detail,
    request_id: requestId,
    ...refusal.extra,
  }
}
