import { describe, expect, test } from 'bun:test'
import { answerCheck, isUndocumented, unansweredErrors } from '../support/documented'

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

  const shared = {
    Own: { description: 'Conflict: [`busy`](/docs/errors#busy)' },
    Any: { description: '`internal`' },
  }
  const refer = (name: string) => ({ $ref: `#/components/responses/${name}` })
  const coded = {
    paths: { '/api/a': { post: { responses: { 200: {}, 409: refer('Own'), default: refer('Any') } } } },
    components: { responses: shared },
  }
  const refused = (status: number, code?: string) =>
    isUndocumented(coded, { method: 'POST', route: '/api/a', status, ...(code ? { code } : {}) })

  test.each([
    [409, 'conflict'],
    [409, 'bus'],
    [404, 'not_found'],
  ])('is noticed by its code: %d %s', (status, code) => {
    expect(refused(status, code)).toBe(true)
  })

  test.each([
    [409, 'busy'],
    [500, 'internal'],
    [503, undefined],
  ])('is none by its code: %d %s', (status, code) => {
    expect(refused(status, code)).toBe(false)
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

describe('an error that is declared and that nobody has seen answered', () => {
  const busy = { description: 'Conflict: [`busy`](/docs/errors#busy), [`conflict`](/docs/errors#conflict)' }
  const declared = {
    paths: {
      '/api/a/{id}': { post: { responses: { 200: {}, 409: busy, default: { description: '(/x#internal)' } } } },
    },
  }

  test.each<[answered: string[], unanswered: string[]]>([
    [[], ['POST /api/a/:id busy', 'POST /api/a/:id conflict']],
    [['POST /api/a/:id conflict'], ['POST /api/a/:id busy']],
    [['GET /api/a/:id busy', 'POST /api/a/:id conflict'], ['POST /api/a/:id busy']],
    [['POST /api/a/:id busy', 'POST /api/a/:id conflict'], []],
    [['POST /api/a/:id busy', 'POST /api/a/:id conflict', 'POST /api/a/:id internal'], []],
  ])('beside %p is %p', (answered, unanswered) => {
    expect(unansweredErrors(declared, new Set(answered))).toEqual(unanswered)
  })
})
