import type { RedisCommands } from '../db/redis'
import { NEW_JOURNAL, STATE_KEY, TAKE, UNDO_TAKES } from './counter-redis-scripts'

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
export class TakeJournal {
  #name = ''
  #last = 0
  readonly #open = new Set<OpenTake>()

  /** Begins the journal of a new connection. */
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
