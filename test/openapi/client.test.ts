import { describe, expect, test } from 'bun:test'
import { generateClient } from '../../src/openapi/client'
import { commentOf, createNaming, typeOf } from '../../src/openapi/client-types'
import type { JsonObject } from '../../src/openapi/json-schema'
import { compile, writeProgram } from './typescript'

/** What the client makes of documents other than ours. */

const SCHEMAS = {
  Note: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  class: { type: 'string' },
  'a.b-c': { type: 'integer' },
  'a.b_c': { type: 'boolean' },
  '2d': { type: 'number' },
  Promise: { type: 'object', properties: { 'odd name': { type: 'string' }, __proto__x: { type: 'null' } } },
  Response: { type: 'string' },
  Satchel: { type: 'string' },
  Input: { type: 'string' },
  NoteInput: { type: 'string' },
  Größe: { type: 'number' },
  Tree: {
    type: 'object',
    properties: { children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } },
    required: ['children'],
  },
  Json: {
    anyOf: [
      { type: ['string', 'number', 'boolean', 'null'] },
      { type: 'array', items: { $ref: '#/components/schemas/Json' } },
      { type: 'object', additionalProperties: { $ref: '#/components/schemas/Json' } },
    ],
  },
  'with/slash': { enum: ['a', 1, true, null] },
}

const NAMES = createNaming()
const names = new Map(Object.keys(SCHEMAS).map((name) => [name, NAMES(name)]))
const oneLine = (schema: unknown, document: JsonObject = {}) =>
  typeOf(schema, { document, names, open: new Set() }).replaceAll(/\s+/g, ' ')

describe('the type of a schema', () => {
  test.each<[what: string, schema: unknown, type: string]>([
    ['anything', {}, 'unknown'],
    ['anything, as a boolean', true, 'unknown'],
    ['nothing', false, 'never'],
    ['a text', { type: 'string', format: 'date-time' }, 'string'],
    ['an integer', { type: 'integer', minimum: 1 }, 'number'],
    ['several types', { type: ['integer', 'null'] }, 'number | null'],
    ['null as of version 3.0', { type: 'string', nullable: true }, 'string | null'],
    ['a constant', { const: 'a"b' }, '"a\\"b"'],
    ['a list of values', { type: ['string', 'null'], enum: ['a', -1, null] }, '"a" | -1 | null'],
    ['a union', { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'string' }] }, 'string | number'],
    ['a union that holds anything', { oneOf: [{ type: 'string' }, {}] }, 'unknown'],
    [
      'an intersection',
      { allOf: [{ $ref: '#/components/schemas/Note' }, { type: 'object', properties: { a: {} } }] },
      'Note & { a?: unknown }',
    ],
    ['an intersection with a union', { allOf: [{ type: 'string' }, { enum: ['a', 'b'] }] }, 'string & ("a" | "b")'],
    [
      'alternatives that only require',
      { type: 'object', properties: { a: {} }, anyOf: [{ required: ['a'] }] },
      '{ a?: unknown }',
    ],
    ['a list', { type: 'array', items: { type: ['string', 'null'] } }, '(string | null)[]'],
    ['a list of anything', { type: 'array' }, 'unknown[]'],
    [
      'a tuple',
      { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
      '[string, number]',
    ],
    ['a tuple with a rest', { prefixItems: [{ type: 'string' }], items: { type: 'null' } }, '[string, ...null[]]'],
    [
      'a tuple that may be shorter',
      { prefixItems: [{ const: 1 }, { const: 2 }], items: false, minItems: 1 },
      '[1, 2?]',
    ],
    [
      'members',
      { properties: { a: { type: 'string' }, 'b-c': { const: 1 } }, required: ['a'] },
      '{ a: string "b-c"?: 1 }',
    ],
    ['an open object', { type: 'object' }, '{ [name: string]: unknown }'],
    ['an empty object', { type: 'object', additionalProperties: false }, '{ [name: string]: never }'],
    ['a map', { type: 'object', additionalProperties: { type: 'number' } }, '{ [name: string]: number }'],
    [
      'a map by patterns',
      { patternProperties: { '^a': { type: 'string' }, '^b': { const: 2 } } },
      '{ [name: string]: string | 2 }',
    ],
    [
      'members beside a map',
      { properties: { a: { const: 1 } }, additionalProperties: { type: 'string' } },
      '{ a?: 1 [name: string]: unknown }',
    ],
    ['members of an open object', { properties: { a: { const: 1 } }, additionalProperties: true }, '{ a?: 1 }'],
    ['a name in quotes', { properties: { __proto__x: {}, "it's": {} } }, '{ __proto__x?: unknown "it\'s"?: unknown }'],
    ['a reference with an escaped name', { $ref: '#/components/schemas/with~1slash' }, 'with_slash'],
    ['a reference to nothing', { $ref: '#/nowhere/at/all' }, 'unknown'],
  ])('%s', (_, schema, type) => {
    expect(oneLine(schema)).toBe(type)
  })

  test('a reference to another place is written out, and once where it holds itself', () => {
    const document = { $defs: { a: { type: 'array', items: { $ref: '#/$defs/a' } } } }
    expect(oneLine({ $ref: '#/$defs/a' }, document)).toBe('unknown[]')
  })
})

