import { afterAll, describe, expect, test } from 'bun:test'
import { OPENAI_ERRORS } from '../../src/chat/openai/errors'
import { ApiError, invalid } from '../../src/http/api-error'
import { errorFormatOf } from '../../src/http/error-format'
import { asObject } from '../../src/openapi/json-schema'
import { breaksAfter, makeModel } from '../chat/model'
import { readError } from '../support/error-forms'
import { listeningWorld, Visitor } from '../support/visitor'
import { makeKey } from '../support/world'

/** Over real sockets: errors have the form that the clients of a path read, also those from before its route. */

const model = makeModel()
const world = await listeningWorld(model.settings)
afterAll(async () => {
  await world.close()
  model.stop()
})

const OLLAMA = ['chat', 'generate', 'embed', 'embeddings', 'show'].map((name) => `/api/${name}`)
const OLLAMA_READS = ['/api/tags', '/api/ps', '/api/version']
const OLLAMA_LACKS = ['pull', 'push', 'create', 'copy', 'blobs/sha256:29fd'].map((name) => `/api/${name}`)
const OPENAI = ['/api/openai/chat/completions', '/api/openai/embeddings']
const OURS = ['/api/notes', '/api/tasks', '/api/flashcards/decks']
const POSTED = [...OLLAMA, ...OPENAI, ...OURS]
const JSON_TYPE = { 'Content-Type': 'application/json' }

/** Holds an answer to its form, and returns its code. */
async function codeOf(response: Response, path: string): Promise<unknown> {
  const { mediaType, code, faults, request_id } = readError(path, response.status, asObject(await response.json()))
  expect([faults, response.headers.get('Content-Type'), typeof request_id]).toEqual([[], mediaType, 'string'])
  for (const name of ['X-Tier', 'X-RateLimit-Limit', 'X-RateLimit-Remaining'])
    expect(response.headers.has(name)).toBeTrue()
  return code
}

const post = (path: string, ask: object) => new Visitor(world.base).send({ method: 'POST', path, ...ask })
const send = async (path: string, ask: object = {}) => {
  const response = await post(path, ask)
  return [response.status, await codeOf(response, path)]
}
const UNSUPPORTED = [415, 'unsupported_media_type']

describe.each(POSTED)('POST %s', (path) => {
  test('of the gate: a malformed key, and nothing left', async () => {
    expect(await send(path, { headers: { 'X-API-Key': 'short' } })).toEqual([400, 'invalid_api_key'])
    const visitor = await new Visitor(world.base).exhaust()
    const refused = await visitor.send({ method: 'POST', path })
    expect([refused.status, await codeOf(refused, path)]).toEqual([429, 'rate_limited'])
  })

  test('of the body: its type, its JSON, its size', async () => {
    expect(await send(path, { body: '{}', headers: { 'Content-Type': 'text/plain' } })).toEqual(UNSUPPORTED)
    expect(await send(path, { body: '{', headers: JSON_TYPE })).toEqual([400, 'invalid_json'])
    expect(await send(path, { body: ' '.repeat(2 * 1024 * 1024 + 1), headers: JSON_TYPE })).toEqual([413, 'too_large'])
  })

  test('of its members and of its method', async () => {
    expect(await send(path, { body: { colour: 'red' } })).toEqual([400, 'invalid_request'])
    expect(await send(path, { method: 'PUT' })).toEqual([405, 'method_not_allowed'])
  })
})

test.each([
  ...OLLAMA_LACKS,
  '/api/chat/completions',
  '/api/tags/',
  '/api/openai',
  '/api/openai/nothing',
  '/api/openai/',
])('%s is nothing, in the form of the API that it looks like', async (path) => {
  expect((await send(path))[1]).toBeOneOf(['not_found', 'method_not_allowed'])
})

test.each(['/api/nothing', '/api/chats', '/api/Chat', '/api/openaix', '/api/notes/tags/chat', '/api/chat;x'])(
  '%s is nothing, in the common form',
  async (path) => {
    const response = await new Visitor(world.base).send({ path })
    expect([response.status, response.headers.get('Content-Type')]).toEqual([404, 'application/problem+json'])
    expect(await codeOf(response, path)).toBe('not_found')
  },
)

