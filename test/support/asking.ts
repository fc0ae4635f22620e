/** What to ask of a route, and what every route is asked by what its operation takes. */
import { asList, asObject, type JsonObject } from '../../src/openapi/json-schema'
import { resolve } from './openapi'
import type { Ask, Visitor } from './visitor'

export type Asking = (visitor: Visitor) => Promise<Ask> | Ask

export interface Route {
  /** A request that it serves; the visitor prepares what it needs. */
  readonly served: Asking
  readonly status: number
  /** Without a key it is refused with 400. */
  readonly needsKey?: boolean
  /** Further requests, by the status of their answers, beside the common ones. */
  readonly others?: Readonly<Record<number, readonly Asking[]>>
}

/** A route by the status and the request that it serves, and by further ones. */
export const route = (status: number, served: Asking, others: Route['others'] = {}): Route => ({
  status,
  served,
  others,
})

const LARGE = JSON.stringify({ body: 'x'.repeat(2 * 1024 * 1024) })
export const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }
/** A page of another site may send it without a preflight. */
const TEXT = { 'Content-Type': 'text/plain' }

const NO_JSON = ['{', '{"a":1}}', "{'a':1}", `${'['.repeat(70)}${']'.repeat(70)}`, new Uint8Array([0x22, 0xff, 0x22])]
const NO_OBJECT = ['[]', '"\\ud800"', '{"\\u0000":1}', '{"__proto__":{"a":1}}', '{"colour":"red"}']

export const NOBODY = '01890000-0000-7000-8000-00000000ffff'
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g

export const get =
  (path: string, headers = {}): Asking =>
  () => ({ path, headers })
export const post =
  (path: string, body: unknown, headers = {}): Asking =>
  () => ({ method: 'POST', path, body, headers })
/** A path with each of the queries. */
export const queries = (path: string, ...list: readonly string[]): Asking[] =>
  list.map((query) => get(`${path}?${query}`))
/** The same Idempotency-Key came with another body before. */
export const keyReused =
  (asking: Asking, body: unknown): Asking =>
  async (visitor) => {
    const asked = await asking(visitor)
    const ask = { ...asked, headers: { ...asked.headers, 'Idempotency-Key': 'one' } }
    await visitor.send(ask)
    return { ...ask, body }
  }

export interface Case {
  readonly status: number
  /** The code of the error. */
  readonly code?: string
  readonly asking: Asking
}

/** What an operation is asked since it takes a JSON body, an id, a cursor, or a header that others take too. */
export function commonCases(document: JsonObject, operation: JsonObject, served: Asking): Case[] {
  const parameters = asList(operation.parameters).map((one) => resolve(document, one))
  // A name of a model is no id of ours.
  const hasId = parameters.some(({ name, in: place, schema }) => {
    return name === 'id' && place === 'path' && Object.keys(asObject(schema)).length > 1
  })
  const named = parameters.map(({ name }) => String(name)).filter((name) => name !== 'id' || hasId)
  const takes = Object.keys(asObject(resolve(document, operation.requestBody).content))
  const but =
    (change: (ask: Ask) => Partial<Ask>): Asking =>
    async (visitor) => {
      const ask = await served(visitor)
      return { ...ask, ...change(ask) }
    }
  const send = (body: unknown) => but(() => ({ body }))
  const say = (more: Record<string, string>) => but(({ headers }) => ({ headers: { ...headers, ...more } }))
  const query = (text: string) => but(({ path }) => ({ path: `${path}${path.includes('?') ? '&' : '?'}${text}` }))
  const all: Record<string, Case[]> = {
    'application/json': [
      ...NO_JSON.map((body) => ({ status: 400, code: 'invalid_json', asking: send(body) })),
      ...NO_OBJECT.map((body) => ({ status: 400, asking: send(body) })),
      { status: 413, code: 'too_large', asking: send(LARGE) },
      { status: 415, code: 'unsupported_media_type', asking: but(() => ({ body: '{}', headers: TEXT })) },
    ],
    'If-Match': [
      { status: 400, asking: say({ 'If-Match': 'bare' }) },
      { status: 412, code: 'precondition_failed', asking: say({ 'If-Match': '"77-0"' }) },
    ],
    'If-None-Match': [
      { status: 400, asking: say({ 'If-None-Match': 'bare' }) },
      { status: 304, asking: say({ 'If-None-Match': '*' }) },
    ],
    'Idempotency-Key': [
      { status: 400, asking: say({ 'Idempotency-Key': 'a b' }) },
      { status: 409, code: 'conflict', asking: afterAnother(served) },
    ],
    cursor: ['e30', 'x', ''].map((text) => ({ status: 400, code: 'invalid_cursor', asking: query(`cursor=${text}`) })),
    limit: [{ status: 400, code: 'invalid_request', asking: query('limit=0') }],
    id: [
      { status: 404, code: 'not_found', asking: but(({ path }) => ({ path: path.replace(UUID, NOBODY) })) },
      { status: 400, code: 'invalid_request', asking: but(({ path }) => ({ path: path.replace(UUID, 'nonsense') })) },
    ],
  }
  return [...named, ...takes].flatMap((name) => all[name] ?? [])
}

/** The Idempotency-Key of a request came with another one before. */
const afterAnother =
  (served: Asking): Asking =>
  async (visitor) => {
    const ask = await served(visitor)
    const headers = { ...ask.headers, 'Idempotency-Key': 'of-another' }
    const json = { 'Content-Type': 'application/json' }
    await visitor.send({ method: 'POST', path: '/api/notes', body: {}, headers: { ...headers, ...json } })
    return { ...ask, headers }
  }
