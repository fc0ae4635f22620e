import { describe, expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { compressAnswer, preferredCoding } from '../../src/http/answer'

const LARGE = JSON.stringify({ text: 'the same words again and again '.repeat(600) })
const JSON_TYPE = { 'Content-Type': 'application/json' }

const ask = (headers: Record<string, string> = { 'Accept-Encoding': 'gzip' }, method = 'GET') =>
  new Request('http://localhost/', { method, headers })
const compress = (body: string | null, headers: Record<string, string> = {}, status = 200, request = ask()) =>
  Promise.resolve(compressAnswer(request, new Response(body, { status, headers: { ...JSON_TYPE, ...headers } })))

test.each([
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['x-gzip', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['br;q=0.5, gzip', 'gzip'],
  ['gzip;q=0.001', 'gzip'],
  ['*', 'br'],
  ['*;q=0.1, br;q=0', 'gzip'],
  ['identity;q=0, *', 'br'],
  ['gzip;q=1.0, identity; q=0.5', 'gzip'],
  ['gzip;q=oops, br', 'br'],
  [', ,gzip', 'gzip'],
  [null, null],
  ['', null],
  ['identity', null],
  ['gzip;q=0', null],
  ['gzip;q=0.000, br;q=0', null],
  ['*;q=0', null],
  ['identity;q=0', null],
  ['identity, gzip;q=0.5', null],
  ['gzip;q=oops', null],
  ['gzipped', null],
  ['deflate, zstd', null],
  [';;;,=,q=1', null],
])('Accept-Encoding %p prefers %p', (header, expected) => {
  expect(preferredCoding(header, ['br', 'gzip'])).toBe(expected as never)
})

describe('an answer', () => {
  test.each([9_000, 70_000, 1_000_000])('of %d bytes is sent with gzip, and its ETag says so', async (length) => {
    const text = JSON.stringify('a'.repeat(length))
    const { status, headers, ...answer } = await compress(text, { ETag: '"3-0"', Vary: 'Accept' }, 201).then(
      async (one) => ({ status: one.status, headers: one.headers, bytes: await one.bytes() }),
    )
    expect(gunzipSync(answer.bytes).toString()).toBe(text)
    expect([status, headers.get('Content-Encoding'), headers.get('ETag'), headers.get('Vary')]).toEqual([
      201,
      'gzip',
      '"3-0.gz"',
      'Accept, Accept-Encoding',
    ])
  })

  test.each([
    ['that is small', '{}', {}],
    ['of a type that is compressed already', LARGE, { 'Content-Type': 'image/png' }],
    ['that streams events', LARGE, { 'Content-Type': 'text/event-stream' }],
    ['that streams lines', LARGE, { 'Content-Type': 'application/x-ndjson' }],
    ['that is an archive', LARGE, { 'Content-Type': 'application/zip' }],
    ['that is a file', LARGE, { 'Content-Disposition': 'attachment; filename="a.json"' }],
    ['that decided for itself', LARGE, { Vary: 'Accept-Encoding' }],
  ])('%s is sent as it is', async (_, text, headers) => {
    const answer = await compress(text, { ETag: '"1"', ...headers })
    expect([answer.headers.get('Content-Encoding'), answer.headers.get('ETag')]).toEqual([null, '"1"'])
    expect(await answer.text()).toBe(text)
  })

  test.each([
    [40_000, false],
    [65_535, false],
    [65_536, true],
    [1_000_000, true],
  ])('of %d bytes is compressed while others are served: %p', async (length, served) => {
    let isDone = false
    const compressing = compress('a'.repeat(length)).then(() => {
      isDone = true
    })
    // Nothing but what was promised runs meanwhile, so no other thread is heard.
    for (let turn = 0; turn < 100; turn++) await null
    expect(isDone).toBe(!served)
    await compressing
  })

  test('is sent as it is to those who do not ask for more, but says that it varies', async () => {
    for (const header of ['', 'identity', 'gzip;q=0', 'br'] as const) {
      const answer = await compress(LARGE, {}, 200, ask(header ? { 'Accept-Encoding': header } : {}))
      expect([header, answer.headers.get('Content-Encoding'), answer.headers.get('Vary')]).toEqual([
        header,
        null,
        'Accept-Encoding',
      ])
      expect(await answer.text()).toBe(LARGE)
    }
    expect((await compress(LARGE, { 'Content-Type': 'image/png' })).headers.get('Vary')).toBeNull()
  })

  test('of 304 names the form of the ETag that the caller has', async () => {
    const of = async (tag: string, accept = 'gzip') =>
      (
        await compress(null, { ETag: '"3-0"' }, 304, ask({ 'If-None-Match': tag, 'Accept-Encoding': accept }))
      ).headers.get('ETag')
    expect([await of('"3-0.gz"'), await of('W/"3-0.gz"'), await of('"3-0"')]).toEqual(['"3-0.gz"', '"3-0.gz"', '"3-0"'])
    expect([await of('"3-0.gz"', 'identity'), await of('*'), await of('"13-0.gz"')]).toEqual(Array(3).fill('"3-0"'))
  })

  test('to HEAD without a body keeps the length that it says', async () => {
    const answer = await compress(null, { 'Content-Length': '20000' }, 200, ask(undefined, 'HEAD'))
    expect([answer.headers.get('Content-Length'), answer.body]).toEqual(['20000', null])
  })
})
