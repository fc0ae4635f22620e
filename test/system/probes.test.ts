import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { SlowStatements } from '../../src/db/database'
import { useDatabase, whileHeld } from '../support/database'
import { expectProblem, limitHeaders } from '../support/duties'
import { sendBytes } from '../support/wire'
import { makeKey, makeWorld } from '../support/world'

/** What stands outside /api for whoever runs the server. */

const world = await makeWorld()
afterAll(world.close)

const LOCAL = { address: '127.0.0.1' }
const STRANGER = { address: '198.51.100.7' }

/** The samples of /metrics, by name and labels. */
async function metrics(of = world): Promise<Map<string, number>> {
  const { body } = await of.call(LOCAL, 'GET', '/metrics')
  const lines = (body as string).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]))
}

describe('GET /healthz and /readyz', () => {
  test('say ok and ready, to anyone, uncounted and without headers of limits', async () => {
    for (const [path, status] of [
      ['/healthz', 'ok'],
      ['/readyz', 'ready'],
    ]) {
      for (let i = 0; i < 30; i++) {
        const answer = await world.call(STRANGER, 'GET', path ?? '')
        expect([answer.status, answer.body, limitHeaders(answer.headers)]).toEqual([200, { status }, []])
      }
    }
    expect((await world.call(STRANGER, 'GET', '/api/usage')).body.remaining).toBe(20)
  })

  test('a database that cannot be written makes it unready, not dead; with the next look it is ready again', async () => {
    await whileHeld(world.folder, 'facts', async () => {
      world.clock.now += 1000
      const { status, headers, body } = await world.call(STRANGER, 'GET', '/readyz')
      expect(expectProblem(503, headers, JSON.stringify(body), '/readyz').code).toBe('unavailable')
      expect([status, (await world.call(STRANGER, 'GET', '/healthz')).status]).toEqual([503, 200])
    })
    world.clock.now += 1000
    expect((await world.call(STRANGER, 'GET', '/readyz')).status).toBe(200)
  })

  test('a database that was brought to another version meanwhile makes it unready', async () => {
    await useDatabase(world.folder, (db) =>
      db.run('INSERT INTO schema_versions (version, applied_at) VALUES (9999, 0)'),
    )
    world.clock.now += 1000
    expect((await world.call(STRANGER, 'GET', '/readyz')).status).toBe(503)
    await useDatabase(world.folder, (db) => db.run('DELETE FROM schema_versions WHERE version = 9999'))
    world.clock.now += 1000
    expect((await world.call(STRANGER, 'GET', '/readyz')).status).toBe(200)
  })

  test('requests that cannot be counted make it unready', async () => {
    await using unmetered = await makeWorld()
    unmetered.meter.close()
    expect((await unmetered.call(STRANGER, 'GET', '/readyz')).status).toBe(503)
  })

  test('however many ask within a second, the disk is written once', async () => {
    const at = () => world.db.get("SELECT value FROM facts WHERE name = 'ready_checked_at'")
    world.clock.now += 1000
    await Promise.all(Array.from({ length: 50 }, () => world.call(STRANGER, 'GET', '/readyz')))
    const first = await at()
    expect(first).toEqual({ value: String(world.clock.now) })
    world.clock.now += 999
    await world.call(STRANGER, 'GET', '/readyz')
    expect(await at()).toEqual(first)
  })
})

