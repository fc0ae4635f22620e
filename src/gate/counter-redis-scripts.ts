/**
 * The scripts of the counts in Redis, and what they keep there. No key lives for ever:
 *
 * | key                       | kind   | what                                                              | lives              |
 * | ------------------------- | ------ | ----------------------------------------------------------------- | ------------------ |
 * | `satchel:counter`         | hash   | `hour`, `past` and `kept` (see RESOLVE), `fingerprint`, `journals`| 92 days, renewed   |
 * | `satchel:POLICY:SUBJECT`  | hash   | requests by hour (`494321`) and refusals by hour (`r494321`)      | 51 hours, renewed  |
 * | `satchel:key:KEY`         | string | the day of a key's last use, since 1970                           | 92 days, renewed   |
 * | `satchel:takes:NUMBER`    | list   | the last takes of a connection that were granted (`7 494321`)     | 3 hours, renewed   |
 *
 * A request counts for several callers in one step, so all keys must be on one Redis, which may have replicas. Redis
 * Cluster would refuse the scripts; a common hash tag would only put all keys on one of its nodes.
 */
import { createScript, MAX_UNDER_WAY } from '../db/redis'
import { type Charge, type CounterSubject, DETAIL_HOURS, KEY_IDLE_DAYS, MAX_HELD_HOURS } from './tiers'

const HOUR_SECONDS = 3600
/** An hour may be held for two more, and its counts are kept for 48 from its end. */
const COUNT_SECONDS = (DETAIL_HOURS + 1 + MAX_HELD_HOURS) * HOUR_SECONDS
/** A day more than the idle days, since the last use is known by the day alone, and one for a held hour. */
const KEY_SECONDS = (KEY_IDLE_DAYS + 2) * 24 * HOUR_SECONDS
const JOURNAL_SECONDS = 3 * HOUR_SECONDS

export const STATE_KEY = 'satchel:counter'
export const nameCounter = ({ counter }: Pick<Charge, 'counter'>): string => `satchel:${counter}`
export const nameApiKey = (key: CounterSubject): string => `satchel:key:${key}`

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
export const CLAIM = createScript(`
redis.call('HSETNX', KEYS[1], 'fingerprint', ARGV[1])
redis.call('EXPIRE', KEYS[1], ${KEY_SECONDS})
return { redis.call('HGET', KEYS[1], 'fingerprint'), tonumber(redis.call('HGET', KEYS[1], 'hour')) or 0 }`)

/** Takes the journal from the end of KEYS, and the number of the take from the end of ARGV. */
const JOURNAL = `
local journal, number = table.remove(KEYS), table.remove(ARGV)
local function note()
  -- An error ends the script if the journal is closed: see UNDO_TAKES.
  redis.call('RPUSH', journal, number .. ' ' .. hour)
  redis.call('LTRIM', journal, -${MAX_UNDER_WAY}, -1)
  redis.call('EXPIRE', journal, ${JOURNAL_SECONDS})
end`

/** Takes one back from a counter that has it. */
const UNDO = `
local function undo(counter, hour)
  if (tonumber(redis.call('HGET', counter, hour)) or 0) > 0 then redis.call('HINCRBY', counter, hour, -1) end
end`

/** Names the journal of a connection. */
export const NEW_JOURNAL = createScript(`return 'satchel:takes:' .. redis.call('HINCRBY', KEYS[1], 'journals', 1)`)

/**
 * Undoes takes of a journal that were granted, and closes it for those that may still arrive. KEYS has the journal and
 * the counters of each take; ARGV has for each its number and how many counters it has.
 */
export const UNDO_TAKES = createScript(`${UNDO}
local hours = {}
if redis.call('TYPE', KEYS[1]).ok == 'list' then
  for _, line in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
    local number, hour = string.match(line, '(%d+) (%d+)')
    hours[number] = hour
  end
end
redis.call('SET', KEYS[1], 'closed', 'EX', ${JOURNAL_SECONDS})
local at = 2
for i = 1, #ARGV, 2 do
  local hour, next = hours[ARGV[i]], at + tonumber(ARGV[i + 1])
  for key = at, next - 1 do
    if hour then undo(KEYS[key], hour) end
  end
  at = next
end`)

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

/** Looks at counters. After RESOLVE's, ARGV has the hours and the limit of each. Returns the hour, and what each has left. */
export const PEEK = createScript(`${RESOLVE}${LEFT_OF}
local reply = { hour }
for i = 2, #KEYS do
  reply[i] = left_of(KEYS[i], tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i]))
end
return reply`)

/**
 * Gives back one request to each counter, if the hour is still ARGV[1]. After RESOLVE's, ARGV has the hours and the
 * limit of each. Returns the hour, and what each has left.
 */
export const GIVE_BACK = createScript(`${RESOLVE}${LEFT_OF}${UNDO}
local reply = { hour }
for i = 2, #KEYS do
  if hour == present then undo(KEYS[i], hour) end
  reply[i] = left_of(KEYS[i], tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i]))
end
return reply`)

/** Counts a refusal. Returns the hour. */
export const REFUSE = createScript(`${RESOLVE}${ADD}
add(KEYS[2], 'r')
return hour`)

/** Returns the hour, and the fields of a counter with their values. */
export const HISTORY = createScript(`${RESOLVE}
return { hour, redis.call('HGETALL', KEYS[2]) }`)

/** Records that a key was used on the day ARGV[1]. Returns the newest day that is recorded. */
export const MARK_KEY_USED = createScript(`${MARK}
return mark(KEYS[1], tonumber(ARGV[1]))`)
