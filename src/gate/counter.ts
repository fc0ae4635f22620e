/**
 * The meter: how often everybody called in the present hour. It answers from memory in one synchronous step, so that
 * no number of parallel requests passes a limit, and commits what it counted once per turn of the event loop.
 */
import { Database, SQLiteError } from 'bun:sqlite'
import { type Counter, type History, type Log, MeterUnavailable, type Peeked, type Taken } from './counter-port'
import { CounterStore } from './counter-store'
import { tidy } from './counter-tidy'
import type { Charge, PolicyName, Subject } from './tiers'

export interface MeterOptions {
  /** Path of meter.db. */
  path: string
  /** Fingerprint of the secret that the subjects are made with. */
  fingerprint: string
  /** The clock at start, in ms since 1970. */
  now: number
  log: Log
  /** Counters held in memory. */
  cacheEntries: number
  /** Keys unused for so many days leave the table; 0 keeps them. */
  keyIdleDays: number
  /** Between two tries of a failed commit. */
  retryMs?: number
  /** The longest that a refusal waits for a commit to ride with. */
  tallyMs?: number
  connect?: (path: string) => Database
}

interface Entry {
  readonly hour: number
  readonly policy: PolicyName
  readonly subject: Subject
  /** Used in the earlier hours of a 24 hour window. */
  readonly before: number
  used: number
  refused: number
  /** Not yet committed. */
  newUsed: number
  newRefused: number
  past: { used: number[]; refused: number[] } | null
}

/** What a passing lack of room or lock needs is patience; after any other fault the file is opened anew. */
const PASSING = /^SQLITE_(FULL|BUSY|LOCKED|NOMEM)/
const AHEAD_HOURS = 24

/**
 * Opens meter.db.
 * @throws Error with one sentence: held by another process, damaged, of another secret, or ahead of the clock
 */
export function openMeter(options: MeterOptions): Meter {
  return new Meter(options)
}

export class Meter implements Counter {
  readonly #options: MeterOptions
  #store: CounterStore
  #hour: number
  readonly #entries = new Map<string, Entry>()
  /** Entries with something to commit; some may belong to an hour that has passed. */
  #dirty: Entry[] = []
  /** Last day of keys in use, and the uses that wait for a commit. */
  readonly #keys = new Map<Subject, number>()
  readonly #uses = new Map<Subject, { at: number; day: number }>()
  #scheduled = false
  #tallies: Timer | null = null
  #retry: Timer | null = null
  #fault: unknown = null
  #tidying = false
  #closed = false
  #commits = 0

  constructor(options: MeterOptions) {
    this.#options = options
    this.#store = this.#open()
    const present = Math.floor(options.now / 3_600_000)
    const newest = this.#store.newestHour() ?? present
    if (newest > present + AHEAD_HOURS) {
      this.#store.close()
      throw new Error(
        `meter.db is ${newest - present} hours ahead of the clock: set the clock, or remove meter.db (nothing in it is irreplaceable).`,
      )
    }
    this.#hour = Math.max(newest, present)
    this.#tidySoon()
  }

