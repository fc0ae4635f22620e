import { describe, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { getNamedSchemas } from '../../src/http/schema'
import { docsRoutes } from '../../src/openapi/docs'
import { asObject, type JsonObject } from '../../src/openapi/json-schema'
import { countTurns } from '../support/turns'
import { makeWorld } from '../support/world'

/** The document is made at the first request that needs it, in steps between which the server serves others. */

test('the document is made in steps: each is of a few routes, one path or one schema', async () => {
  await using world = await makeWorld()
  const read = async (path: string): Promise<JsonObject> =>
    (await world.app.handle(new Request(`http://localhost${path}`))).json()
  const whole = await countTurns(() => read('/docs/json'))
  const short = await countTurns(() => read('/openapi.json'))
  const { paths, components } = await read('/docs/json')
  const [pathCount, schemaCount] = [paths, asObject(components).schemas].map(
    (part) => Object.keys(asObject(part)).length,
  )
  const named = Object.keys(getNamedSchemas()).length
  expect([pathCount, schemaCount, named].every((count) => Number(count) > 100)).toBe(true)
  // Each path is converted, gets its references, and is looked through twice for what it has in common with others.
  const passes = 4 * Number(pathCount) + 3 * named
  expect(whole).toBeGreaterThan(passes + world.app.routes.length / 10)
  expect(short).toBeGreaterThanOrEqual(Number(pathCount) + Number(schemaCount))
  // What is made once costs nothing more.
  expect(await countTurns(async () => [await read('/docs/json'), await read('/openapi.json')])).toBeLessThan(5)
})

describe('callers at the same time', () => {
  /** A server with one route, which counts how often its schema is read. */
  const makeServer = () => {
    let reads = 0
    const schema = Type.Object({ id: Type.String() })
    Object.defineProperty(schema, 'title', { enumerable: true, get: () => `${++reads}`.slice(0, 0) })
    const linkFiles = (html: string) => html
    const app = new Elysia()
      .get('/api/x', () => ({ id: 'a' }), { response: schema })
      .use(docsRoutes({ version: '1', freePerHour: 1, apiPerHour: 1, linkFiles }))
    app.compile()
    const read = async (path: string) => (await app.handle(new Request(`http://localhost${path}`))).text()
    return { read, countReads: () => reads }
  }

  test('wait for one document', async () => {
    const one = makeServer()
    let before = one.countReads()
    const text = await one.read('/docs/json')
    const readsOfOne = one.countReads() - before
    expect(readsOfOne).toBeGreaterThan(0)
    const many = makeServer()
    before = many.countReads()
    const texts = await Promise.all(['/docs/json', '/openapi.json', '/docs/json', '/docs/objects'].map(many.read))
    expect([texts[0], texts[2]]).toEqual([text, text])
    expect(many.countReads() - before).toBe(readsOfOne)
    await many.read('/openapi.json')
    expect(many.countReads() - before).toBe(readsOfOne)
  })
})
