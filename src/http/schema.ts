/**
 * Shapes that routes of every feature share. A route declares only what is its own: the document of the API adds the
 * errors that any request can meet (see system/openapi.ts).
 */
import { Type } from '@sinclair/typebox'

const FaultSchema = Type.Object({
  pointer: Type.String({ description: 'JSON Pointer into the body, or /name of a parameter.' }),
  code: Type.String(),
  detail: Type.String(),
})

/**
 * The one shape of every failure (RFC 9457), for `response: { 404: Problem }`. It is open: a code may bring members of
 * its own, e.g. `current`. Without a description of its own, since that would hide the one of each status in the docs.
 */
export const Problem = Type.Object(
  {
    type: Type.String({ format: 'uri-reference', description: 'Where the code is explained.' }),
    title: Type.String(),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    code: Type.String({ description: 'Stable name of what went wrong; all are listed at /docs/errors.' }),
    detail: Type.String({ description: 'What went wrong this time, in a sentence.' }),
    error: Type.String({ description: 'The same sentence, for clients that read a plain string.' }),
    request_id: Type.String({ description: 'Ties this answer to the log of the server.' }),
    errors: Type.Optional(Type.Array(FaultSchema, { description: 'Each fault of a request that failed validation.' })),
  },
  { additionalProperties: true },
)

/** For a status without content: `response: { 204: NoContent }`, `304: NoContent`. */
export const NoContent = Type.Void()
