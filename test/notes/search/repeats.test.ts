import { afterAll, expect, test } from 'bun:test'
import { cost } from '../../support/cost'
import { makeKey, makeWorld } from '../../support/world'

const world = await makeWorld()
afterAll(world.close)

const me = { key: makeKey(1) }
const search = (q: string) => world.call(me, 'GET', `/api/notes/search?q=${encodeURIComponent(q)}`)

test.each(['가'.repeat(1000), `"${'a '.repeat(400)}"`, `*${'ab'.repeat(400)}*`])(
  'a query that says the same hundreds of times is refused: %#',
  async (q) => {
    const { status, body } = await search(q)
    expect([status, body.code, body.column]).toEqual([400, 'invalid_query', 1])
  },
)

test('as often as it may, it is answered, and nobody waits long', async () => {
  await world.call(me, 'POST', '/api/notes', { title: 'syllables', body: '가'.repeat(340_000) })
  const q = '가'.repeat(34)
  expect((await search(q)).body.items).toHaveLength(1)
  expect(await cost(2000, () => search(q))).toBeLessThan(2000)
})
