import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { swagger } from '@elysiajs/swagger'
import { Elysia } from 'elysia'
import { ERRORS, refuses } from '../../src/http/api-error'
import { GENERIC_CODES } from '../../src/openapi/common'
import { asList, asObject, type JsonObject } from '../../src/openapi/json-schema'
import { toOpenApi31 } from '../../src/openapi/to-openapi-31'
import { findings, operations, resolve } from '../support/openapi'
import { notes, startSmallApp } from './small-app'

const NOTE = ['components', 'schemas', 'Note']
const LIST = ['paths', '/api/notes', 'get']
const SERVED = [...LIST, 'responses', '200']

let document: JsonObject
let stop: () => unknown

beforeAll(async () => {
  const app = await startSmallApp(`${import.meta.dir}/../../public`)
  stop = app.stop
  document = asObject(await (await fetch(`${app.base}/docs/json`)).json())
})
afterAll(() => stop())

function operation(method: string, path: string): JsonObject {
  return asObject(asObject(asObject(document.paths)[path])[method])
}

function answer(method: string, path: string, status: number | 'default'): JsonObject {
  return resolve(document, asObject(operation(method, path).responses)[status])
}

function bodyMember(method: string, path: string, name: string): JsonObject {
  return asObject(asObject(bodySchema(method, path).properties)[name])
}

function bodySchema(method: string, path: string): JsonObject {
  const content = asObject(asObject(operation(method, path).requestBody).content)
  return asObject(asObject(content['application/json']).schema)
}

describe('the judges', () => {
  test('find nothing in our document', async () => {
    expect(await findings(document)).toEqual([])
  })

  test('refuse the document as the plugin writes it', async () => {
    const app = new Elysia().use(swagger()).use(notes)
    const raw = asObject(await (await app.handle(new Request('http://localhost/swagger/json'))).json())
    expect((await findings({ ...raw, openapi: '3.1.0' })).length).toBeGreaterThan(10)
  })

  const faults: [string, string[], unknown][] = [
    ['a wrong version', ['openapi'], '3.0.3'],
    ['a response without a description', [...SERVED, 'description'], undefined],
    ['an unknown member of a response', [...SERVED, 'type'], 'object'],
    ['a reference to nothing', [...LIST, 'responses', 'default', '$ref'], '#/components/nothing'],
    ['a parameter without a place', [...LIST, 'parameters', '0', 'in'], undefined],
    ['a type that JSON Schema does not know', [...NOTE, 'type'], 'Date'],
    ['a keyword that JSON Schema does not know', [...NOTE, 'title_case'], true],
    ['a leftover $id', [...NOTE, '$id'], 'Note'],
    ['a leftover nullable', [...NOTE, 'nullable'], true],
    ['an example that does not fit', [...NOTE, 'examples', '0', 'title'], 1],
    ['a failure without X-Tier', ['components', 'responses', 'Problem', 'headers', 'X-Tier'], undefined],
    ['an operation without a default response', [...LIST, 'responses', 'default'], undefined],
    ['an operation id that is there twice', [...LIST, 'operationId'], 'createNote'],
    ['an operation without a summary', [...LIST, 'summary'], undefined],
  ]
  test.each(faults)('find %s', async (_, place, value) => {
    const broken: JsonObject = structuredClone(document)
    const node = place.slice(0, -1).reduce<JsonObject>((parent, step) => parent[step] as JsonObject, broken)
    node[place.at(-1) ?? ''] = value
    expect(await findings(JSON.parse(JSON.stringify(broken)))).not.toEqual([])
  })
})

