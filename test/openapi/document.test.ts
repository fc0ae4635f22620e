import { afterAll, describe, expect, test } from 'bun:test'
import SwaggerParser from '@apidevtools/swagger-parser'
import { compactDocument } from '../../src/openapi/compact'
import { asList, asObject, isObject, type JsonObject, mapValues } from '../../src/openapi/json-schema'
import { findings, operations, resolve } from '../support/openapi'
import { makeWorld } from '../support/world'

/** What the document says beside parameters and errors, held to what is answered. */

const world = await makeWorld({ settings: { FREE_LIMIT_PER_HOUR: '1000000' } })
/** The document for people, and the one for programs. */
const document: JsonObject = (await world.call({}, 'GET', '/docs/json')).body
const compact: JsonObject = (await world.call({}, 'GET', '/openapi.json')).body
const base = world.listen()
afterAll(world.close)

const calls = new Map(
  operations(document).map(({ operation, path, method }) => [operation.operationId, { operation, path, method }]),
)

test.each([
  ['for people', document],
  ['for programs', compact],
])('the document %s is valid by a second validator, which follows every reference', async (_, source) => {
  expect(await SwaggerParser.validate(structuredClone(source) as never)).toBeObject()
  const broken = structuredClone(source)
  asObject(asObject(broken.components).responses).Problem = {}
  expect(SwaggerParser.validate(broken as never)).rejects.toThrow()
})

/** Members of which any JSON is right, and why; of `[]` and `{}` the items and the members without a name. */
const FREE: Readonly<Record<string, readonly string[]>> = {
  'what people put into a note': ['properties{}', 'content[]'],
  'what Anki keeps': ['notetype{}', 'fields[]{}', 'templates[]{}'],
  'the body of the response to another request': ['result'],
  'a resource of any type': ['resource'],
  'JSON-RPC': ['params', 'data', 'result', '[]'],
  'taken without effect': [
    ...['keep_alive', 'think', 'thinking', 'truncate', 'shift', 'logprobs', 'top_logprobs', 'temperature', 'top_p'],
    ...['max_output_tokens', 'tool_choice', 'options', 'verbose', 'system', 'template', 'raw', 'context', 'user'],
  ],
  'refused unless it is empty': [
    ...['tools', 'tool_calls', 'format', 'images', 'function_call', 'functions', 'audio', 'suffix', 'dimensions'],
  ],
  'read by its own code': ['image_url'],
}

const SCHEMA_LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems']
const SAYS_TYPE = ['$ref', 'type', 'enum', 'const', ...SCHEMA_LISTS]

