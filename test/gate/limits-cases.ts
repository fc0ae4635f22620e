import { describe, expect, test } from 'bun:test'
import { parseRanges } from '../../src/lib/client-address'
import { ask, foreign, left, type Worlds } from './asking'
import { checkLimitHeaders } from './structured-fields'
import { HOUR_MS, KEY, NOW, OTHER_KEY } from './world'

/** Limits at the gate, on whatever counts them. */
export function describeLimits({ world, restarted }: Worlds): void {
  describe('limits', () => {
    test('20 requests without a key, then 429 with the documented words; other addresses are untouched', async () => {
      const w = await world()
      const { statuses, last } = await ask(w, 20, '/api/ok')
      expect([...statuses, left(last)]).toEqual([200, '0'])
      const refused = await w.call('/api/ok')
      expect(refused.status).toBe(429)
      checkLimitHeaders(refused)
      expect(refused.headers.get('RateLimit')).toBe('"free";r=0;t=1432')
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
      const w = await world()
      const { statuses, last } = await ask(w, 1000, '/api/ok', { key: KEY })
      expect([...statuses, left(last)]).toEqual([200, '0'])
      const refused = await w.call('/api/ok', { key: KEY })
      expect(refused.status).toBe(429)
      expect(((await refused.json()) as { violated_policies: string[] }).violated_policies).toEqual(['api'])
      expect(left(await w.call('/api/ok', { key: OTHER_KEY }))).toBe('999')
    })

    test('1000 of 1500 parallel requests on one key pass', async () => {
      const w = await world()
      await w.call('/api/usage', { key: KEY })
      const answers = await Promise.all(Array.from({ length: 1500 }, () => w.call('/api/ok', { key: KEY })))
      expect(answers.filter((a) => a.status === 200).length).toBe(1000)
      expect(answers.filter((a) => a.status === 429).length).toBe(500)
    })

    test('all addresses of an IPv6 /64 are one, and a /48 has a ceiling', async () => {
      const w = await world({ settings: { freeLimitPerHour: 2 } })
      await ask(w, 2, '/api/ok', { from: '2001:db8:1:1::1' })
      expect((await w.call('/api/ok', { from: '2001:db8:1:1:ffff::2' })).status).toBe(429)
      for (let i = 2; i < 16; i++) await ask(w, 2, '/api/ok', { from: `2001:db8:1:${i}::1` })
      const { last } = await ask(w, 1, '/api/ok', { from: '2001:db8:1:99::1' })
      expect(left(last)).toBe('1')
      await ask(w, 1, '/api/ok', { from: '2001:db8:1:9a::1' })
      const refused = await w.call('/api/ok', { from: '2001:db8:1:9b::1' })
      expect([refused.status, left(refused)]).toEqual([429, '2'])
      expect(refused.headers.get('RateLimit')).toBe('"free";r=2;t=1432')
      expect(refused.headers.get('RateLimit-Policy')).toBe('"free";q=2;w=3600')
      expect(await refused.json()).toMatchObject({ violated_policies: ['free-48'] })
      expect((await w.call('/api/ok', { from: '2001:db8:2:1::1' })).status).toBe(200)
    })

    test('a network ceiling refuses without charging the key', async () => {
      const w = await world({ settings: { networkCeilingPerHour: 3 } })
      await ask(w, 3, '/api/ok', { key: KEY })
      const refused = await w.call('/api/ok', { key: KEY })
      expect(refused.status).toBe(429)
      expect(refused.headers.get('RateLimit')).toBe('"api";r=997;t=1432')
      expect(await refused.json()).toMatchObject({ violated_policies: ['network'] })
      expect(left(await w.call('/api/ok', { key: KEY, from: '203.0.113.10' }))).toBe('996')
      expect(left(await w.call('/api/ok'))).toBe('19')
    })

    test('a ceiling of 0 is off, and no usable address is one shared, limited caller', async () => {
      const w = await world({ settings: { networkCeilingPerHour: 0 } })
      await ask(w, 3, '/api/ok', { key: KEY })
      await ask(w, 10, '/api/ok', { from: null })
      await ask(w, 10, '/api/ok', { from: 'not an address' })
      expect((await w.call('/api/ok', { from: null })).status).toBe(429)
    })

    test('loopback is exempt from ceilings and admission, never from its own limits', async () => {
      const w = await world({ settings: { networkCeilingPerHour: 2, newKeysPerDay: 1 } })
      for (const from of ['127.0.0.1', '::1', '::ffff:127.0.0.9']) {
        for (let i = 0; i < 4; i++) expect((await w.call('/api/ok', { from, key: foreign(i) })).status).toBe(200)
      }
      await ask(w, 20, '/api/ok', { from: '::1' })
      expect((await w.call('/api/ok', { from: '::1' })).status).toBe(429)
      await ask(w, 1, '/api/ok', { from: '64:ff9b::7f00:1', key: foreign(10) })
      expect((await w.call('/api/ok', { from: '64:ff9b::7f00:1', key: foreign(11) })).status).toBe(429)
    })

    test('a forwarding header takes the exemption from an undeclared proxy on loopback', async () => {
      const w = await world({ settings: { newKeysPerDay: 1 } })
      const how = { from: '127.0.0.1', headers: { 'X-Forwarded-For': '198.51.100.1' } }
      expect((await w.call('/api/ok', { ...how, key: foreign(1) })).status).toBe(200)
      expect((await w.call('/api/ok', { ...how, key: foreign(2) })).status).toBe(429)
      expect([...w.door.warnings]).toEqual(['undeclared_proxy'])
    })

    test.each([
      ['without a chain', '127.0.0.1', {}],
      ['in its own chain', '127.0.0.1', { 'X-Forwarded-For': '127.0.0.1' }],
      ['behind what it cannot read', '::1', { 'X-Forwarded-For': '198.51.100.1, junk' }],
      ['by what another machine calls loopback', '10.0.0.2', { 'X-Forwarded-For': '127.0.0.9' }],
      ['by a forged chain of 33', '127.0.0.1', { 'X-Forwarded-For': `${'127.0.0.1,'.repeat(32)}198.51.100.1` }],
    ])('a trusted proxy is never exempt: %s', async (_, from, headers) => {
      const trustedProxies = parseRanges('127.0.0.1, ::1, 10.0.0.2')
      const w = await world({ settings: { newKeysPerDay: 1, trustedProxies } })
      expect((await w.call('/api/ok', { from, headers, key: foreign(1) })).status).toBe(200)
      expect((await w.call('/api/ok', { from, headers, key: foreign(2) })).status).toBe(429)
    })

    test('a trusted proxy names the client; a stranger cannot', async () => {
      const w = await world({ settings: { trustedProxies: parseRanges('10.0.0.0/8') } })
      const headers = { 'X-Forwarded-For': '1.2.3.4, 203.0.113.77' }
      await ask(w, 20, '/api/ok', { from: '::ffff:10.0.0.2', headers })
      expect((await w.call('/api/ok', { from: '203.0.113.77' })).status).toBe(429)
      expect(left(await w.call('/api/ok', { from: '198.51.100.7', headers }))).toBe('19')
      expect([...w.door.warnings]).toEqual([])
    })
  })

  describe('the hour', () => {
    test('its end gives everybody a new one; a jump does, too', async () => {
      const w = await world()
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

    test('a changed limit refills nobody', async () => {
      const w = await world()
      await ask(w, 20, '/api/ok')
      const more = await restarted(w, { settings: { freeLimitPerHour: 25 } })
      expect(left(await more.call('/api/ok'))).toBe('4')
      const again = await restarted(more)
      expect((await again.call('/api/ok')).status).toBe(429)
    })
  })
}