describe('every operation', () => {
  test('under /api has the common errors of its form', () => {
    for (const { path, method, operation } of operations(document).filter(({ path }) => /^\/api(\/|$)/.test(path))) {
      const expected = ['default']
      if (method === 'post') expected.push('409')
      if (path.includes('{')) expected.push('404')
      const statuses = Object.keys(asObject(operation.responses))
      expect(statuses).toEqual(expect.arrayContaining(expected))
      expect(statuses).not.toContain('400')
    }
  })

  test('outside /api has neither limit headers nor a key', () => {
    expect(answer('get', '/healthz', 200).headers).toBeUndefined()
    expect(operation('get', '/healthz').security).toEqual([])
  })

  test('stands under its path, with the id that it chose', () => {
    expect(Object.keys(asObject(document.paths))).toEqual([
      '/api',
      '/healthz',
      '/api/notes',
      '/api/notes/{id}',
      '/api/notes/{id}/links',
      '/api/notes/export/all-of.it',
      '/api/chat',
    ])
    expect(operations(document).map(({ operation }) => operation.operationId)).toEqual([
      'getServiceDocument',
      'getHealth',
      'listNotes',
      'createNote',
      'getNote',
      'deleteNote',
      'updateNote',
      'listLinks',
      'exportNotes',
      'chat',
    ])
  })
})

describe('failures', () => {
  test('are application/problem+json, on the paths of chat application/json', () => {
    expect(Object.keys(asObject(answer('get', '/api/notes', 'default').content))).toEqual(['application/problem+json'])
    expect(Object.keys(asObject(answer('post', '/api/chat', 'default').content))).toEqual(['application/json'])
  })

  test('that any request can get are named once, with when to come back', () => {
    const { description, headers } = answer('get', '/api/notes', 'default')
    for (const code of Object.keys(ERRORS))
      expect([code, String(description).includes(`#${code})`)]).toEqual([
        code,
        GENERIC_CODES.some((one) => one === code),
      ])
    expect(Object.keys(asObject(headers))).toContain('Retry-After')
  })

  test('of a route alone are named by it, each under its status', async () => {
    const of = async (...codes: Parameters<typeof refuses>) => {
      const operation = { responses: { 200: {} }, ...refuses(...codes) }
      const { paths, components } = await toOpenApi31({
        paths: { '/api/a': { get: operation }, '/api/b': { get: operation } },
      })
      const { responses, ...rest } = asObject(asObject(asObject(paths)['/api/a']).get)
      expect(rest).toEqual({})
      return { responses: asObject(responses), shared: asObject(asObject(components).responses) }
    }
    expect(Object.keys((await of()).responses)).toEqual(['200', 'default'])
    expect(Object.keys((await of('rate_limited')).responses)).toEqual(['200', 'default'])
    const { responses, shared } = await of('too_many_links', 'out_of_order', 'busy')
    expect(responses).toMatchObject({
      400: { $ref: '#/components/responses/TooManyLinks' },
      409: { $ref: '#/components/responses/BusyOrOutOfOrder' },
    })
    expect(asObject(shared.BusyOrOutOfOrder).description).toBe(
      'Conflict: [`busy`](/docs/errors#busy), [`out_of_order`](/docs/errors#out_of_order)',
    )
  })

  test('keep the description of their route, in the common shape', () => {
    const { description, content } = answer('patch', '/api/notes/{id}', 404)
    expect(description).toBe('No such note.')
    expect(asObject(asObject(content)['application/problem+json']).schema).toEqual({
      $ref: '#/components/schemas/Problem',
    })
  })
})

