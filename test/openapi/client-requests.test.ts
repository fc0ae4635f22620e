import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { generateClient } from '../../src/openapi/client'
import { writeProgram } from './typescript'

/** What the client sends, and what it makes of answers that a test cannot have of our server at will. */

const json = { content: { 'application/json': { schema: {} } } }
const key = { in: 'header', name: 'Idempotency-Key', schema: { type: 'string' } }
const list = {
  type: 'object',
  properties: { items: { type: 'array', items: {} }, next_cursor: { type: ['string', 'null'] } },
}
const DOCUMENT = {
  paths: {
    '/things': {
      get: {
        operationId: 'listThings',
        parameters: [
          { in: 'query', name: 'cursor' },
          { in: 'query', name: 'tag', schema: { type: 'array' } },
          { in: 'query', name: 'ids', schema: { type: 'array' }, explode: false },
          { in: 'query', name: 'body' },
        ],
        responses: { 200: { content: { 'application/json': { schema: list } } } },
      },
      post: { operationId: 'createThing', parameters: [key], requestBody: json, responses: { 201: json } },
    },
    '/things/{id}': {
      patch: { operationId: 'updateThing', requestBody: json, responses: { 200: json } },
      put: {
        operationId: 'putThing',
        requestBody: { content: { 'application/octet-stream': {} } },
        responses: { 204: {} },
      },
    },
    '/file': { get: { operationId: 'getFile', responses: { 200: { content: { 'text/csv': {} } } } } },
  },
}

interface Seen {
  readonly method: string
  readonly target: string
  readonly headers: Headers
  readonly body: string
}

let answers: (() => Response)[] = []
let seen: Seen[] = []
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const { pathname, search } = new URL(request.url)
    seen.push({
      method: request.method,
      target: pathname + search,
      headers: request.headers,
      body: await request.text(),
    })
    return answers.shift()?.() ?? Response.json({})
  },
})
afterAll(() => server.stop(true))
beforeEach(() => {
  answers = []
  seen = []
})

const folder = await writeProgram({ 'client.ts': generateClient(DOCUMENT, ['not_found', 'rate_limited']) })
const { createClient, SatchelError } = await import(pathToFileURL(join(folder, 'client.ts')).href)
const client = createClient({ url: `${server.url}sub/`, key: 'satchel_x' })

const busy =
  (status: number, headers: Record<string, string> = {}) =>
  () =>
    Response.json({ code: 'rate_limited', detail: 'Wait.' }, { status, headers })
const failure = (call: Promise<unknown>) =>
  call.then(
    () => expect.unreachable(),
    (error: unknown) => error as InstanceType<typeof SatchelError>,
  )

