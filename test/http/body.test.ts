import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ApiError } from '../../src/http/api-error'
import { MAX_BODY_BYTES, parseJson, readJson } from '../../src/http/request'

const request = (body: BodyInit, type: string | null = 'application/json') =>
  new Request('http://localhost/', { method: 'POST', body, headers: type === null ? {} : { 'Content-Type': type } })

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => 'no error',
    (error) => error,
  )
  return error instanceof ApiError ? error.code : String(error)
}

describe('a body', () => {
  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
    '%s is read',
    async (type) => {
      expect(await readJson(request('{"a":1}', type))).toEqual({ a: 1 })
    },
  )

  test.each(['text/plain', 'application/jsonx', 'application/json; charset=latin1', 'multipart/form-data', 'json'])(
    '%s is refused with 415',
    async (type) => {
      expect(await codeOf(readJson(request('{}', type)))).toBe('unsupported_media_type')
    },
  )

  test('in a coding is refused with 415, not read as if it were in none', async () => {
    const coded = (coding: string) => {
      const headers = { 'Content-Type': 'application/json', 'Content-Encoding': coding }
      return readJson(new Request('http://localhost/', { method: 'POST', body: '{}', headers }))
    }
    expect(await codeOf(coded('gzip'))).toBe('unsupported_media_type')
    expect(await coded('identity')).toEqual({})
  })

  test('is null when it is empty, whatever its type', async () => {
    expect(await readJson(request('', 'text/plain'))).toBeNull()
    expect(await readJson(new Request('http://localhost/', { method: 'POST' }))).toBeNull()
  })

  test('may be as large as the limit and not a byte larger', async () => {
    const fits = `"${'x'.repeat(MAX_BODY_BYTES - 2)}"`
    expect(await readJson(request(fits))).toHaveLength(MAX_BODY_BYTES - 2)
    expect(await codeOf(readJson(request(`${fits} `)))).toBe('too_large')
  })

  test('a sender that never ends is stopped at the limit', async () => {
    let sent = 0
    const endless = new ReadableStream({
      pull(controller) {
        sent += 65_536
        controller.enqueue(new Uint8Array(65_536))
      },
    })
    expect(await codeOf(readJson(request(endless)))).toBe('too_large')
    expect(sent).toBeLessThan(MAX_BODY_BYTES + 10 * 65_536)
  })

  test.each(['{', '', '{"a":1}}', "{'a':1}", 'NaN', '\u0000', '[1,]'].filter(Boolean))(
    '%j is invalid_json',
    async (text) => {
      expect(await codeOf(readJson(request(text)))).toBe('invalid_json')
    },
  )

  test('in broken UTF-8 is invalid_json', async () => {
    expect(await codeOf(readJson(request(new Uint8Array([0x22, 0xff, 0x22]))))).toBe('invalid_json')
  })

  test('less its byte-order mark', async () => {
    expect(await readJson(request('\ufeff{"a":1}'))).toEqual({ a: 1 })
  })

  test('may nest 64 levels deep, and 65 or 200,000 are refused', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
    expect(parseJson(nested(64))).toBeArray()
    for (const levels of [65, 200_000]) expect(() => parseJson(nested(levels))).toThrow(/64 levels/)
    expect(parseJson(JSON.stringify({ text: nested(1000), quote: '"[[[' }))).toBeObject()
  })

  test.each([
    ['{"a":"\\u0000"}', '/a'],
    ['{"a":["x","\\ud800"]}', '/a/1'],
    ['{"a/b":{"~":"\\udc00x"}}', '/a~1b/~0'],
    ['{"a":{"b":[1,1e400]}}', '/a/b/1'],
    ['{"a":-1E+999}', '/a'],
    [`{"a":${'9'.repeat(400)}}`, '/a'],
  ])('what cannot be stored as it was sent is pointed at: %s', (text, pointer) => {
    expect(() => parseJson(text)).toThrow(
      expect.objectContaining({ code: 'invalid_request', extra: { errors: [expect.objectContaining({ pointer })] } }),
    )
  })

  test('is any JSON value, exactly as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 20 }), (value) => {
        expect(parseJson(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })
})
