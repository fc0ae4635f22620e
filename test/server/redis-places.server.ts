import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { RedisClient } from 'bun'
import { createWaitingLine } from '../../src/chat/waiting-line'
import { createLocalPlaces, type LimitedPlaces } from '../../src/db/places'
import { createRedisPlaces } from '../../src/db/places-redis'
import { RedisConnection, type RedisOptions } from '../../src/db/redis'
import { createImportQueue } from '../../src/imports/queue'
import { startTimer } from '../../src/lib/steps'
import { makeLog } from '../gate/world'
import { type Engine, startRedis } from '../support/engines'
import { startLossyProxy } from '../support/lossy-proxy'

let redis: Engine
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
  const client = new RedisClient(redis.url)
  try {
    return await client.send(command, args)
  } finally {
    client.close()
  }
}
async function connect(patienceMs = 2000, url = redis.url): Promise<RedisConnection> {
  // The first command connects.
  const prepare: RedisOptions['prepare'] = async (commands) => void (await commands.send('PING', []))
  const options = { url, log: makeLog(), prepare, retryMs: 5, patienceMs }
  const connection = await RedisConnection.open(options)
  closing.push(connection)
  return connection
}
/** The places as a process has them, and its connection. */
async function openPlaces(leaseMs?: number, patienceMs?: number, url?: string) {
  const connection = await connect(patienceMs, url)
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

  test('are taken for the first in a line for whom there are some', async () => {
    const places = await open()
    const [a, b] = ['a', 'b'].map((name) => ({ name, limit: 1 }))
    if (!a || !b) throw new Error('unreachable')
    const all = { name: 'all', limit: 2 }
    const first = await places.takeFirst([
      [a, all],
      [b, all],
    ])
    expect(first?.index).toBe(0)
    expect((await places.takeFirst([[a, all], [a], [b, all]]))?.index).toBe(2)
    expect(await places.takeFirst([[{ name: 'c', limit: 1 }, all], [a]])).toBeNull()
    expect(await places.takeFirst([])).toBeNull()
    await first?.giveBack()
    expect((await places.takeFirst([[b], [a, all]]))?.index).toBe(1)
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
    const [living, dying, other] = await Promise.all([openPlaces(1000), openPlaces(1000), openPlaces(1000)])
    const a = { name: 'a', limit: 2 }
    await living.places.take([a])
    await dying.places.take([a])
    expect(await other.places.take([a])).toBeNull()
    dying.connection.close()
    await untilTaken(other.places, 'a', 2)
    expect(await other.places.take([a])).toBeNull()
  })

  test('are held again when Redis has lost them', async () => {
    const { places } = await openPlaces(600)
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

  test('whose answer is lost are taken once', async () => {
    const url = new URL(redis.url)
    const proxy = startLossyProxy(Number(url.port))
    closing.push(proxy)
    url.port = String(proxy.port)
    const { places } = await openPlaces(30_000, 60_000, url.href)
    const a = { name: 'a', limit: 1 }
    await (await places.take([a]))?.()
    proxy.lose('satchel:places:a', 1)
    const back = await places.take([a])
    expect([proxy.lost, back, await places.take([a])]).toEqual([1, expect.any(Function), null])
    await back?.()
    expect(await operate('EXISTS', 'satchel:places:a')).toBe(0)
  })

  test('are taken next by a process that waits, and one after the other by several', async () => {
    const [one, two, three] = (await Promise.all([openPlaces(), openPlaces(), openPlaces()])).map(
      ({ places }) => places,
    )
    if (!one || !two || !three) throw new Error('unreachable')
    const a = [{ name: 'a', limit: 1 }]
    const first = await one.take(a)
    expect(await two.takeFirst([a])).toBeNull()
    expect(await three.takeFirst([a])).toBeNull()
    expect(await one.takeFirst([a])).toBeNull()
    await first?.()
    expect([await one.take(a), await one.takeFirst([a]), await three.takeFirst([a])]).toEqual([null, null, null])
    const second = await two.takeFirst([a])
    expect(second?.index).toBe(0)
    expect([await three.takeFirst([a]), await two.takeFirst([a])]).toEqual([null, null])
    await second?.giveBack()
    expect(await two.takeFirst([a])).toBeNull()
    expect(await three.takeFirst([a])).not.toBeNull()
  })

  test('are kept for a process that waits as long as it does, and only the next one', async () => {
    const [one, two] = (await Promise.all([openPlaces(), openPlaces()])).map(({ places }) => places)
    if (!one || !two) throw new Error('unreachable')
    const a = [{ name: 'a', limit: 3 }]
    const held = await Promise.all([one.take(a), one.take(a), one.take(a)])
    expect(await two.takeFirst([a])).toBeNull()
    for (const back of held) await back?.()
    expect([await one.take(a), await one.take(a)]).not.toContain(null)
    expect(await one.take(a)).toBeNull()
    await untilTaken(one, 'a', 3)
    expect(await operate('EXISTS', 'satchel:places:a:line')).toBe(0)
  })

  test('are not kept for one that only tried, nor of a name that is not what is missing', async () => {
    const [one, two] = (await Promise.all([openPlaces(), openPlaces()])).map(({ places }) => places)
    if (!one || !two) throw new Error('unreachable')
    const [mine, all] = ['mine', 'all'].map((name) => ({ name, limit: 1 }))
    if (!mine || !all) throw new Error('unreachable')
    const back = await one.take([mine, all])
    expect(await two.take([all])).toBeNull()
    expect(await two.takeFirst([[mine, all]])).toBeNull()
    await back?.()
    expect(await one.take([mine])).toBeNull()
    expect(await one.take([all])).not.toBeNull()
  })
})

const CONNECTED = new AbortController().signal

/** The lines before the model and of imports, as a process has them. */
async function openLines(concurrency: number, leaseMs?: number, patienceMs?: number) {
  const { places, connection } = await openPlaces(leaseMs, patienceMs)
  const line = createWaitingLine({ name: 'chat', places, concurrency })
  const reason = 'Other imports are running'
  const queue = createImportQueue({ name: 'imports', places, slots: concurrency, timer: startTimer, reason })
  return { line, queue, connection }
}
/** Waits until so many processes wait for a place of one of the lines. */
async function untilWaiting(processes: number): Promise<void> {
  const waiting = () => Promise.all(['chat', 'imports'].map((name) => operate('HLEN', `satchel:places:${name}:line`)))
  while (!(await waiting()).includes(processes));
}
type Lines = Awaited<ReturnType<typeof openLines>>

describe.each<[string, number, (lines: Lines, payer: string, signal?: AbortSignal) => Promise<() => void>]>([
  ['before the model', 2, ({ line }, payer, signal = CONNECTED) => line.enter(payer, signal)],
  ['of imports', 1, ({ queue }, payer, signal) => queue.enter([payer, `network of ${payer}`], 30_000, signal)],
])('lines %s, of several processes,', (_, each, enter) => {
  test('let in as many as there are places, no more of a payer than it may have, and all in the end', async () => {
    const all = await Promise.all([openLines(4), openLines(4), openLines(4)])
    const running: string[] = []
    const seen = { most: 0, mostOfOne: 0 }
    const run = async (i: number) => {
      const payer = `payer ${i % 9}`
      const leave = await enter(all[i % 3] as Lines, payer)
      running.push(payer)
      seen.most = Math.max(seen.most, running.length)
      seen.mostOfOne = Math.max(seen.mostOfOne, running.filter((one) => one === payer).length)
      await operate('PING')
      running.splice(running.indexOf(payer), 1)
      leave()
    }
    await Promise.all(Array.from({ length: 45 }, (_, i) => run(i)))
    expect(seen.most).toBe(4)
    expect(seen.mostOfOne).toBeWithin(1, each + 1)
  })

  test('take turns, however many wait in one of them', async () => {
    const [one, two] = await Promise.all([openLines(1), openLines(1)])
    const order: string[] = []
    const run = async (lines: Lines, name: string) => {
      const leave = await enter(lines, name)
      order.push(name)
      leave()
    }
    const leave = await enter(one, 'first')
    const many = Array.from({ length: 20 }, (_, i) => run(one, `many ${i}`))
    await untilWaiting(1)
    const singles = [run(two, 'other 1'), run(two, 'other 2')]
    await untilWaiting(2)
    leave()
    await Promise.all([...many, ...singles])
    expect(order.slice(0, 4)).toEqual(['many 0', 'other 1', 'many 1', 'other 2'])
    expect(order.filter((name) => name.startsWith('many'))).toEqual(Array.from({ length: 20 }, (_, i) => `many ${i}`))
  })

  test('get the places of a process that died, after the lease', async () => {
    const [dying, other] = await Promise.all([openLines(1, 1000), openLines(1)])
    await enter(dying, 'a')
    const first = enter(dying, 'b').catch(() => null)
    await untilWaiting(1)
    const waiting = enter(other, 'c')
    await untilWaiting(2)
    dying.connection.close()
    expect(await waiting).toBeFunction()
    expect(await first).toBeNull()
  })

  test('have the place of a caller that leaves in the moment of its turn', async () => {
    const lines = await openLines(1)
    const caller = new AbortController()
    const leave = await enter(lines, 'a')
    const left = enter(lines, 'b', caller.signal).catch(() => 'left')
    await untilWaiting(1)
    leave()
    // Redis is asked for the place, and cannot have answered before other events are looked at.
    for (let i = 0; i < 10; i++) await null
    caller.abort()
    expect(await left).toBe('left')
    expect(await enter(lines, 'c')).toBeFunction()
    // And it has it under its own name.
    expect(await operate('KEYS', 'satchel:places:*:b')).toEqual([])
    expect(await operate('KEYS', 'satchel:places:*:c')).toHaveLength(1)
  })

  test('tell all who wait and those who come that Redis is away', async () => {
    const lines = await openLines(1, 30_000, 20)
    await enter(lines, 'a')
    const waiting = ['b', 'c', 'd'].map((name) => enter(lines, name))
    await untilWaiting(1)
    let told = 0
    for (const turn of waiting) turn.catch(() => told++)
    await redis.kill()
    const all = Promise.allSettled([...waiting, enter(lines, 'e'), enter(lines, 'f')])
    await Promise.race(waiting).catch(() => {})
    await new Promise((resolve) => setImmediate(resolve))
    // All at once, not each when the first in line is tried next.
    expect(told).toBe(3)
    const refused = await all
    await redis.restart()
    const detail = expect.stringContaining('cannot be counted right now. Try again in a moment; nothing was changed.')
    expect(refused).toMatchObject(Array(5).fill({ status: 'rejected', reason: { code: 'unavailable', detail } }))
  })

  test('refuse no request while Redis is away for less than the wait', async () => {
    const lines = await openLines(1, 30_000, 60_000)
    const leave = await enter(lines, 'a')
    const waiting = ['b', 'c'].map((name) => enter(lines, name))
    await untilWaiting(1)
    await redis.kill()
    waiting.push(enter(lines, 'd'))
    await redis.restart()
    leave()
    for (const turn of waiting) (await turn)()
    expect(await enter(lines, 'e')).toBeFunction()
  })
})

test('an import that waits as long as it takes waits until Redis is back', async () => {
  const { queue } = await openLines(1, 30_000, 20)
  const release = await queue.enter(['a'], null)
  const waiting = queue.enter(['b'], null)
  await redis.kill()
  await expect(queue.enter(['c'], 1000)).rejects.toMatchObject({ code: 'unavailable' })
  release()
  await redis.restart()
  expect(await waiting).toBeFunction()
})
