import { afterEach, describe, expect, test } from 'bun:test'
import { parseRanges } from '../../src/gate/client-address'
import type { GateDeps } from '../../src/gate/gate'
import { checkLimitHeaders, parseList } from './structured-fields'
import { type Ask, counted, HOUR_MS, KEY, makeWorld, NOW, type Options, OTHER_KEY, type World } from './world'

let open: World[] = []
afterEach(async () => {
  for (const world of open) await world.close()
  open = []
})
function world(options: Options = {}): World {
  const made = makeWorld(options)
  open.push(made)
  return made
}

/** Asks `times` times, one after the other; the statuses and the last answer. */
async function ask(w: World, times: number, path: string, how: Ask = {}) {
  const statuses: number[] = []
  let last = new Response()
  for (let i = 0; i < times; i++) {
    last = await w.call(path, how)
    checkLimitHeaders(last)
    statuses.push(last.status)
  }
  return { statuses: new Set(statuses), last }
}
const left = (response: Response): string | null => response.headers.get('X-RateLimit-Remaining')
const foreign = (i: number): string => `foreign-key-${i}`

describe('limits', () => {
  test('20 requests without a key, then 429 with the documented words; other addresses are untouched', async () => {
    const w = world()
    const { statuses, last } = await ask(w, 20, '/api/ok')
    expect([...statuses, left(last)]).toEqual([200, '0'])
    const refused = await w.call('/api/ok')
    expect(refused.status).toBe(429)
    expect(checkLimitHeaders(refused)).toEqual([{ name: 'free', params: { r: 0, t: 1432 } }])
    expect(refused.headers.get('Cache-Control')).toBe('no-store')
    expect(refused.headers.get('RateLimit-Policy')).toBe('"free";q=20;w=3600')
    expect(await refused.json()).toMatchObject({
      code: 'rate_limited',
      detail:
        '20 requests an hour for each address without a key. Slow down, or add an API key (see /). Resets in 1432 s.',
      violated_policies: ['free'],
    })
    expect(left(await w.call('/api/ok', { from: '203.0.113.10' }))).toBe('19')
    expect(left(await w.call('/api/ok', { key: KEY }))).toBe('999')
  })

  test('1000 requests with a key, then 429; another key of the same address goes on', async () => {
    const w = world()
    const { statuses, last } = await ask(w, 1000, '/api/ok', { key: KEY })
    expect([...statuses, left(last)]).toEqual([200, '0'])
    const refused = await w.call('/api/ok', { key: KEY })
    expect(refused.status).toBe(429)
    expect(((await refused.json()) as { violated_policies: string[] }).violated_policies).toEqual(['api'])
    expect(left(await w.call('/api/ok', { key: OTHER_KEY }))).toBe('999')
  })

  test('1000 of 1500 parallel requests on one key pass', async () => {
    const w = world()
    await w.call('/api/usage', { key: KEY })
    const answers = await Promise.all(Array.from({ length: 1500 }, () => w.call('/api/ok', { key: KEY })))
    expect(answers.filter((a) => a.status === 200).length).toBe(1000)
    expect(answers.filter((a) => a.status === 429).length).toBe(500)
  })

  test('all addresses of an IPv6 /64 are one, and a /48 has a ceiling', async () => {
    const w = world({ settings: { freeCeiling48PerHour: 30 } })
    await ask(w, 20, '/api/ok', { from: '2001:db8:1:1::1' })
    expect((await w.call('/api/ok', { from: '2001:db8:1:1:ffff::2' })).status).toBe(429)
    const { last } = await ask(w, 10, '/api/ok', { from: '2001:db8:1:2::1' })
    expect(last.headers.get('RateLimit')).toBe('"free";r=10;t=1432, "free-48";r=0;t=1432')
    const refused = await w.call('/api/ok', { from: '2001:db8:1:3::1' })
    expect([refused.status, left(refused)]).toEqual([429, '20'])
    expect(await refused.json()).toMatchObject({ violated_policies: ['free-48'] })
    expect((await w.call('/api/ok', { from: '2001:db8:2:1::1' })).status).toBe(200)
  })

  test('a network ceiling refuses without charging the key', async () => {
    const w = world({ settings: { networkCeilingPerHour: 3 } })
    await ask(w, 3, '/api/ok', { key: KEY })
    const refused = await w.call('/api/ok', { key: KEY })
    expect(refused.status).toBe(429)
    expect(refused.headers.get('RateLimit')).toBe('"api";r=997;t=1432, "network";r=0;t=1432')
    expect(refused.headers.get('RateLimit-Policy')).toBe('"api";q=1000;w=3600, "network";q=3;w=3600')
    expect(left(await w.call('/api/ok', { key: KEY, from: '203.0.113.10' }))).toBe('996')
    expect(left(await w.call('/api/ok'))).toBe('19')
  })

  test('a ceiling of 0 is off, and no usable address is one shared, limited caller', async () => {
    const w = world({ settings: { freeCeiling48PerHour: 0, networkCeilingPerHour: 0 } })
    const { last } = await ask(w, 1, '/api/ok', { from: '2001:db8:1:1::1' })
    expect(parseList(last.headers.get('RateLimit-Policy') ?? '').length).toBe(1)
    await ask(w, 10, '/api/ok', { from: null })
    await ask(w, 10, '/api/ok', { from: 'not an address' })
    expect((await w.call('/api/ok', { from: null })).status).toBe(429)
  })

  test('loopback is exempt from ceilings and admission, never from its own limits', async () => {
    const w = world({ settings: { networkCeilingPerHour: 2, newKeysPerHour: 1, newKeysTotalPerHour: 1 } })
    for (const from of ['127.0.0.1', '::1', '::ffff:127.0.0.9']) {
      for (let i = 0; i < 4; i++) expect((await w.call('/api/ok', { from, key: foreign(i) })).status).toBe(200)
    }
    await ask(w, 20, '/api/ok', { from: '::1' })
    expect((await w.call('/api/ok', { from: '::1' })).status).toBe(429)
    await ask(w, 1, '/api/ok', { from: '64:ff9b::7f00:1', key: foreign(10) })
    expect((await w.call('/api/ok', { from: '64:ff9b::7f00:1', key: foreign(11) })).status).toBe(429)
  })

  test('a forwarding header takes the exemption from an undeclared proxy on loopback', async () => {
    const w = world({ settings: { newKeysPerHour: 1 } })
    const how = { from: '127.0.0.1', headers: { 'X-Forwarded-For': '198.51.100.1' } }
    expect((await w.call('/api/ok', { ...how, key: foreign(1) })).status).toBe(200)
    expect((await w.call('/api/ok', { ...how, key: foreign(2) })).status).toBe(429)
    expect([...w.door.warnings]).toEqual(['undeclared_proxy'])
  })

  test('a trusted proxy names the client; a stranger cannot', async () => {
    const w = world({ settings: { trustedProxies: parseRanges('10.0.0.0/8') } })
    const headers = { 'X-Forwarded-For': '1.2.3.4, 203.0.113.77' }
    await ask(w, 20, '/api/ok', { from: '::ffff:10.0.0.2', headers })
    expect((await w.call('/api/ok', { from: '203.0.113.77' })).status).toBe(429)
    expect(left(await w.call('/api/ok', { from: '198.51.100.7', headers }))).toBe('19')
  })
})

