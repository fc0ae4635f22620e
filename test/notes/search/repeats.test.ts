import { afterAll, expect, test } from 'bun:test'
import { cost } from '../../support/cost'
import { makeKey, makeWorld } from '../../support/world'

/** A phrase is looked for at every place of its words: one that repeats itself must not read them for each of its words. */

const world = await makeWorld()
afterAll(world.close)

const me = { key: makeKey(1) }
const search = (q: string) => world.call(me, 'GET', `/api/notes/search?q=${encodeURIComponent(q)}`)
await world.call(me, 'POST', '/api/notes', { title: 'syllables', body: '가'.repeat(340_000) })
await world.call(me, 'POST', '/api/notes', { title: 'letters', body: `b ${'a '.repeat(500_000)}` })

test.each([
  ['가'.repeat(1000), ['syllables']],
  [`"${'가'.repeat(1000)}"`, ['syllables']],
  [`"${'a '.repeat(499)}"`, ['letters']],
  [`"${'a '.repeat(499)}b"`, []],
  [`"b ${'a '.repeat(498)}b"`, []],
  [`*${'ab'.repeat(400)}*`, []],
])('a query that says the same hundreds of times is answered, and nobody waits long: %#', async (q, titles) => {
  const { status, body } = await search(q)
  expect([status, body.items?.map(({ note }: { note: { title: string } }) => note.title)]).toEqual([200, titles])
  expect(await cost(2000, () => search(q))).toBeLessThan(2000)
})
