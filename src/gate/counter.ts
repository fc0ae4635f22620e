import { isTransient } from '../db/sqlite-file'
import { Cache, yieldTurn } from '../lib/steps'
import { type CounterStore, type MeterOptions, openCounterStore } from './counter.sqlite'
import {
  type Charge,
  type CounterSubject,
  type History,
  MAX_HELD_HOURS,
  MeterUnavailable,
  type Newcomer,
  type OpenCounter,
  type TakeResult,
} from './tiers'

/**
 * Returns the hour to count in, in hours since 1970. If the clock was set back a little, the last hour continues until
 * the clock has passed it, so that limits are not reset. If the clock had been far ahead, that would freeze all limits
 * for as long, so the clock is followed.
 * @param last the last hour in which requests were counted
 * @param present the hour of the clock
 */
export function resolveHour(last: number, present: number): number {
  return present < last - MAX_HELD_HOURS ? present : Math.max(last, present)
}

/** Counters held in memory by default: about 25 MiB. */
const CACHE_ENTRIES = 100_000

/**
 * The Counter of this process, stored in meter.db. It counts in memory, in one synchronous step, so that parallel
 * requests cannot exceed a limit; and it commits the counts once in each turn of the event loop. It holds meter.db
 * until it is closed. Every method may throw MeterUnavailable.
 */
export class Meter implements OpenCounter {
  readonly #options: MeterOptions
  readonly #maxEntries: number
  #store: CounterStore
  #hour: number
  /** The hour that is stored in the file. */
  #stored: number | null
  /** The hour that was counted before the present one. */
  #past: number
  readonly #entries = new Map<string, CounterEntry>()
  /** Entries with something to commit; some may belong to an hour that has passed. */
  #dirty = new Set<CounterEntry>()
  /** The days on which keys were last used: each is written once a day. */
  readonly #days: Cache<CounterSubject, number>
  /** Uses of keys that are not committed yet. */
  readonly #newUses = new Map<CounterSubject, number>()
  #isCommitScheduled = false
  #refusalTimer: Timer | null = null
  #retry: Timer | null = null
  #fault: unknown = null
  #isTidying = false
  /** Whether a damaged file was replaced. */
  #isReplaced = false
  #isClosed = false
  #commits = 0

  /** @throws Error of one sentence if the file is in use, cannot be opened, or belongs to another secret */
  constructor(options: MeterOptions) {
    this.#options = options
    this.#maxEntries = options.cacheEntries ?? CACHE_ENTRIES
    this.#days = new Cache(this.#maxEntries)
    this.#store = this.#open()
    this.#stored = this.#store.loadHour()
    this.#hour = this.#past = this.#stored ?? 0
  }

  /** Opens the file. It replaces a damaged file only once in a process, since a damaged disk would fill with copies. */
  #open(): CounterStore {
    const { store, replaced } = openCounterStore(this.#options, !this.#isReplaced)
    this.#isReplaced ||= replaced
    return store
  }

  /** The last hour counted, also by an earlier process, so that a clock that was set back does not reset the limits. */
  get hour(): number {
    return this.#hour
  }