describe('a request', () => {
  test('has its parts where they belong, below the path of the server', async () => {
    await client.listThings({ tag: ['a b', 'c'], ids: ['1', '2'], body_2: 'x', cursor: undefined })
    await client.updateThing({ id: 'a/b ü', body: { a: null } })
    expect(seen.map(({ method, target }) => `${method} ${target}`)).toEqual([
      'GET /sub/things?tag=a+b&tag=c&ids=1%2C2&body=x',
      'PATCH /sub/things/a%2Fb%20%C3%BC',
    ])
    expect(seen[1]?.body).toBe('{"a":null}')
    expect(seen.map(({ headers }) => headers.get('X-API-Key'))).toEqual(['satchel_x', 'satchel_x'])
    expect(seen[1]?.headers.get('Content-Type')).toBe('application/json')
    expect(seen[0]?.headers.get('Content-Type')).toBeNull()
  })

  test.each<[what: string, body: unknown, contentType: string | undefined, type: string]>([
    ['bytes', new Uint8Array([65]), undefined, 'application/octet-stream'],
    ['a file', new Blob(['A'], { type: 'image/png' }), undefined, 'image/png'],
    ['a file without a type', new Blob(['A']), undefined, 'application/octet-stream'],
    ['a named type', new Blob(['A'], { type: 'image/png' }), 'text/plain', 'text/plain'],
    ['a stream', new Blob(['A']).stream(), undefined, 'application/octet-stream'],
  ])('sends %s as it is', async (_, body, contentType, type) => {
    answers = [() => new Response(null, { status: 204 })]
    expect(await client.putThing({ id: '1', body, contentType })).toMatchObject({ status: 204, data: undefined })
    expect([seen[0]?.body, seen[0]?.headers.get('Content-Type')]).toEqual(['A', type])
  })

  test.each(['', '.', '..'])('is not sent with %j in the path: it would ask another one', async (id) => {
    const call = client.updateThing({ id, body: {} })
    await expect(call).rejects.toThrow('id must not be')
    expect(seen).toEqual([])
  })

  test.each(['...', '.a', 'a/..'])('is sent with %j in the path', async (id) => {
    await client.updateThing({ id, body: {} })
    expect(seen.map(({ target }) => target)).toEqual([`/sub/things/${encodeURIComponent(id)}`])
  })

  test('sends a text of another media type as it is, where JSON is the first', async () => {
    await client.updateThing({ id: '1', body: '# Plan', contentType: 'text/markdown' })
    await client.updateThing({ id: '1', body: '# Plan' })
    expect(seen.map(({ body, headers }) => [body, headers.get('Content-Type')])).toEqual([
      ['# Plan', 'text/markdown'],
      ['"# Plan"', 'application/json'],
    ])
  })

  test('sends a form with the boundary that fetch makes', async () => {
    const form = new FormData()
    form.set('file', new Blob(['A']), 'a.txt')
    await client.putThing({ id: '1', body: form })
    expect(seen[0]?.headers.get('Content-Type')).toStartWith('multipart/form-data; boundary=')
  })
})

describe('a repetition', () => {
  test.each([
    ['429 with Retry-After', busy(429, { 'Retry-After': '0' })],
    ['503 with Retry-After', busy(503, { 'Retry-After': '0' })],
    ['503 with a date that is over', busy(503, { 'Retry-After': 'Sun, 01 Mar 2026 08:00:00 GMT' })],
  ])('follows %s, of any method', async (_, answer) => {
    answers = [answer, answer]
    expect((await client.updateThing({ id: '1', body: {} })).status).toBe(200)
    expect(seen).toHaveLength(3)
  })

  test.each([
    ['429 without Retry-After, as with a full quota', busy(429)],
    ['a longer time than the caller waits', busy(429, { 'Retry-After': '31' })],
    ['another time that is none', busy(503, { 'Retry-After': 'soon' })],
    ['another status', busy(500, { 'Retry-After': '0' })],
  ])('does not follow %s', async (_, answer) => {
    answers = [answer]
    expect((await failure(client.listThings())).code).toBe('rate_limited')
    expect(seen).toHaveLength(1)
  })

  test('ends after as many as the caller set', async () => {
    answers = Array.from({ length: 5 }, () => busy(429, { 'Retry-After': '0' }))
    expect((await failure(client.listThings())).status).toBe(429)
    expect(seen).toHaveLength(3)
    await failure(createClient({ url: server.url.href, retries: 0 }).listThings())
    expect(seen).toHaveLength(4)
  })

  test('of a POST has the same Idempotency-Key, and another call another', async () => {
    answers = [busy(503, { 'Retry-After': '0' })]
    await client.createThing({ body: {} })
    await client.createThing({ body: {} })
    await client.createThing({ body: {}, idempotencyKey: 'mine' })
    const [one, two, three, four] = seen.map(({ headers }) => headers.get('Idempotency-Key'))
    expect(one).toMatch(/^[\d-]{8,60}$/)
    expect(two).toBe(one ?? '')
    expect(three).not.toBe(one ?? '')
    expect(four).toBe('mine')
  })

  test('follows a lost connection where it is safe', async () => {
    let lost = 0
    const losing = createClient({
      url: server.url.href,
      fetch: async (url: string, init: RequestInit) => {
        const response = await fetch(url, init)
        if (lost++ === 0) throw new TypeError('connection lost')
        return response
      },
    })
    await losing.createThing({ body: {} })
    expect(seen.map(({ headers }) => headers.get('Idempotency-Key'))).toEqual(
      Array(2).fill(seen[0]?.headers.get('Idempotency-Key')),
    )
    lost = 0
    expect(await failure(losing.updateThing({ id: '1', body: {} }))).toEqual(new TypeError('connection lost'))
    expect(seen).toHaveLength(3)
  })

  test.each([
    ['while it waits', (stop: () => void) => void setTimeout(stop)],
    ['before it waits', (stop: () => void) => stop()],
  ])('is not waited for when the caller gives up %s', async (_, when) => {
    answers = [busy(429, { 'Retry-After': '20' })]
    const stop = new AbortController()
    const waiting = createClient({
      url: server.url.href,
      fetch: async (url: string, init: RequestInit) => {
        const response = await fetch(url, { ...init, signal: null })
        when(() => stop.abort(new Error('enough')))
        return response
      },
    })
    expect(String(await failure(waiting.listThings({}, { signal: stop.signal })))).toContain('enough')
    expect(seen).toHaveLength(1)
  })
})

