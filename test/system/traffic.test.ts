import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createRouteFinder, Histogram, writeMetrics } from '../../src/log/traffic'
import { runs } from '../support/full'
import { makeKey, makeWorld } from '../support/world'

/** The line in the log that each answer leaves. */

const world = await makeWorld()
afterAll(world.close)
beforeEach(() => void world.logged.splice(0))

const lines = () => world.logged.filter(({ message }) => message === 'answered').map(({ fields }) => fields)

describe('an answer leaves one line', () => {
  test('with the id, method, pattern, status, duration and tier, and nothing else', async () => {
    await world.call({ key: makeKey(1) }, 'GET', '/api/notes?folder=private')
    expect(lines()).toEqual([
      {
        request_id: expect.stringMatching(/^01900000-/),
        method: 'GET',
        route: '/api/notes',
        status: 200,
        duration_ms: 0,
        tier: 'api',
      },
    ])
  })

  test.each([
    ['a refusal', 'GET', '/api/notes/01890000-0000-7000-8000-00000000ffff', '/api/notes/:id', 404, 'free'],
    ['broken JSON', 'POST', '/api/notes', '/api/notes', 400, 'free'],
    ['a path of nothing', 'GET', '/api/nothing', null, 404, 'free'],
    ['a page of nothing', 'GET', '/nothing', null, 404, null],
    ['a method that is not there', 'GET', '/api/notes/batch', '/api/notes/batch', 405, 'free'],
  ])('%s: the same id as the error', async (_, method, path, route, status, tier) => {
    const { body } = await world.call({ address: '192.0.2.9' }, method, path, method === 'POST' ? '{' : undefined)
    expect(lines()).toEqual([{ request_id: body.request_id, method, route, status, duration_ms: 0, tier }])
  })

  test('what the gate refuses as well', async () => {
    for (let i = 0; i < 21; i++) await world.call({ address: '192.0.2.11' }, 'GET', '/api')
    expect(lines().at(-1)).toMatchObject({ route: '/api', status: 429, tier: 'free' })
  })

  test('no key, address, body, title, query or token of a feed gets into any line', async () => {
    const key = makeKey(7)
    const as = { key, address: '203.0.113.77' }
    await world.call(as, 'POST', '/api/notes', { title: 'my-own-title', body: 'my-own-body' })
    await world.call(as, 'POST', '/api/notes', { title: ['my-own-title'] })
    await world.call(as, 'GET', '/api/notes/search?q=my-own-query')
    await world.call({ ...as, key: 'a key of mine' }, 'GET', '/my-own-path')
    await world.call(as, 'GET', '/api/tasks/feeds/my-own-token.ics')
    const text = JSON.stringify(world.logged)
    expect(lines()).toHaveLength(5)
    for (const word of [key, '203.0.113.77', 'my-own', 'a key of mine']) expect(text).not.toContain(word)
  })

  test('probes leave none', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics']) await world.call({ address: '127.0.0.1' }, 'GET', path)
    expect(lines()).toEqual([])
  })
})

describe('the pattern of a path', () => {
  const patterns = [...new Set(world.app.routes.map(({ path }) => path || '/'))]
  const routeOf = createRouteFinder(patterns)

  test.each(patterns)('%s is found by what it stands for', (pattern) => {
    expect(routeOf(pattern.replaceAll(/:\w+/g, '01890000-0000-7000-8000-00000000ffff'))).toBe(pattern)
  })

  test('what is spelled out goes before what takes any text, and one does not hide the other', () => {
    const named = createRouteFinder(['/a/:id', '/a/b', '/a/:id/c', '/a/b/:id/d'])
    expect(['/a/b', '/a/x', '/a/b/c', '/a/b/x/d', '/a/', '/a', '/a/x/y'].map(named)).toEqual([
      '/a/b',
      '/a/:id',
      '/a/:id/c',
      '/a/b/:id/d',
      null,
      null,
      null,
    ])
  })

  test('any path has one of the patterns, or none', () => {
    fc.assert(
      fc.property(fc.webPath(), (path) => {
        const route = routeOf(path)
        expect(route === null || patterns.includes(route)).toBe(true)
      }),
      { numRuns: runs(300) },
    )
  })
})

describe('the text of metrics', () => {
  test('escapes what would end a label', () => {
    const samples = [{ labels: { a: 'x"y\\z\n' }, value: 1 }]
    expect(writeMetrics([{ name: 'n', type: 'gauge', help: 'h', samples }])).toBe(
      '# HELP n h\n# TYPE n gauge\nn{a="x\\"y\\\\z\\n"} 1\n',
    )
  })

  test('a histogram counts each value once, in the first bound that holds it', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 20, noNaN: true })), (values) => {
        const histogram = new Histogram([1, 5, 10])
        for (const value of values) histogram.observe(value)
        const samples = histogram.samples({})
        const below = (bound: number) => values.filter((value) => value <= bound).length
        expect(samples.map(({ value }) => value)).toEqual([
          ...[1, 5, 10].map(below),
          values.length,
          values.reduce((sum, value) => sum + value, 0),
          values.length,
        ])
      }),
      { numRuns: runs(100) },
    )
  })
})
