import type { Log } from '../db/database'
import { checkFingerprint } from '../db/open'
import {
  createScript,
  MAX_UNDER_WAY,
  type RedisCommands,
  RedisConnection,
  type RedisOptions,
  type RedisScript,
  RedisUnavailable,
} from '../db/redis'
import { Cache } from '../lib/steps'
import {
  type Charge,
  type CounterSubject,
  DETAIL_HOURS,
  KEY_IDLE_DAYS,
  MAX_HELD_HOURS,
  MeterUnavailable,
  type OpenCounter,
} from './tiers'

/**
 * The scripts of the counts in Redis, and what they keep there. No key lives for ever:
 *
 * | key                       | kind   | what                                                              | lives              |
 * | ------------------------- | ------ | ----------------------------------------------------------------- | ------------------ |
 * | `satchel:counter`         | hash   | `hour`, `past` and `kept` (see RESOLVE), `fingerprint`, `journals`| 92 days, renewed   |
 * | `satchel:POLICY:SUBJECT`  | hash   | requests by hour (`494321`) and refusals by hour (`r494321`)      | 51 hours, renewed  |
 * | `satchel:key:KEY`         | string | the day of a key's last use, since 1970                           | 92 days, renewed   |
 * | `satchel:takes:NUMBER`    | list   | the last takes of a connection (`7 494321 satchel:free:…`)        | 3 hours, renewed   |
 *
 * A request counts for several callers in one step, so all keys must be on one Redis, which may have replicas. Redis
 * Cluster would refuse the scripts; a common hash tag would only put all keys on one of its nodes.
 */
const HOUR_SECONDS = 3600
/** An hour may be held for two more, and its counts are kept for 48 from its end. */
const COUNT_SECONDS = (DETAIL_HOURS + 1 + MAX_HELD_HOURS) * HOUR_SECONDS
/** A day more than the idle days, since the last use is known by the day alone, and one for a held hour. */
const KEY_SECONDS = (KEY_IDLE_DAYS + 2) * 24 * HOUR_SECONDS
const JOURNAL_SECONDS = 3 * HOUR_SECONDS
const STATE_KEY = 'satchel:counter'
const nameCounter = ({ counter }: Pick<Charge, 'counter'>): string => `satchel:${counter}`
const nameApiKey = (key: CounterSubject): string => `satchel:key:${key}`

/**
 * Resolves the hour as `resolveHour` does, for all processes together; ARGV[1] is the present hour of the process and
 * ARGV[2] the fingerprint of its secret. Counts that are older than `kept` by 48 hours are deleted: it is the hour
 * before the one that ended last, so that a clock that is briefly ahead does not cause the deletion of counts that are
 * still needed.
 */
const RESOLVE = `
local present = tonumber(ARGV[1])
local state = redis.call('HMGET', KEYS[1], 'hour', 'past', 'kept')
local last, past, kept = tonumber(state[1]) or 0, tonumber(state[2]) or 0, tonumber(state[3]) or 0
local hour = present
if present >= last - ${MAX_HELD_HOURS} and present < last then hour = last end
if hour ~= last then
  kept = math.min(past, hour)
  redis.call('HSET', KEYS[1], 'hour', hour, 'past', math.min(last, hour), 'kept', kept, 'fingerprint', ARGV[2])
  redis.call('EXPIRE', KEYS[1], ${KEY_SECONDS})
end`

/** Computes what a limit has left in the newest hours of a counter. */
const LEFT_OF = `
local function left_of(counter, hours, limit)
  local fields = {}
  for i = 1, hours do fields[i] = hour - hours + i end
  for _, used in ipairs(redis.call('HMGET', counter, unpack(fields))) do limit = limit - (tonumber(used) or 0) end
  return math.max(0, limit)
end`

/** Adds one to a field of a counter. With the first count of an hour, old ones are deleted. */
const ADD = `
local function add(counter, prefix)
  if redis.call('HINCRBY', counter, prefix .. hour, 1) > 1 then return end
  redis.call('EXPIRE', counter, ${COUNT_SECONDS})
  for _, field in ipairs(redis.call('HKEYS', counter)) do
    if tonumber(string.match(field, '%d+')) <= kept - ${DETAIL_HOURS} then redis.call('HDEL', counter, field) end
  end
end`

