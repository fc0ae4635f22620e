import { isTransient } from '../db/connection'
import { type Count, type CounterStore, type MeterOptions, openCounterStore } from './counter.sqlite'
import { type Counter, type History, MeterUnavailable, type Newcomer, type TakeResult } from './counter-port'
import { type Charge, type CounterSubject, KEY_IDLE_DAYS, resolveHour } from './tiers'

/** The keys in use and when they were last seen, a day at a time: one write per key and day. */

class KeysInUse {
  readonly #most: number
  readonly #days = new Map<CounterSubject, number>()
  /** Uses that wait for a commit. */
  #waiting = new Map<CounterSubject, { at: number; day: number }>()

  /** @param most keys held in memory */
  constructor(most: number) {
    this.#most = most
  }

  get isWaiting(): boolean {
    return this.#waiting.size > 0
  }

  /** The day a key was last seen, as far as memory has it. */
  dayOf(key: CounterSubject): number | undefined {
    return this.#waiting.get(key)?.day ?? this.#days.get(key)
  }

  remember(key: CounterSubject, day: number): void {
    if (this.#days.size >= this.#most) this.#days.clear()
    this.#days.set(key, day)
  }

  /** Notes a use at `at` (ms since 1970), to be written with the next commit. */
  saw(key: CounterSubject, at: number, day: number): void {
    this.remember(key, day)
    this.#waiting.set(key, { at, day })
  }

  write(store: CounterStore): void {
    for (const [key, { at, day }] of this.#waiting) store.markKeyUsed(key, at, day)
  }

  written(): void {
    this.#waiting.clear()
  }
}

/** The housekeeping of meter.db: what is old becomes sums, and idle keys are forgotten. */

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/**
 * Rolls up what is 48 hours older than `hour`, then forgets keys unused for 90 days by then, a batch in each turn of
 * the event loop, so that callers are answered meanwhile. A forgotten key whose workspace holds something stays known:
 * the gate asks the workspace.
 * @throws whatever `ask` throws
 */
async function tidy(ask: <T>(work: (store: CounterStore) => T) => T, hour: number): Promise<void> {
  await turn()
  while (!ask((store) => store.rollUp(hour))) await turn()
  const day = Math.floor(hour / 24) - KEY_IDLE_DAYS
  let last: Uint8Array | null = new Uint8Array()
  while (last) {
    await turn()
    const after: Uint8Array = last
    last = ask((store) => store.forgetKeys(day, after))
  }
}

/**
 * The meter: how often everybody called in the present hour. It answers from memory in one synchronous step, so that
 * no number of parallel requests passes a limit, and commits what it counted once per turn of the event loop.
 */

/** About 25 MiB. */
const CACHE_ENTRIES = 100_000

export type { MeterOptions } from './counter.sqlite'

/** meter.db, held by this process alone until it is closed. Every answer may throw MeterUnavailable. */
export class Meter implements Counter {
  readonly #options: MeterOptions
  readonly #most: number
  #store: CounterStore
  #hour: number
  /** The hour in the file. */
  #stored: number | null
  /** The hour before the present one, or an earlier one. */
  #past: number
  readonly #entries = new Map<string, CounterEntry>()
  /** Entries with something to commit; some may belong to an hour that has passed. */
  #dirty: CounterEntry[] = []
  readonly #keys: KeysInUse
  #scheduled = false
  #tallies: Timer | null = null
  #retry: Timer | null = null
  #fault: unknown = null
  #tidying = false
  /** A damaged file was set aside. */
  #replaced = false
  #closed = false
  #commits = 0

  /** @throws Error with one sentence: the file is in use, cannot be opened, or is of another secret */
  constructor(options: MeterOptions) {
    this.#options = options
    this.#most = options.cacheEntries ?? CACHE_ENTRIES
    this.#keys = new KeysInUse(this.#most)
    this.#store = this.#open()
    this.#stored = this.#store.loadHour()
    this.#hour = this.#past = this.#stored ?? 0
  }

  /** A second time in one life it is the disk that is damaged: a file set aside each second would fill it. */
  #open(): CounterStore {
    const { store, replaced } = openCounterStore(this.#options, !this.#replaced)
    this.#replaced ||= replaced
    return store
  }

  /** The hour that was counted in last, before a restart too: a clock set back gives nobody a fresh hour. */
  get hour(): number {
    return this.#hour
  }

  /** For /metrics: transactions made, whether the file fails now, and counters in memory. */
  get state(): { commits: number; failing: boolean; entries: number; tidied: boolean } {
    return {
      commits: this.#commits,
      failing: this.#fault !== null,
      entries: this.#entries.size,
      tidied: !this.#tidying,
    }
  }

  /** @throws MeterUnavailable while the file fails */
  checkReady(): void {
    if (this.#fault) throw new MeterUnavailable('The last commit failed.', { cause: this.#fault })
  }

  take(charges: readonly Charge[], hour: number, newcomer?: Newcomer): TakeResult {
    this.checkReady()
    this.#begin(hour)
    const isNew = newcomer !== undefined && (this.lastSeen(newcomer.key) ?? -1) < newcomer.since
    const all = isNew ? [...charges, ...newcomer.charges] : charges
    const entries = all.map((charge) => this.#entry(charge))
    const left = all.map((charge, i) => leftOf(entries[i] as CounterEntry, charge))
    if (left.includes(0)) return { granted: false, left, isNew }
    for (const entry of entries) {
      this.#note(entry)
      entry.used++
      entry.newUsed++
    }
    if (newcomer) this.markKeyUsed(newcomer.key, newcomer.at, hour)
    this.#commitSoon()
    return { granted: true, left: left.map((n) => n - 1), isNew }
  }

  /** Answers from memory even while the file fails. */
  peek(charges: readonly Charge[], hour: number): number[] {
    this.#begin(hour)
    const entries = charges.map((charge) => this.#entry(charge))
    return charges.map((charge, i) => leftOf(entries[i] as CounterEntry, charge))
  }

  /** The tally is let go while the file fails: memory must not grow with refusals. */
  refuse(charge: Charge, hour: number): void {
    if (this.#fault) return
    this.#begin(hour)
    const entry = this.#entry(charge)
    this.#note(entry)
    entry.refused++
    entry.newRefused++
    if (this.#dirty.length > this.#most) this.#commitSoon()
    this.#tallies ??= setTimeout(() => this.#commit(), this.#options.refusalDelayMs ?? 10_000).unref()
  }

  /** The newest `hours` hours of one counter. */
  history(charge: Charge, hours: number, hour: number): History {
    this.#begin(hour)
    const { policy, subject } = charge
    const entry = this.#entry(charge)
    const first = this.#hour - hours + 1
    if (entry.past?.used.length !== hours) {
      const rows = this.#ask((store) => store.counts(policy, subject, first, this.#hour - 1))
      entry.past = pastOf(first, hours, rows)
    }
    const { used, refused } = entry.past
    used[hours - 1] = entry.used
    refused[hours - 1] = entry.refused
    return { hour: this.#hour, used: used.slice(), refused: refused.slice() }
  }

  lastSeen(key: CounterSubject): number | null {
    const known = this.#keys.dayOf(key)
    if (known !== undefined) return known
    const day = this.#ask((store) => store.lastSeen(key))
    if (day !== null) this.#keys.remember(key, day)
    return day
  }

  markKeyUsed(key: CounterSubject, at: number, hour: number): void {
    this.#keys.saw(key, at, Math.floor(hour / 24))
    this.#commitSoon()
  }

  /** Commits everything now. @throws MeterUnavailable when it cannot; the increments are kept */
  flush(): void {
    if (!this.#commit()) throw new MeterUnavailable('The counts could not be written.', { cause: this.#fault })
  }

  /** Commits, then lets go of the file. */
  close(): void {
    if (this.#closed) return
    this.#commit()
    this.#closed = true
    this.#fault ??= new Error('The meter is closed.')
    if (this.#retry) clearTimeout(this.#retry)
    this.#store.close()
  }

  /** Every question begins here, while no entry is in hand that could be evicted. */
  #begin(hour: number): void {
    const held = resolveHour(this.#hour, hour)
    if (held !== this.#hour) this.#turnTo(held)
    else if (this.#entries.size > this.#most) this.#evict()
  }

  /** Begins another hour. What waits is committed first, since the windows of that hour are read from the file. */
  #turnTo(hour: number): void {
    this.#commit()
    // What is old is judged by the hour before the one that ends: a clock that is ahead for less than an hour tidies nothing
    // away that the present hour, or a window of it, still needs.
    const past = Math.min(this.#past, hour)
    this.#past = Math.min(this.#hour, hour)
    this.#hour = hour
    this.#entries.clear()
    this.#tidySoon(past)
  }

  #entry(charge: Charge): CounterEntry {
    return this.#entries.get(charge.counter) ?? this.#load(charge)
  }

  #load(charge: Charge): CounterEntry {
    const { policy, subject, hours, counter } = charge
    const rows = this.#ask((store) => store.counts(policy, subject, this.#hour - hours + 1, this.#hour))
    const entry = entryOf(charge, this.#hour, rows)
    // Nothing is added while the file fails: what cannot be committed cannot be evicted.
    if (!this.#fault) this.#entries.set(counter, entry)
    return entry
  }

  /** Makes room, only among committed entries: evicting resets nobody. A tenth at a time, so that it costs little. */
  #evict(): void {
    if (this.#fault || !this.#commit()) return
    const room = this.#most * 0.9
    for (const counter of this.#entries.keys()) {
      if (this.#entries.size <= room) return
      this.#entries.delete(counter)
    }
  }

  #note(entry: CounterEntry): void {
    if (isCommitted(entry)) this.#dirty.push(entry)
  }

  #commitSoon(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      if (!this.#fault) this.#commit()
    })
  }

  /** One transaction for all that waits. False when it failed: everything is kept, and tried again. */
  #commit(): boolean {
    if (this.#tallies) clearTimeout(this.#tallies)
    this.#tallies = null
    if (this.#dirty.length === 0 && !this.#keys.isWaiting && !this.#fault) return true
    try {
      this.#store.atomically(() => {
        for (const { hour, counter, newUsed, newRefused } of this.#dirty) {
          this.#store.add({ hour, counter, used: newUsed, refused: newRefused })
        }
        this.#keys.write(this.#store)
        if (this.#hour !== this.#stored) this.#store.saveHour(this.#hour)
      })
    } catch (error) {
      this.#fail(error)
      return false
    }
    for (const entry of this.#dirty) entry.newUsed = entry.newRefused = 0
    this.#dirty = []
    this.#keys.written()
    this.#stored = this.#hour
    this.#commits++
    return true
  }

  /** Runs `work` on the file. @throws MeterUnavailable */
  #ask<T>(work: (store: CounterStore) => T): T {
    try {
      return work(this.#store)
    } catch (error) {
      this.#fail(error)
      throw new MeterUnavailable('The counts could not be read.', { cause: error })
    }
  }

  #fail(error: unknown): void {
    if (this.#closed) return
    if (!this.#fault) this.#options.log.error({ err: error }, 'meter.db fails: requests get 503 until it works')
    this.#fault = error
    this.#retry ??= setTimeout(() => this.#resume(), this.#options.retryMs ?? 1000).unref()
  }

  /** Tries again what failed. Entries are read again afterwards: the file may be another one now. */
  #resume(): void {
    this.#retry = null
    if (!this.#reopened() || !this.#commit()) return
    this.#fault = null
    this.#entries.clear()
    this.#options.log.info({}, 'meter.db works again')
  }

  #reopened(): boolean {
    if (isTransient(this.#fault)) return true
    try {
      this.#store.close()
      this.#store = this.#open()
      return true
    } catch (error) {
      this.#fail(error)
      return false
    }
  }

  #tidySoon(hour: number): void {
    if (this.#tidying) return
    this.#tidying = true
    const done = (): void => {
      // A failure has begun the recovery already, in #ask; the next hour tidies again.
      this.#tidying = false
    }
    tidy((work) => this.#ask(work), hour).then(done, done)
  }
}

/** One counter in the present hour, as the meter holds it in memory. */

interface CounterEntry {
  readonly hour: number
  /** Policy and subject, as in its charge. One string and few members: a hundred thousand of these live in memory. */
  readonly counter: string
  /** Used in the earlier hours of a 24 hour window. */
  readonly before: number
  used: number
  refused: number
  /** Gained since the last commit. */
  newUsed: number
  newRefused: number
  /** The counts of earlier hours, read at their first use. */
  past: CounterHistory | null
}

/** Counts hour by hour, the oldest first; the last place is kept for the present hour. */
interface CounterHistory {
  readonly used: number[]
  readonly refused: number[]
}

/** The entry for a charge from its rows: those of its window, the present `hour` included. */
function entryOf({ counter }: Charge, hour: number, rows: readonly Count[]): CounterEntry {
  const present = rows.find((row) => row.hour === hour)
  const used = present?.used ?? 0
  const before = rows.reduce((sum, row) => sum + row.used, -used)
  return { hour, counter, before, used, refused: present?.refused ?? 0, newUsed: 0, newRefused: 0, past: null }
}

/** The counts of `hours` hours from hour `first` on, from the rows there are. */
function pastOf(first: number, hours: number, rows: readonly Count[]): CounterHistory {
  const past = { used: new Array<number>(hours).fill(0), refused: new Array<number>(hours).fill(0) }
  for (const row of rows) {
    past.used[row.hour - first] = row.used
    past.refused[row.hour - first] = row.refused
  }
  return past
}

/** What `charge` has left; a changed limit counts at once. */
function leftOf(entry: CounterEntry, charge: Charge): number {
  return Math.max(0, charge.limit - entry.before - entry.used)
}

/** Whether there is nothing of it to commit. */
function isCommitted(entry: CounterEntry): boolean {
  return entry.newUsed === 0 && entry.newRefused === 0
}
