import type { Log } from '../db/database'
import { type RedisCommands, RedisConnection, type RedisOptions, type RedisScript, RedisUnavailable } from '../db/redis'
import {
  type CounterState,
  type History,
  type MaybePromise,
  MeterUnavailable,
  type Newcomer,
  type OpenCounter,
  type TakeResult,
} from './counter-port'
import {
  CLAIM,
  GIVE_BACK,
  HISTORY,
  MARK_KEY_USED,
  NEW_JOURNAL,
  nameApiKey,
  nameCounter,
  PEEK,
  REFUSE,
  STATE_KEY,
  TAKE,
  UNDO_TAKES,
} from './counter-redis-scripts'
import { checkFingerprint } from './keys'
import type { Charge, CounterSubject } from './tiers'

export interface RedisCounterOptions extends Omit<RedisOptions, 'prepare'> {
  /** The fingerprint of the secret that the subjects are made with. */
  readonly fingerprint: string
}

/** @throws Error of one sentence if Redis cannot be reached, refuses the password, or has another secret */
export async function openRedisCounter({ fingerprint, ...options }: RedisCounterOptions): Promise<OpenCounter> {
  let hour = 0
  const journal = new TakeJournal()
  const prepare = async (redis: RedisCommands): Promise<void> => {
    hour = await claim(redis, fingerprint)
    await journal.begin(redis)
    await warnOfEviction(redis, options.log)
  }
  const redis = await RedisConnection.open({ ...options, prepare })
  return new RedisCounter(redis, journal, fingerprint, hour)
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

/** Keys whose last use is held in memory: about 10 MiB. */
const MAX_KEYS = 100_000

/**
 * Counts in Redis, exactly for any number of processes: each method is one script, which Redis runs in one step. It
 * waits in line for Redis; all methods throw MeterUnavailable if that takes too long, and nothing is charged then.
 */
class RedisCounter implements OpenCounter {
  readonly #redis: RedisConnection
  readonly #journal: TakeJournal
  readonly #fingerprint: string
  #hour: number
  #commits = 0
  /** The days on which keys were last used, as far as this process knows: each is written once a day. */
  readonly #days = new Map<CounterSubject, number>()

  constructor(redis: RedisConnection, journal: TakeJournal, fingerprint: string, hour: number) {
    this.#redis = redis
    this.#journal = journal
    this.#fingerprint = fingerprint
    this.#hour = hour
  }

  get hour(): number {
    return this.#hour
  }

  get state(): CounterState {
    return { commits: this.#commits, failing: this.#redis.isFailing, entries: 0 }
  }

  /** Writes to Redis. @throws MeterUnavailable if that fails; Error if it belongs to another secret by now */
  async checkReady(): Promise<void> {
    await this.#ask((redis) => claim(redis, this.#fingerprint), true)
  }

  async take(charges: readonly Charge[], hour: number, newcomer?: Newcomer): Promise<TakeResult> {
    const all = newcomer ? [...charges, ...newcomer.charges] : charges
    const day = Math.floor(hour / 24)
    const keys = [STATE_KEY, ...all.map(nameCounter)]
    if (newcomer) keys.push(nameApiKey(newcomer.key))
    const args = [hour, this.#fingerprint, charges.length, newcomer?.since ?? 0, day, ...all.flatMap(toArguments)]
    const reply = (await this.#ask((redis) => this.#journal.take(redis, keys, args, charges.length))) as number[]
    const [granted, isNew, resolved = hour, ...left] = reply
    this.#hour = resolved
    if (granted) this.#commits++
    if (granted && newcomer) this.#remember(newcomer.key, day)
    return { granted: granted === 1, left, isNew: isNew === 1 }
  }

  peek(charges: readonly Charge[], hour: number, atOnce?: boolean): Promise<readonly number[]> {
    return this.#readLeft(PEEK, charges, hour, atOnce)
  }

  giveBack(charges: readonly Charge[], hour: number): Promise<readonly number[]> {
    return this.#readLeft(GIVE_BACK, charges, hour)
  }

  async #readLeft(script: RedisScript, charges: readonly Charge[], hour: number, atOnce?: boolean) {
    const reply = await this.#run(script, charges.map(nameCounter), hour, charges.flatMap(toArguments), atOnce)
    const [resolved, ...left] = reply as [number, ...number[]]
    this.#hour = resolved
    return left
  }

  async refuse(charge: Charge, hour: number): Promise<void> {
    this.#hour = (await this.#run(REFUSE, [nameCounter(charge)], hour)) as number
    this.#commits++
  }

  async history(charge: Charge, hours: number, hour: number): Promise<History> {
    const [resolved, fields] = (await this.#run(HISTORY, [nameCounter(charge)], hour)) as [number, string[]]
    this.#hour = resolved
    const counts = new Map<string, number>()
    for (let i = 0; i < fields.length; i += 2) counts.set(fields[i] as string, Number(fields[i + 1]))
    const listed = (prefix: string) =>
      Array.from({ length: hours }, (_, i) => counts.get(`${prefix}${resolved - hours + 1 + i}`) ?? 0)
    return { hour: resolved, used: listed(''), refused: listed('r') }
  }

  /** See Counter. Answers from memory for a key that was used today. */
  lastSeen(key: CounterSubject): MaybePromise<number | null> {
    const known = this.#days.get(key)
    return known !== undefined && known >= Math.floor(this.#hour / 24) ? known : this.#readLastSeen(key)
  }

  async #readLastSeen(key: CounterSubject): Promise<number | null> {
    const stored = (await this.#ask((redis) => redis.send('GET', [nameApiKey(key)]))) as string | null
    if (stored === null) return null
    this.#remember(key, Number(stored))
    return Number(stored)
  }

  async markKeyUsed(key: CounterSubject, hour: number): Promise<void> {
    const day = await this.#ask((redis) => redis.run(MARK_KEY_USED, [nameApiKey(key)], [Math.floor(hour / 24)]))
    this.#remember(key, day as number)
    this.#commits++
  }

  close(): void {
    this.#redis.close()
  }

  #remember(key: CounterSubject, day: number): void {
    if (this.#days.size >= MAX_KEYS) this.#days.clear()
    this.#days.set(key, day)
  }

  #run(
    script: RedisScript,
    keys: readonly string[],
    hour: number,
    args: readonly number[] = [],
    atOnce?: boolean,
  ): Promise<unknown> {
    const all = [hour, this.#fingerprint, ...args]
    // Given back twice, a request would pass free.
    return this.#ask((redis) => redis.run(script, [STATE_KEY, ...keys], all), atOnce, script !== GIVE_BACK)
  }

  async #ask<T>(work: (redis: RedisCommands) => Promise<T>, atOnce?: boolean, again = true): Promise<T> {
    try {
      return await this.#redis.do(work, { atOnce, again })
    } catch (error) {
      throw error instanceof RedisUnavailable
        ? new MeterUnavailable('Redis cannot count requests now.', { cause: error.cause })
        : error
    }
  }
}

function toArguments({ hours, limit }: Charge): number[] {
  return [hours, limit]
}

/** A take whose answer has not come. */
interface OpenTake {
  readonly journal: string
  readonly number: number
  /** The keys of the counters that it charges, less those for admission. */
  readonly counters: readonly string[]
}

/**
 * Runs takes, of which Redis keeps a journal for each connection. If one is lost, its answers are, too, and the takes
 * may have run or still run. The next connection undoes them before it is used: what gets 503 has cost nothing, and
 * what is taken once more is counted once. An admission stays: the key is known then.
 */
class TakeJournal {
  #name = ''
  #last = 0
  readonly #open = new Set<OpenTake>()

  async begin(redis: RedisCommands): Promise<void> {
    for (const [name, takes] of Map.groupBy(this.#open, ({ journal }) => journal)) {
      const keys = takes.flatMap(({ counters }) => counters)
      await redis.run(
        UNDO_TAKES,
        [name, ...keys],
        takes.flatMap(({ number, counters }) => [number, counters.length]),
      )
      for (const take of takes) this.#open.delete(take)
    }
    this.#name = (await redis.run(NEW_JOURNAL, [STATE_KEY], [])) as string
  }

  /** Runs TAKE. @param charged how many counters follow the first key, less those for admission */
  async take(redis: RedisCommands, keys: readonly string[], args: readonly (string | number)[], charged: number) {
    const take = { journal: this.#name, number: ++this.#last, counters: keys.slice(1, 1 + charged) }
    this.#open.add(take)
    const reply = await redis.run(TAKE, [...keys, take.journal], [...args, take.number])
    this.#open.delete(take)
    return reply
  }
}