describe('answers', () => {
  test('204 and 304 have no content, and 204 is what a DELETE without a response says', () => {
    expect(operation('delete', '/api/notes/{id}').responses).not.toHaveProperty('200')
    expect(answer('delete', '/api/notes/{id}', 204)).not.toHaveProperty('content')
    expect(answer('get', '/api/notes/{id}', 304)).not.toHaveProperty('content')
  })

  test('of a stored resource have an ETag, 201 also its Location', () => {
    const headers = (method: string, path: string, status: number) =>
      Object.keys(asObject(answer(method, path, status).headers))
    expect(headers('post', '/api/notes', 201)).toEqual(expect.arrayContaining(['Location', 'ETag']))
    expect(headers('get', '/api/notes/{id}', 200)).toContain('ETag')
    expect(headers('get', '/api/notes/{id}', 304)).toContain('ETag')
    expect(headers('get', '/api/notes', 200)).not.toContain('ETag')
    expect(headers('delete', '/api/notes/{id}', 204)).not.toContain('ETag')
  })

  test('of a stored resource may be conditional, without the route saying so', () => {
    const names = (method: string, path = '/api/notes/{id}') =>
      asList(operation(method, path).parameters).map((one) => resolve(document, one).name)
    expect(names('get')).toEqual(['id', 'If-None-Match'])
    expect(names('patch')).toEqual(['id', 'If-Match'])
    expect(names('delete')).toEqual(['id', 'If-Match'])
    expect(names('get', '/api/notes/{id}/links')).toEqual(['id', 'If-None-Match'])
    expect(names('get', '/api/notes')).not.toContain('If-None-Match')
    expect(names('post', '/api/notes')).toEqual(['Idempotency-Key'])
    expect(answer('patch', '/api/notes/{id}', 412).description).toContain('precondition_failed')
  })

  test('are JSON unless the route says otherwise', () => {
    expect(Object.keys(asObject(answer('post', '/api/chat', 200).content))).toEqual(['application/json'])
    expect(Object.keys(asObject(operation('post', '/api/chat').requestBody).content as object)).toEqual([
      'application/json',
    ])
    expect(Object.keys(asObject(answer('get', '/api/notes/export/all-of.it', 200).content))).toEqual([
      'application/zip',
    ])
  })
})

describe('schemas', () => {
  test('of parameters show the type after conversion', () => {
    expect(operation('get', '/api/notes').parameters).toEqual([
      { in: 'query', name: 'limit', schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 } },
      { in: 'query', name: 'trashed', schema: { type: 'boolean' } },
      {
        in: 'query',
        name: 'sort',
        description: 'Order.',
        schema: { type: 'string', enum: ['title', '-title'], examples: ['title'] },
      },
    ])
  })

  test('write unions of literals and of null in one line', () => {
    expect(bodyMember('patch', '/api/notes/{id}', 'colour')).toEqual({
      type: ['string', 'null'],
      enum: ['red', 'blue', null],
    })
    expect(bodyMember('patch', '/api/notes/{id}', 'title')).toEqual({ type: ['string', 'null'], maxLength: 500 })
  })

  test('do not require a member with a default, and keep a member that is called nullable', () => {
    expect(bodySchema('post', '/api/notes').required).toEqual(['title'])
    expect(bodyMember('post', '/api/notes', 'nullable')).toEqual({ type: 'string' })
  })

  test('keep their examples', () => {
    expect(bodySchema('post', '/api/notes').examples).toEqual([{ title: 'Trip' }])
  })
})

test('what the plugin writes for odd routes is put right', async () => {
  const parameters = [
    { in: 'path', name: 'id', required: false, schema: { type: 'string' } },
    { in: 'query', name: 'n', required: true, schema: { type: 'integer', default: 1 }, examples: [2] },
  ]
  const responses = { 204: { type: 'string', content: { 'text/plain': { schema: { type: 'string' } } } } }
  const post = { operationId: 'postApiA-b', parameters, responses }
  const paths = asObject((await toOpenApi31({ paths: { '/api/a-b/{id}': { post } } })).paths)
  const rewritten = asObject(asObject(paths['/api/a-b/{id}']).post)
  expect(rewritten.parameters).toEqual([
    { in: 'path', name: 'id', required: true, schema: { type: 'string' } },
    { in: 'query', name: 'n', schema: { type: 'integer', default: 1, examples: [2] } },
    { $ref: '#/components/parameters/Idempotency-Key' },
  ])
  expect(Object.keys(asObject(asObject(rewritten.responses)[204]))).toEqual(['description'])
})

test('the input is left as it was, and the result does not depend on how often it is made', async () => {
  const input = { info: { title: 'x', version: '1' }, paths: { '/api/a/': { get: { responses: { 200: {} } } } } }
  const before = structuredClone(input)
  expect(await toOpenApi31(input)).toEqual(await toOpenApi31(input))
  expect(input).toEqual(before)
})