test.each([...OLLAMA_READS, '/api/openai/models'])('GET %s refuses a query in its form', async (path) => {
  expect(await send(path, { method: 'GET', path: `${path}?x=1` })).toEqual([400, 'invalid_request'])
})

test('of a Host that is none, too', async () => {
  const ask = { method: 'GET', headers: { Host: 'a b' } }
  expect(await send('/api/openai/models', ask)).toEqual([400, 'invalid_request'])
})

describe("in OpenAI's form", () => {
  const body = (error: ApiError) => OPENAI_ERRORS.toBody(error, 'r')

  test.each([
    ['/messages/0/content', 'messages[0].content'],
    ['/model', 'model'],
    ['/x_satchel/scope/ids/3', 'x_satchel.scope.ids[3]'],
    ['/a~1b', 'a/b'],
    ['', null],
  ])('the pointer %j is the param %j', (pointer, param) => {
    expect(body(invalid(pointer, 'required', 'It is.'))).toEqual({
      error: {
        message: 'It is.',
        type: 'invalid_request_error',
        param,
        code: 'invalid_request',
        x_satchel: { code: 'invalid_request', errors: [{ pointer, code: 'required', detail: 'It is.' }] },
      },
      request_id: 'r',
    })
  })

  test.each([
    ['quota_exceeded', 'insufficient_quota', 'insufficient_quota'],
    ['rate_limited', 'rate_limit_error', 'rate_limit_exceeded'],
    ['too_many_new_keys', 'rate_limit_error', 'too_many_new_keys'],
    ['unavailable', 'service_unavailable_error', 'unavailable'],
    ['internal', 'server_error', 'internal'],
    ['upstream_failed', 'server_error', 'upstream_failed'],
    ['embeddings_unavailable', 'server_error', 'embeddings_unavailable'],
    ['model_not_found', 'invalid_request_error', 'model_not_found'],
    ['conflict', 'invalid_request_error', 'conflict'],
  ] as const)('%s has the type %s and the code %s', (ours, type, code) => {
    expect(body(new ApiError(ours, 'No.'))).toEqual({
      error: { message: 'No.', type, param: null, code, x_satchel: { code: ours } },
      request_id: 'r',
    })
  })
})

describe('in the middle of a stream the last object is the same', () => {
  const messages = [{ role: 'user', content: 'Hello?' }]

  test.each<[string, object, string]>([
    ['/api/chat', { messages }, ''],
    ['/api/generate', { prompt: 'Hello?' }, ''],
    ['/api/openai/chat/completions', { messages }, 'data: '],
  ])('at %s', async (path, body, mark) => {
    model.plays(breaksAfter('So far'))
    const ask = { method: 'POST', path, body: { ...body, model: 'big-model', stream: true } }
    const text = await (await new Visitor(world.base, makeKey(1)).send(ask)).text()
    const last = text.trim().split('\n').at(-1) ?? ''
    expect(last).toStartWith(mark)
    const { code, detail, faults } = readError(path, 502, JSON.parse(last.slice(mark.length)))
    expect([code, detail, faults]).toEqual(['upstream_failed', 'The language model failed to answer.', []])
  })
})

test('every route declares the errors of its path, and no others', () => {
  const declared = world.app.routes
    .filter(({ path, method }) => method !== 'ALL' && path.startsWith('/api'))
    .flatMap(({ path, hooks }) =>
      Object.entries(hooks.response ?? {})
        .filter(([status]) => Number(status) >= 400)
        .map(([status, schema]) => ({ path, status, schema })),
    )
  expect(declared.length).toBeGreaterThan(50)
  expect(declared.filter(({ path, schema }) => schema !== errorFormatOf(path).schema)).toEqual([])
})