describe('names', () => {
  test.each([
    ['class', 'class_2'],
    ['Promise', 'Promise_2'],
    ['a.b-c', 'a_b_c'],
    ['2d', '_2d'],
    ['Größe', 'Größe'],
    ['', '_'],
    ['Note', 'Note'],
  ])('%s becomes %s', (name, identifier) => {
    expect(createNaming()(name)).toBe(identifier)
  })

  test('no two are the same', () => {
    const naming = createNaming()
    expect(['a.b', 'a-b', 'a_b'].map(naming)).toEqual(['a_b', 'a_b_2', 'a_b_3'])
  })
})

test('a comment cannot be ended by its text', () => {
  expect(commentOf('a */ b', '  ')).toBe('  /** a *\\/ b */\n')
  expect(commentOf('a\n\nb', '')).toBe('/**\n * a\n *\n * b\n */\n')
  expect(commentOf(' ', '')).toBe('')
})

const ok = (schema: object, headers = {}) => ({
  200: { description: '', headers, content: { 'application/json': { schema } } },
})
const parameter = (place: string, name: string, schema: object = { type: 'string' }, rest = {}) => ({
  in: place,
  name,
  schema,
  ...rest,
})

const ODD = {
  openapi: '3.1.0',
  info: { title: 'Odd */ API', version: '1' },
  paths: {
    '/things/{id}/{class}': {
      parameters: [parameter('path', 'id', {}, { required: true }), parameter('query', 'q', { type: 'integer' })],
      get: {
        operationId: 'then',
        parameters: [
          { $ref: '#/components/parameters/Class' },
          parameter('query', 'id'),
          parameter('query', 'q', { type: 'array', items: { type: 'integer' } }, { explode: false }),
          parameter('query', 'body'),
          parameter('header', 'X-Odd-Header', { type: 'integer' }),
          parameter('cookie', 'session'),
        ],
        responses: ok({ $ref: '#/components/schemas/Tree' }),
      },
      delete: { operationId: 'delete', responses: { 204: { description: 'Gone.' } } },
    },
    '/notes': {
      get: { operationId: 'note', responses: { ...ok({ $ref: '#/components/schemas/Json' }, { ETag: {} }), 304: {} } },
      post: {
        description: 'Without an operationId.',
        requestBody: { $ref: '#/components/requestBodies/Form' },
        responses: { '2XX': { description: '' } },
      },
    },
    '/texts': {
      put: {
        operationId: 'putText',
        requestBody: {
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Note' } }, 'text/markdown': {} },
        },
        responses: {},
      },
    },
    '/constructor': {
      get: { operationId: 'constructor', responses: {} },
      put: { operationId: 'constructor', responses: {} },
    },
  },
  components: {
    schemas: SCHEMAS,
    parameters: { Class: parameter('path', 'class', { $ref: '#/components/schemas/class' }) },
    requestBodies: { Form: { required: true, content: { 'multipart/form-data': { schema: {} } } } },
  },
}

test('a document with odd names compiles, and its types say what it says', async () => {
  const program = `
    import { createClient, type Json, type NoteInput_2, type Promise_2, type Tree, type with_slash } from './client.ts'
    const odd = createClient({ url: '' })
    const tree: Tree = { children: [{ children: [] }] }
    export const json: Json = { a: [1, null, { b: ['c', true] }] }
    export const values: with_slash[] = ['a', 1, true, null]
    export const promised: Promise_2 = { 'odd name': 'a' }
    export const nothing: NoteInput_2 = {}
    const { data } = await odd.then_2({ id: 1, class: 'a', id_2: 'b', q: [1, 2], body_2: 'c', xOddHeader: 5 })
    export const children: Tree[] = [tree, ...data.children]
    export const gone: 204 = (await odd.delete({ id: 1 })).status
    export const tag: string = (await odd.note()).etag
    // @ts-expect-error: nothing says that it reads If-None-Match.
    await odd.note({ ifNoneMatch: tag })
    export const posted: number = (await odd.post_notes({ body: new FormData() })).status
    await odd.putText({ body: { id: 'a' } })
    await odd.putText({ body: '# Plan', contentType: 'text/markdown' })
    await odd.constructor()
    await odd.constructor_2()
  `
  const client = generateClient(ODD, ['not_found'])
  expect(await compile(await writeProgram({ 'client.ts': client, 'program.ts': program }))).toEqual([])
})

test('the same document gives the same text, and an empty one compiles', async () => {
  expect(generateClient(structuredClone(ODD), ['a'])).toBe(generateClient(ODD, ['a']))
  expect(await compile(await writeProgram({ 'client.ts': generateClient({}, []) }))).toEqual([])
})