/** Records the day of a key's last use. A later day that is stored stays. */
const MARK = `
local function mark(key, day)
  day = math.max(day, tonumber(redis.call('GET', key)) or 0)
  redis.call('SET', key, day, 'EX', ${KEY_SECONDS})
  return day
end`

/**
 * Claims Redis for the secret with the fingerprint ARGV[1], if no other has. It writes, so it fails where writing does.
 * Returns the fingerprint that is stored, and the last hour counted or 0.
 */
const CLAIM = createScript(`
redis.call('HSETNX', KEYS[1], 'fingerprint', ARGV[1])
redis.call('EXPIRE', KEYS[1], ${KEY_SECONDS})
return { redis.call('HGET', KEYS[1], 'fingerprint'), tonumber(redis.call('HGET', KEYS[1], 'hour')) or 0 }`)

/** Takes the journal from the end of KEYS, and the number of the take from the end of ARGV. */
const JOURNAL = `
local journal, number = table.remove(KEYS), table.remove(ARGV)
local function note()
  -- An error ends the script if the journal is closed: see UNDO_TAKES.
  redis.call('RPUSH', journal, table.concat({ number, hour, unpack(KEYS, 2, ARGV[3] + 1) }, ' '))
  redis.call('LTRIM', journal, -${MAX_UNDER_WAY}, -1)
  redis.call('EXPIRE', journal, ${JOURNAL_SECONDS})
end`

/** Takes one back from a counter that has it. */
const UNDO = `
local function undo(counter, hour)
  if (tonumber(redis.call('HGET', counter, hour)) or 0) > 0 then redis.call('HINCRBY', counter, hour, -1) end
end`

/** Names the journal of a connection. */
const NEW_JOURNAL = createScript(`return 'satchel:takes:' .. redis.call('HINCRBY', KEYS[1], 'journals', 1)`)

/** Undoes the takes of a journal whose numbers are ARGV, if they were granted, and closes it for those still to arrive. */
export const UNDO_TAKES = createScript(`${UNDO}
local lost = {}
for _, number in ipairs(ARGV) do lost[number] = true end
local takes = redis.call('TYPE', KEYS[1]).ok == 'list' and redis.call('LRANGE', KEYS[1], 0, -1) or {}
for _, take in ipairs(takes) do
  local number, hour, counters = string.match(take, '(%d+) (%d+)(.*)')
  for counter in string.gmatch(lost[number] and counters or '', '%S+') do undo(counter, hour) end
end
redis.call('SET', KEYS[1], 'closed', 'EX', ${JOURNAL_SECONDS})`)

/**
 * Takes from all counters or from none. After RESOLVE's, ARGV has: how many charges there are without admission; the
 * day before which a key is new; the present day; and for each charge its hours and its limit. KEYS has the state, a
 * counter for each charge, and the newcomer's key, if there is one; JOURNAL's follow in both. Returns 1 or 0 for
 * granted, 1 or 0 for new, the hour, and what each charge has left.
 */
export const TAKE = createScript(`${RESOLVE}${LEFT_OF}${ADD}${MARK}${JOURNAL}
local all = (#ARGV - 5) / 2
local key = KEYS[all + 2]
local is_new = key and (tonumber(redis.call('GET', key)) or -1) < tonumber(ARGV[4])
local count = is_new and all or tonumber(ARGV[3])
local reply = { 1, is_new and 1 or 0, hour }
for i = 1, count do
  local left = left_of(KEYS[i + 1], tonumber(ARGV[2 * i + 4]), tonumber(ARGV[2 * i + 5]))
  if left == 0 then reply[1] = 0 end
  reply[i + 3] = left
end
if reply[1] == 0 then return reply end
note()
for i = 1, count do
  add(KEYS[i + 1], '')
  reply[i + 3] = reply[i + 3] - 1
end
if key then mark(key, tonumber(ARGV[5])) end
return reply`)

