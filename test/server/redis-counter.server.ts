import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { RedisClient } from 'bun'
import type { OpenCounter } from '../../src/gate/counter-port'
import { openRedisCounter, type RedisCounterOptions } from '../../src/gate/counter-redis'
import { ask, closeWorlds, foreign, left, world } from '../gate/asking'
import { day, describeCounter, free, HOUR, subject } from '../gate/counter-cases'
import { checkLimitHeaders } from '../gate/structured-fields'
import { HOUR_MS, KEY, makeLog, NOW, REST, type World } from '../gate/world'
import { makeKey } from '../support/keys'
import { startRedis, type TestRedis } from '../support/redis'

let redis: TestRedis
let lastDatabase = 0
const closing: { close(): void }[] = []

beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis.stop())
afterEach(async () => {
  await closeWorlds()
  for (const open of closing.splice(0)) open.close()
})

function closeLater<T extends { close(): void }>(made: T): T {
  closing.push(made)
  return made
}
async function open(database: number, options: Partial<RedisCounterOptions> = {}): Promise<OpenCounter> {
  const url = redis.url(database)
  return closeLater(await openRedisCounter({ url, fingerprint: 'test', log: makeLog(), retryMs: 5, ...options }))
}
/** So many processes on an empty database. */
function openSeveral(count: number, options: Partial<RedisCounterOptions> = {}): Promise<OpenCounter[]> {
  const database = ++lastDatabase
  return Promise.all(Array.from({ length: count }, () => open(database, options)))
}
/** Gates of so many processes on an empty database. */
async function openGates(count: number, options: Partial<RedisCounterOptions> = {}): Promise<World[]> {
  return (await openSeveral(count, options)).map((meter) => world({ deps: { meter } }))
}
/** Sends commands to the newest database, as its operator. */
async function operate<T = unknown>(command: string, ...args: string[]): Promise<T> {
  const client = new RedisClient(redis.url(lastDatabase))
  try {
    return (await client.send(command, args)) as T
  } finally {
    client.close()
  }
}
/** Waits until a counter fails, or works again. */
async function until(counter: OpenCounter, failing: boolean): Promise<void> {
  while (counter.state.failing !== failing) await new Promise((resolve) => setTimeout(resolve, 1))
}
const failureOf = (work: () => unknown): Promise<string> => Promise.resolve().then(work).then(String, String)
const messages = (log: { lines: string[] }) => log.lines.map((line) => line.split(' {')[0])

describe('the counter in Redis', () => {
  const databases = new WeakMap<OpenCounter, number>()
  const openOn = async (database: number) => {
    const counter = await open(database)
    databases.set(counter, database)
    return counter
  }
  describeCounter({
    open: () => openOn(++lastDatabase),
    reopen: (before) => openOn(databases.get(before) ?? -1),
  })
})

describe('several processes', () => {
  test('let exactly 20 of 200 parallel requests pass', async () => {
    const gates = await openGates(3)
    const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => (gates[i % 3] as World).call('/api/ok')))
    const passed = answers.filter(({ status }) => status === 200)
    expect(passed).toHaveLength(20)
    expect(passed.map(left).toSorted()).toEqual(Array.from({ length: 20 }, (_, i) => String(i)).toSorted())
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(180)
    for (const gate of gates) expect(await (await gate.call('/api/usage')).json()).toMatchObject({ remaining: 0 })
  })

  test('admit a new key once, and no more new keys than a network may bring', async () => {
    const gates = await openGates(3)
    const one = await Promise.all(gates.flatMap((gate) => [1, 2, 3].map(() => gate.call('/api/ok', { key: KEY }))))
    expect(one.map(({ status }) => status)).toEqual(new Array(9).fill(200))
    expect(one.filter(({ headers }) => headers.get('X-Key-Status') === 'new')).toHaveLength(1)
    // As many first uses of keys in another format, beside them.
    for (const [keyOf, passing] of [
      [makeKey, 19],
      [foreign, 20],
    ] as const) {
      const many = await Promise.all(
        Array.from({ length: 60 }, (_, i) => (gates[i % 3] as World).call('/api/ok', { key: keyOf(i) })),
      )
      expect(many.filter(({ status }) => status === 200)).toHaveLength(passing)
      // What one admitted, the others know.
      const admitted = many.findIndex(({ status }) => status === 200)
      for (const gate of gates)
        expect((await gate.call('/api/ok', { key: keyOf(admitted) })).headers.get('X-Key-Status')).toBe('known')
    }
  })

  test('count in one hour, which a clock that is behind does not reset, and tell how long to wait', async () => {
    const [first, second] = (await openGates(2)) as [World, World]
    await ask(first, 20, '/api/ok')
    second.time.now = NOW - 2 * HOUR_MS
    expect((await second.call('/api/ok')).status).toBe(429)
    const refused = await second.call('/api/ok')
    checkLimitHeaders(refused)
    expect(Number(refused.headers.get('Retry-After'))).toBe(REST + 7200)
    second.time.now = NOW - 3 * HOUR_MS
    expect(left(await second.call('/api/ok'))).toBe('19')
    expect((await first.call('/api/ok')).status).toBe(429)
  })

  test('whose clocks differ by less than a minute are not warned of, by more they are', async () => {
    const [first, second] = (await openGates(2)) as [World, World]
    const hourEnd = NOW + REST * 1000
    first.time.now = hourEnd
    await first.call('/api/ok')
    for (const [behind, warnings] of [
      [1, []],
      [59_999, []],
      [60_000, []],
      [60_001, ['clock_behind']],
    ] as const) {
      second.time.now = hourEnd - behind
      await second.call('/api/ok')
      await second.call('/api/ok')
      expect<unknown>([behind, ...second.door.warnings]).toEqual([behind, ...warnings])
    }
  })

  test('show what others refused and counted, in the history', async () => {
    const [first, second] = (await openSeveral(2)) as [OpenCounter, OpenCounter]
    await first.take([free(1)], HOUR)
    await first.refuse(free(1), HOUR)
    await second.take([free(1)], HOUR + 1)
    const { used, refused } = await second.history(free(1), 3, HOUR + 1)
    expect([used, refused]).toEqual([
      [0, 1, 1],
      [0, 1, 0],
    ])
  })
})

