import { afterAll, describe, expect, test } from 'bun:test'
import { asList, asObject, type JsonObject } from '../../src/openapi/json-schema'
import { operations, resolve } from '../support/openapi'
import { makeKey, makeWorld } from '../support/world'
import { exampleOf, stock } from '../torture/stock'

/**
 * What every operation with a cursor, If-Match or Idempotency-Key owes: each is asked in a workspace that has one of
 * everything, and each refuses one that is wrong.
 */

const world = await makeWorld()
const me = { key: makeKey(1) }
const document: JsonObject = (await world.call({}, 'GET', '/openapi.json')).body
const { fill } = await stock(world.listen().slice(0, -1), me.key, document)
afterAll(world.close)

/** The operations with a parameter of such a name, each with its method, path and body, and how it is called. */
function having(parameter: string) {
  return operations(document).flatMap(({ path, method, operation }) => {
    const parameters = asList(operation.parameters).map((one) => resolve(document, one))
    if (!parameters.some(({ name }) => name === parameter)) return []
    const query = new URLSearchParams()
    for (const { name, required, schema, ...rest } of parameters)
      if (rest.in === 'query' && required) query.set(String(name), REQUIRED[String(name)] ?? '2026-03-01')
    return [{ name: `${method.toUpperCase()} ${path}`, method: method.toUpperCase(), path, operation, query }]
  })
}

const REQUIRED: Readonly<Record<string, string>> = { q: 'torture' }

type Asked = ReturnType<typeof having>[number]

/** Asks one, and returns the code of the error. */
async function codeOf({ method, path, query, operation }: Asked, headers: Record<string, string> = {}) {
  const [type = 'application/json'] = Object.keys(asObject(resolve(document, operation.requestBody).content))
  const isJson = type === 'application/json'
  const body = method === 'GET' || method === 'DELETE' ? undefined : isJson ? (exampleOf(document, operation) ?? {}) : 'x'
  const given = { ...(body === undefined ? {} : { 'Content-Type': type }), ...headers }
  const { status, body: answered } = await world.call(me, method, `${fill(path)}?${query}`, body, given)
  return `${status} ${answered.code ?? asObject(asObject(answered.error).x_satchel).code ?? JSON.stringify(answered).slice(0,200)}`
}

describe('a cursor of another list', () => {
  test.each(having('cursor').map((one) => [one.name, one] as const))('is refused by %s', async (_, one) => {
    one.query.set('cursor', 'other')
    expect(await codeOf(one)).toBe('400 invalid_cursor')
  })
})

describe('the ETag of another revision', () => {
  test.each(having('If-Match').map((one) => [one.name, one] as const))('is refused by %s', async (_, one) => {
    expect(await codeOf(one, { 'If-Match': '"999"' })).toBe('412 precondition_failed')
  })
})

describe('the Idempotency-Key of another request', () => {
  test.each(having('Idempotency-Key').map((one) => [one.name, one] as const))('is refused by %s', async (_, one) => {
    const headers = { 'Idempotency-Key': `once` }
    await world.call(me, 'POST', '/api/notes', { title: 'the other' }, headers)
    expect(await codeOf(one, headers)).toBe('409 conflict')
  })
})
