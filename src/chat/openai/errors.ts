import { Type } from '@sinclair/typebox'
import type { ApiError, ErrorCode, Fault } from '../../http/api-error'
import type { ErrorFormat } from '../../http/error-format'
import { FaultSchema } from '../../http/schema'

/** The errors of OpenAI's API as its clients read them: only under `application/json`. */

const code = Type.String({ description: 'The stable code of the error; /docs/errors lists all codes.' })

/** The schema of an error on the paths of OpenAI's API. */
export const OpenAiError = Type.Object({
  error: Type.Object({
    message: Type.String({ description: 'What went wrong this time, in one sentence.' }),
    type: Type.String({ description: "OpenAI's name for errors of this kind, such as `invalid_request_error`." }),
    param: Type.Union([Type.String(), Type.Null()], {
      description: 'The first member of the request that is wrong, such as `messages[0].content`.',
    }),
    code: Type.String({ description: "The stable code of the error, or OpenAI's where its clients act on that." }),
    x_satchel: Type.Object(
      { code, errors: Type.Optional(Type.Array(FaultSchema)) },
      { additionalProperties: true, description: 'What other endpoints say in their errors beside the sentence.' },
    ),
  }),
  request_id: Type.String({ description: 'The id under which the log of the server has this request.' }),
})

/** Errors on the paths of OpenAI's API: clients choose a class by the status, and show `message`. */
export const OPENAI_ERRORS: ErrorFormat = {
  schema: OpenAiError,
  schemaName: 'OpenAiError',
  responseName: 'OpenAiError',
  mediaType: 'application/json',
  toBody: (error, request_id) => ({
    error: {
      message: error.detail,
      type: toOpenAiType(error),
      param: findParam(error),
      code: OPENAI_CODES[error.code] ?? error.code,
      x_satchel: { code: error.code, ...error.extra },
    },
    request_id,
  }),
}

/** OpenAI's codes on which its clients act: they try again later, or not at all where tokens are used up. */
const OPENAI_CODES: Partial<Record<ErrorCode, string>> = {
  rate_limited: 'rate_limit_exceeded',
  quota_exceeded: 'insufficient_quota',
}

function toOpenAiType({ code, status }: ApiError): string {
  if (code === 'quota_exceeded') return 'insufficient_quota'
  if (status === 429) return 'rate_limit_error'
  if (status === 503) return 'service_unavailable_error'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}

/** Writes the pointer of the first fault as OpenAI names members: `/messages/0/content` is `messages[0].content`. */
function findParam({ extra }: ApiError): string | null {
  const [fault] = (extra.errors ?? []) as readonly Fault[]
  if (!fault || fault.pointer === '') return null
  const names = fault.pointer.slice(1).split('/')
  const path = names.map((name) => (/^\d+$/.test(name) ? `[${name}]` : `.${name}`)).join('')
  return path.replace(/^\./, '').replaceAll('~1', '/').replaceAll('~0', '~')
}
