import { asObject, type JsonObject } from '../../src/openapi/json-schema'
import { resolve } from './openapi'

/** An answer as the log of requests has it. `route` is the pattern of its path, null where there is no route. */
export interface Answered {
  readonly method: string
  readonly route: string | null
  readonly status: number
  /** The code of an error, where the body was seen. */
  readonly code?: string
}

/** The operation of the document that an answer is one of; undefined for a path without a route, or a page. */
function operationOf(document: JsonObject, { method, route }: Answered): JsonObject | undefined {
  const path = route?.replace(/:(\w+)/g, '{$1}') ?? ''
  const operation = asObject(asObject(document.paths)[path])[method === 'HEAD' ? 'get' : method.toLowerCase()]
  return operation === undefined ? undefined : asObject(operation)
}

/**
 * Whether the document knows nothing of such an answer to an operation that it has. Of what is no operation of it, such
 * as a path without a route, a page, or a method that is not allowed, it need not know. An error is documented if its
 * code is: as one of the operation's own, or as one that any request can get.
 */
export function isUndocumented(document: JsonObject, answered: Answered): boolean {
  const operation = operationOf(document, answered)
  if (operation === undefined) return false
  const { status, code } = answered
  const responses = asObject(operation.responses)
  if (status < 400) return !(status in responses)
  const told = [responses[status], responses.default].map((one) => String(resolve(document, one).description ?? ''))
  return code === undefined
    ? !(status in responses) && told[1] === ''
    : !told.some((text) => text.includes(`\`${code}\``))
}

/**
 * Those that were looked at in this process; and one of a target with a fragment, which no client sends: the router finds
 * nothing there, and the log names the route before the `#`.
 */
const known = new Set<string>(['GET /api 404', 'GET /api 404 not_found'])

/**
 * Holds the answers of a world to the document of the API: what was answered over the whole suite must be documented.
 * @param readDocument is called at most once
 */
export function answerCheck(readDocument: () => Promise<JsonObject>) {
  let fresh: Answered[] = []
  let refused = new Map<string, Answered>()

  function look(answered: Answered): void {
    const { method, route, status, code } = answered
    const name = [method, route, status, ...(code === undefined ? [] : [code])].join(' ')
    if (known.has(name) || !route?.startsWith('/api')) return
    known.add(name)
    fresh.push(answered)
  }

  return {
    note(answered: Answered & { readonly request_id?: string }): void {
      look(answered)
      // Of a world that is only asked over its socket no body is seen.
      if (refused.size > 1000) refused = new Map()
      if (answered.status >= 400 && answered.request_id !== undefined) refused.set(answered.request_id, answered)
    },

    /** Notes the code of an error, by its body. */
    noteBody(body: unknown): void {
      const { code: own, error, request_id } = asObject(body)
      const code = own ?? asObject(asObject(error).x_satchel).code
      const answered = refused.get(String(request_id))
      if (typeof code === 'string' && answered) look({ ...answered, code })
      refused = new Map()
    },

    /** @throws Error that names what was answered since the last check and is not documented */
    async check(): Promise<void> {
      if (fresh.length === 0) return
      const answers = fresh
      fresh = []
      const document = await readDocument()
      const wrong = answers.filter((answered) => isUndocumented(document, answered))
      const names = wrong.map(({ method, route, status, code = '' }) => `${method} ${route} answered ${status} ${code}`)
      if (names.length > 0) throw new Error(`/openapi.json does not say that ${names.join(', and that ')}.`)
    },
  }
}