describe('the hour', () => {
  test('its end gives everybody a new one; a jump does, too', async () => {
    const w = world()
    await ask(w, 20, '/api/ok')
    w.time.now = NOW + 1_431_999
    const edge = await w.call('/api/ok')
    expect([edge.status, edge.headers.get('Retry-After')]).toEqual([429, '1'])
    w.time.now = NOW + 1_432_000
    const fresh = await w.call('/api/ok')
    expect([fresh.status, left(fresh), fresh.headers.get('RateLimit')]).toEqual([200, '19', '"free";r=19;t=3600'])
    w.time.now += 5 * HOUR_MS
    expect(left(await w.call('/api/ok'))).toBe('19')
  })

  test('a clock set back gives nobody a fresh one, and t stays within the hour', async () => {
    const w = world()
    await ask(w, 20, '/api/ok')
    w.time.now -= 3 * HOUR_MS
    const refused = await w.call('/api/ok')
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '3600'])
    expect([...w.door.warnings]).toEqual(['clock_behind'])
  })

  test('a restart gives nobody a fresh one, nor does a restart with the clock set back', async () => {
    const w = world()
    await ask(w, 20, '/api/ok')
    w.meter.close()
    const again = world({ folder: w.folder, meter: { now: NOW - 20 * HOUR_MS } })
    again.time.now = NOW - 20 * HOUR_MS
    expect((await again.call('/api/ok')).status).toBe(429)
  })

  test('a changed limit refills nobody', async () => {
    const w = world()
    await ask(w, 20, '/api/ok')
    w.meter.close()
    const more = world({ folder: w.folder, settings: { freeLimitPerHour: 25 } })
    expect(left(await more.call('/api/ok'))).toBe('4')
    more.meter.close()
    expect((await world({ folder: w.folder }).call('/api/ok')).status).toBe(429)
  })
})