describe('a health check over HTTP/1.0 without a Host', () => {
  const base = world.listen()
  const ask = (line: string, ...headers: string[]) => sendBytes(base, `${[line, ...headers].join('\r\n')}\r\n\r\n`)

  const probes = ['GET', 'HEAD', 'OPTIONS'].flatMap((method) => [`${method} /healthz`, `${method} /readyz`])
  test.each(probes)('%s is answered as with one', async (request) => {
    const status = request.endsWith('/readyz') ? 'ready' : 'ok'
    for (const host of [[], ['Host:'], ['Host: localhost']]) {
      const answer = await ask(`${request} HTTP/1.0`, ...host)
      const text = request.startsWith('HEAD') ? '' : JSON.stringify({ status })
      expect([host, answer.status, answer.text]).toEqual([host, 200, text])
      expect(answer.headers.get('X-Content-Type-Options')).toBe('nosniff')
      expect(limitHeaders(answer.headers)).toEqual([])
    }
  })

  test.each(['GET', 'HEAD', 'OPTIONS'])('%s /readyz is 503 while the database cannot be written', async (method) => {
    await whileHeld(world.folder, 'facts', async () => {
      world.clock.now += 1000
      const { status, headers, text } = await ask(`${method} /readyz HTTP/1.0`)
      expect(status).toBe(503)
      if (method !== 'HEAD') expect(expectProblem(503, headers, text, '/readyz').code).toBe('unavailable')
      expect((await ask(`${method} /healthz HTTP/1.0`)).status).toBe(200)
    })
    world.clock.now += 1000
    expect((await ask(`${method} /readyz HTTP/1.0`)).status).toBe(200)
  })

  test('is counted once in the metrics, by its route, and not for the caller', async () => {
    const of = async () => (await metrics()).get(labelled('GET', '/readyz', 200)) ?? 0
    const left = async () => (await world.call(LOCAL, 'GET', '/api/usage')).body.remaining
    const before = [await of(), await left()]
    await ask('GET /readyz HTTP/1.0')
    expect([await of(), await left()]).toEqual([Number(before[0]) + 1, before[1]])
  })

  test.each([
    ...['GET /metrics', 'GET /', 'OPTIONS /', 'GET /openapi.json', 'GET /readyz/', 'GET /readyz?x=/api'],
    ...['GET /readyz/../api', 'GET //readyz', 'GET /READYZ', 'GET /api/readyz', 'POST /readyz', 'DELETE /healthz'],
    ...['TRACE /healthz', 'PROPFIND /readyz'],
  ])('%s is refused', async (request) => {
    const { status, text } = await ask(`${request} HTTP/1.0`)
    expect([status, JSON.parse(text).detail]).toEqual([400, expect.stringContaining('Host')])
  })

  test.each([[['Host: a b']], [['Host: u@h']], [['Host: a', 'Host: b']], [['Host:', 'Host: a']], [['Host: a,b']]])(
    '/readyz with %p is refused, since that names no host',
    async (hosts) => {
      expect((await ask('GET /readyz HTTP/1.0', ...hosts)).status).toBe(400)
    },
  )
})

function labelled(method: string, route: string, status: number): string {
  return `satchel_requests_total{method="${method}",route="${route}",status="${status}",tier="none"}`
}

const worlds = new Map<string, ReturnType<typeof makeWorld>>()
afterAll(async () => {
  for (const one of worlds.values()) await (await one).close()
})

/** A world with these settings: the same one for the same settings. */
function worldOf(settings: Readonly<Record<string, string>>): ReturnType<typeof makeWorld> {
  const name = JSON.stringify(settings)
  const made = worlds.get(name) ?? makeWorld({ settings })
  worlds.set(name, made)
  return made
}

/** What a proxy adds of whom it asks for. */
const via = (chain: string) => ({ 'X-Forwarded-For': chain })
const PROXY = { TRUSTED_PROXIES: '127.0.0.1' }
const NAMED = { METRICS_ALLOW: '10.0.0.0/8, 203.0.113.9' }
const NAMED_PROXY = { ...PROXY, METRICS_ALLOW: '127.0.0.1' }

