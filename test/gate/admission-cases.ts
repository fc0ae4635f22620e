import { describe, expect, test } from 'bun:test'
import { makeKey } from '../support/keys'
import { ask, left, type Worlds } from './asking'
import { checkLimitHeaders } from './structured-fields'
import { HOUR_MS, KEY, NOW, OTHER_KEY } from './world'

/** Keys at the gate, on whatever counts them. */
export function describeAdmission({ world, restarted }: Worlds): void {
  describe('keys', () => {
    test.each(['', 'tiny!', 'x'.repeat(256), 'two words1', 'tab\tinside1', 'ümläut-key', `${KEY}x`, 'SATCHEL_abc'])(
      'a malformed key %j is 400, charged to the address, then 429',
      async (key) => {
        const w = await world({ settings: { freeLimitPerHour: 2 } })
        for (const remaining of ['1', '0']) {
          const answer = await w.call('/api/ok', { key })
          checkLimitHeaders(answer)
          expect([answer.status, left(answer), answer.headers.get('X-Tier')]).toEqual([400, remaining, 'free'])
          const text = await answer.text()
          expect(text).toContain('"invalid_api_key"')
          if (key) expect(text).not.toContain(key)
        }
        expect((await w.call('/api/ok', { key })).status).toBe(429)
        expect((await w.call('/api/ok')).status).toBe(429)
      },
    )

    test.each([
      ...[`Bearer ${KEY}`, KEY, `bearer  ${KEY}`, `ApiKey key="${KEY}"`, `Token token=${KEY}`, `Bearer ${KEY}x`],
      ...['Bearer SATCHEL_abc', `Basic ${btoa(`${KEY}:`)}`, `basic ${btoa(`user:${KEY}`)}`],
      // Placeholders and quotes that were left around it, and base64 in the alphabet of URLs.
      ...[`Bearer <${KEY}>`, `Bearer {${KEY}}`, `Bearer \`${KEY}\``, `Bearer key;${KEY}`],
      `Basic ${Buffer.from(`>>>???:${KEY}`).toString('base64url')}`,
    ])('a key in Authorization is 400, charged to the address, then 429: %s', async (authorization) => {
      const w = await world({ settings: { freeLimitPerHour: 3 } })
      const headers = { Authorization: authorization }
      for (const [path, remaining] of [
        ['/api/ok', '2'],
        ['/api/usage', '1'],
        ['/api/nowhere', '0'],
      ] as const) {
        const answer = await w.call(path, { headers })
        checkLimitHeaders(answer)
        expect([answer.status, left(answer), answer.headers.get('X-Tier')]).toEqual([400, remaining, 'free'])
        const { code, detail } = (await answer.json()) as { code: string; detail: string }
        expect([code, detail]).toEqual([
          'invalid_api_key',
          'A key in Authorization is not read: send it in the header X-API-Key.',
        ])
      }
      expect((await w.call('/api/ok', { headers })).status).toBe(429)
      expect((await w.call('/api/ok')).status).toBe(429)
    })

    test.each([
      ...['Bearer unused', '', 'Bearer satchel', 'Bearer my_satchel_key', `Bearer ${KEY.slice(8)}`, 'Bearer satchel-x'],
      ...['Basic !', `Basic ${btoa('user:password')}`, 'Basic', 'Bearer ollama'],
    ])('Authorization is otherwise ignored: %j', async (authorization) => {
      const w = await world()
      const { status, headers } = await w.call('/api/ok', { headers: { Authorization: authorization } })
      expect([status, headers.get('X-Tier')]).toEqual([200, 'free'])
    })

    test('a key in Authorization is ignored beside X-API-Key, in a preflight and outside /api', async () => {
      const w = await world()
      const headers = { Authorization: `Bearer ${OTHER_KEY}` }
      expect(await (await w.call('/api/ok', { key: KEY, headers })).json()).toEqual(
        await (await w.call('/api/ok', { key: KEY })).json(),
      )
      expect(await (await w.call('/api/ok', { key: '', headers })).text()).toContain('The key in X-API-Key is empty.')
      const asked = { Origin: 'https://a.example', 'Access-Control-Request-Method': 'POST' }
      expect((await w.call('/api/ok', { method: 'OPTIONS', headers: { ...headers, ...asked } })).status).toBe(204)
      expect((await w.call('/healthz', { headers })).status).toBe(200)
    })

    test('the first use admits a key, the next finds it known; so does a look at its usage', async () => {
      const w = await world({ settings: { newKeysPerDay: 2 } })
      const status = async (path: string, key: string) => (await w.call(path, { key })).status
      expect([await status('/api/ok', KEY), await status('/api/ok', KEY)]).toEqual([200, 200])
      expect([await status('/api/usage', OTHER_KEY), await status('/api/usage', makeKey(1))]).toEqual([200, 429])
      expect([await status('/api/ok', OTHER_KEY), await status('/api/ok', KEY)]).toEqual([200, 200])
    })

    test('the workspace is the identity of the key, without one that of the network', async () => {
      const w = await world()
      expect(await (await w.call('/api/ok', { key: KEY })).json()).toEqual({
        tier: 'api',
        id: '838ebd71ffbb25902c666594fd2f00f7',
        kind: 'key',
      })
      const free = (await (await w.call('/api/ok')).json()) as { id: string }
      expect(free).toMatchObject({ tier: 'free', kind: 'scratch' })
      expect(await (await w.call('/api/ok', { from: '::ffff:cb00:7109' })).json()).toMatchObject({ id: free.id })
    })

    test('20 new keys in 24 hours for each network; a refused one is not charged, stored or known', async () => {
      const w = await world()
      for (let i = 0; i < 20; i++) expect((await w.call('/api/ok', { key: makeKey(i) })).status).toBe(200)
      const refused = await w.call('/api/ok', { key: KEY })
      expect(refused.status).toBe(429)
      checkLimitHeaders(refused)
      expect(left(refused)).toBe('1000')
      expect(await refused.json()).toMatchObject({ code: 'too_many_new_keys', violated_policies: ['new-keys-day'] })
      expect((await w.call('/api/usage', { key: KEY })).status).toBe(429)
      expect((await w.call('/api/ok', { key: makeKey(0) })).status).toBe(200)
      const elsewhere = await w.call('/api/ok', { key: KEY, from: '203.0.113.10' })
      expect([elsewhere.status, left(elsewhere)]).toEqual([200, '999'])
    })

    test('the 24 hours are the newest hours, also over a restart', async () => {
      const settings = { newKeysPerDay: 10 }
      const w = await world({ settings })
      for (let i = 0; i < 10; i++) {
        if (i === 5) w.time.now += 20 * HOUR_MS
        expect((await w.call('/api/ok', { key: makeKey(i) })).status).toBe(200)
      }
      const again = await restarted(w, { settings })
      for (const hours of [21, 23]) {
        again.time.now = NOW + hours * HOUR_MS
        const refused = await again.call('/api/ok', { key: makeKey(10) })
        checkLimitHeaders(refused)
        expect(refused.status).toBe(429)
      }
      again.time.now = NOW + 24 * HOUR_MS
      for (let i = 10; i < 15; i++) expect((await again.call('/api/ok', { key: makeKey(i) })).status).toBe(200)
      expect((await again.call('/api/ok', { key: makeKey(15) })).status).toBe(429)
    })

    test('a /48 may bring ten times as many new keys as one of its networks', async () => {
      const w = await world({ settings: { newKeysPerDay: 1 } })
      for (let i = 0; i < 10; i++) await ask(w, 1, '/api/ok', { key: makeKey(i), from: `2001:db8:1:${i}::1` })
      const wide = await w.call('/api/ok', { key: makeKey(99), from: '2001:db8:1:99::1' })
      expect(await wide.json()).toMatchObject({ code: 'too_many_new_keys', violated_policies: ['new-keys-48'] })
      expect((await w.call('/api/ok', { key: makeKey(99), from: '2001:db8:2:99::1' })).status).toBe(200)
    })

    test('300 networks that bring all the keys they may shut out nobody', async () => {
      const w = await world({ settings: { newKeysPerDay: 4 } })
      for (let n = 0; n < 300; n++) {
        const from = `198.${18 + (n >> 8)}.${n & 255}.1`
        for (let i = 0; i < 4; i++) await w.call('/api/usage', { key: makeKey(n * 4 + i), from })
        expect((await w.call('/api/usage', { key: makeKey(n * 4 + 4), from })).status).toBe(429)
      }
      expect((await w.call('/api/ok', { key: KEY })).status).toBe(200)
    })

    test('a neighbour that uses up the new keys locks out no known key', async () => {
      const w = await world({ settings: { newKeysPerDay: 3 } })
      const own = ['my-own-key', '12345678', KEY]
      for (const key of own) expect((await w.call('/api/ok', { key })).status).toBe(200)
      for (let i = 0; i < 2; i++) expect((await w.call('/api/usage', { key: makeKey(i) })).status).toBe(200)
      for (let i = 2; i < 100; i++) expect((await w.call('/api/usage', { key: makeKey(i) })).status).toBe(429)
      for (const key of own) {
        const { status, headers } = await w.call('/api/ok', { key })
        expect([key, status, headers.get('X-Tier')]).toEqual([key, 200, 'api'])
      }
      expect((await w.call('/api/ok')).status).toBe(200)
      expect((await w.call('/api/ok', { key: makeKey(2), from: '203.0.113.10' })).status).toBe(200)
    })

    test('0 switches the limits of new keys off', async () => {
      const w = await world({ settings: { newKeysPerDay: 0 } })
      for (let i = 0; i < 30; i++)
        expect((await w.call('/api/ok', { key: makeKey(i), from: '2001:db8:1:1::1' })).status).toBe(200)
    })

    test('a lost meter.db locks out no owner: a key whose workspace holds something is known', async () => {
      const w = await world({ settings: { newKeysPerDay: 1 } })
      w.owned.add(w.identity.key(KEY))
      await w.call('/api/ok', { key: makeKey(1) })
      expect((await w.call('/api/ok', { key: KEY })).status).toBe(200)
      expect((await w.call('/api/ok', { key: OTHER_KEY })).status).toBe(429)
    })

    test('a key idle for 90 days with an empty workspace is new again; used daily or owning something it is not', async () => {
      const w = await world({ settings: { newKeysPerDay: 3 } })
      for (const key of [KEY, OTHER_KEY, makeKey(1)]) await w.call('/api/ok', { key })
      w.owned.add(w.identity.key(OTHER_KEY))
      w.time.now += 50 * 24 * HOUR_MS
      await w.call('/api/usage', { key: makeKey(1) })
      w.time.now += 41 * 24 * HOUR_MS
      // KEY is one of the three new keys of the day, and the others are none.
      for (const key of [KEY, OTHER_KEY, ...[1, 2, 3].map(makeKey)])
        expect([key, (await w.call('/api/ok', { key })).status]).toEqual([key, 200])
      expect((await w.call('/api/ok', { key: makeKey(4) })).status).toBe(429)
    })

    test('one key in parallel is admitted once', async () => {
      const w = await world({ settings: { newKeysPerDay: 1 } })
      const answers = await Promise.all(Array.from({ length: 50 }, () => w.call('/api/ok', { key: KEY })))
      expect(answers.map((a) => a.status).filter((s) => s !== 200)).toEqual([])
    })
  })
}
