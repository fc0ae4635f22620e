import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { RedisClient } from 'bun'
import { LEFT, openRedisCounter, type RedisCounterOptions, TAKE, UNDO_TAKES } from '../../src/gate/counter-redis'
import type { OpenCounter } from '../../src/gate/tiers'
import { ask, closeWorlds, foreign, left, world } from '../gate/asking'
import { day, describeCounter, free, HOUR, subject } from '../gate/counter-cases'
import { checkLimitHeaders } from '../gate/structured-fields'
import { HOUR_MS, KEY, makeLog, NOW, OTHER_KEY, REST, type World } from '../gate/world'
import { type Engine, startRedis } from '../support/engines'
import { makeKey } from '../support/keys'
import { startLossyProxy } from '../support/lossy-proxy'

let redis: Engine
let lastDatabase = 0
const closing: { close(): void }[] = []

beforeAll(async () => {
  redis = await startRedis({ settings: { 'enable-debug-command': 'local' } })
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
  const url = `${redis.url}/${database}`
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
  const client = new RedisClient(`${redis.url}/${lastDatabase}`)
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
      for (const gate of gates) expect((await gate.call('/api/ok', { key: keyOf(admitted) })).status).toBe(200)
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
  test('no key lives for ever: counts 51 hours, what is known of keys and the state 92 days, journals 3 hours', async () => {
    const [m] = (await openSeveral(1)) as [OpenCounter]
    const newcomer = { key: subject(9), since: 0, charges: [day(1)] }
    await m.refuse(free(2), HOUR)
    await m.take([free(1)], HOUR, newcomer)
    await m.markKeyUsed(subject(8), HOUR)
    const names = (await operate<string[]>('KEYS', '*')).toSorted()
    const seconds = await Promise.all(names.map((name) => operate('TTL', name)))
    expect(Object.fromEntries(names.map((name, i) => [name.replaceAll(/0{9,}/g, ''), seconds[i]]))).toEqual({
      'satchel:counter': 92 * 86_400,
      'satchel:free:1': 51 * 3600,
      'satchel:free:2': 51 * 3600,
      'satchel:key:8': 92 * 86_400,
      'satchel:key:9': 92 * 86_400,
      'satchel:new-keys-day:1': 51 * 3600,
      'satchel:takes:1': 3 * 3600,
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
    await ahead.markKeyUsed(subject(1), HOUR + 240)
    await right.markKeyUsed(subject(1), HOUR)
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
    await redis.kill()
    await redis.restart()
  })

  test('every request gets 503 with the headers, and all goes on when it is back', async () => {
    const log = makeLog()
    const [counter] = (await openSeveral(1, { log, patienceMs: 20 })) as [OpenCounter]
    const w = world({ deps: { meter: counter } })
    await ask(w, 1, '/api/ok', { key: KEY })
    await redis.kill()
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
    await redis.restart()
    await until(counter, false)
    await counter.checkReady()
    expect(left(await w.call('/api/ok'))).toBe('19')
    expect(messages(log)).toEqual(['Redis fails: requests get 503 until it works', 'Redis works again'])
  })

  test('what is never refused does not wait for it, and it is not ready at once', async () => {
    const [counter] = (await openSeveral(1, { patienceMs: 600_000 })) as [OpenCounter]
    const w = world({ deps: { meter: counter } })
    await redis.kill()
    await until(counter, true)
    const preflight = { Origin: 'https://a.example', 'Access-Control-Request-Method': 'POST' }
    expect((await w.call('/api/ok', { method: 'OPTIONS', headers: preflight })).status).toBe(204)
    expect(await failureOf(() => counter.checkReady())).toStartWith('MeterUnavailable: ')
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

  test('while it hangs, all get 503 in time, and all goes on', async () => {
    const [counter] = (await openSeveral(1, { timeoutMs: 500, patienceMs: 600 })) as [OpenCounter]
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
    const passed = await Promise.all(Array.from({ length: 40 }, () => w.call('/api/ok')))
    expect(passed.filter(({ status }) => status === 200)).toHaveLength(19)
    expect(new Set(passed.map(({ status }) => status))).not.toContain(503)
  })

  test('a counter that is closed meanwhile stays closed', async () => {
    const log = makeLog()
    const [counter] = (await openSeveral(1, { log })) as [OpenCounter]
    await redis.kill()
    await until(counter, true)
    counter.close()
    await redis.restart()
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

describe('a burst', () => {
  /** How many each status has. */
  const statusesOf = (answers: readonly Response[]) => {
    const all = answers.map(({ status }) => status)
    return Object.fromEntries(
      Array.from(new Set(all), (status) => [status, all.filter((one) => one === status).length]),
    )
  }
  const burst = (w: World, count: number, key: string) =>
    Promise.all(Array.from({ length: count }, () => w.call('/api/ok', { key })))

  test('that Redis takes longer for than for an answer gets no 503, and exactly as many pass as may', async () => {
    const [w] = (await openGates(1)) as [World]
    // Between some commands of the burst and the next Redis does nothing for 50 ms.
    const sleeper = closeLater(new RedisClient(redis.url))
    let isSlow = true
    const sleeping = (async () => {
      while (isSlow) await sleeper.send('DEBUG', ['SLEEP', '0.05'])
    })()
    const answers = burst(w, 1500, KEY)
    const other = w.call('/api/ok', { key: OTHER_KEY })
    expect(statusesOf(await answers)).toEqual({ 200: 1000, 429: 500 })
    expect((await other).status).toBe(200)
    isSlow = false
    await sleeping
    expect(await (await w.call('/api/usage', { key: KEY })).json()).toMatchObject({ remaining: 0 })
  })

  test('on two processes passes exactly as often as it may, and has no 503', async () => {
    const gates = await openGates(2)
    const answers = await Promise.all(gates.map((w) => burst(w, 750, KEY)))
    expect(statusesOf(answers.flat())).toEqual({ 200: 1000, 429: 500 })
  })

  test('during which Redis hangs for less than the wait is served in full, and counted once', async () => {
    const [counter] = (await openSeveral(1, { patienceMs: 60_000 })) as [OpenCounter]
    const w = world({ deps: { meter: counter } })
    await ask(w, 1, '/api/ok', { key: KEY })
    redis.pause()
    const answers = burst(w, 1500, KEY)
    await until(counter, true)
    redis.resume()
    expect(statusesOf(await answers)).toEqual({ 200: 999, 429: 501 })
  })

  /** A counter whose answers can be lost after Redis has counted. */
  async function openBehindProxy() {
    const [first] = (await openSeveral(1)) as [OpenCounter]
    // From now on Redis knows the script.
    await first.take([free(0)], HOUR)
    const url = new URL(`${redis.url}/${lastDatabase}`)
    const proxy = closeLater(startLossyProxy(Number(url.port)))
    url.port = String(proxy.port)
    return { proxy, counter: await open(lastDatabase, { url: url.href, patienceMs: 60_000 }) }
  }

  test('whose answers are lost after Redis has counted is served in full, and counted once', async () => {
    const { proxy, counter } = await openBehindProxy()
    const w = world({ deps: { meter: counter } })
    await ask(w, 1, '/api/ok', { key: KEY })
    proxy.lose(TAKE.sha, 1)
    expect(statusesOf(await burst(w, 500, KEY))).toEqual({ 200: 500 })
    expect(proxy.lost).toBe(1)
    expect(left(await w.call('/api/ok', { key: KEY }))).toBe('498')
  })

  test('whose answers are lost twice gets 503 and pays nothing, but a new key is admitted', async () => {
    const { proxy, counter } = await openBehindProxy()
    const newcomer = { key: subject(9), since: 0, charges: [day(1)] }
    proxy.lose(TAKE.sha, 2)
    expect(await failureOf(() => counter.take([free(1)], HOUR, newcomer))).toStartWith('MeterUnavailable: ')
    expect(await counter.peek([free(1), day(1)], HOUR)).toEqual([20, 19])
    expect(await counter.take([free(1)], HOUR, newcomer)).toEqual({ granted: true, left: [19], isNew: false })
    proxy.lose(TAKE.sha, 1)
    expect((await counter.take([free(1)], HOUR)).left).toEqual([18])
    expect(proxy.lost).toBe(3)
  })

  test('of which one is given back is given it once, if that answer is lost', async () => {
    const { proxy, counter } = await openBehindProxy()
    for (let i = 0; i < 3; i++) await counter.take([free(1)], HOUR)
    await counter.giveBack([free(1)], HOUR)
    proxy.lose(LEFT.sha, 1)
    expect(await failureOf(() => counter.giveBack([free(1)], HOUR))).toStartWith('MeterUnavailable: ')
    expect(await counter.peek([free(1)], HOUR)).toEqual([19])
  })

  test('whose undoing is lost is undone once', async () => {
    const { proxy, counter } = await openBehindProxy()
    await counter.take([free(1)], HOUR)
    proxy.lose(TAKE.sha, 1)
    const taken = counter.take([free(1)], HOUR)
    while (proxy.lost === 0) await new Promise((resolve) => setImmediate(resolve))
    proxy.lose(UNDO_TAKES.text, 1)
    expect((await taken).left).toEqual([18])
    expect(await counter.peek([free(1)], HOUR)).toEqual([18])
  })

  test('that gets 503 since Redis hangs is not charged, also when Redis runs later what it was sent', async () => {
    const [counter] = (await openSeveral(1, { timeoutMs: 500, patienceMs: 600 })) as [OpenCounter]
    const w = world({ deps: { meter: counter } })
    await ask(w, 1, '/api/ok', { key: KEY })
    redis.pause()
    expect(statusesOf(await burst(w, 300, KEY))).toEqual({ 503: 300 })
    redis.resume()
    await until(counter, false)
    // Commands of the connections that were given up are over when no such connection is left.
    while ((await operate<string>('CLIENT', 'LIST')).trim().split('\n').length > 2);
    expect(left(await w.call('/api/ok', { key: KEY }))).toBe('998')
  })

  test('waits in line as far as there is room: others get 503 at once and pay nothing', async () => {
    const [counter] = (await openSeveral(1, { patienceMs: 60_000, maxWaiting: 100 })) as [OpenCounter]
    const w = world({ deps: { meter: counter } })
    await ask(w, 1, '/api/ok', { key: KEY })
    expect(statusesOf(await burst(w, 300, KEY))).toEqual({ 200: 164, 503: 136 })
    expect(left(await w.call('/api/ok', { key: KEY }))).toBe('834')
  })
})
