/** The keys in use and when they were last seen, a day at a time: one write per key and day. */
import type { CounterStore } from './counter-store'
import type { Subject } from './tiers'

export class KeyUses {
  readonly #most: number
  readonly #days = new Map<Subject, number>()
  /** Uses that wait for a commit. */
  #waiting = new Map<Subject, { at: number; day: number }>()

  /** @param most keys held in memory */
  constructor(most: number) {
    this.#most = most
  }

  get isWaiting(): boolean {
    return this.#waiting.size > 0
  }

  /** The day a key was last seen, as far as memory has it. */
  dayOf(key: Subject): number | undefined {
    return this.#waiting.get(key)?.day ?? this.#days.get(key)
  }

  remember(key: Subject, day: number): void {
    if (this.#days.size >= this.#most) this.#days.clear()
    this.#days.set(key, day)
  }

  /** Notes a use at `at` (ms since 1970), to be written with the next commit. */
  saw(key: Subject, at: number, day: number): void {
    this.remember(key, day)
    this.#waiting.set(key, { at, day })
  }

  write(store: CounterStore): void {
    for (const [key, { at, day }] of this.#waiting) store.sawKey(key, at, day)
  }

  written(): void {
    this.#waiting.clear()
  }
}
