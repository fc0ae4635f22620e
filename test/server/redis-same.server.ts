import { afterAll, expect, test } from 'bun:test'
import { RedisClient } from 'bun'
import fc from 'fast-check'
import { openRedisCounter } from '../../src/gate/counter-redis'
import { foreign } from '../gate/asking'
import { HOUR_MS, makeLog, makeWorld, type World } from '../gate/world'
import { startRedis } from '../support/engines'
import { makeKey } from '../support/keys'

const redis = await startRedis()
afterAll(() => redis.stop())

async function forgetAll(): Promise<void> {
  const client = new RedisClient(redis.url)
  await client.send('FLUSHALL', [])
  client.close()
}

/** Limits that a few requests reach. */
const SETTINGS = { freeLimitPerHour: 3, apiLimitPerHour: 4, networkCeilingPerHour: 6, newKeysPerDay: 2 }
/** Keys in our own format. */
const OWN = [1, 2, 3].map(makeKey)
const HEADERS = ['X-Tier', 'X-RateLimit-Remaining', 'RateLimit', 'RateLimit-Policy', 'Retry-After']

interface Ask {
  readonly path: string
  readonly from: string
  readonly key: string | undefined
}
type Step =
  | Ask
  /** Sets the clock forward or back for good. */
  | { readonly hours: number }
  /** One request while the clock is ahead by so many hours, and one when it is right again. */
  | { readonly ahead: number }
  /** Empties the workspace of a key, or fills it. */
  | { readonly empties: string }

const request = fc.record({
  path: fc.constantFrom('/api/ok', '/api/ok', '/api/ok', '/api/usage', '/api/nowhere'),
  from: fc.constantFrom('203.0.113.9', '2001:db8:1:1::1', '2001:db8:1:2::1', '127.0.0.1'),
  key: fc.constantFrom(undefined, undefined, 'bad', ...[1, 2, 3].map(foreign), ...OWN),
})
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: request },
  { weight: 2, arbitrary: fc.record({ hours: fc.constantFrom(0.4, 1, 5, 23, 24, 40, 24 * 91, -1, -2) }) },
  { weight: 1, arbitrary: fc.record({ ahead: fc.integer({ min: 3, max: 1000 }) }) },
  { weight: 1, arbitrary: fc.record({ empties: fc.constantFrom(foreign(1), ...OWN) }) },
)

/** Does a step, and returns all that its answers say. */
async function take(w: World, step: Step): Promise<unknown> {
  if ('path' in step) return await call(w, step)
  if ('empties' in step) {
    const id = w.identity.key(step.empties)
    if (!w.owned.delete(id)) w.owned.add(id)
    return null
  }
  if ('hours' in step) {
    w.time.now += step.hours * HOUR_MS
    return null
  }
  const ask = { path: '/api/ok', from: '203.0.113.9', key: undefined }
  w.time.now += step.ahead * HOUR_MS
  const ahead = await call(w, ask)
  w.time.now -= step.ahead * HOUR_MS
  return [ahead, await call(w, ask)]
}

async function call(w: World, { path, from, key }: Ask): Promise<unknown> {
  const answer = await w.call(path, key === undefined ? { from } : { from, key })
  const body = path === '/api/usage' && answer.status === 200 ? await answer.json() : null
  return [answer.status, ...HEADERS.map((name) => answer.headers.get(name)), [...w.door.warnings], body]
}

test('any requests at any time get the same answers on Redis as on meter.db', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
      await forgetAll()
      const meter = await openRedisCounter({ url: redis.url, fingerprint: 'test', log: makeLog() })
      const onMeter = makeWorld({ settings: SETTINGS })
      const onRedis = makeWorld({ settings: SETTINGS, deps: { meter } })
      try {
        for (const [i, step] of steps.entries())
          expect([i, step, await take(onRedis, step)]).toEqual([i, step, await take(onMeter, step)])
      } finally {
        await onMeter.close()
        await onRedis.close()
        meter.close()
      }
    }),
    { numRuns: 150 },
  )
})