/** Lists the places in a schema that say nothing of a value, or of the members of an object. */
function freePlaces(schema: unknown, place: string): string[] {
  if (!isObject(schema)) return schema === true ? [place] : []
  const inner = [
    ...Object.entries(asObject(schema.properties)).flatMap(([name, one]) => freePlaces(one, name)),
    ...Object.values(asObject(schema.patternProperties)).flatMap((one) => freePlaces(one, `${place}{}`)),
    ...('items' in schema ? freePlaces(schema.items, `${place}[]`) : []),
    ...SCHEMA_LISTS.flatMap((keyword) => asList(schema[keyword]).flatMap((one) => freePlaces(one, place))),
    ...(isObject(schema.additionalProperties) ? freePlaces(schema.additionalProperties, `${place}{}`) : []),
  ]
  const isObjectType = asList([schema.type].flat()).includes('object')
  const members = [schema.properties, schema.patternProperties, schema.additionalProperties].map(asObject)
  const hasMembers =
    members.some((one) => Object.keys(one).length > 0) ||
    /false|\{/.test(JSON.stringify(schema.additionalProperties) ?? '')
  const isOpen = isObjectType && !hasMembers
  const isList = asList([schema.type].flat()).includes('array') && !('items' in schema || 'prefixItems' in schema)
  return isOpen || isList || !SAYS_TYPE.some((keyword) => keyword in schema) ? [place, ...inner] : inner
}

/** Lists the places of all schemas below a part of the document. */
function allFreePlaces(part: unknown, name: string): string[] {
  if (name === 'schema') return freePlaces(part, '')
  if (name === 'schemas') return Object.values(asObject(part)).flatMap((one) => freePlaces(one, ''))
  if (/^(examples?|default)$/.test(name) || typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([key, value]) => allFreePlaces(value, key))
}

test('a value is free only where any JSON is right', () => {
  const found = new Set(allFreePlaces(document, ''))
  const allowed = new Set(Object.values(FREE).flat())
  expect([...found].filter((place) => !allowed.has(place)).sort()).toEqual([])
  expect([...allowed].filter((place) => !found.has(place)).sort()).toEqual([])
})

/** What a value of a schema may be, without what the short document leaves out: texts, examples, limits of answers. */
function typeText(source: JsonObject, schema: unknown, depth = 0): unknown {
  if (depth > 12) return '…'
  const { $ref, properties, required, items, anyOf, oneOf, additionalProperties, ...own } = asObject(schema)
  if (typeof $ref === 'string') return typeText(source, resolve(source, schema), depth)
  const inner = (one: unknown) => typeText(source, one, depth + 1)
  const { type, format, enum: values, const: value } = own
  return {
    ...{ type, format, values, value },
    ...(isObject(properties)
      ? { members: sorted(mapValues(properties, inner)), required: asList(required).toSorted() }
      : {}),
    ...(items === undefined ? {} : { items: inner(items) }),
    ...(isObject(additionalProperties) ? { others: inner(additionalProperties) } : {}),
    ...(anyOf === undefined && oneOf === undefined ? {} : { anyOf: asList(anyOf ?? oneOf).map(inner) }),
  }
}

const sorted = (members: JsonObject) => Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)))

describe('the document for programs', () => {
  test('has at most 300 KB', () => {
    expect(JSON.stringify(compact).length).toBeLessThanOrEqual(300_000)
  })

  test('is valid as well', async () => {
    expect(await findings(compact)).toEqual([])
  })

  test('has the same operations, with the same types of what they take and answer', () => {
    const types = (source: JsonObject) =>
      operations(source).map(({ path, method, operation }) => ({
        path,
        method,
        id: operation.operationId,
        parameters: asList(operation.parameters).map((one) => {
          const { name, in: place, required, style, explode, schema } = resolve(source, one)
          return { name, place, required, style, explode, type: typeText(source, schema) }
        }),
        body: contentTypes(source, operation.requestBody),
        answers: mapValues(asObject(operation.responses), (one) => ({
          headers: Object.keys(asObject(resolve(source, one).headers)),
          content: contentTypes(source, one),
        })),
      }))
    const contentTypes = (source: JsonObject, part: unknown) =>
      mapValues(asObject(resolve(source, part).content), (media) => typeText(source, asObject(media).schema))
    const short = new Map(types(compact).map((one) => [one.id, one]))
    for (const one of types(document)) expect(short.get(one.id)).toEqual(one)
    expect(short.size).toBe(calls.size)
  })

  test('has the same schemas by the same names, and no name that hides one of the language', () => {
    const [names, short] = [document, compact].map((one) => Object.keys(asObject(asObject(one.components).schemas)))
    expect(names?.filter((name) => !short?.includes(name))).toEqual([])
    expect(short?.filter((name) => name in globalThis)).toEqual([])
  })

  test('keeps members that have the names of keywords', async () => {
    const properties = {
      pattern: { type: 'string', pattern: '^a' },
      examples: { type: 'array', minItems: 1, items: {} },
    }
    const { components } = await compactDocument({
      paths: {},
      components: { schemas: { Odd: { type: 'object', properties } } },
    })
    const kept = { pattern: { type: 'string' }, examples: { type: 'array', items: {} } }
    expect(asObject(components).schemas).toEqual({ Odd: { type: 'object', properties: kept } })
  })

  test('says of each operation how its text begins, with no example but that of an error', () => {
    const short = operations(compact)
    for (const { path, method, operation } of operations(document)) {
      const other = short.find((one) => one.path === path && one.method === method)?.operation ?? {}
      expect(other.description).toMatch(/^.{8,}\.$/)
      expect(String(operation.description)).toStartWith(String(other.description).slice(0, -1))
    }
    expect(JSON.stringify(compact).match(/"examples?":/g)).toHaveLength(1)
  })
})

