import { describe, expect, test } from 'bun:test'
import type { WorkspaceId } from '../../src/db/database'
import { makeKey } from '../support/keys'
import { ask, foreign, left, type Worlds } from './asking'
import { checkLimitHeaders } from './structured-fields'
import { type Ask, DAY_MS, KEY, NOW, type Options, OTHER_KEY, type World } from './world'

const OWNER = '198.51.100.1'
const NEIGHBOUR = '203.0.113.10'
/** A weak key. Its owner uses it from another network than the guesser's. */
export const WEAK = 'Password123'
const SECRET_PATH = '/api/item/secret'

/** All that an answer shows, but for the id of the request. */
export async function shownBy(answer: Response): Promise<unknown> {
  checkLimitHeaders(answer)
  const text = (await answer.text()).replace(/"request_id":"[^"]*"/, '')
  return [answer.status, text, ...answer.headers].map(String)
}

const code = async (answer: Response) => ((await answer.json()) as { code: string }).code

/** Every kind of request that a key can be guessed with. */
const ASKS: readonly (readonly [path: string, Omit<Ask, 'key'>])[] = [
  ['/api/ok', {}],
  ['/api/usage', {}],
  ['/api/usage', { method: 'HEAD' }],
  ['/api/ok', { method: 'HEAD' }],
  ['/api/echo', { method: 'POST', body: '{', headers: { 'Content-Type': 'application/json' } }],
  ['/api/405', { method: 'DELETE' }],
  ['/api/nowhere', { headers: { Origin: 'https://a.example' } }],
  ['/api/item/unknown', {}],
  ['/api/ok', { method: 'OPTIONS' }],
]

