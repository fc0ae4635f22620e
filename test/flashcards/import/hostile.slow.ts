import { afterAll, expect, test } from 'bun:test'
import { spent } from '../../support/cost'
import { hostilePackages } from '../anki/hostile'
import { makeTransferWorld } from '../transfer-support'

const world = await makeTransferWorld()
afterAll(world.close)

test.each(hostilePackages)('a package that %s is refused over HTTP, and stores nothing', async (_, code, bytes) => {
  const me = world.stranger()
  const { ms, value } = await spent(() => world.send(me, 'format=apkg', bytes))
  expect([value.body.code, value.status]).toEqual([code, code === 'too_large' ? 413 : 400])
  expect(ms).toBeLessThan(5000)
  // The next request is served.
  expect(await world.latestSeq(me)).toBe(0)
})
