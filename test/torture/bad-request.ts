import fc from 'fast-check'
import { asList, asObject, type JsonObject } from '../../src/openapi/json-schema'
import { NOBODY } from '../support/asking'
import { operations, resolve } from '../support/openapi'
import { BOMBS } from './bombs'
import { brokenBytes, headerValue, hostileText, hostileValue, noJson } from './hostile'
import { fitting, flaws, spoiled } from './shaped'

/** Requests that should not be, for every operation of the document. */

export interface BadRequest {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Text, bytes or the name of a bomb. */
  readonly body: { readonly text: string } | { readonly bytes: Uint8Array } | { readonly bomb: string } | null
  /** Which operation it is meant for, e.g. `GET /api/notes/{id}`, if the path is one of its own. */
  readonly operation: string | null
}

/** What there is to ask for: paths filled with what exists, and ids of it. */
export interface Ground {
  readonly document: JsonObject
  readonly fills: readonly ((template: string) => string)[]
  readonly ids: readonly string[]
  readonly keys: readonly string[]
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']
const TYPES = [
  ...['application/json', 'text/plain', 'application/json; charset=latin1', 'application/jsonx', 'a/b', '/', ''],
]
const NAMES = [
  ...['If-Match', 'If-None-Match', 'Idempotency-Key', 'Accept', 'Last-Event-ID', 'Range', 'Origin'],
  'Accept-Language',
]
const OTHER_NAMES = [
  ...['Content-Encoding', 'X-HTTP-Method-Override', 'X-Forwarded-Host', 'Forwarded', 'Cookie', 'Authorization'],
]

/** All of them, by chance. Bombs are rare: they take long. */
export function badRequests(ground: Ground): fc.Arbitrary<BadRequest> {
  const shapes = operations(ground.document)
    .filter(({ path }) => path.startsWith('/api'))
    .map((one) => requestOf(ground, one))
  return fc.oneof(
    { weight: 400, arbitrary: fc.oneof(...shapes) },
    { weight: 12, arbitrary: lostRequests(ground) },
    { weight: 1, arbitrary: bombRequests(ground) },
  )
}

const headersOf = ({ keys }: Ground): fc.Arbitrary<Record<string, string>> =>
  fc
    .tuple(caller(keys), fc.dictionary(fc.constantFrom(...NAMES, ...OTHER_NAMES), headerValue, { maxKeys: 2 }))
    .map(([own, others]) => ({ ...others, ...own }))

/** Mostly with a key that is known; also with a broken one, or from an address of its own. */
function caller(keys: readonly string[]): fc.Arbitrary<Record<string, string>> {
  return fc.oneof(
    { weight: 16, arbitrary: fc.constantFrom(...keys).map((key) => ({ 'X-API-Key': key })) },
    { weight: 1, arbitrary: headerValue.map((key) => ({ 'X-API-Key': key })) },
    { weight: 2, arbitrary: fc.nat(2000).map((n) => ({ 'X-Forwarded-For': `198.18.${n >> 8}.${n & 255}` })) },
    { weight: 1, arbitrary: headerValue.map((address) => ({ 'X-Forwarded-For': address })) },
  )
}

function requestOf(ground: Ground, { path, method, operation }: ReturnType<typeof operations>[number]) {
  const name = `${method.toUpperCase()} ${path}`
  const filled = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...ground.fills.map((fill) => fill(path))) },
    { weight: 1, arbitrary: fc.constant(path.replaceAll(/\{\w+\}/g, NOBODY)) },
    { weight: 2, arbitrary: hostileText.map((text) => path.replaceAll(/\{\w+\}/g, () => escaped(text))) },
  )
  const body = path.includes('/changes/stream') ? fc.constant(null) : bodyOf(ground, operation)
  const verb = fc.oneof(
    { weight: 15, arbitrary: fc.constant(method.toUpperCase()) },
    { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
  )
  return fc
    .tuple(verb, filled, queryOf(ground, operation), headersOf(ground), body)
    .map(([verb, filled, query, headers, body]): BadRequest => {
      const isBare = body === null || verb === 'GET' || verb === 'HEAD'
      // An empty workspace teaches nothing.
      const isErasure = path === '/api/workspace'
      const erases = isErasure && !isBare && 'text' in body.body && body.body.text.includes('"erase"')
      return {
        method: verb,
        path: filled + (isErasure && query.includes('=erase') ? '' : query),
        headers: { ...headers, ...(isBare ? {} : { 'Content-Type': body.type }) },
        body: isBare || erases ? null : body.body,
        operation: name.startsWith(`${verb} `) ? name : null,
      }
    })
}