describe('what is kept', () => {
  test('no key lives for ever: counts 51 hours, what is known of keys and the state 92 days', async () => {
    const [m] = (await openSeveral(1)) as [OpenCounter]
    const newcomer = { key: subject(9), at: NOW, since: 0, charges: [day(1)] }
    await m.refuse(free(2), HOUR)
    await m.take([free(1)], HOUR, newcomer)
    await m.markKeyUsed(subject(8), NOW, HOUR)
    const names = (await operate<string[]>('KEYS', '*')).toSorted()
    const seconds = await Promise.all(names.map((name) => operate('TTL', name)))
    expect(Object.fromEntries(names.map((name, i) => [name.replaceAll(/0{9,}/g, ''), seconds[i]]))).toEqual({
      'satchel:counter': 92 * 86_400,
      'satchel:free:1': 51 * 3600,
      'satchel:free:2': 51 * 3600,
      'satchel:key:8': 92 * 86_400,
      'satchel:key:9': 92 * 86_400,
      'satchel:new-keys-day:1': 51 * 3600,
    })
  })

  test('a claim alone lives no longer either', async () => {
    await openSeveral(1)
    expect(await operate('TTL', 'satchel:counter')).toBe(92 * 86_400)
  })

  test('hours that are over 48 hours old leave, also for a caller who never rests', async () => {
    const [m] = (await openSeveral(1)) as [OpenCounter]
    for (let h = 0; h < 120; h++) {
      await m.take([free(1)], HOUR + h)
      await m.refuse(free(1), HOUR + h)
    }
    const fields = await operate<string[]>('HKEYS', free(1).counter.replace('free', 'satchel:free'))
    const hours = fields.filter((field) => !field.startsWith('r')).map(Number)
    // Two more than 48: they are judged by the hour before the one that ended last.
    expect([Math.min(...hours), hours.length, fields.length]).toEqual([HOUR + 70, 50, 100])
  })

  test('a key that was used while the clock of another process was ahead stays known until then', async () => {
    const [ahead, right, third] = (await openSeveral(3)) as [OpenCounter, OpenCounter, OpenCounter]
    await ahead.markKeyUsed(subject(1), NOW, HOUR + 240)
    await right.markKeyUsed(subject(1), NOW, HOUR)
    for (const counter of [right, third]) expect(await counter.lastSeen(subject(1))).toBe(Math.floor((HOUR + 240) / 24))
  })

  test('a known key costs one command for each request', async () => {
    const [gate] = (await openGates(1)) as [World]
    await gate.call('/api/ok', { key: KEY })
    await operate('CONFIG', 'RESETSTAT')
    await ask(gate, 10, '/api/ok', { key: KEY })
    const stats = await operate<string>('INFO', 'commandstats')
    expect(stats).toMatch(/^cmdstat_evalsha:calls=10,/m)
    expect(stats).not.toMatch(/^cmdstat_get:/m)
  })
})