/**
 * Looks at counters. After RESOLVE's, ARGV has 1 to give back one request to each before, if the hour is still ARGV[1],
 * and the hours and the limit of each. Returns the hour, and what each has left.
 */
export const LEFT = createScript(`${RESOLVE}${LEFT_OF}${UNDO}
local reply = { hour }
for i = 2, #KEYS do
  if ARGV[3] == '1' and hour == present then undo(KEYS[i], hour) end
  reply[i] = left_of(KEYS[i], tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1]))
end
return reply`)

/** Counts a refusal. Returns the hour. */
const REFUSE = createScript(`${RESOLVE}${ADD}
add(KEYS[2], 'r')
return hour`)

/** Returns the hour, and the fields of a counter with their values. */
const HISTORY = createScript(`${RESOLVE}
return { hour, redis.call('HGETALL', KEYS[2]) }`)

/** Records that a key was used on the day ARGV[1]. Returns the newest day that is recorded. */
const MARK_KEY_USED = createScript(`${MARK}
return mark(KEYS[1], tonumber(ARGV[1]))`)

export interface RedisCounterOptions extends Omit<RedisOptions, 'prepare'> {
  /** The fingerprint of the secret that the subjects are made with. */
  readonly fingerprint: string
}

/** Keys whose last use is held in memory: about 10 MiB. */
const MAX_KEYS = 100_000

type How = NonNullable<Parameters<RedisConnection['do']>[1]>

/**
 * Counts in Redis, exactly for any number of processes: each method is one script, which Redis runs in one step. It
 * waits in line for Redis; all methods throw MeterUnavailable if that takes too long, and nothing is charged then.
 * @throws Error of one sentence if Redis cannot be reached, refuses the password, or has another secret
 */
export async function openRedisCounter({ fingerprint, ...options }: RedisCounterOptions): Promise<OpenCounter> {
  let hour = 0
  let commits = 0
  /** The days on which keys were last used, as far as this process knows: each is written once a day. */
  const days = new Cache<CounterSubject, number>(MAX_KEYS)
  const journal = new TakeJournal()
  const prepare = async (commands: RedisCommands): Promise<void> => {
    hour = await claim(commands, fingerprint)
    await journal.begin(commands)
    await warnOfEviction(commands, options.log)
  }
  const redis = await RedisConnection.open({ ...options, prepare })

  async function ask<T>(work: (commands: RedisCommands) => Promise<T>, how?: How): Promise<T> {
    try {
      return await redis.do(work, { again: true, ...how })
    } catch (error) {
      throw error instanceof RedisUnavailable
        ? new MeterUnavailable('Redis cannot count requests now.', { cause: error.cause })
        : error
    }
  }

  function run(script: RedisScript, charges: readonly Charge[], at: number, args: readonly number[] = [], how?: How) {
    const keys = [STATE_KEY, ...charges.map(nameCounter)]
    return ask((commands) => commands.run(script, keys, [at, fingerprint, ...args]), how)
  }

  async function readLeft(charges: readonly Charge[], at: number, givenBack: 0 | 1, how: How) {
    const args = [givenBack, ...charges.flatMap(toArguments)]
    const [resolved, ...left] = (await run(LEFT, charges, at, args, how)) as [number, ...number[]]
    hour = resolved
    return left
  }

  async function readLastSeen(key: CounterSubject): Promise<number | null> {
    const stored = (await ask((commands) => commands.send('GET', [nameApiKey(key)]))) as string | null
    return stored === null ? null : days.keep(key, Number(stored))
  }

  return {
    get hour() {
      return hour
    },

    get state() {
      return { commits, failing: redis.isFailing, entries: 0 }
    },

    /** Writes to Redis. @throws MeterUnavailable if that fails; Error if it belongs to another secret by now */
    async checkReady() {
      await ask((commands) => claim(commands, fingerprint), { atOnce: true })
    },

    async take(charges, at, newcomer) {
      const all = newcomer ? [...charges, ...newcomer.charges] : charges
      const day = Math.floor(at / 24)
      const keys = [STATE_KEY, ...all.map(nameCounter)]
      if (newcomer) keys.push(nameApiKey(newcomer.key))
      const args = [at, fingerprint, charges.length, newcomer?.since ?? 0, day, ...all.flatMap(toArguments)]
      const reply = (await ask((commands) => journal.take(commands, keys, args))) as number[]
      const [granted, isNew, resolved = at, ...left] = reply
      hour = resolved
      if (granted) commits++
      if (granted && newcomer) days.set(newcomer.key, day)
      return { granted: granted === 1, left, isNew: isNew === 1 }
    },

    peek: (charges, at, atOnce) => readLeft(charges, at, 0, { atOnce }),

    // Given back twice, a request would pass free.
    giveBack: (charges, at) => readLeft(charges, at, 1, { again: false }),

    async refuse(charge, at) {
      hour = (await run(REFUSE, [charge], at)) as number
      commits++
    },

    async history(charge, hours, at) {
      const [resolved, fields] = (await run(HISTORY, [charge], at)) as [number, string[]]
      hour = resolved
      const counts = new Map<string, number>()
      for (let i = 0; i < fields.length; i += 2) counts.set(fields[i] as string, Number(fields[i + 1]))
      const listed = (prefix: string) =>
        Array.from({ length: hours }, (_, i) => counts.get(`${prefix}${resolved - hours + 1 + i}`) ?? 0)
      return { hour: resolved, used: listed(''), refused: listed('r') }
    },

    /** See Counter. Answers from memory for a key that was used today. */
    lastSeen(key) {
      const known = days.get(key)
      return known !== undefined && known >= Math.floor(hour / 24) ? known : readLastSeen(key)
    },

    async markKeyUsed(key, at) {
      const day = await ask((commands) => commands.run(MARK_KEY_USED, [nameApiKey(key)], [Math.floor(at / 24)]))
      days.set(key, day as number)
      commits++
    },

    close: () => redis.close(),
  }
}

