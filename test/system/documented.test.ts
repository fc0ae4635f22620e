import { describe, expect, test } from 'bun:test'
import { answerCheck, isUndocumented } from '../support/documented'

/** The check that every world of the tests makes of its answers, see test/support/documented.ts. */

const document = {
  paths: { '/api/notes/{id}': { get: { responses: { 200: {}, 404: {} } }, delete: { responses: { 204: {} } } } },
}
const route = '/api/notes/:id'

describe('an answer that the document does not list', () => {
  test.each([
    ['GET', route, 409],
    ['HEAD', route, 410],
    ['DELETE', route, 200],
  ])('is noticed: %s %s %d', (method, path, status) => {
    expect(isUndocumented(document, { method, route: path, status })).toBe(true)
  })

  test.each([
    ['GET', route, 404],
    ['HEAD', route, 200],
    ['PATCH', route, 405],
    ['GET', '/api/others', 404],
    ['GET', null, 404],
  ])('is none: %s %s %d', (method, path, status) => {
    expect(isUndocumented(document, { method, route: path, status })).toBe(false)
  })

  test('fails the test that got it, once, and only under /api', async () => {
    let reads = 0
    const { note, check } = answerCheck(async () => {
      reads++
      return { paths: { '/api/teapot': { get: { responses: { 200: {} } } }, '/healthz': { get: { responses: {} } } } }
    })
    note({ method: 'GET', route: '/healthz', status: 418 })
    note({ method: 'GET', route: '/api/teapot', status: 200 })
    await check()
    note({ method: 'GET', route: '/api/teapot', status: 418 })
    await expect(check()).rejects.toThrow('GET /api/teapot answered 418')
    await check()
    expect(reads).toBe(2)
  })
})