describe('keys', () => {
  test.each(['', 'tiny!', 'x'.repeat(256), 'two words1', 'tab\tinside1', 'ümläut-key', `${KEY}x`, 'SATCHEL_abc'])(
    'a malformed key %j is 400, charged to the address, then 429',
    async (key) => {
      const w = world({ settings: { freeLimitPerHour: 2 } })
      for (const remaining of ['1', '0']) {
        const answer = await w.call('/api/ok', { key })
        checkLimitHeaders(answer)
        expect([answer.status, left(answer), answer.headers.get('X-Tier')]).toEqual([400, remaining, 'free'])
        expect(answer.headers.has('X-Key-Status')).toBe(false)
        const text = await answer.text()
        expect(text).toContain('"invalid_api_key"')
        if (key) expect(text).not.toContain(key)
      }
      expect((await w.call('/api/ok', { key })).status).toBe(429)
      expect((await w.call('/api/ok')).status).toBe(429)
    },
  )

  test('the first use admits a key, the next finds it known; so does a look at its usage', async () => {
    const w = world()
    const status = async (path: string, key: string) => (await w.call(path, { key })).headers.get('X-Key-Status')
    expect([await status('/api/ok', KEY), await status('/api/ok', KEY)]).toEqual(['new', 'known'])
    expect([await status('/api/usage', OTHER_KEY), await status('/api/ok', OTHER_KEY)]).toEqual(['new', 'known'])
    expect((await w.call('/api/ok')).headers.has('X-Key-Status')).toBe(false)
  })

  test('the workspace is the identity of the key, without one that of the network', async () => {
    const w = world()
    expect(await (await w.call('/api/ok', { key: KEY })).json()).toEqual({
      tier: 'api',
      id: '838ebd71ffbb25902c666594fd2f00f7',
      kind: 'key',
    })
    const free = (await (await w.call('/api/ok')).json()) as { id: string }
    expect(free).toMatchObject({ tier: 'free', kind: 'scratch' })
    expect(await (await w.call('/api/ok', { from: '::ffff:cb00:7109' })).json()).toMatchObject({ id: free.id })
  })

  test('5 new keys an hour for each network; a refused one is not charged, stored or known', async () => {
    const w = world()
    for (let i = 0; i < 5; i++) expect((await w.call('/api/ok', { key: foreign(i) })).status).toBe(200)
    const refused = await w.call('/api/ok', { key: KEY })
    expect(refused.status).toBe(429)
    checkLimitHeaders(refused)
    expect(refused.headers.get('RateLimit')).toBe('"api";r=1000;t=1432, "new-keys";r=0;t=1432')
    expect(refused.headers.get('X-Key-Status')).toBe('new')
    expect(await refused.json()).toMatchObject({ code: 'too_many_new_keys', violated_policies: ['new-keys'] })
    expect((await w.call('/api/usage', { key: KEY })).status).toBe(429)
    expect((await w.call('/api/ok', { key: foreign(0) })).status).toBe(200)
    const elsewhere = await w.call('/api/ok', { key: KEY, from: '203.0.113.10' })
    expect([elsewhere.status, left(elsewhere), elsewhere.headers.get('X-Key-Status')]).toEqual([200, '999', 'new'])
  })

  test('10 new keys in 24 hours, over a restart, and 24 hours later 5 more', async () => {
    const w = world()
    for (let i = 0; i < 10; i++) {
      if (i === 5) w.time.now += 20 * HOUR_MS
      expect((await w.call('/api/ok', { key: foreign(i) })).status).toBe(200)
    }
    w.time.now += HOUR_MS
    w.meter.close()
    const again = world({ folder: w.folder, meter: { now: w.time.now } })
    again.time.now = w.time.now
    const refused = await again.call('/api/ok', { key: foreign(10) })
    expect(refused.status).toBe(429)
    expect(refused.headers.get('RateLimit')).toBe('"api";r=1000;t=1432, "new-keys-day";r=0;t=1432')
    expect(refused.headers.get('RateLimit-Policy')).toBe('"api";q=1000;w=3600, "new-keys-day";q=10;w=86400')
    checkLimitHeaders(refused)
    again.time.now = NOW + 23 * HOUR_MS
    expect((await again.call('/api/ok', { key: foreign(10) })).status).toBe(429)
    again.time.now = NOW + 24 * HOUR_MS
    for (let i = 10; i < 15; i++) expect((await again.call('/api/ok', { key: foreign(i) })).status).toBe(200)
    expect((await again.call('/api/ok', { key: foreign(15) })).status).toBe(429)
  })

  test('a /48 and the whole server have limits of new keys, too', async () => {
    const w = world({ settings: { newKeys48PerDay: 2, newKeysTotalPerHour: 4 } })
    for (let i = 0; i < 2; i++) await ask(w, 1, '/api/ok', { key: foreign(i), from: `2001:db8:1:${i}::1` })
    const wide = await w.call('/api/ok', { key: foreign(9), from: '2001:db8:1:9::1' })
    expect(await wide.json()).toMatchObject({ violated_policies: ['new-keys-48'] })
    for (let i = 2; i < 4; i++) await ask(w, 1, '/api/ok', { key: foreign(i), from: `203.0.113.${i}` })
    const all = await w.call('/api/ok', { key: foreign(9), from: '203.0.113.9' })
    expect(await all.json()).toMatchObject({ code: 'too_many_new_keys', violated_policies: ['new-keys-all'] })
  })

  test('a lost meter.db locks out no owner: a key whose workspace holds something is known', async () => {
    const w = world({ settings: { newKeysPerHour: 1 } })
    w.owned.add(w.identity.key(KEY))
    await w.call('/api/ok', { key: foreign(1) })
    const owner = await w.call('/api/ok', { key: KEY })
    expect([owner.status, owner.headers.get('X-Key-Status')]).toEqual([200, 'known'])
  })

  test('a key idle for 90 days with an empty workspace is new again; used daily or owning something it is not', async () => {
    const w = world()
    for (const key of [KEY, OTHER_KEY, foreign(1)]) await w.call('/api/ok', { key })
    w.owned.add(w.identity.key(OTHER_KEY))
    w.time.now += 50 * 24 * HOUR_MS
    await w.call('/api/usage', { key: foreign(1) })
    w.time.now += 41 * 24 * HOUR_MS
    const status = async (key: string) => (await w.call('/api/ok', { key })).headers.get('X-Key-Status')
    expect(await status(KEY)).toBe('new')
    expect(await status(OTHER_KEY)).toBe('known')
    expect(await status(foreign(1))).toBe('known')
  })

  test('one key in parallel is admitted once', async () => {
    const w = world({ settings: { newKeysPerHour: 1 } })
    const answers = await Promise.all(Array.from({ length: 50 }, () => w.call('/api/ok', { key: KEY })))
    expect(answers.map((a) => a.status).filter((s) => s !== 200)).toEqual([])
  })
})