/** Guessing keys, on what counts the requests. */
export function describeGuesses({ world, restarted }: Worlds): void {
  /** A world in which somebody may use a weak key. Counts how often the gate looks into a workspace. */
  async function guessed(isUsed = true, options: Options = {}) {
    let looks = 0
    const workspaceIsEmpty = async (id: string) => {
      looks++
      return !w.owned.has(id)
    }
    const owner = { workspace: { id: 'ab'.repeat(16) as WorkspaceId, kind: 'key' as const }, subject: 'cd'.repeat(16) }
    const secretPaths = {
      prefixes: ['/api/item/'],
      findOwner: (path: string) => Promise.resolve(path === SECRET_PATH ? owner : null),
    }
    const w: World = await world({ ...options, deps: { workspaceIsEmpty, secretPaths } })
    if (isUsed) {
      w.owned.add(w.identity.key(WEAK))
      await ask(w, 3, '/api/ok', { key: WEAK, from: OWNER })
    }
    return { w, looks: () => looks }
  }
  /** Uses so many keys for the first time. */
  async function useKeys(w: World, count: number, from = '203.0.113.9'): Promise<void> {
    for (let i = 0; i < count; i++) expect((await w.call('/api/ok', { key: foreign(i), from })).status).toBe(200)
  }

  describe('guesses', () => {
    test('once the first uses are used up, a key in use gets the answers of an unused one', async () => {
      const settings = { networkCeilingPerHour: 1100 }
      const [used, unused] = [await guessed(true, { settings }), await guessed(false, { settings })]
      for (const { w } of [used, unused]) await useKeys(w, 20)
      const codes = new Set<string>()
      for (let i = 0; i < 1300; i++) {
        const [path, how] = ASKS[i % ASKS.length] ?? ['', {}]
        // The same key again and again, and others between.
        const key = i % 3 ? WEAK : `Password${1000 + i}`
        const [one, other] = [await used.w.call(path, { ...how, key }), await unused.w.call(path, { ...how, key })]
        const shown = (await shownBy(one)) as string[]
        expect([i, path, shown]).toEqual([i, path, (await shownBy(other)) as string[]])
        expect([one.status, left(one)]).toEqual([429, '1000'])
        codes.add(/"code":"(\w+)"/.exec(shown[1] ?? '')?.[1] ?? '')
      }
      // From some guess on, it is the ceiling of the network that refuses.
      expect([...codes].filter(Boolean)).toEqual(['too_many_new_keys', 'rate_limited'])
      expect(used.looks()).toBe(0)
    })

    test('20 first uses a day come through, of a key in use and of others', async () => {
      const { w } = await guessed()
      await useKeys(w, 19)
      const hit = await w.call('/api/ok', { key: WEAK })
      expect([hit.status, left(hit)]).toEqual([200, '996'])
      const refused = await w.call('/api/ok', { key: foreign(19) })
      checkLimitHeaders(refused)
      expect([refused.status, left(refused)]).toEqual([429, '1000'])
      expect(await refused.json()).toMatchObject({
        code: 'too_many_new_keys',
        violated_policies: ['foreign-keys-day'],
        detail:
          '20 first uses in 24 hours of keys that Satchel did not make, for each network. Use a key made on the key page (see /), or try again in 1432 s at the earliest.',
      })
      expect((await w.call('/api/ok', { key: WEAK })).status).toBe(200)
      w.time.now += DAY_MS
      expect((await w.call('/api/ok', { key: foreign(19) })).status).toBe(200)
    })

    test.each(ASKS)('a first use is paid for by %s %j', async (path, how) => {
      const { w } = await guessed(true, { settings: { newKeysPerDay: 1 } })
      const first = await w.call(path, { ...how, key: WEAK })
      expect(first.status).not.toBe(429)
      expect(await code(await w.call('/api/usage', { key: foreign(1) }))).toBe('too_many_new_keys')
      expect((await w.call(path, { ...how, key: WEAK })).status).toBe(first.status)
    })

    test('a first use is paid for even if the key has nothing left', async () => {
      const { w } = await guessed(true, { settings: { newKeysPerDay: 1, apiLimitPerHour: 3 } })
      const spent = await w.call('/api/ok', { key: WEAK })
      checkLimitHeaders(spent)
      expect([spent.status, left(spent), await code(spent)]).toEqual([429, '0', 'rate_limited'])
      expect(await code(await w.call('/api/ok', { key: foreign(1) }))).toBe('too_many_new_keys')
    })

    test('a first use is charged to the ceiling too; to the key only if it is more than a look at its usage', async () => {
      const { w } = await guessed(false, { settings: { networkCeilingPerHour: 10 } })
      for (let i = 0; i < 2; i++) expect(left(await w.call('/api/usage', { key: WEAK }))).toBe('1000')
      expect(left(await w.call('/api/ok', { key: foreign(1) }))).toBe('999')
      // Two of the ten are used, by the first uses.
      const { statuses } = await ask(w, 8, '/api/ok', { key: WEAK })
      expect(statuses).toEqual(new Set([200]))
      expect(await code(await w.call('/api/ok', { key: WEAK }))).toBe('rate_limited')
    })

    test('a key that the network has used and that has nothing left is refused for that, and may look at its usage', async () => {
      const { w } = await guessed(false, { settings: { apiLimitPerHour: 2 } })
      await ask(w, 2, '/api/ok', { key: WEAK })
      const refused = await w.call('/api/ok', { key: WEAK })
      checkLimitHeaders(refused)
      expect([refused.status, left(refused)]).toEqual([429, '0'])
      expect(await refused.json()).toMatchObject({ code: 'rate_limited', violated_policies: ['api'] })
      const usage = await w.call('/api/usage', { key: WEAK })
      expect([usage.status, left(usage)]).toEqual([200, '0'])
    })

    test('keys that the network has used, keys in our own format, no key and other networks are served', async () => {
      const { w } = await guessed(true, { settings: { newKeysPerDay: 3 } })
      await ask(w, 1, '/api/ok', { key: KEY })
      await useKeys(w, 3)
      for (let i = 0; i < 100; i++) expect((await w.call('/api/usage', { key: `Password${i}` })).status).toBe(429)
      for (const key of [foreign(0), foreign(1), foreign(2), KEY])
        for (const path of ['/api/ok', '/api/usage']) {
          expect([key, (await w.call(path, { key })).status]).toEqual([key, 200])
        }
      // Two of the three new keys of a day are left.
      for (const key of [OTHER_KEY, makeKey(1)]) expect((await w.call('/api/ok', { key })).status).toBe(200)
      expect(await code(await w.call('/api/ok', { key: makeKey(2) }))).toBe('too_many_new_keys')
      expect((await w.call('/api/ok')).status).toBe(200)
      expect((await w.call('/api/ok', { key: WEAK, from: OWNER })).status).toBe(200)
      const elsewhere = await w.call('/api/ok', { key: 'another-key', from: NEIGHBOUR })
      expect([elsewhere.status, left(elsewhere)]).toEqual([200, '999'])
    })

    test('each guess is charged to the ceiling of the network, and from then on no foreign key is looked at', async () => {
      const { w, looks } = await guessed(true, { settings: { newKeysPerDay: 1, networkCeilingPerHour: 10 } })
      await useKeys(w, 1)
      await ask(w, 1, '/api/ok', { key: KEY })
      for (let i = 0; i < 7; i++) expect((await w.call('/api/usage', { key: `Password${i}` })).status).toBe(429)
      expect(left(await w.call('/api/ok', { key: foreign(0) }))).toBe('998')
      const answers: unknown[] = []
      for (const key of [foreign(0), WEAK, 'Password99'])
        for (const path of ['/api/ok', '/api/usage']) {
          const refused = await w.call(path, { key })
          expect([refused.status, left(refused)]).toEqual([429, '1000'])
          answers.push(await shownBy(refused.clone()))
        }
      expect(new Set(answers.map(String)).size).toBe(1)
      // As without guesses: the ceiling refuses requests, but not a look at the usage.
      expect(await code(await w.call('/api/ok', { key: KEY }))).toBe('rate_limited')
      const usage = await w.call('/api/usage', { key: KEY })
      expect([usage.status, left(usage)]).toEqual([200, '999'])
      expect((await w.call('/api/ok', { key: WEAK, from: OWNER })).status).toBe(200)
      expect(looks()).toBe(1)
    })

    test('a network knows a key for 30 days from its last use, not for 31', async () => {
      const settings = { newKeysPerDay: 1 }
      const { w } = await guessed(true, { settings })
      await useKeys(w, 1)
      let later = w
      for (const days of [30, 60]) {
        later = await restarted(later, { settings })
        later.time.now = NOW + days * DAY_MS
        expect((await later.call('/api/usage', { key: foreign(0) })).status).toBe(200)
        // The first use of the day is left for another key.
        expect((await later.call('/api/ok', { key: foreign(days) })).status).toBe(200)
      }
      later.time.now = NOW + 91 * DAY_MS
      expect((await later.call('/api/ok', { key: foreign(0) })).status).toBe(200)
      expect((await later.call('/api/ok', { key: foreign(1) })).status).toBe(429)
    })

    test('a /48 may have ten times the first uses of one of its networks', async () => {
      const { w } = await guessed(true, { settings: { newKeysPerDay: 1 } })
      for (let i = 0; i < 10; i++) await ask(w, 1, '/api/ok', { key: WEAK, from: `2001:db8:1:${i}::1` })
      const wide = await w.call('/api/ok', { key: WEAK, from: '2001:db8:1:99::1' })
      expect(await wide.json()).toMatchObject({ code: 'too_many_new_keys', violated_policies: ['foreign-keys-48'] })
      expect((await w.call('/api/ok', { key: WEAK, from: '2001:db8:1:5:ffff::1' })).status).toBe(200)
      expect((await w.call('/api/ok', { key: WEAK, from: '2001:db8:2:99::1' })).status).toBe(200)
    })

    test('this machine is exempt; so is everybody, where 0 switches the limit off', async () => {
      const { w } = await guessed(true, { settings: { newKeysPerDay: 1 } })
      await useKeys(w, 30, '127.0.0.1')
      const off = await guessed(true, { settings: { newKeysPerDay: 0 } })
      await useKeys(off.w, 30, '2001:db8:1:1::1')
    })

    test('a secret path is read without looking at the key beside it; with a wrong secret the first use is paid', async () => {
      const { w } = await guessed(true, { settings: { newKeysPerDay: 1 } })
      const answers: unknown[] = []
      for (let i = 0; i < 4; i++)
        answers.push(await shownBy(await w.call(SECRET_PATH, { key: i % 2 ? WEAK : foreign(i) })))
      expect(answers.map((answer) => String(answer).slice(0, 10))).toEqual(new Array(4).fill('200,secret'))
      await ask(w, 1, '/api/item/wrong', { key: foreign(1) })
      expect(await code(await w.call('/api/item/wrong', { key: WEAK }))).toBe('too_many_new_keys')
      expect((await w.call(SECRET_PATH, { key: WEAK })).status).toBe(200)
    })

    test('a preflight neither uses a key nor shows it', async () => {
      const { w } = await guessed(true, { settings: { newKeysPerDay: 1 } })
      const headers = { Origin: 'https://a.example', 'Access-Control-Request-Method': 'GET' }
      const [one, other] = await Promise.all([
        w.call('/api/ok', { method: 'OPTIONS', headers, key: WEAK }),
        w.call('/api/ok', { method: 'OPTIONS', headers, key: foreign(1) }),
      ])
      expect([await shownBy(one), one.status]).toEqual([await shownBy(other), 204])
      await useKeys(w, 1)
    })

    test('of many at once exactly 20 keys are used, and one key pays once', async () => {
      const { w } = await guessed()
      const same = await Promise.all(Array.from({ length: 50 }, () => w.call('/api/ok', { key: foreign(0) })))
      expect(same.map(({ status }) => status)).toEqual(new Array(50).fill(200))
      const many = await Promise.all(Array.from({ length: 100 }, (_, i) => w.call('/api/ok', { key: foreign(i) })))
      expect(many.filter(({ status }) => status === 200)).toHaveLength(20)
    })
  })
}