describe('an error', () => {
  test.each<[what: string, body: unknown, code: string]>([
    ['of ours', { code: 'not_found', detail: 'No.' }, 'not_found'],
    ['of the API of OpenAI', { error: { message: 'No.', code: 'x' }, x_satchel: { code: 'not_found' } }, 'not_found'],
    ['of JSON-RPC', { error: { message: 'No.', data: { code: 'not_found' } } }, 'not_found'],
    ['with a code that is not ours', { code: 'teapot' }, 'unknown'],
    ['that is null', null, 'unknown'],
  ])('%s has its code', async (_, body, code) => {
    answers = [() => Response.json(body, { status: 404 })]
    const error = await failure(client.listThings())
    expect(error).toBeInstanceOf(SatchelError)
    expect(error).toMatchObject({ name: 'SatchelError', status: 404, code, problem: body ?? {} })
  })

  test('of a proxy, in HTML, is one as well', async () => {
    answers = [() => new Response('<h1>Bad gateway</h1>', { status: 502, headers: { 'Content-Type': 'text/html' } })]
    expect(await failure(client.listThings())).toMatchObject({ status: 502, code: 'unknown', problem: {} })
  })

  test('is thrown for a stream where an object is expected, which raw() gives', async () => {
    const stream = () => new Response('{}\n{}\n', { headers: { 'Content-Type': 'application/x-ndjson' } })
    answers = [stream, stream]
    expect(String(await failure(client.createThing({ body: {} })))).toContain('raw()')
    expect(await (await client.createThing.raw({ body: {} })).text()).toBe('{}\n{}\n')
  })
})

test('the items of all pages come in order, and a page is fetched when it is needed', async () => {
  const page = (items: number[], next_cursor: string | null) => () => Response.json({ items, next_cursor })
  answers = [page([1, 2], 'a'), page([], 'b'), page([3], null)]
  const items: unknown[] = []
  for await (const item of client.listThings.all({ tag: 'x' })) {
    if (item === 2) expect(seen).toHaveLength(1)
    items.push(item)
  }
  expect(items).toEqual([1, 2, 3])
  expect(seen.map(({ target }) => target)).toEqual([
    '/sub/things?tag=x',
    '/sub/things?tag=x&cursor=a',
    '/sub/things?tag=x&cursor=b',
  ])
})

test('a file is a Response', async () => {
  answers = [() => new Response('a,b', { headers: { 'Content-Type': 'text/csv' } })]
  expect(await (await client.getFile()).text()).toBe('a,b')
})
