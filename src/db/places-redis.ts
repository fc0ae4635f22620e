import type { LimitedPlaces, TakenPlaces, WantedPlace } from './places'
import { createScript, type RedisCommands, type RedisConnection, type RedisScript, RedisUnavailable } from './redis'

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

/** A process that waits tries again after this time, in milliseconds. */
const RETRY_MS = 100
/** A process no longer waits for a name if it has not tried for this time, in milliseconds. */
const WAITING_MS = 3 * RETRY_MS

/**
 * Takes the places of the first in a line for whom there are some, and returns its position; -1 if there are none.
 * ARGV: the holder, the duration of its lease, the process, WAITING_MS, and whether it waits; then for each in the line
 * the number of its keys, and the limit of each.
 *
 * Beside the key of a name, with `:line` after it, is a hash of the processes that wait for it: since when, and when they
 * last tried. Each place is for the process that has waited longest, which then waits behind all others: they take turns.
 */
const TAKE_PLACES = createScript(`${NOW}
local holder, lease, process, waiting, waits = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5] == '1'
-- In microseconds, since several processes may try in one millisecond.
local moment = time[1] * 1000000 + time[2]
local function countAhead(key)
  local since, others, ahead = moment, {}, 0
  local all = redis.call('HGETALL', key)
  for i = 1, #all, 2 do
    local first, last = string.match(all[i + 1], '(%d+) (%d+)')
    if now - last > waiting then redis.call('HDEL', key, all[i])
    elseif all[i] == process then since = tonumber(first)
    else table.insert(others, tonumber(first)) end
  end
  for _, first in ipairs(others) do
    if first < since then ahead = ahead + 1 end
  end
  return ahead, since
end
local known = {}
local function isFull(key, limit)
  if known[key] ~= nil then return known[key] end
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
  local line = key .. ':line'
  local ahead, since = countAhead(line)
  known[key] = redis.call('ZCARD', key) + ahead >= limit
  if known[key] and waits then
    redis.call('HSET', line, process, string.format('%d %d', since, now))
    redis.call('PEXPIRE', line, waiting)
  end
  return known[key]
end
local from, at, position = 1, 6, 0
while from <= #KEYS do
  local count, fits = tonumber(ARGV[at]), true
  for i = 0, count - 1 do
    fits = fits and not isFull(KEYS[from + i], tonumber(ARGV[at + 1 + i]))
  end
  if fits then
    for i = from, from + count - 1 do
      hold(KEYS[i], holder, lease)
      redis.call('HDEL', KEYS[i] .. ':line', process)
    end
    return position
  end
  from, at, position = from + count, at + 1 + count, position + 1
end
return -1`)

/** ARGV: the duration of the leases, and the holder at each key. A place that Redis has forgotten is held again. */
const RENEW_PLACES = createScript(`${NOW}
for i, key in ipairs(KEYS) do hold(key, ARGV[i + 1], tonumber(ARGV[1])) end`)

/** ARGV: the holder. */
const FREE_PLACES = createScript(`
for _, key in ipairs(KEYS) do redis.call('ZREM', key, ARGV[1]) end`)

interface RedisPlacesOptions {
  readonly redis: RedisConnection
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
  const process = ids()
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
  async function takeFirst(line: readonly (readonly WantedPlace[])[], waits: boolean): Promise<TakenPlaces | null> {
    const holder = ids()
    const limits = line.flatMap((wanted) => [wanted.length, ...wanted.map(({ limit }) => limit)])
    const all = line.flatMap((wanted) => wanted.map(({ name }) => keyOf(name)))
    const args = [holder, leaseMs, process, WAITING_MS, waits ? 1 : 0, ...limits]
    let isAgain = false
    const take = async (commands: RedisCommands) => {
      // The first time may have taken some.
      if (isAgain) await commands.run(FREE_PLACES, all, [holder])
      isAgain = true
      return commands.run(TAKE_PLACES, all, args)
    }
    const index = Number(await redis.do(take, { again: true }))
    const keys = line[index]?.map(({ name }) => keyOf(name))
    if (!keys) return null
    held.set(holder, keys)
    const giveBack = async () => {
      if (held.delete(holder)) await runLoosely(FREE_PLACES, keys, [holder])
    }
    return { index, giveBack }
  }

  return {
    retryMs: RETRY_MS,
    take: async (wanted) => (await takeFirst([wanted], false))?.giveBack ?? null,
    takeFirst: (line) => takeFirst(line, true),

    /** Stops the renewal. Places that were not given back are free after a lease. */
    close(): void {
      clearInterval(timer)
    },
  }
}
