import { afterEach, describe, expect, test } from 'bun:test'
import { setImmediate } from 'node:timers/promises'
import { DatabaseUnavailable } from '../../src/db/database'
import type { GateDeps } from '../../src/gate/gate'
import { MeterUnavailable } from '../../src/gate/tiers'
import { ANSWER_MS } from '../../src/http/request'
import { parseRanges } from '../../src/lib/client-address'
import { makeTimers } from '../imports/timers'
import { ask, closeWorlds, left, world } from './asking'
import { checkLimitHeaders } from './structured-fields'
import { type Ask, counted, DAY_MS, HOUR_MS, KEY } from './world'

afterEach(closeWorlds)

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
        'X-Tier, X-RateLimit-Limit, X-RateLimit-Remaining, RateLimit-Policy, RateLimit, Retry-After, ETag, Location, Allow, Idempotency-Replayed, X-Links-Updated',
      )
    }
  })

  test('a list of origins allows those, and says that the answer varies', async () => {
    const w = world({ settings: { corsOrigin: ['https://a.example', 'https://b.example'] } })
    const of = async (path: string, origin?: string) =>
      (await w.call(path, { headers: origin ? { Origin: origin } : {} })).headers
    expect((await of('/api/ok', 'https://b.example')).get('Access-Control-Allow-Origin')).toBe('https://b.example')
    const other = await of('/api/ok', 'https://evil.example')
    expect([other.get('Access-Control-Allow-Origin'), other.get('Vary')]).toEqual([null, 'Origin, Accept-Encoding'])
    expect((await of('/api/stream')).get('Vary')).toBe('Accept, Origin, Accept-Encoding')
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
    const w = world({ deps: { workspaceIsEmpty: () => Promise.reject(new DatabaseUnavailable()) } })
    const answer = await w.call('/api/ok', { key: KEY })
    checkLimitHeaders(answer)
    expect([answer.status, left(answer)]).toEqual([503, '1000'])
  })

  test('a known key whose use cannot be recorded is 503, and not charged', async () => {
    const { meter } = world()
    let isFailing = false
    const deps: Pick<GateDeps, 'meter'> = {
      meter: {
        hour: meter.hour,
        take: (...all) => meter.take(...all),
        peek: (charges, hour) => meter.peek(charges, hour),
        giveBack: (...all) => meter.giveBack(...all),
        refuse: (...all) => meter.refuse(...all),
        history: (...all) => meter.history(...all),
        lastSeen: (...all) => meter.lastSeen(...all),
        markKeyUsed: (...all) => {
          if (isFailing) throw new MeterUnavailable('no')
          meter.markKeyUsed(...all)
        },
      },
    }
    const w = world({ deps })
    expect((await w.call('/api/ok', { key: KEY })).status).toBe(200)
    w.time.now += DAY_MS
    isFailing = true
    const answer = await w.call('/api/ok', { key: KEY })
    expect([answer.status, left(answer)]).toEqual([503, '1000'])
  })

  test('a counter that answers by promise does as well', async () => {
    const { meter, folder } = world()
    const later: GateDeps['meter'] = {
      hour: meter.hour,
      take: async (...all) => meter.take(...all),
      peek: async (charges, hour) => meter.peek(charges, hour),
      giveBack: async (...all) => meter.giveBack(...all),
      refuse: async (...all) => meter.refuse(...all),
      history: async (...all) => meter.history(...all),
      lastSeen: async (...all) => meter.lastSeen(...all),
      markKeyUsed: async (...all) => meter.markKeyUsed(...all),
    }
    const w = world({ deps: { meter: later } })
    await ask(w, 20, '/api/ok')
    const answers = await Promise.all([1, 2, 3].map(() => w.call('/api/ok', { key: KEY })))
    expect([(await w.call('/api/ok')).status, ...answers.map((a) => a.status)]).toEqual([429, 200, 200, 200])
    meter.close()
    expect((await w.call('/api/ok', { from: '203.0.113.10' })).status).toBe(503)
    expect(counted(folder, "SELECT sum(used) FROM request_counts WHERE tier = 'new-keys-day'")).toEqual([[1]])
  })
})

test('an answer that comes after its time is not sent, also if its stream cannot be ended', async () => {
  const { timer, pass } = makeTimers()
  const w = world({ deps: { timer } })
  const [made, ended] = [Promise.withResolvers<Response>(), Promise.withResolvers<void>()]
  w.app.get('/api/late', () => made.promise)
  const answer = w.call('/api/late')
  pass(ANSWER_MS)
  expect((await answer).status).toBe(503)
  const cancel = () => {
    ended.resolve()
    throw new Error('it cannot be ended')
  }
  made.resolve(new Response(new ReadableStream({ cancel })))
  await ended.promise
  // A rejection that nothing handles ends the process, and fails this test.
  await setImmediate()
})

describe('warnings', () => {
  test('each is given once, without any address', async () => {
    const w = world({ settings: { trustedProxies: parseRanges('10.0.0.0/8') }, deps: { isSecretReadable: true } })
    for (let round = 0; round < 2; round++) {
      await w.call('/api/ok', { from: '10.0.0.2' })
      await w.call('/api/ok', { from: '10.0.0.2', headers: { Forwarded: 'for=198.51.100.1' } })
      await w.call('/api/ok', { from: '10.0.0.2', headers: { 'X-Forwarded-For': 'junk' } })
      await w.call('/api/ok', { from: '192.168.0.1', headers: { 'X-Forwarded-For': '1.2.3.4' } })
    }
    expect([...w.door.warnings].toSorted()).toEqual([
      'missing_forwarding_header',
      'other_forwarding_header',
      'secret_readable',
      'undeclared_proxy',
      'unreadable_chain',
    ])
    expect(w.log.lines.length).toBe(5)
    expect(w.log.lines.join()).not.toMatch(/10\.0\.0\.2|192\.168|198\.51|1\.2\.3\.4/)
  })
})