/** Claims Redis for a secret. Returns the last hour counted, or 0. @throws Error of one sentence if it has another */
async function claim(redis: RedisCommands, fingerprint: string): Promise<number> {
  const [stored, hour] = (await redis.run(CLAIM, [STATE_KEY], [fingerprint])) as [string, number]
  checkFingerprint(stored, fingerprint, 'What Redis has counted')
  return hour
}

/** Warns if Redis may delete counts when its memory is full, since limits would then begin again. */
async function warnOfEviction(redis: RedisCommands, log: Log): Promise<void> {
  let info: string
  try {
    info = String(await redis.send('INFO', ['memory']))
  } catch (err) {
    return log.warn({ err }, 'Redis does not say whether it deletes counts: its maxmemory-policy must be noeviction')
  }
  const policy = /^maxmemory_policy:(.*)$/m.exec(info)?.[1]?.trim()
  if (policy === 'noeviction' || /^maxmemory:0\r?$/m.test(info)) return
  log.warn({ policy }, 'Redis deletes counts when its memory is full: set its maxmemory-policy to noeviction')
}

const toArguments = ({ hours, limit }: Charge): number[] => [hours, limit]

/**
 * Runs takes, of which Redis keeps a journal for each connection. If one is lost, its answers are, too, and the takes
 * may have run or still run. The next connection undoes them before it is used: what gets 503 has cost nothing, and
 * what is taken once more is counted once. An admission stays: the key is known then.
 */
class TakeJournal {
  #name = ''
  #last = 0
  /** The numbers of the takes whose answers have not come, and their journals. */
  readonly #open = new Map<number, string>()

  async begin(redis: RedisCommands): Promise<void> {
    for (const [name, takes] of Map.groupBy(this.#open, ([, journal]) => journal)) {
      const numbers = takes.map(([number]) => number)
      await redis.run(UNDO_TAKES, [name], numbers)
      for (const number of numbers) this.#open.delete(number)
    }
    this.#name = (await redis.run(NEW_JOURNAL, [STATE_KEY], [])) as string
  }

  async take(redis: RedisCommands, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    const number = ++this.#last
    this.#open.set(number, this.#name)
    const reply = await redis.run(TAKE, [...keys, this.#name], [...args, number])
    this.#open.delete(number)
    return reply
  }
}
