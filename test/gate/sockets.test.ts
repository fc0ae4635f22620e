import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { checkLimitHeaders } from './structured-fields'
import { makeWorld, type World } from './world'

/** Sends bytes over a socket of its own and hands back the answers, up to the end of the connection. */
async function raw(port: number, text: string): Promise<string> {
  let answer = ''
  const end = Promise.withResolvers<void>()
  await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      open: (socket) => void socket.write(text),
      data: (_, bytes) => {
        answer += bytes.toString()
      },
      close: () => end.resolve(),
      error: (_, error) => end.reject(error),
    },
  })
  await end.promise
  return answer
}

/** The first answer as a Response, so that its headers can be checked. */
function parse(answer: string): Response {
  const [head = '', ...body] = answer.split('\r\n\r\n')
  const [line = '', ...fields] = head.split('\r\n')
  const status = Number(line.split(' ')[1])
  const headers = fields.map(
    (f) => [f.slice(0, f.indexOf(':')), f.slice(f.indexOf(':') + 1).trim()] as [string, string],
  )
  return new Response([204, 304].includes(status) ? null : body.join('\r\n\r\n'), { status, headers })
}

let world: World
let port = 0
beforeAll(() => {
  world = makeWorld({ settings: { freeLimitPerHour: 1_000_000 } })
  port = world.listen()
})
afterAll(() => world.close())

/** How often the caller was charged by what `work` does. */
async function charged(work: () => Promise<unknown>): Promise<number> {
  const left = async () =>
    Number((await fetch(`http://127.0.0.1:${port}/api/usage`)).headers.get('X-RateLimit-Remaining'))
  const before = await left()
  await work()
  return before - (await left())
}
async function ask(request: string): Promise<Response> {
  return parse(await raw(port, `${request} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`))
}

describe('over a real socket, every answer under /api carries the headers and is counted once', () => {
  test.each([
    ['GET /api', 200],
    ['GET /api?x=/y', 200],
    ['GET /api/ok', 200],
    ['HEAD /api/ok', 200],
    ['GET /api/static', 200],
    ['GET /api/stream', 200],
    ['HEAD /api/stream', 200],
    ['GET /api/204', 204],
    ['GET /api/304', 304],
    ['GET /api/redirect', 302],
    ['GET /api/400', 400],
    ['GET /api/nowhere', 404],
    ['PUT /api/ok', 404],
    ['OPTIONS /api/ok', 404],
    ['OPTIONS /api/405', 405],
    ['PATCH /api/405', 405],
    ['GET /api/412', 412],
    ['GET /api/crash', 500],
    ['GET /api/throwing-error-hook', 500],
    ['GET /api/bad-header', 500],
    ['GET /api/response-error', 500],
    ['GET /api/item/%2e%2e', 200],
    ['GET /x/../api/ok', 200],
    ['GET /api\\ok', 200],
    ['GET http://elsewhere/api/ok', 200],
    ['GET /api#x', 404],
    ['GET /api/usage#x', 404],
  ])('%s: %d', async (request, status) => {
    let answer = new Response()
    const count = await charged(async () => {
      answer = await ask(request)
    })
    expect(answer.status).toBe(status)
    checkLimitHeaders(answer)
    expect(count).toBe(1)
    expect(await answer.text()).not.toContain('secret detail')
  })

  test('what a handler sets under the same names is overwritten', async () => {
    const answer = await ask('GET /api/forged')
    checkLimitHeaders(answer)
    expect(answer.headers.get('X-Tier')).toBe('free')
  })
})

describe('outside /api nothing is counted or stamped', () => {
  test.each([
    ['GET /', 200],
    ['GET /healthz', 200],
    ['GET /?/api/ok', 200],
    ['GET /nowhere', 404],
    ['GET /API/ok', 404],
    ['GET /api;x', 404],
    ['GET /apis', 404],
    ['GET /api/../healthz', 200],
  ])('%s: %d', async (request, status) => {
    let answer = new Response()
    const count = await charged(async () => {
      answer = await ask(request)
    })
    expect([answer.status, count, answer.headers.has('X-Tier')]).toEqual([status, 0, false])
  })
})

test('a stream counts once, when it opens, and a client that leaves is counted', async () => {
  expect(
    await charged(async () => {
      const response = await fetch(`http://127.0.0.1:${port}/api/stream`)
      await response.body?.cancel()
    }),
  ).toBe(1)
})

test('the headers are there for parallel requests over one connection, each with its own count', async () => {
  const request = 'GET /api/ok HTTP/1.1\r\nHost: localhost\r\n\r\n'
  const answer = await raw(
    port,
    `${request.repeat(9)}GET /api/ok HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
  )
  const left = [...answer.matchAll(/x-ratelimit-remaining: (\d+)/gi)].map((match) => Number(match[1]))
  expect(left.length).toBe(10)
  expect(new Set(left).size).toBe(10)
})