  /** See OpenCounter; and whether no cleanup runs. */
  get state() {
    return {
      commits: this.#commits,
      failing: this.#fault !== null,
      entries: this.#entries.size,
      tidied: !this.#isTidying,
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
    const left = all.map((charge) => this.#leftOf(charge))
    if (left.includes(0)) return { granted: false, left, isNew }
    for (const charge of all) this.#count(charge, 1, 0)
    if (newcomer) this.markKeyUsed(newcomer.key, hour)
    this.#commitSoon()
    return { granted: true, left: left.map((n) => n - 1), isNew }
  }

  /** See Counter. It also works while the file fails, for counters in memory. */
  peek(charges: readonly Charge[], hour: number): number[] {
    this.#begin(hour)
    return charges.map((charge) => this.#leftOf(charge))
  }

  giveBack(charges: readonly Charge[], hour: number): number[] {
    this.checkReady()
    this.#begin(hour)
    for (const charge of this.#hour === hour ? charges : [])
      if (this.#getEntry(charge).used > 0) this.#count(charge, -1, 0)
    this.#commitSoon()
    return this.peek(charges, hour)
  }

  /** See Counter. Refusals are not counted while the file fails, so that they do not fill the memory. */
  refuse(charge: Charge, hour: number): void {
    if (this.#fault) return
    this.#begin(hour)
    this.#count(charge, 0, 1)
    if (this.#dirty.size > this.#maxEntries) this.#commitSoon()
    this.#refusalTimer ??= setTimeout(() => this.#commit(), this.#options.refusalDelayMs ?? 10_000).unref()
  }

  history(charge: Charge, hours: number, hour: number): History {
    this.#begin(hour)
    const entry = this.#getEntry(charge)
    if (entry.past?.used.length !== hours - 1) {
      const first = this.#hour - hours + 1
      const past = { used: new Array<number>(hours - 1).fill(0), refused: new Array<number>(hours - 1).fill(0) }
      for (const row of this.#read((store) => store.counts(charge, first, this.#hour - 1))) {
        past.used[row.hour - first] = row.used
        past.refused[row.hour - first] = row.refused
      }
      entry.past = past
    }
    const { used, refused } = entry.past
    return { hour: this.#hour, used: [...used, entry.used], refused: [...refused, entry.refused] }
  }

  lastSeen(key: CounterSubject): number | null {
    const known = this.#newUses.get(key) ?? this.#days.get(key)
    if (known !== undefined) return known
    const day = this.#read((store) => store.lastSeen(key))
    return day === null ? null : this.#days.keep(key, day)
  }

  markKeyUsed(key: CounterSubject, hour: number): void {
    const day = Math.floor(hour / 24)
    this.#days.set(key, day)
    this.#newUses.set(key, day)
    this.#commitSoon()
  }

  close(): void {
    if (this.#isClosed) return
    this.#commit()
    this.#isClosed = true
    this.#fault ??= new Error('The meter is closed.')
    if (this.#retry) clearTimeout(this.#retry)
    this.#store.close()
  }

  /** Begins an operation: turns to a new hour, or evicts entries. No caller may hold an entry while this runs. */
  #begin(hour: number): void {
    const resolved = resolveHour(this.#hour, hour)
    if (resolved !== this.#hour) this.#beginHour(resolved)
    else if (this.#entries.size > this.#maxEntries) this.#evict()
  }

  /** Begins another hour. It commits first, since the counts of earlier hours are read from the file. */
  #beginHour(hour: number): void {
    this.#commit()
    // Old counts are judged by the hour before the one that ends, so that a clock that is briefly ahead does not cause
    // the deletion of counts that are still needed.
    const past = Math.min(this.#past, hour)
    this.#past = Math.min(this.#hour, hour)
    this.#hour = hour
    this.#entries.clear()
    void this.#tidy(past)
  }

  #getEntry(charge: Charge): CounterEntry {
    return this.#entries.get(charge.counter) ?? this.#load(charge)
  }

  #load(charge: Charge): CounterEntry {
    const { hours, counter } = charge
    const hour = this.#hour
    const rows = this.#read((store) => store.counts(charge, hour - hours + 1, hour))
    const { used, refused } = rows.find((row) => row.hour === hour) ?? { used: 0, refused: 0 }
    const before = rows.reduce((sum, row) => sum + row.used, -used)
    const entry = { hour, counter, before, used, refused, newUsed: 0, newRefused: 0, past: null }
    // No entries are added while the file fails, since uncommitted entries cannot be evicted.
    if (!this.#fault) this.#entries.set(counter, entry)
    return entry
  }

  #leftOf(charge: Charge): number {
    const { before, used } = this.#getEntry(charge)
    return Math.max(0, charge.limit - before - used)
  }

  /** Adds to the counts of the present hour, for the next commit. */
  #count(charge: Charge, used: number, refused: number): void {
    const entry = this.#getEntry(charge)
    entry.used += used
    entry.newUsed += used
    entry.refused += refused
    entry.newRefused += refused
    this.#dirty.add(entry)
  }

  /** Evicts a tenth of the entries, after a commit, so that no counter is reset. */
  #evict(): void {
    if (this.#fault || !this.#commit()) return
    const maxLeft = this.#maxEntries * 0.9
    for (const counter of this.#entries.keys()) {
      if (this.#entries.size <= maxLeft) return
      this.#entries.delete(counter)
    }
  }

  #commitSoon(): void {
    if (this.#isCommitScheduled) return
    this.#isCommitScheduled = true
    setImmediate(() => {
      this.#isCommitScheduled = false
      if (!this.#fault) this.#commit()
    })
  }

  /** Commits all counts in one transaction. Returns false if that failed: they stay in memory for the next commit. */
  #commit(): boolean {
    if (this.#refusalTimer) clearTimeout(this.#refusalTimer)
    this.#refusalTimer = null
    if (this.#dirty.size === 0 && this.#newUses.size === 0 && !this.#fault) return true
    try {
      this.#store.atomically(() => {
        for (const { hour, counter, newUsed, newRefused } of this.#dirty)
          this.#store.add(counter, { hour, used: newUsed, refused: newRefused })
        for (const [key, day] of this.#newUses) this.#store.markKeyUsed(key, day)
        if (this.#hour !== this.#stored) this.#store.saveHour(this.#hour)
      })
    } catch (error) {
      this.#fail(error)
      return false
    }
    for (const entry of this.#dirty) entry.newUsed = entry.newRefused = 0
    this.#dirty.clear()
    this.#newUses.clear()
    this.#stored = this.#hour
    this.#commits++
    return true
  }

  /** Reads from the file. @throws MeterUnavailable */
  #read<T>(work: (store: CounterStore) => T): T {
    try {
      return work(this.#store)
    } catch (error) {
      this.#fail(error)
      throw new MeterUnavailable('The counts could not be read.', { cause: error })
    }
  }

  #fail(error: unknown): void {
    if (this.#isClosed) return
    if (!this.#fault) this.#options.log.error({ err: error }, 'meter.db fails: requests get 503 until it works')
    this.#fault = error
    this.#retry ??= setTimeout(() => this.#resume(), this.#options.retryMs ?? 1000).unref()
  }

  /**
   * Tries to commit again after a failure, on the file opened again, unless the failure was transient. Entries are then
   * read again, since the file may be another one.
   */
  #resume(): void {
    this.#retry = null
    try {
      if (!isTransient(this.#fault)) {
        this.#store.close()
        this.#store = this.#open()
      }
    } catch (error) {
      this.#fail(error)
      return
    }
    if (!this.#commit()) return
    this.#fault = null
    this.#entries.clear()
    this.#options.log.info({}, 'meter.db works again')
  }

  /** Forgets what is old. It handles a batch in each turn, so that requests are served in between. */
  async #tidy(hour: number): Promise<void> {
    if (this.#isTidying) return
    this.#isTidying = true
    try {
      do await yieldTurn()
      while (!this.#read((store) => store.forget(hour)))
    } catch {
      // The failure has begun the recovery already, in #read; the next hour tidies again.
    }
    this.#isTidying = false
  }
}

interface CounterEntry {
  readonly hour: number
  /** See Charge. One string and few members, since a hundred thousand entries are in memory. */
  readonly counter: string
  /** Requests in the earlier hours of a 24 hour window. */
  readonly before: number
  used: number
  refused: number
  /** Requests, and below refusals, since the last commit. */
  newUsed: number
  newRefused: number
  /** The counts of earlier hours, the oldest first, read when they are first needed. */
  past: { readonly used: number[]; readonly refused: number[] } | null
}