describe('while Redis is away', () => {
  afterEach(async () => {
    redis.resume()
    await redis.stop()
    await redis.start()
  })

  test('every request gets 503 with the headers, and all goes on when it is back', async () => {
    const log = makeLog()
    const [counter] = (await openSeveral(1, { log })) as [OpenCounter]
    const w = world({ deps: { meter: counter } })
    await ask(w, 1, '/api/ok', { key: KEY })
    await redis.stop()
    for (const how of [{}, { key: KEY }, { key: foreign(1) }, { key: 'bad' }]) {
      for (const path of ['/api/ok', '/api/usage', '/api/nowhere']) {
        const answer = await w.call(path, how)
        checkLimitHeaders(answer)
        expect([path, answer.status, left(answer)]).toEqual([path, 503, '0'])
        expect(await answer.json()).toMatchObject({ code: 'unavailable' })
      }
    }
    expect(counter.state.failing).toBe(true)
    expect(await failureOf(() => counter.checkReady())).toStartWith('MeterUnavailable: ')
    const preflight = { Origin: 'https://a.example', 'Access-Control-Request-Method': 'POST' }
    expect((await w.call('/api/ok', { method: 'OPTIONS', headers: preflight })).status).toBe(204)
    await redis.start()
    await until(counter, false)
    await counter.checkReady()
    expect(left(await w.call('/api/ok'))).toBe('19')
    expect(messages(log)).toEqual(['Redis fails: requests get 503 until it works', 'Redis works again'])
  })

  test('a connection that is closed while nobody asks is open again for the next', async () => {
    const log = makeLog()
    const [counter] = (await openSeveral(1, { log, retryMs: 60_000 })) as [OpenCounter]
    await counter.take([free(1)], HOUR)
    await operate('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    await until(counter, true)
    await until(counter, false)
    expect((await counter.take([free(1)], HOUR)).left).toEqual([18])
    expect(messages(log)).toEqual(['Redis fails: requests get 503 until it works', 'Redis works again'])
  })

  test('while it hangs, those who wait get 503 in time, others at once, and all goes on', async () => {
    const [counter] = (await openSeveral(1, { timeoutMs: 500 })) as [OpenCounter]
    const w = world({ deps: { meter: counter } })
    await ask(w, 1, '/api/ok')
    redis.pause()
    const answers = await Promise.all(Array.from({ length: 100 }, () => w.call('/api/ok')))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
    for (const answer of answers) checkLimitHeaders(answer)
    expect(counter.state.failing).toBe(true)
    expect((await w.call('/api/ok')).status).toBe(503)
    redis.resume()
    await until(counter, false)
    // What it was sent before may have been counted: nobody gets more for it.
    const passed = await Promise.all(Array.from({ length: 40 }, () => w.call('/api/ok')))
    expect(passed.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(19)
    expect(new Set(passed.map(({ status }) => status))).not.toContain(503)
  })

  test('a counter that is closed meanwhile stays closed', async () => {
    const log = makeLog()
    const [counter] = (await openSeveral(1, { log })) as [OpenCounter]
    await redis.stop()
    await until(counter, true)
    counter.close()
    await redis.start()
    const other = await open(lastDatabase)
    await other.take([free(1)], HOUR)
    expect(await failureOf(() => counter.take([free(1)], HOUR))).toStartWith('MeterUnavailable: ')
    expect(messages(log)).not.toContain('Redis works again')
  })

  test('a counter that is closed while it connects again leaves no connection', async () => {
    const log = makeLog()
    const [counter] = (await openSeveral(1, { log, timeoutMs: 300 })) as [OpenCounter]
    redis.pause()
    await failureOf(() => counter.take([free(1)], HOUR))
    // A new connection is under way from the next turn on.
    await new Promise((resolve) => setTimeout(resolve, 1))
    counter.close()
    redis.resume()
    while ((await operate<string>('CLIENT', 'LIST')).trim().split('\n').length > 1)
      await new Promise((resolve) => setTimeout(resolve, 1))
    expect(await failureOf(() => counter.take([free(1)], HOUR))).toStartWith('MeterUnavailable: ')
    expect(messages(log)).not.toContain('Redis works again')
  })

  test('with its memory full it refuses, and nothing passes free', async () => {
    const [counter] = (await openSeveral(1)) as [OpenCounter]
    await counter.take([free(1)], HOUR)
    await operate('CONFIG', 'SET', 'maxmemory', '1')
    expect(await failureOf(() => counter.take([free(1)], HOUR))).toStartWith('MeterUnavailable: ')
    await until(counter, true)
    await operate('CONFIG', 'SET', 'maxmemory', '0')
    await until(counter, false)
    expect((await counter.take([free(1)], HOUR)).left).toEqual([18])
  })

  test('scripts that it forgot are sent again', async () => {
    const log = makeLog()
    const [counter] = (await openSeveral(1, { log })) as [OpenCounter]
    const takes = () => Promise.all(Array.from({ length: 5 }, () => counter.take([free(1)], HOUR)))
    await takes()
    await operate('SCRIPT', 'FLUSH')
    expect((await takes()).map(({ left }) => left[0])).toEqual([14, 13, 12, 11, 10])
    await operate('FLUSHALL')
    expect((await takes()).map(({ left }) => left[0])).toEqual([19, 18, 17, 16, 15])
    // The claim of the secret is there again as well.
    expect(await operate('HGET', 'satchel:counter', 'fingerprint')).toBe('test')
    expect(log.lines).toEqual([])
  })
})