describe('GET /metrics', () => {
  test.each([
    ['from this machine', {}, '127.0.0.1', {}, 200],
    ['from this machine, in IPv6', {}, '::1', {}, 200],
    ['from elsewhere', {}, '198.51.100.7', {}, 404],
    ['from a private network that is not named', {}, '10.1.2.3', {}, 404],
    ['from a network that is named', NAMED, '10.1.2.3', {}, 200],
    ['from an address that is named', NAMED, '203.0.113.9', {}, 200],
    ['through a proxy that is not declared', {}, '127.0.0.1', via('127.0.0.1'), 404],
    ['through one that says so in another header', {}, '127.0.0.1', { Forwarded: 'for=127.0.0.1' }, 404],
    ['from elsewhere, through a proxy', PROXY, '127.0.0.1', via('198.51.100.7'), 404],
    ['from a named address, through a proxy', { ...PROXY, ...NAMED }, '127.0.0.1', via('203.0.113.9'), 200],
    ['with a forged left part of the chain', PROXY, '127.0.0.1', via('127.0.0.2, 198.51.100.7'), 404],
    ['from a stranger who forges a named address', { ...PROXY, ...NAMED }, '198.51.100.7', via('203.0.113.9'), 404],
    ['from a trusted proxy that is not named', PROXY, '127.0.0.1', {}, 404],
    ['from a trusted proxy that is named: a scraper beside it', NAMED_PROXY, '127.0.0.1', {}, 200],
    ...['127.0.0.1', '198.51.100.7, junk', '127.0.0.1, 127.0.0.1', ''].map((chain) => {
      const name = `from a trusted proxy that is named, with the chain "${chain}"`
      return [name, NAMED_PROXY, '127.0.0.1', via(chain), 404] as const
    }),
    ['from one that is named, with another header', NAMED_PROXY, '127.0.0.1', { Forwarded: 'for=127.0.0.1' }, 404],
    ['from what another machine calls loopback', { TRUSTED_PROXIES: '10.0.0.2' }, '10.0.0.2', via('127.0.0.1'), 404],
    ['from a peer whose address cannot be read', { METRICS_ALLOW: '127.0.0.1' }, 'localhost', {}, 404],
  ] as const)('%s', async (_, settings, address, headers, status) => {
    const own = await worldOf(settings)
    const answer = await own.call({ address }, 'GET', '/metrics', undefined, headers)
    expect(answer.status).toBe(status)
    if (status === 404) expectProblem(404, answer.headers, JSON.stringify(answer.body), '/metrics')
  })

  test('without an address of the peer, there is nothing', async () => {
    await using own = await makeWorld({ settings: { METRICS_ALLOW: '127.0.0.1' } })
    const url = 'http://localhost/metrics'
    expect((await own.app.handle(new Request(url))).status).toBe(404)
    expect((await own.app.handle(new Request(url, { headers: { 'X-Forwarded-For': '127.0.0.1' } }))).status).toBe(404)
  })

  test('is the text format of Prometheus', async () => {
    await world.call({ key: makeKey(1) }, 'GET', '/api/notes')
    const { headers, body } = await world.call(LOCAL, 'GET', '/metrics')
    expect(headers.get('Content-Type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const names = new Set<string>()
    for (const line of (body as string).trimEnd().split('\n')) {
      const [, kind, name = ''] = /^# (HELP|TYPE) ([a-z0-9_]+) \S/.exec(line) ?? []
      if (kind === 'HELP') names.add(name)
      else if (kind === undefined) {
        const [, sample = ''] = /^([a-z0-9_]+)(?:\{(?:[a-z]+="[^"\\\n]*",?)+\})? -?[0-9][0-9.e+-]*$/.exec(line) ?? []
        expect([line, names.has(sample.replace(/_(bucket|sum|count)$/, '')) || names.has(sample)]).toEqual([line, true])
      }
    }
    expect(names.size).toBeGreaterThan(5)
  })

  test('counts requests by method, pattern, status and tier, whatever answered them', async () => {
    await using own = await makeWorld()
    const key = makeKey(1)
    const made = await own.call({ key }, 'POST', '/api/notes', { title: 'T' })
    for (const path of [`/api/notes/${made.body.id}`, '/api/notes/01890000-0000-7000-8000-00000000ffff', '/api/x'])
      await own.call({ key }, 'GET', path)
    await own.call({ key }, 'POST', '/api/notes', '{')
    await own.call({ key }, 'PUT', '/api/notes', '{}')
    await own.call({ key: 'short' }, 'GET', '/api/notes')
    for (let i = 0; i < 20; i++) await own.call({}, 'GET', '/api')
    await own.call({}, 'GET', '/nothing')
    for (const method of ['PROPFIND', 'M-SEARCH', 'LINK']) await own.call({ key }, method, '/api/x')
    const found = await metrics(own)
    const total = (method: string, route: string, status: number, tier: string) =>
      found.get(`satchel_requests_total{method="${method}",route="${route}",status="${status}",tier="${tier}"}`)
    expect(total('POST', '/api/notes', 201, 'api')).toBe(1)
    expect(total('GET', '/api/notes/:id', 200, 'api')).toBe(1)
    expect(total('GET', '/api/notes/:id', 404, 'api')).toBe(1)
    expect(total('GET', 'none', 404, 'api')).toBe(1)
    expect(total('POST', '/api/notes', 400, 'api')).toBe(1)
    expect(total('PUT', '/api/notes', 405, 'api')).toBe(1)
    expect(total('GET', '/api/notes', 400, 'free')).toBe(1)
    expect([total('GET', '/api', 200, 'free'), total('GET', '/api', 429, 'free')]).toEqual([19, 1])
    expect(total('GET', 'none', 404, 'none')).toBe(1)
    expect(total('other', 'none', 404, 'api')).toBe(3)
    const duration = (name: string) => found.get(`satchel_request_duration_seconds${name}`)
    for (const bound of ['0.001', '+Inf']) expect(duration(`_bucket{route="/api",le="${bound}"}`)).toBe(20)
    expect([duration('_sum{route="/api"}'), duration('_count{route="/api"}')]).toEqual([0, 20])
  })

  test('counts the indexes of search that wait for changes', async () => {
    await using own = await makeWorld()
    const me = { key: makeKey(1) }
    await own.call(me, 'POST', '/api/notes', { title: 'One' })
    expect((await metrics(own)).get('satchel_search_unindexed')).toBe(0)
    await own.call(me, 'GET', '/api/search?q=one')
    await own.call(me, 'POST', '/api/notes', { title: 'Two' })
    expect((await metrics(own)).get('satchel_search_unindexed')).toBe(1)
  })

  test.each([
    [20, undefined],
    [21, 3],
  ])('counts statements that take over 20 ms, by name: those of %d ms', async (ms, count) => {
    let passed = 0
    let step = 0
    await using own = await makeWorld({ statementTicks: () => (passed += step) })
    step = ms
    await own.db.get('SELECT value FROM facts WHERE name = $1', ['secret'])
    await own.db.all(`SELECT value FROM json_each('[1]') WHERE value IN (SELECT value FROM facts)`)
    await expect(own.db.all("SELECT nothing FROM facts WHERE name = 'secret'")).rejects.toThrow()
    await own.db.run("UPDATE facts SET value = 'secret' WHERE name = 'secret'")
    step = 0
    const { body } = await own.call(LOCAL, 'GET', '/metrics')
    expect(body).not.toContain('secret')
    const found = await metrics(own)
    const of = (figure: string, name: string) => found.get(`satchel_slow_statement${figure}_total{statement="${name}"}`)
    expect([of('s', 'update facts'), of('s', 'select facts')]).toEqual([count && 1, count])
    expect(of('_seconds', 'select facts')).toBe(count && (count * ms) / 1000)
  })

  test('counts slow statements of many names together', () => {
    const statements = new SlowStatements()
    const { counts } = statements
    for (let n = 0; n < 100; n++) statements.note(`DELETE FROM table${n}`, -21)
    expect([counts.size, counts.get('delete table0')?.count, counts.get('other')?.count]).toEqual([41, 1, 60])
  })

  test('tells the delay of the event loop since it was last read: blocked, then idle', async () => {
    const { loopDelay } = world
    loopDelay.disable()
    loopDelay.reset()
    const read = async () => (await metrics()).get('nodejs_eventloop_lag_max_seconds')
    const longest = async () => {
      while (loopDelay.count < 3) await setImmediate()
      return read()
    }
    expect([loopDelay.count, await read()]).toEqual([0, undefined])
    await longest()
    Bun.sleepSync(500)
    expect(await longest()).toBeGreaterThan(0.4)
    expect(await longest()).toBeLessThan(0.4)
  })

  test('tells the flushes of counters, the size of the databases and what is set up wrongly', async () => {
    await using own = await makeWorld()
    const before = await metrics(own)
    await own.call(LOCAL, 'GET', '/api', undefined, { 'X-Forwarded-For': '203.0.113.9' })
    await Bun.sleep(0)
    const after = await metrics(own)
    expect(after.get('satchel_meter_flushes_total')).toBe((before.get('satchel_meter_flushes_total') ?? 0) + 1)
    expect(after.get('satchel_warning{warning="undeclared_proxy"}')).toBe(1)
    expect(after.get('satchel_meter_failing')).toBe(0)
    for (const file of ['satchel.db', 'meter.db']) {
      const path = join(own.folder, file)
      const size = existsSync(path) ? Bun.file(path).size : undefined
      expect(after.get(`satchel_database_bytes{file="${file}"}`)).toBe(size)
    }
  })

  test('names no key, no address and no id, and does not grow with paths that nobody serves', async () => {
    const key = makeKey(1)
    const { body } = await world.call({ key }, 'POST', '/api/notes', { title: 'secret-title' })
    for (let i = 0; i < 100; i++) await world.call({ key }, 'GET', `/nothing/${i}/${body.id}?q=secret-query`)
    const { body: text } = await world.call(LOCAL, 'GET', '/metrics')
    for (const word of [key, '192.0.2.1', body.id, 'secret', 'nothing']) expect(text).not.toContain(word)
  })
})
