import { isTransient } from '../db/connection'
import { yieldTurn } from '../lib/steps'
import { type Count, type CounterStore, type MeterOptions, openCounterStore } from './counter.sqlite'
import {
  type Charge,
  type CounterState,
  type CounterSubject,
  type History,
  KEY_IDLE_DAYS,
  MAX_HELD_HOURS,
  MeterUnavailable,
  type Newcomer,
  type OpenCounter,
  type TakeResult,
} from './tiers'

/**
 * Deletes the counts that are 48 hours older than `hour`, then keys that were unused for 90 days before it. It
 * handles a batch in each turn of the event loop, so that requests are served in between. A deleted key whose workspace
 * is not empty stays known, since the gate checks the workspace.
 * @throws the errors of `read`
 */
async function tidy(read: <T>(work: (store: CounterStore) => T) => T, hour: number): Promise<void> {
  await yieldTurn()
  while (!read((store) => store.forgetCounts(hour))) await yieldTurn()
  const day = Math.floor(hour / 24) - KEY_IDLE_DAYS
  let last: Uint8Array | null = new Uint8Array()
  while (last) {
    await yieldTurn()
    const after: Uint8Array = last
    last = read((store) => store.forgetKeys(day, after))
  }
}

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

export type { MeterOptions } from './counter.sqlite'

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
  readonly #days = new Map<CounterSubject, number>()
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

  /** The state for /metrics: transactions, whether the file fails, counters in memory, and whether no cleanup runs. */
  get state(): CounterState & { readonly tidied: boolean } {
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
    const entries = all.map((charge) => this.#getEntry(charge))
    const left = all.map((charge, i) => leftOf(entries[i] as CounterEntry, charge))
    if (left.includes(0)) return { granted: false, left, isNew }
    for (const entry of entries) {
      this.#dirty.add(entry)
      entry.used++
      entry.newUsed++
    }
    if (newcomer) this.markKeyUsed(newcomer.key, hour)
    this.#commitSoon()
    return { granted: true, left: left.map((n) => n - 1), isNew }
  }

  /** See Counter. It also works while the file fails, for counters in memory. */
  peek(charges: readonly Charge[], hour: number): number[] {
    this.#begin(hour)
    const entries = charges.map((charge) => this.#getEntry(charge))
    return charges.map((charge, i) => leftOf(entries[i] as CounterEntry, charge))
  }

  giveBack(charges: readonly Charge[], hour: number): number[] {
    this.checkReady()
    this.#begin(hour)
    for (const entry of this.#hour === hour ? charges.map((charge) => this.#getEntry(charge)) : []) {
      if (entry.used === 0) continue
      this.#dirty.add(entry)
      entry.used--
      entry.newUsed--
    }
    this.#commitSoon()
    return this.peek(charges, hour)
  }

  /** See Counter. Refusals are not counted while the file fails, so that they do not fill the memory. */
  refuse(charge: Charge, hour: number): void {
    if (this.#fault) return
    this.#begin(hour)
    const entry = this.#getEntry(charge)
    this.#dirty.add(entry)
    entry.refused++
    entry.newRefused++
    if (this.#dirty.size > this.#maxEntries) this.#commitSoon()
    this.#refusalTimer ??= setTimeout(() => this.#commit(), this.#options.refusalDelayMs ?? 10_000).unref()
  }

  history(charge: Charge, hours: number, hour: number): History {
    this.#begin(hour)
    const { policy, subject } = charge
    const entry = this.#getEntry(charge)
    const first = this.#hour - hours + 1
    if (entry.past?.used.length !== hours) {
      const rows = this.#read((store) => store.counts(policy, subject, first, this.#hour - 1))
      entry.past = toHistory(first, hours, rows)
    }
    const { used, refused } = entry.past
    used[hours - 1] = entry.used
    refused[hours - 1] = entry.refused
    return { hour: this.#hour, used: used.slice(), refused: refused.slice() }
  }

  lastSeen(key: CounterSubject): number | null {
    const known = this.#newUses.get(key) ?? this.#days.get(key)
    if (known !== undefined) return known
    const day = this.#read((store) => store.lastSeen(key))
    if (day !== null) this.#remember(key, day)
    return day
  }

  #remember(key: CounterSubject, day: number): void {
    if (this.#days.size >= this.#maxEntries) this.#days.clear()
    this.#days.set(key, day)
  }

  markKeyUsed(key: CounterSubject, hour: number): void {
    const day = Math.floor(hour / 24)
    this.#remember(key, day)
    this.#newUses.set(key, day)
    this.#commitSoon()
  }

  /** Commits everything now. @throws MeterUnavailable if that fails; the counts stay in memory */
  flush(): void {
    if (!this.#commit()) throw new MeterUnavailable('The counts could not be written.', { cause: this.#fault })
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
    this.#tidySoon(past)
  }

  #getEntry(charge: Charge): CounterEntry {
    return this.#entries.get(charge.counter) ?? this.#load(charge)
  }

  #load(charge: Charge): CounterEntry {
    const { policy, subject, hours, counter } = charge
    const rows = this.#read((store) => store.counts(policy, subject, this.#hour - hours + 1, this.#hour))
    const entry = toEntry(charge, this.#hour, rows)
    // No entries are added while the file fails, since uncommitted entries cannot be evicted.
    if (!this.#fault) this.#entries.set(counter, entry)
    return entry
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
        for (const { hour, counter, newUsed, newRefused } of this.#dirty) {
          this.#store.add({ hour, counter, used: newUsed, refused: newRefused })
        }
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

  /** Tries to commit again after a failure. Entries are then read again, since the file may be another one. */
  #resume(): void {
    this.#retry = null
    if (!this.#reopen() || !this.#commit()) return
    this.#fault = null
    this.#entries.clear()
    this.#options.log.info({}, 'meter.db works again')
  }

  /** Opens the file again, unless the failure was transient. Returns whether it succeeded. */
  #reopen(): boolean {
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
    if (this.#isTidying) return
    this.#isTidying = true
    const done = (): void => {
      // A failure has begun the recovery already, in #read; the next hour tidies again.
      this.#isTidying = false
    }
    tidy((work) => this.#read(work), hour).then(done, done)
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
  /** The counts of earlier hours, read when they are first needed. */
  past: CounterHistory | null
}

/** The counts of consecutive hours, oldest first; the last element is for the present hour. */
interface CounterHistory {
  readonly used: number[]
  readonly refused: number[]
}

/** Makes the entry of a charge from the rows of its window, which includes the present `hour`. */
function toEntry({ counter }: Charge, hour: number, rows: readonly Count[]): CounterEntry {
  const present = rows.find((row) => row.hour === hour)
  const used = present?.used ?? 0
  const before = rows.reduce((sum, row) => sum + row.used, -used)
  return { hour, counter, before, used, refused: present?.refused ?? 0, newUsed: 0, newRefused: 0, past: null }
}

/** Makes the counts of `hours` hours from hour `first` on; hours without a row have 0. */
function toHistory(first: number, hours: number, rows: readonly Count[]): CounterHistory {
  const past = { used: new Array<number>(hours).fill(0), refused: new Array<number>(hours).fill(0) }
  for (const row of rows) {
    past.used[row.hour - first] = row.used
    past.refused[row.hour - first] = row.refused
  }
  return past
}

function leftOf(entry: CounterEntry, charge: Charge): number {
  return Math.max(0, charge.limit - entry.before - entry.used)
}