  #open(): CounterStore {
    const { path, fingerprint, connect = (file) => new Database(file, { create: true, strict: true }) } = this.#options
    return new CounterStore(() => connect(path), fingerprint)
  }

  /** The newest hour seen, from before a restart too: a clock set back gives nobody a fresh hour. */
  get hour(): number {
    return this.#hour
  }

  /** For /metrics: transactions made, whether the file fails now, and counters in memory. */
  get state(): { commits: number; failing: boolean; entries: number } {
    return { commits: this.#commits, failing: this.#fault !== null, entries: this.#entries.size }
  }

  take(charges: readonly Charge[], hour: number): Taken {
    if (this.#fault) throw new MeterUnavailable('The last commit failed.', { cause: this.#fault })
    this.#begin(hour)
    const entries = charges.map((charge) => this.#entry(charge))
    const left = entries.map((entry, i) => leftOf(entry, charges[i]))
    if (left.some((n) => n === 0)) return { granted: false, left }
    for (const entry of entries) {
      this.#note(entry)
      entry.used++
      entry.newUsed++
    }
    this.#commitSoon()
    return { granted: true, left: left.map((n) => n - 1) }
  }

  /** Answers from memory even while the file fails. */
  peek(charges: readonly Charge[], hour: number): Peeked {
    this.#begin(hour)
    const entries = charges.map((charge) => this.#entry(charge))
    return {
      left: entries.map((entry, i) => leftOf(entry, charges[i])),
      refused: entries.map((entry) => entry.refused),
    }
  }

  refuse(charge: Charge, hour: number): void {
    this.#begin(hour)
    const entry = this.#entry(charge)
    this.#note(entry)
    entry.refused++
    entry.newRefused++
    if (this.#dirty.length > this.#options.cacheEntries) this.#commitSoon()
    this.#tallies ??= setTimeout(() => this.#commit(), this.#options.tallyMs ?? 10_000).unref()
  }

  /** The newest `hours` hours of one counter. */
  history(charge: Charge, hours: number, hour: number): History {
    this.#begin(hour)
    const entry = this.#entry(charge)
    if (entry.past?.used.length !== hours - 1) entry.past = this.#past(charge, hours)
    return {
      hour: this.#hour,
      used: [...entry.past.used, entry.used],
      refused: [...entry.past.refused, entry.refused],
    }
  }

  #past(charge: Charge, hours: number): { used: number[]; refused: number[] } {
    const first = this.#hour - hours + 1
    const past = { used: new Array<number>(hours - 1).fill(0), refused: new Array<number>(hours - 1).fill(0) }
    for (const row of this.#ask((store) => store.counts(charge.policy, charge.subject, first, this.#hour - 1))) {
      past.used[row.hour - first] = row.used
      past.refused[row.hour - first] = row.refused
    }
    return past
  }

  lastSeen(key: Subject): number | null {
    const known = this.#keys.get(key) ?? this.#uses.get(key)?.day
    if (known !== undefined) return known
    const day = this.#ask((store) => store.lastSeen(key))
    if (day !== null) this.#remember(key, day)
    return day
  }

  sawKey(key: Subject, at: number, hour: number): void {
    const day = Math.floor(hour / 24)
    this.#remember(key, day)
    this.#uses.set(key, { at, day })
    this.#commitSoon()
  }

  #remember(key: Subject, day: number): void {
    if (this.#keys.size >= this.#options.cacheEntries) this.#keys.clear()
    this.#keys.set(key, day)
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
    if (this.#retry) clearTimeout(this.#retry)
    this.#store.close()
  }

  /** Every question begins here, while no entry is in hand that could be evicted. */
  #begin(hour: number): void {
    if (hour > this.#hour) this.#turnTo(hour)
    else if (this.#entries.size > this.#options.cacheEntries) this.#evict()
  }

  /** Begins a new hour. What waits is committed first, since the windows of the new hour are read from the file. */
  #turnTo(hour: number): void {
    this.#commit()
    this.#hour = hour
    this.#entries.clear()
    this.#tidySoon()
  }

  #entry(charge: Charge): Entry {
    return this.#entries.get(charge.counter) ?? this.#load(charge)
  }

  #load(charge: Charge): Entry {
    const { policy, subject, hours } = charge
    const hour = this.#hour
    let before = 0
    let present = { used: 0, refused: 0 }
    for (const row of this.#ask((store) => store.counts(policy, subject, hour - hours + 1, hour))) {
      if (row.hour === hour) present = row
      else before += row.used
    }
    const { used, refused } = present
    const entry: Entry = { hour, policy, subject, before, used, refused, newUsed: 0, newRefused: 0, past: null }
    // Nothing is added while the file fails: what cannot be committed cannot be evicted.
    if (!this.#fault) this.#entries.set(charge.counter, entry)
    return entry
  }

  /** Makes room, only among committed entries: evicting resets nobody. A tenth at a time, so that it costs little. */
  #evict(): void {
    if (!this.#commit()) return
    const room = this.#options.cacheEntries * 0.9
    for (const counter of this.#entries.keys()) {
      if (this.#entries.size <= room) return
      this.#entries.delete(counter)
    }
  }

  #note(entry: Entry): void {
    if (entry.newUsed === 0 && entry.newRefused === 0) this.#dirty.push(entry)
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
    if (this.#dirty.length === 0 && this.#uses.size === 0 && !this.#fault) return true
    try {
      this.#store.atomically(() => {
        for (const { hour, policy, subject, newUsed, newRefused } of this.#dirty) {
          this.#store.add({ hour, policy, subject, used: newUsed, refused: newRefused })
        }
        for (const [key, { at, day }] of this.#uses) this.#store.sawKey(key, at, day)
      })
    } catch (error) {
      this.#fail(error)
      return false
    }
    for (const entry of this.#dirty) entry.newUsed = entry.newRefused = 0
    this.#dirty = []
    this.#uses.clear()
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

  /** Tries again what failed. Entries are read anew afterwards: the file may be another one now. */
  #resume(): void {
    this.#retry = null
    if (!this.#reopened() || !this.#commit()) return
    this.#fault = null
    this.#entries.clear()
    this.#options.log.info({}, 'meter.db works again')
  }

  #reopened(): boolean {
    if (isPassing(this.#fault)) return true
    try {
      this.#store.close()
      this.#store = this.#open()
      return true
    } catch (error) {
      this.#fail(error)
      return false
    }
  }

  #tidySoon(): void {
    if (this.#tidying) return
    this.#tidying = true
    const done = (): void => {
      // A failure has begun the recovery already, in #ask; the next hour tidies again.
      this.#tidying = false
    }
    tidy((work) => this.#ask(work), this.#hour, this.#options.keyIdleDays).then(done, done)
  }
}

function isPassing(fault: unknown): boolean {
  return fault instanceof SQLiteError && PASSING.test(fault.code ?? '')
}

function leftOf(entry: Entry, charge: Charge | undefined): number {
  return charge ? Math.max(0, charge.limit - entry.before - entry.used) : 0
}