test('the document says so of each operation, and its example fits the schema', async () => {
  const document = asObject(await (await fetch(`${world.base}/docs/json`)).json())
  const schemaAt = (path: string, method: string, status: string) => {
    const { $ref } = asObject(asObject(asObject(asObject(document.paths)[path])[method]).responses)[status] as {
      $ref: string
    }
    const response = asObject(asObject(asObject(document.components).responses)[$ref.split('/').at(-1) ?? ''])
    const [[type, media] = ['', {}]] = Object.entries(asObject(response.content))
    return [type, asObject(asObject(media).schema).$ref, asObject(asObject(media).example).error]
  }
  const schema = (name: string) => `#/components/schemas/${name}`
  const problem = (type: string) => [type, schema('Problem'), expect.any(String)]
  for (const path of OLLAMA) expect(schemaAt(path, 'post', 'default')).toEqual(problem('application/json'))
  for (const path of OLLAMA_READS) expect(schemaAt(path, 'get', 'default')).toEqual(problem('application/json'))
  for (const path of OPENAI)
    expect(schemaAt(path, 'post', 'default')).toEqual([
      'application/json',
      schema('OpenAiError'),
      expect.objectContaining({ type: 'rate_limit_error', param: null, code: 'rate_limit_exceeded' }),
    ])
  expect(schemaAt('/api/notes', 'post', 'default')).toEqual(problem('application/problem+json'))
})

describe('JSON under the media type of forms, as curl -d sends it', () => {
  const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const CHAT = { messages: [{ role: 'user', content: 'add a note' }] }
  const BODIES = { '/api/chat': CHAT, '/api/generate': { prompt: 'add a note' } }

  test.each(Object.entries(BODIES))('is taken by %s', async (path, body) => {
    for (const type of [FORM['Content-Type'], 'Application/X-WWW-Form-URLEncoded; charset=utf-8'])
      expect((await post(path, { body: JSON.stringify(body), headers: { 'Content-Type': type } })).status).toBe(200)
  })

  test.each(Object.entries(BODIES))('is still JSON: a form for %s is none', async (path, body) => {
    const text = JSON.stringify(body)
    for (const form of ['a=b', 'prompt=add+a+note', `${encodeURIComponent(text)}=`, `${text}=`, `json=${text}`])
      expect(await send(path, { body: form, headers: FORM })).toEqual([400, 'invalid_json'])
    expect(await send(path, { body: '{"colour":"red"}', headers: FORM })).toEqual([400, 'invalid_request'])
  })

  test.each(Object.entries(BODIES))('is all that %s takes beside its own', async (path, body) => {
    for (const type of ['text/plain', 'multipart/form-data; boundary=x', `${FORM['Content-Type']}; charset=latin1`, ''])
      expect(await send(path, { body: JSON.stringify(body), headers: { 'Content-Type': type } })).toEqual(UNSUPPORTED)
  })

  test.each(
    world.app.routes
      .filter(({ path, method, hooks }) => method !== 'ALL' && path.startsWith('/api') && hooks.body)
      .map(({ path, method }) => [method, path])
      .filter(([, path = '']) => !(path in BODIES)),
  )('is refused by %s %s', async (method = '', path = '') => {
    const filled = path.replace(':date', '2026-03-02').replaceAll(/:\w+/g, '01890000-0000-7000-8000-00000000ffff')
    expect(await send(filled, { method, body: '{}', headers: FORM })).toEqual(UNSUPPORTED)
  })

  test.each([
    ['another site', { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }],
    ['another site, from a browser that says no more', { Origin: 'https://evil.example' }],
    ['another site, that hides its origin', { 'Sec-Fetch-Site': 'cross-site' }],
    ['a sandboxed frame', { Origin: 'null' }],
    ['this site', { Origin: 'http://notes.example:4105', Host: 'notes.example:4105', 'Sec-Fetch-Site': 'same-origin' }],
  ])('is refused from a page of %s, and nothing is done', async (_, page) => {
    const visitor = new Visitor(world.base)
    const plant = JSON.stringify({ messages: [{ role: 'user', content: 'create a note called "planted"' }] })
    const asked = { method: 'POST', path: '/api/chat', body: plant }
    const refused = await visitor.send({ ...asked, headers: { ...FORM, ...page } })
    expect([refused.status, await codeOf(refused, asked.path)]).toEqual(UNSUPPORTED)
    const list = async (headers: Record<string, string>) =>
      ((await (await visitor.send({ path: '/api/notes', headers })).json()) as { items: object[] }).items
    for (const headers of [{}, page]) expect(await list(headers)).toEqual([])
    // As JSON, which takes a preflight, the same reaches the scratch space of that site.
    expect((await visitor.send({ ...asked, headers: page })).status).toBe(200)
    expect(await list(page)).toMatchObject([{ title: 'planted' }])
  })
})
