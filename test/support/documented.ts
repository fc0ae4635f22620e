import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { asObject, type JsonObject } from '../../src/openapi/json-schema'
import { operations, resolve } from './openapi'

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

const GENERIC = { $ref: '#/components/responses/Problem' }

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
  // What any request can get is said once.
  if (told[1]?.endsWith('as in `Problem`.')) told.push(String(resolve(document, GENERIC).description))
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
 * The errors that an operation of the document declares as its own and that no test has seen answered, as
 * `GET /api/notes/:id not_found`, sorted.
 * @param answered what `record` has written
 */
export function unansweredErrors(document: JsonObject, answered: ReadonlySet<string>): string[] {
  const declared = operations(document).flatMap(({ path, method, operation }) =>
    Object.entries(asObject(operation.responses))
      .filter(([status]) => Number(status) >= 400)
      .flatMap(([, response]) => codesOf(resolve(document, response)))
      .map((code) => nameOf({ method: method.toUpperCase(), route: path.replaceAll(/\{(\w+)\}/g, ':$1'), code })),
  )
  return declared.filter((name) => !answered.has(name)).sort()
}

/** The codes to which the description of a response links. */
function codesOf({ description }: JsonObject): string[] {
  return [...String(description).matchAll(/#(\w+)\)/g)].map(([, code = '']) => code)
}

/** The name of an error of an operation in the record. */
function nameOf({ method, route, code }: Pick<Answered, 'method' | 'route' | 'code'>): string {
  return `${method} ${route} ${code}`
}

/** Where each process of a run of the tests writes what errors were answered, to be read by test/unanswered.ts. */
const RECORD = process.env.ANSWERED_ERRORS

function record(answered: Answered): void {
  if (RECORD && answered.code !== undefined) appendFileSync(join(RECORD, String(process.pid)), `${nameOf(answered)}\n`)
}

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
    record(answered)
  }

  return {
    note(answered: Answered & { readonly request_id?: string }): void {
      look(answered)
      // An answer to HEAD has no body.
      if (refused.size > 1000) refused = new Map()
      if (answered.status >= 400 && answered.request_id !== undefined) refused.set(answered.request_id, answered)
    },

    /** Notes the code of an error, by its body: in our form, or in one that the clients of OpenAI or MCP read. */
    noteBody(body: unknown): void {
      const whole = asObject(body)
      const error = asObject(whole.error)
      const { code } = [asObject(error.x_satchel), asObject(error.data), whole].find((one) => 'code' in one) ?? {}
      const id = String(whole.request_id ?? asObject(error.data).request_id)
      const answered = refused.get(id)
      if (typeof code === 'string' && answered) look({ ...answered, code })
      refused.delete(id)
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