describe('the guess guard', () => {
  async function guessing(settings = {}) {
    const w = world({ settings: { keyGuessesPerHour: 5, newKeysPerHour: 2, ...settings } })
    await w.call('/api/ok', { key: foreign(0) })
    await w.call('/api/ok', { key: KEY })
    for (let i = 1; i < 6; i++) expect((await w.call('/api/usage', { key: foreign(i) })).status).toBe(429)
    return w
  }

  test('after too many refused admissions, known and unknown foreign keys get the same answer', async () => {
    const w = await guessing()
    const known = await w.call('/api/ok', { key: foreign(0) })
    const unknown = await w.call('/api/ok', { key: foreign(99) })
    for (const answer of [known, unknown]) {
      checkLimitHeaders(answer)
      expect([answer.status, left(answer), answer.headers.has('X-Key-Status')]).toEqual([429, '0', false])
    }
    expect(known.headers.toJSON()).toEqual(unknown.headers.toJSON())
    const [a, b] = (await Promise.all([known.json(), unknown.json()])) as [object, object]
    expect({ ...a, request_id: '' }).toEqual({ ...b, request_id: '' })
  })

  test('keys of our own form, keyless callers, and other networks do not suffer', async () => {
    const w = await guessing()
    expect((await w.call('/api/ok', { key: KEY })).status).toBe(200)
    expect((await w.call('/api/ok')).status).toBe(200)
    expect((await w.call('/api/ok', { key: foreign(0), from: '203.0.113.10' })).status).toBe(200)
  })

  test('it holds over a restart and ends with the hour; 0 switches it off', async () => {
    const w = await guessing()
    w.meter.close()
    const again = world({ folder: w.folder, settings: { keyGuessesPerHour: 5, newKeysPerHour: 2 } })
    expect((await again.call('/api/ok', { key: foreign(0) })).status).toBe(429)
    again.time.now += HOUR_MS
    expect((await again.call('/api/ok', { key: foreign(0) })).status).toBe(200)
    const off = await guessing({ keyGuessesPerHour: 0 })
    expect((await off.call('/api/ok', { key: foreign(0) })).status).toBe(200)
  })
})

