import type { CounterStore } from './counter.sqlite'
import type { CounterSubject } from './tiers'

/** The keys in use and the days of their last use: each key is written once a day. */
export class KeysInUse {
  readonly #maxEntries: number
  readonly #days = new Map<CounterSubject, number>()
  /** Uses that are not committed yet. */
  #uncommitted = new Map<CounterSubject, { at: number; day: number }>()

  /** @param maxEntries keys held in memory */
  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries
  }

  get hasUncommitted(): boolean {
    return this.#uncommitted.size > 0
  }

  dayOf(key: CounterSubject): number | undefined {
    return this.#uncommitted.get(key)?.day ?? this.#days.get(key)
  }

  remember(key: CounterSubject, day: number): void {
    if (this.#days.size >= this.#maxEntries) this.#days.clear()
    this.#days.set(key, day)
  }

  /** Records a use at `at` (milliseconds since 1970), which the next commit writes. */
  markUsed(key: CounterSubject, at: number, day: number): void {
    this.remember(key, day)
    this.#uncommitted.set(key, { at, day })
  }

  write(store: CounterStore): void {
    for (const [key, { at, day }] of this.#uncommitted) store.markKeyUsed(key, at, day)
  }

  /** Called after the commit. */
  markCommitted(): void {
    this.#uncommitted.clear()
  }
}
