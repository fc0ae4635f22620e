import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Exchange, requestText, sendBytes } from '../support/wire'
import { checkLimitHeaders } from './structured-fields'
import { makeWorld, type World } from './world'

let world: World
let base = ''
beforeAll(() => {
  world = makeWorld({ settings: { freeLimitPerHour: 1_000_000 } })
  base = `http://127.0.0.1:${world.listen()}`
})
afterAll(() => world.close())

/** How often the caller was charged by what `work` does. */
async function charged(work: () => Promise<unknown>): Promise<number> {
  const left = async () => Number((await fetch(`${base}/api/usage`)).headers.get('X-RateLimit-Remaining'))
  const before = await left()
  await work()
  return before - (await left())
}
const ask = (request: string) => sendBytes(base, requestText(`${request} HTTP/1.1`, ['Host: localhost']))
/** Asks, and returns the answer and how often the caller was charged for it. */
async function askCharged(request: string) {
  const answers: Exchange[] = []
  const count = await charged(async () => void answers.push(await ask(request)))
  return { answer: answers[0] as Exchange, count }
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
    const { answer, count } = await askCharged(request)
    expect(answer.status).toBe(status)
    checkLimitHeaders(answer)
    expect(count).toBe(1)
    expect(answer.text).not.toContain('secret detail')
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
    const { answer, count } = await askCharged(request)
    expect([answer.status, count, answer.headers.has('X-Tier')]).toEqual([status, 0, false])
  })
})

test('a stream counts once, when it opens, and a client that leaves is counted', async () => {
  expect(
    await charged(async () => {
      const response = await fetch(`${base}/api/stream`)
      await response.body?.cancel()
    }),
  ).toBe(1)
})

test('the headers are there for parallel requests over one connection, each with its own count', async () => {
  const request = 'GET /api/ok HTTP/1.1\r\nHost: localhost\r\n\r\n'
  const last = requestText('GET /api/ok HTTP/1.1', ['Host: localhost'])
  const { headers, text } = await sendBytes(base, request.repeat(9) + last)
  const others = [...text.matchAll(/x-ratelimit-remaining: (\d+)/gi)].map((match) => match[1])
  const left = [headers.get('X-RateLimit-Remaining'), ...others]
  expect(left.length).toBe(10)
  expect(new Set(left).size).toBe(10)
})