describe('usage', () => {
  test('is not counted, by GET or HEAD, and tells tier, limit, what is left and the last 48 hours', async () => {
    const w = world()
    await ask(w, 3, '/api/ok')
    w.time.now += 2 * HOUR_MS
    await ask(w, 1, '/api/ok')
    const head = await w.call('/api/usage', { method: 'HEAD' })
    expect([head.status, left(head)]).toEqual([200, '19'])
    const usage = (await (await w.call('/api/usage')).json()) as { history: { used: number[]; refused: number[] } }
    expect(usage).toMatchObject({ tier: 'free', limit: 20, remaining: 19, resetSeconds: 1432 })
    expect(usage.history.used.length).toBe(48)
    expect(usage.history.used.slice(-4)).toEqual([0, 3, 0, 1])
    expect(usage.history.refused.every((n) => n === 0)).toBe(true)
  })

  test('other methods and other spellings of its path are counted', async () => {
    const w = world()
    await w.call('/api/usage', { method: 'POST' })
    await w.call('/api/usage/')
    await w.call('/api/usage/x')
    expect(left(await w.call('/api/usage?a=b'))).toBe('17')
  })

  test('is answered with nothing left, and a malformed key is charged there, too', async () => {
    const w = world()
    await ask(w, 19, '/api/ok')
    expect((await w.call('/api/usage', { key: 'bad' })).status).toBe(400)
    expect((await w.call('/api/usage')).status).toBe(200)
    expect((await w.call('/api/usage', { key: 'bad' })).status).toBe(429)
  })
})

describe('preflight and CORS', () => {
  const preflight = (key?: string): Ask => ({
    method: 'OPTIONS',
    headers: { Origin: 'https://a.example', 'Access-Control-Request-Method': 'POST' },
    ...(key ? { key } : {}),
  })

  test('is 204 and uncounted, with nothing left too, for a known path or not', async () => {
    const w = world()
    const { last } = await ask(w, 30, '/api/nowhere', preflight())
    expect([last.status, left(last)]).toEqual([204, '20'])
    expect(last.headers.get('Access-Control-Allow-Methods')).toBe('GET, HEAD, POST, PUT, PATCH, DELETE')
    expect(last.headers.get('Access-Control-Allow-Headers')).toBe('*, Authorization')
    expect(last.headers.get('Access-Control-Max-Age')).toBe('7200')
    expect(last.headers.get('Access-Control-Allow-Origin')).toBe('*')
    await ask(w, 20, '/api/ok')
    const { last: spent } = await ask(w, 1, '/api/ok', preflight(KEY))
    expect([spent.status, left(spent), spent.headers.get('X-Tier')]).toEqual([204, '0', 'free'])
  })

  test('OPTIONS that is no preflight is counted', async () => {
    const w = world()
    await w.call('/api/405', { method: 'OPTIONS', headers: { Origin: 'https://a.example' } })
    await w.call('/api/405', { method: 'OPTIONS', headers: { 'Access-Control-Request-Method': 'GET' } })
    expect(left(await w.call('/api/usage'))).toBe('18')
  })

  test('every answer shows its headers to other origins', async () => {
    const w = world()
    for (const path of ['/api/ok', '/api/nowhere', '/api/crash']) {
      const exposed = (await w.call(path)).headers.get('Access-Control-Expose-Headers')
      expect(exposed).toBe(
        'X-Tier, X-RateLimit-Limit, X-RateLimit-Remaining, RateLimit-Policy, RateLimit, Retry-After, X-Key-Status, ETag, Location, Allow, Idempotency-Replayed',
      )
    }
  })

  test('a list of origins allows those, and says that the answer varies', async () => {
    const w = world({ settings: { corsOrigin: ['https://a.example', 'https://b.example'] } })
    const of = async (path: string, origin?: string) =>
      (await w.call(path, { headers: origin ? { Origin: origin } : {} })).headers
    expect((await of('/api/ok', 'https://b.example')).get('Access-Control-Allow-Origin')).toBe('https://b.example')
    const other = await of('/api/ok', 'https://evil.example')
    expect([other.get('Access-Control-Allow-Origin'), other.get('Vary')]).toEqual([null, 'Origin'])
    expect((await of('/api/stream')).get('Vary')).toBe('Accept, Origin')
    const { last } = await ask(w, 1, '/api/ok', preflight())
    expect([last.status, last.headers.get('Access-Control-Allow-Origin')]).toEqual([204, 'https://a.example'])
  })
})

