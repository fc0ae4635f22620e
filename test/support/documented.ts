import { asObject, type JsonObject } from '../../src/openapi/json-schema'

/** An answer as the log of requests has it. `route` is the pattern of its path, null where there is no route. */
export interface Answered {
  readonly method: string
  readonly route: string | null
  readonly status: number
}

/**
 * Whether the document knows nothing of such an answer to an operation that it has. Of what is no operation of it, such
 * as a path without a route, a page, or a method that is not allowed, it need not know.
 */
export function isUndocumented(document: JsonObject, { method, route, status }: Answered): boolean {
  const path = route?.replace(/:(\w+)/g, '{$1}') ?? ''
  const operation = asObject(asObject(document.paths)[path])[method === 'HEAD' ? 'get' : method.toLowerCase()]
  return operation !== undefined && !(status in asObject(asObject(operation).responses))
}

/**
 * Those that were looked at in this process; and one of a target with a fragment, which no client sends: the router finds
 * nothing there, and the log names the route before the `#`.
 */
const known = new Set<string>(['GET /api 404'])

/**
 * Holds the answers of a world to the document of the API: what was answered over the whole suite must be documented.
 * @param readDocument is called at most once
 */
export function answerCheck(readDocument: () => Promise<JsonObject>) {
  let fresh: Answered[] = []
  return {
    note(answered: Answered): void {
      const { method, route, status } = answered
      const name = `${method} ${route} ${status}`
      if (known.has(name) || !route?.startsWith('/api')) return
      known.add(name)
      fresh.push(answered)
    },

    /** @throws Error that names what was answered since the last check and is not documented */
    async check(): Promise<void> {
      if (fresh.length === 0) return
      const answers = fresh
      fresh = []
      const document = await readDocument()
      const wrong = answers.filter((answered) => isUndocumented(document, answered))
      const names = wrong.map(({ method, route, status }) => `${method} ${route} answered ${status}`)
      if (names.length > 0) throw new Error(`/openapi.json does not say that ${names.join(', and that ')}.`)
    },
  }
}