/** Half of a surrogate pair has no escape: it is sent as what stands for it. */
const escaped = (text: string) => encodeURIComponent(text.toWellFormed()).slice(0, 4000)

function queryOf({ document, ids }: Ground, operation: JsonObject): fc.Arbitrary<string> {
  const known = asList(operation.parameters).map((one) => resolve(document, one))
  const parameters = known.filter((one) => one.in === 'query')
  const names = [...parameters.map((one) => String(one.name)), 'unknown', '__proto__']
  const right = (name: string) => {
    const schema = parameters.find((one) => one.name === name)?.schema
    return fitting(document, schema, fc.constantFrom(...ids)).map((value) => String(value))
  }
  const pair = fc
    .constantFrom(...names)
    .chain((name) => fc.tuple(fc.constant(name), fc.oneof(hostileText, right(name))))
    .map(([name, value]) => `${name}=${escaped(value)}`)
  const all = fc.array(pair, { maxLength: 3 }).map((pairs) => (pairs.length === 0 ? '' : `?${pairs.join('&')}`))
  return fc.oneof(
    { weight: 10, arbitrary: all },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        ...['?', '?&&==&', '?%', '?%zz=%ff', '?a[b][c]=1', '?limit=1&limit=2'],
        `?${'a=1&'.repeat(2000)}`,
      ),
    },
  )
}

function bodyOf({ document, ids }: Ground, operation: JsonObject) {
  const content = asObject(resolve(document, operation.requestBody).content)
  const types = Object.keys(content)
  const own = fc.constantFrom(...(types.length > 0 ? types : ['application/json']))
  const type = fc.oneof({ weight: 15, arbitrary: own }, { weight: 1, arbitrary: fc.constantFrom(...TYPES) })
  const json = fitting(document, asObject(content['application/json']).schema, fc.constantFrom(...ids))
  const asText = (value: unknown) => ({ text: JSON.stringify(value) ?? 'null' })
  const one = fc.tuple(json, flaws(hostileValue)).map(([value, flaw]) => spoiled(value, flaw))
  const two = fc.tuple(one, flaws(hostileValue)).map(([value, flaw]) => spoiled(value, flaw))
  const body = fc.oneof(
    { weight: 8, arbitrary: one.map(asText) },
    { weight: 4, arbitrary: two.map(asText) },
    { weight: 12, arbitrary: json.map(asText) },
    { weight: 1, arbitrary: hostileValue.map(asText) },
    { weight: 1, arbitrary: noJson.map((text) => ({ text })) },
    { weight: 1, arbitrary: brokenBytes.map((bytes) => ({ bytes })) },
  )
  const sent = fc.record({ type, body })
  return types.length > 0 ? sent : fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: sent })
}

/** For paths that are not there, or nearly are. */
function lostRequests(ground: Ground): fc.Arbitrary<BadRequest> {
  const paths = fc.oneof(
    hostileText.map((text) => `/api/${escaped(text)}`),
    hostileText.map((text) => `/${escaped(text)}`),
    fc.constantFrom(
      ...['/api/', '/api//notes', '/API/notes', '/api/notes/', '/api/notes/%2e%2e', '/api/notes/..%2f..%2fetc'],
    ),
    fc.constantFrom('/api;/notes', '/api%2fnotes', '/.git/config', '/.env', '/docs/assets/..%2f..%2fpackage.json', '/'),
  )
  return fc.record({
    method: fc.constantFrom(...METHODS),
    path: paths,
    headers: headersOf(ground),
    body: fc.constant(null),
    operation: fc.constant(null),
  })
}

function bombRequests(ground: Ground): fc.Arbitrary<BadRequest> {
  return fc.constantFrom(...Object.keys(BOMBS)).map((name): BadRequest => {
    const { path = '/api', type = '' } = BOMBS[name] ?? {}
    const headers = { 'X-API-Key': ground.keys[0] ?? '', 'Content-Type': type }
    return { method: 'POST', path, headers, body: { bomb: name }, operation: `POST ${path.split('?')[0]}` }
  })
}