describe('no way round', () => {
  test('a request without a verdict has no caller', async () => {
    const w = world()
    expect(() => w.door.callerOf(new Request('http://localhost/api/ok'))).toThrow('did not pass the gate')
    expect((await w.call('/outside')).status).toBe(500)
  })

  test('a failure inside the gate is a stamped 500', async () => {
    const w = world({
      deps: {
        peer: () => {
          throw new Error('a broken socket')
        },
      },
    })
    for (const key of [undefined, KEY]) {
      const answer = await w.call('/api/ok', key ? { key } : {})
      checkLimitHeaders(answer)
      expect([answer.status, left(answer), answer.headers.get('X-Tier')]).toEqual([500, '0', key ? 'api' : 'free'])
      expect(await answer.text()).not.toContain('socket')
    }
  })

  test('a workspace that cannot be looked at is 503, and the key is not admitted', async () => {
    const { DatabaseUnavailable } = await import('../../src/db/database')
    const w = world({ deps: { workspaceIsEmpty: () => Promise.reject(new DatabaseUnavailable()) } })
    const answer = await w.call('/api/ok', { key: KEY })
    checkLimitHeaders(answer)
    expect([answer.status, left(answer)]).toEqual([503, '1000'])
  })

  test('a counter that answers by promise does as well', async () => {
    const { meter, folder } = world()
    const later: GateDeps['meter'] = {
      hour: meter.hour,
      take: async (...all) => meter.take(...all),
      peek: async (...all) => meter.peek(...all),
      refuse: async (...all) => meter.refuse(...all),
      history: async (...all) => meter.history(...all),
      lastSeen: async (...all) => meter.lastSeen(...all),
      sawKey: async (...all) => meter.sawKey(...all),
    }
    const w = world({ deps: { meter: later } })
    await ask(w, 20, '/api/ok')
    const answers = await Promise.all([1, 2, 3].map(() => w.call('/api/ok', { key: KEY })))
    expect([(await w.call('/api/ok')).status, ...answers.map((a) => a.status)]).toEqual([429, 200, 200, 200])
    meter.close()
    expect((await w.call('/api/ok', { from: '203.0.113.10' })).status).toBe(503)
    expect(counted(folder, "SELECT sum(used) FROM request_counts WHERE tier = 'new-keys'")).toEqual([[1]])
  })
})

describe('warnings', () => {
  test('each is given once, without any address', async () => {
    const w = world({ settings: { trustedProxies: parseRanges('10.0.0.0/8') }, deps: { secretReadable: true } })
    for (let round = 0; round < 2; round++) {
      await w.call('/api/ok', { from: '10.0.0.2' })
      await w.call('/api/ok', { from: '10.0.0.2', headers: { Forwarded: 'for=198.51.100.1' } })
      await w.call('/api/ok', { from: '10.0.0.2', headers: { 'X-Forwarded-For': 'junk' } })
      await w.call('/api/ok', { from: '10.0.0.2', headers: { 'X-Forwarded-For': '1.2.3.4,'.repeat(40) } })
      await w.call('/api/ok', { from: '192.168.0.1', headers: { 'X-Forwarded-For': '1.2.3.4' } })
    }
    expect([...w.door.warnings].toSorted()).toEqual([
      'missing_forwarding_header',
      'other_forwarding_header',
      'oversized_chain',
      'secret_readable',
      'undeclared_proxy',
      'unreadable_chain',
    ])
    expect(w.log.lines.length).toBe(6)
    expect(w.log.lines.join()).not.toMatch(/10\.0\.0\.2|192\.168|198\.51|1\.2\.3\.4/)
  })

  test('over 20 programs from one private peer within an hour look like a proxy', async () => {
    const w = world()
    const from = '192.168.0.1'
    for (let i = 0; i < 40; i++) {
      if (i === 20) w.time.now += HOUR_MS
      await w.call('/api/ok', { from, headers: { 'User-Agent': `agent/${i}` } })
    }
    expect(w.door.warnings.size).toBe(0)
    await w.call('/api/ok', { from, headers: { 'User-Agent': 'agent/40' } })
    expect([...w.door.warnings]).toEqual(['many_agents'])
  })
})
