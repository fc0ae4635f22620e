import type { TSchema } from '@sinclair/typebox'
import { type ApiError, errorBody } from './api-error'
import { FaultSchema, nameSchemas, Problem } from './schema'

export interface ErrorFormat {
  readonly schema: TSchema
  readonly schemaName: string
  /** The name of its responses in the API document, less their status. */
  readonly responseName: string
  readonly mediaType: string
  /** Makes the error object. @param requestId the id under which the log has the request */
  toBody(error: ApiError, requestId: string): object
}

/** The form of all errors but those of paths with a form of their own (RFC 9457). */
const PROBLEM: ErrorFormat = {
  schema: Problem,
  schemaName: 'Problem',
  responseName: 'Problem',
  mediaType: 'application/problem+json',
  toBody: errorBody,
}

/** The same object for clients that read errors only under `application/json`. */
export const PLAIN_PROBLEM: ErrorFormat = {
  ...PROBLEM,
  responseName: 'PlainProblem',
  mediaType: 'application/json',
}

nameSchemas({ Fault: FaultSchema })

const declared = new Map<string, ErrorFormat>()

/**
 * Declares the form of the errors at these paths and below them, for routes that follow the API of another product. It
 * also holds for what is answered before the route is found: the errors of the gate, 404 and 405.
 */
export function declareErrorFormat(format: ErrorFormat, paths: readonly `/api/${string}`[]): void {
  nameSchemas({ [format.schemaName]: format.schema })
  for (const path of paths) declared.set(path, format)
}

/** Returns the form of the errors at a path. It depends on the first segment after /api alone. */
export function errorFormatOf(path: string): ErrorFormat {
  return declared.get(path.split('/', 3).join('/')) ?? PROBLEM
}

/** @param path decides the form @param requestId the id under which the log has it */
export function errorResponse(error: ApiError, path: string, requestId: string): Response {
  const { mediaType, toBody } = errorFormatOf(path)
  return new Response(JSON.stringify(toBody(error, requestId)), {
    status: error.status,
    headers: { 'Content-Type': mediaType, 'Cache-Control': 'no-store', ...error.headers },
  })
}
