import type { LimitedPlaces } from './places'
import { createScript, type RedisConnection, type RedisScript, RedisUnavailable } from './redis'

/** Renewals in one command. */
const BATCH_HOLDERS = 500

/**
 * The key of a name is a sorted set: its members are holders, and their scores are the times at which their places are
 * free again, in milliseconds since 1970 by the clock of Redis. It lives as long as its last holder.
 */
const keyOf = (name: string) => `satchel:places:${name}`

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function hold(key, holder, lease)
  redis.call('ZADD', key, now + lease, holder)
  redis.call('PEXPIRE', key, lease)
end`

/** ARGV: the holder, the duration of its lease in milliseconds, and the limit of each key. Returns whether it was taken. */
const TAKE_PLACES = createScript(`${NOW}
for i, key in ipairs(KEYS) do
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
  if redis.call('ZCARD', key) >= tonumber(ARGV[i + 2]) then return 0 end
end
for _, key in ipairs(KEYS) do hold(key, ARGV[1], tonumber(ARGV[2])) end
return 1`)

/** ARGV: the duration of the leases, and the holder at each key. A place that Redis has forgotten is held again. */
const RENEW_PLACES = createScript(`${NOW}
for i, key in ipairs(KEYS) do hold(key, ARGV[i + 1], tonumber(ARGV[1])) end`)

/** ARGV: the holder. */
const FREE_PLACES = createScript(`
for _, key in ipairs(KEYS) do redis.call('ZREM', key, ARGV[1]) end`)

export interface RedisPlacesOptions {
  readonly redis: RedisConnection
  /** Makes an id that no other holder has. */
  readonly ids: () => string
  /** The places of a process that died are free after this time, in milliseconds. Default: 30,000. */
  readonly leaseMs?: number
}

/**
 * Creates the places of all processes that share one Redis. The places of this process are renewed until they are given
 * back. If Redis loses them or is away for longer than a lease, they are held again when it is back, even if others have
 * taken as many meanwhile.
 */
export function createRedisPlaces({
  redis,
  ids,
  leaseMs = 30_000,
}: RedisPlacesOptions): LimitedPlaces & { close(): void } {
  /** The keys that each holder has a place of. */
  const held = new Map<string, readonly string[]>()

  /** Runs a script that may fail: a later renewal, or the end of the lease, does the same. */
  async function runLoosely(
    script: RedisScript,
    ...all: [keys: readonly string[], args: readonly (string | number)[]]
  ) {
    try {
      await redis.run(script, ...all)
    } catch (error) {
      if (!(error instanceof RedisUnavailable)) throw error
    }
  }

  async function renew(): Promise<void> {
    const all = [...held].flatMap(([holder, keys]) => keys.map((key) => ({ key, holder })))
    for (let i = 0; i < all.length; i += BATCH_HOLDERS) {
      // Those that were given back meanwhile must not be taken again.
      const batch = all.slice(i, i + BATCH_HOLDERS).filter(({ holder }) => held.has(holder))
      const holders = batch.map(({ holder }) => holder)
      await runLoosely(
        RENEW_PLACES,
        batch.map(({ key }) => key),
        [leaseMs, ...holders],
      )
    }
  }

  const timer = setInterval(renew, leaseMs / 3).unref()
  return {
    async take(wanted) {
      const holder = ids()
      const keys = wanted.map(({ name }) => keyOf(name))
      const limits = wanted.map(({ limit }) => limit)
      if ((await redis.run(TAKE_PLACES, keys, [holder, leaseMs, ...limits])) !== 1) return null
      held.set(holder, keys)
      return async () => {
        if (held.delete(holder)) await runLoosely(FREE_PLACES, keys, [holder])
      }
    },

    /** Stops the renewal. Places that were not given back are free after a lease. */
    close(): void {
      clearInterval(timer)
    },
  }
}
