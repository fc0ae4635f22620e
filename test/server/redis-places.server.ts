import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { RedisClient } from 'bun'
import { createLocalPlaces, type LimitedPlaces } from '../../src/db/places'
import { createRedisPlaces } from '../../src/db/places-redis'
import { RedisConnection } from '../../src/db/redis'
import { makeLog } from '../gate/world'
import { startRedis, type TestRedis } from '../support/redis'

let redis: TestRedis
const closing: { close(): void }[] = []
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis.stop())
afterEach(async () => {
  for (const one of closing.splice(0)) one.close()
  await operate('FLUSHALL')
})

async function operate(command: string, ...args: string[]): Promise<unknown> {
  const client = new RedisClient(redis.url())
  try {
    return await client.send(command, args)
  } finally {
    client.close()
  }
}
async function connect(): Promise<RedisConnection> {
  const options = { url: redis.url(), log: makeLog(), prepare: async () => {}, retryMs: 5 }
  const connection = await RedisConnection.open(options)
  closing.push(connection)
  return connection
}
/** The places as a process has them, and its connection. */
async function openPlaces(leaseMs?: number) {
  const connection = await connect()
  const options = { redis: connection, ids: () => Bun.randomUUIDv7() }
  const places = createRedisPlaces(leaseMs === undefined ? options : { ...options, leaseMs })
  closing.push(places)
  return { places, connection }
}
/** Tries until there is a place. */
async function untilTaken(places: LimitedPlaces, name: string, limit: number): Promise<void> {
  while (!(await places.take([{ name, limit }]))) await new Promise((resolve) => setTimeout(resolve, 1))
}

describe.each<[string, () => Promise<LimitedPlaces>]>([
  ['of one process', async () => createLocalPlaces()],
  ['in Redis', async () => (await openPlaces()).places],
])('places %s', (_, open) => {
  test('are as many as the limit, for each name', async () => {
    const places = await open()
    const a = { name: 'a', limit: 2 }
    const first = await places.take([a])
    expect(first).not.toBeNull()
    expect(await places.take([a])).not.toBeNull()
    expect(await places.take([a])).toBeNull()
    expect(await places.take([{ name: 'b', limit: 1 }])).not.toBeNull()
    await first?.()
    expect(await places.take([a])).not.toBeNull()
    expect(await places.take([a])).toBeNull()
  })

  test('are taken of all names or of none', async () => {
    const places = await open()
    const both = [
      { name: 'a', limit: 5 },
      { name: 'b', limit: 1 },
    ]
    const back = await places.take(both)
    for (let i = 0; i < 9; i++) expect(await places.take(both)).toBeNull()
    for (let i = 0; i < 4; i++) expect(await places.take(both.slice(0, 1))).not.toBeNull()
    await back?.()
    expect(await places.take(both)).not.toBeNull()
    expect(await places.take([{ name: 'c', limit: 0 }])).toBeNull()
  })

  test('that are given back twice are free once', async () => {
    const places = await open()
    const a = { name: 'a', limit: 2 }
    const first = await places.take([a])
    await places.take([a])
    await first?.()
    await first?.()
    expect(await places.take([a])).not.toBeNull()
    expect(await places.take([a])).toBeNull()
  })
})

describe('places of several processes', () => {
  test('are exactly as many as the limit', async () => {
    const all = await Promise.all([openPlaces(), openPlaces(), openPlaces()])
    const takes = Array.from({ length: 200 }, (_, i) => all[i % 3]?.places.take([{ name: 'a', limit: 10 }]))
    const taken = (await Promise.all(takes)).filter((back) => back !== null)
    expect(taken).toHaveLength(10)
    for (const back of taken) await back?.()
    expect(await operate('EXISTS', 'satchel:places:a')).toBe(0)
  })

  test('are free after the lease of a process that died, and kept by one that lives', async () => {
    const [living, dying, other] = await Promise.all([openPlaces(150), openPlaces(150), openPlaces(150)])
    const a = { name: 'a', limit: 2 }
    await living.places.take([a])
    await dying.places.take([a])
    expect(await other.places.take([a])).toBeNull()
    dying.connection.close()
    await untilTaken(other.places, 'a', 2)
    expect(await other.places.take([a])).toBeNull()
  })

  test('are held again when Redis has lost them', async () => {
    const { places } = await openPlaces(60)
    const back = await places.take([{ name: 'a', limit: 1 }])
    await operate('FLUSHALL')
    while ((await operate('ZCARD', 'satchel:places:a')) !== 1) await new Promise((resolve) => setTimeout(resolve, 1))
    expect(await places.take([{ name: 'a', limit: 1 }])).toBeNull()
    await back?.()
    expect(await places.take([{ name: 'a', limit: 1 }])).not.toBeNull()
  })

  test('leave nothing in Redis', async () => {
    const { places } = await openPlaces()
    const back = await places.take([{ name: 'a', limit: 1 }])
    expect(await operate('PTTL', 'satchel:places:a')).toBeGreaterThan(25_000)
    expect(await operate('PTTL', 'satchel:places:a')).toBeLessThanOrEqual(30_000)
    await back?.()
    expect(await operate('KEYS', '*')).toEqual([])
  })

  test('are not given while Redis is away', async () => {
    const { places, connection } = await openPlaces()
    connection.close()
    const failure = await places.take([{ name: 'a', limit: 1 }]).then(String, String)
    expect(failure).toStartWith('RedisUnavailable: ')
  })
})
