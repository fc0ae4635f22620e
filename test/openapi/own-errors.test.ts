import { afterAll, expect, test } from 'bun:test'
import { asList, asObject, type JsonObject } from '../../src/openapi/json-schema'
import { readError } from '../support/error-forms'
import { operations, resolve } from '../support/openapi'
import { makeVectors } from '../support/vectors'
import { makeKey, makeWorld } from '../support/world'
import { exampleOf, stock } from '../torture/stock'

/**
 * What each operation with a cursor, If-Match or Idempotency-Key refuses, asked in a workspace that has one of everything.
 * Errors that a single operation has are tested with it; that none is declared in vain, by test/unanswered.ts.
 */

const model = makeVectors()
const world = await makeWorld({ settings: model.settings })
const me = { key: makeKey(1) }
const document: JsonObject = (await world.call({}, 'GET', '/docs/json')).body
const { fill } = await stock(world.listen().slice(0, -1), me.key, document)
afterAll(async () => {
  await world.close()
  await model.stop()
})

/** What a required parameter of a query is; it is a date where nothing is said. */
const REQUIRED: Readonly<Record<string, string>> = { q: 'torture', name: 'torture.txt', format: 'csv' }

interface Asked {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  /** The media type of the body; null without one. */
  readonly type: string | null
  readonly body: unknown
}

/** The operations that have a parameter, by their names. */
function having(parameter: string): [name: string, asked: Asked][] {
  return operations(document).flatMap(({ path, method, operation }) => {
    const parameters = asList(operation.parameters).map((one) => resolve(document, one))
    if (!parameters.some(({ name }) => name === parameter)) return []
    const required = parameters
      .filter((one) => one.in === 'query' && (one.required || one.name === 'name'))
      .map(({ name }) => String(name))
    const query = new URLSearchParams(required.map((name) => [name, REQUIRED[name] ?? '2026-03-01']))
    const [type = null] = Object.keys(asObject(resolve(document, operation.requestBody).content))
    const body = type === 'application/json' ? (exampleOf(document, operation) ?? {}) : type === null ? undefined : 'x'
    return [[`${method.toUpperCase()} ${path}`, { method: method.toUpperCase(), path, query, type, body }]]
  })
}

/** The status and code of an answer. */
async function ask({ method, path, query, type, body }: Asked, headers: Record<string, string> = {}) {
  const typed = type === null ? {} : { 'Content-Type': type }
  const answer = await world.call(me, method, `${fill(path)}?${query}`, body, { ...typed, ...headers })
  return [answer.status, readError(path, answer.status, asObject(answer.body)).code]
}

test.each(having('cursor'))('%s refuses the cursor of another list', async (_, asked) => {
  asked.query.set('cursor', 'other')
  expect(await ask(asked)).toEqual([400, 'invalid_cursor'])
})

test.each(having('If-Match'))('%s refuses the ETag of another revision', async (_, asked) => {
  expect(await ask(asked, { 'If-Match': '"999"' })).toEqual([412, 'precondition_failed'])
})

const files = having('Idempotency-Key').filter(([name]) => name.endsWith('/import'))

test.each(files)('%s refuses a file that is cut off', async (_, asked) => {
  expect(await ask(asked, { 'Content-Encoding': 'gzip' })).toEqual([400, 'archive_refused'])
})

// MCP has it for calls that write alone: see test/mcp/endpoint.test.ts.
const once = having('Idempotency-Key').filter(([, { path }]) => path !== '/api/mcp')

test.each(once)('%s refuses the Idempotency-Key of another request', async (_, asked) => {
  const headers = { 'Idempotency-Key': 'of-another' }
  expect((await world.call(me, 'POST', '/api/notes', { title: 'another' }, headers)).status).toBe(201)
  expect(await ask(asked, headers)).toEqual([409, 'conflict'])
})