test.each([
  ['/openapi.json', ''],
  ['/docs/json', ''],
  ['/openapi.json', '/our/satchel'],
  ['/docs/json', '/our/satchel'],
])('%s says where the server is below "%s"', async (path, prefix) => {
  await using proxy = Bun.serve({
    port: 0,
    fetch: (request) => {
      const { pathname, search } = new URL(request.url)
      if (!pathname.startsWith(`${prefix}/`)) return new Response('nothing of Satchel', { status: 404 })
      return fetch(new URL(pathname.slice(prefix.length) + search, base), {
        headers: request.headers,
        decompress: false,
      })
    },
  })
  const address = `${proxy.url.origin}${prefix}${path}`
  const { servers } = await (await fetch(address)).json()
  const root = new URL(servers[0].url, address).href.replace(/\/$/, '')
  expect((await fetch(`${root}/api/usage`)).status).toBe(200)
})

test.each([
  ['nothing', {}, ['']],
  ['a description', { description: 'Any.' }, ['']],
  ['an open object', { type: 'object', properties: { of: { type: ['object', 'null'] } } }, ['of']],
  ['a list of what is not said', { type: 'array' }, ['']],
  ['a member without a name', { type: 'object', patternProperties: { '^a': {} } }, ['{}']],
  ['a text', { type: 'string' }, []],
  ['an object with members', { type: 'object', properties: { of: { $ref: '#/of' } } }, []],
  ['a list of numbers', { type: 'array', items: { anyOf: [{ type: 'number' }, { const: 1 }] } }, []],
])('%s is free or not', (_, schema, places) => {
  expect(freePlaces(schema, '')).toEqual(places)
})

/** Returns the media types of an operation's body, or of its response of a status. */
function mediaTypes(id: string, status?: number): string[] {
  const { operation = {} } = calls.get(id) ?? {}
  const { requestBody, responses } = operation
  const part = status === undefined ? requestBody : asObject(responses)[status]
  return Object.keys(asObject(resolve(document, part).content))
}

describe('the media types of the document', () => {
  test.each([
    ['createNote', ['application/json', 'text/markdown']],
    ['updateNote', ['application/json', 'text/markdown']],
    ['createTask', ['application/json']],
    ['createAttachment', ['application/octet-stream']],
    ['importFlashcards', ['application/octet-stream']],
  ])('are those of the body that %s takes', (id, types) => {
    expect(mediaTypes(id)).toEqual(types)
  })

  test.each([
    ['chat', ['application/json', 'text/event-stream']],
    ['generateAsOllama', ['application/json', 'text/event-stream']],
    ['createOpenaiChatCompletion', ['application/json', 'text/event-stream']],
    ['callMcp', ['application/json', 'text/event-stream']],
    ['getNote', ['application/json', 'text/markdown', 'text/html']],
    ['getTask', ['application/json']],
  ])('are those that %s answers', (id, types) => {
    expect(mediaTypes(id, 200)).toEqual(types)
  })

  test('are streamed by a chat as they say', async () => {
    const ask = { messages: [{ role: 'user', content: 'Hello?' }], stream: true }
    for (const accept of mediaTypes('chat', 200).slice(1)) {
      const answer = await world.call({}, 'POST', '/api/chat', ask, { Accept: accept })
      expect(answer.headers.get('Content-Type')).toStartWith(accept)
    }
  })
})

test('a report that is answered with 202 has an address and no ETag, and nothing else of 202 has either', () => {
  const accepted = [...calls.values()].flatMap(({ operation, path }) => {
    const response = resolve(document, asObject(operation.responses)[202])
    return 'description' in response ? [{ path, headers: Object.keys(asObject(response.headers)) }] : []
  })
  expect(accepted.length).toBeGreaterThan(20)
  expect(accepted.filter(({ headers }) => headers.join() !== 'Location').map(({ path }) => path)).toEqual(['/api/mcp'])
})
