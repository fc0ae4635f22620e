import { Database, SQLiteError } from 'bun:sqlite'
import { existsSync, renameSync, statSync } from 'node:fs'
import type { Log } from '../db/context'
import { checkFingerprint } from './keys'
import type { CounterSubject, PolicyName } from './tiers'

/** All SQL of meter.db. It is apart from satchel.db, since it trades durability for speed: see the gate's page. */

/** What one counter gained since the last commit. */
interface CounterDelta {
  readonly hour: number
  /** `policy:subject`, the counter of a charge. */
  readonly counter: string
  readonly used: number
  readonly refused: number
}

type Values = Record<string, string | number | Uint8Array>

export interface Count {
  readonly hour: number
  readonly used: number
  readonly refused: number
}

/** Counts of single callers are kept so long, in hours; after that only the sums of all callers. */
const DETAIL_HOURS = 48
const TOTALS_HOURS = 90 * 24
const BATCH = 2000

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS request_counts (
    hour INTEGER, tier TEXT, subject BLOB, used INTEGER, refused INTEGER, PRIMARY KEY (hour, tier, subject)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS api_keys (
    key_id BLOB PRIMARY KEY, first_seen_at INTEGER, last_seen_day INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS tier_totals (
    hour INTEGER, tier TEXT, used INTEGER, refused INTEGER, subjects INTEGER, PRIMARY KEY (hour, tier)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS held_hour (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1), hour INTEGER
  ) STRICT;
  CREATE TABLE IF NOT EXISTS secret_fingerprint (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1), fingerprint TEXT
  ) STRICT;`

/** Policies that are no more: a file of before version 1 may hold rows of them. */
const WITHOUT_OLD_POLICIES = `
  DELETE FROM request_counts WHERE tier IN ('new-keys', 'new-keys-all');
  DELETE FROM tier_totals WHERE tier IN ('new-keys', 'new-keys-all');
  PRAGMA user_version = 1`

const OLDEST_ROWS = 'FROM request_counts WHERE hour <= $before ORDER BY hour, tier, subject LIMIT $batch'

const SQL = {
  version: 'SELECT user_version AS version FROM pragma_user_version',
  soundness: 'PRAGMA quick_check(1)',
  heldHour: 'SELECT hour FROM held_hour',
  holdHour: 'INSERT INTO held_hour VALUES (1, $hour) ON CONFLICT DO UPDATE SET hour = excluded.hour',
  fingerprint: 'SELECT fingerprint FROM secret_fingerprint',
  setFingerprint: 'INSERT INTO secret_fingerprint VALUES (1, $fingerprint) ON CONFLICT DO NOTHING',
  counts: `WITH RECURSIVE span (hour) AS (SELECT $first UNION ALL SELECT hour + 1 FROM span WHERE hour < $last)
    SELECT span.hour, used, refused FROM span CROSS JOIN request_counts AS c
    ON c.hour = span.hour AND c.tier = $policy AND c.subject = $subject`,
  add: `INSERT INTO request_counts VALUES ($hour, $policy, $subject, $used, $refused)
    ON CONFLICT DO UPDATE SET used = used + excluded.used, refused = refused + excluded.refused`,
  lastSeen: 'SELECT last_seen_day AS day FROM api_keys WHERE key_id = $key',
  sawKey: `INSERT INTO api_keys VALUES ($key, $at, $day)
    ON CONFLICT DO UPDATE SET last_seen_day = max(last_seen_day, excluded.last_seen_day)`,
  addTotals: `INSERT INTO tier_totals SELECT hour, tier, sum(used), sum(refused), count(*)
    FROM (SELECT hour, tier, used, refused ${OLDEST_ROWS}) GROUP BY hour, tier
    ON CONFLICT DO UPDATE SET used = used + excluded.used, refused = refused + excluded.refused,
    subjects = subjects + excluded.subjects`,
  dropCounts: `DELETE FROM request_counts WHERE (hour, tier, subject) IN (SELECT hour, tier, subject ${OLDEST_ROWS})`,
  dropTotals: 'DELETE FROM tier_totals WHERE hour <= $before',
  nextKeys: `SELECT max(key_id) AS last FROM
    (SELECT key_id FROM api_keys WHERE key_id > $after ORDER BY key_id LIMIT $batch)`,
  forgetKeys: 'DELETE FROM api_keys WHERE key_id > $after AND key_id <= $last AND last_seen_day < $before',
} as const

/** meter.db, held by this process alone for as long as the store is open. Every method may throw SQLiteError. */
export class CounterStore {
  readonly #db: Database

  /**
   * @param damaged is called when any page of the file is damaged, while this process still has the file to itself
   * @throws MeterDamaged then; Error with one sentence when another process holds the file, it cannot be opened, or it
   * was filled under another secret
   */
  constructor(connect: () => Database, fingerprint: string, damaged: () => void = () => {}) {
    try {
      this.#db = connect()
    } catch (error) {
      throw describe(error)
    }
    try {
      this.#prepare(fingerprint)
    } catch (error) {
      try {
        if (isDamage(error)) damaged()
      } finally {
        this.#db.close()
      }
      throw describe(error)
    }
  }

  #prepare(fingerprint: string): void {
    const db = this.#db
    this.#set('busy_timeout', 0, 0)
    this.#set('locking_mode', 'EXCLUSIVE', 'exclusive')
    this.#set('journal_mode', 'WAL', 'wal')
    this.#set('synchronous', 'NORMAL', 1)
    this.#set('cache_size', -8192, -8192)
    const { quick_check: says = 'nothing' } = this.#get<{ quick_check: string }>(SQL.soundness) ?? {}
    if (says !== 'ok') throw new MeterDamaged(says)
    this.atomically(() => {
      db.run(SCHEMA)
      if (this.#get<{ version: number }>(SQL.version)?.version === 0) db.run(WITHOUT_OLD_POLICIES)
      const row = this.#get<{ fingerprint: string }>(SQL.fingerprint)
      checkFingerprint(row?.fingerprint ?? null, fingerprint, 'meter.db')
      this.#run(SQL.setFingerprint, { fingerprint })
      // Compiles each: it has to fit the schema.
      for (const sql of Object.values(SQL)) db.query(sql)
    })
  }

  /** Sets a pragma and reads it back: SQLite keeps silent about one that it did not take. */
  #set(name: string, value: string | number, expected: string | number): void {
    this.#db.run(`PRAGMA ${name} = ${value}`)
    const row = this.#db.query<Record<string, unknown>, []>(`PRAGMA ${name}`).get()
    const actual = Object.values(row ?? {})[0]
    if (actual !== expected) throw new Error(`SQLite did not accept ${name} = ${value} for meter.db.`)
  }

  #run(sql: string, values: Values = {}): number {
    return this.#db.query(sql).run(values).changes
  }

  #get<Row>(sql: string, values: Values = {}): Row | null {
    return this.#db.query<Row, Values>(sql).get(values)
  }

  /** Runs `work` in one transaction: all of it, or nothing when it throws. */
  atomically(work: () => void): void {
    this.#db.run('BEGIN IMMEDIATE')
    try {
      work()
      this.#db.run('COMMIT')
    } catch (error) {
      if (this.#db.inTransaction) this.#db.run('ROLLBACK')
      throw error
    }
  }

  /** The hour that was counted in last, in hours since 1970, or null. */
  loadHour(): number | null {
    return this.#get<{ hour: number }>(SQL.heldHour)?.hour ?? null
  }

  saveHour(hour: number): void {
    this.#run(SQL.holdHour, { hour })
  }

  /** The counts of one counter from hour `first` to hour `last`, both included; hours without a row are left out. */
  counts(policy: PolicyName, subject: CounterSubject, first: number, last: number): Count[] {
    return this.#db.query<Count, Values>(SQL.counts).all({ policy, subject: blob(subject), first, last })
  }

  add({ hour, counter, used, refused }: CounterDelta): void {
    const colon = counter.indexOf(':')
    const subject = blob(counter.slice(colon + 1))
    this.#run(SQL.add, { hour, policy: counter.slice(0, colon), subject, used, refused })
  }

  /** The day (since 1970) on which a key was last used, or null for one that is not in the table. */
  lastSeen(key: CounterSubject): number | null {
    return this.#get<{ day: number }>(SQL.lastSeen, { key: blob(key) })?.day ?? null
  }

  markKeyUsed(key: CounterSubject, at: number, day: number): void {
    this.#run(SQL.sawKey, { key: blob(key), at, day })
  }

  /** Moves a batch of old counts into the sums of all callers. True when nothing old is left. */
  rollUp(hour: number): boolean {
    let moved = 0
    this.atomically(() => {
      const oldest = { before: hour - DETAIL_HOURS, batch: BATCH }
      this.#run(SQL.addTotals, oldest)
      moved = this.#run(SQL.dropCounts, oldest)
      this.#run(SQL.dropTotals, { before: hour - TOTALS_HOURS })
    })
    return moved < BATCH
  }

  /** Forgets keys last used before `day` among the batch that follows `after`. The last one seen, or null at the end. */
  forgetKeys(day: number, after: Uint8Array): Uint8Array | null {
    const last = this.#get<{ last: Uint8Array | null }>(SQL.nextKeys, { after, batch: BATCH })?.last ?? null
    if (last) this.#run(SQL.forgetKeys, { after, last, before: day })
    return last
  }

  close(): void {
    this.#db.close()
  }
}

/** One buffer for all: SQLite has read it before the statement returns, and a million small ones burden the collector. */
const BLOB = Buffer.alloc(16)

function blob(subject: CounterSubject): Uint8Array {
  BLOB.write(subject, 'hex')
  return BLOB
}

/** The file of the counts is damaged; the message says how, in SQLite's words. */
class MeterDamaged extends Error {
  override readonly name = 'MeterDamaged'
}

/** Our statements are fixed: one that does not fit the schema shows that the schema was overwritten. */
function isDamage(error: unknown): boolean {
  return (
    error instanceof MeterDamaged ||
    (error instanceof SQLiteError && /^SQLITE_(CORRUPT|NOTADB|ERROR)/.test(error.code ?? ''))
  )
}

function describe(error: unknown): unknown {
  if (!(error instanceof SQLiteError)) return error
  const { code = '' } = error
  if (code.startsWith('SQLITE_BUSY')) {
    return new Error('Another process uses meter.db: only one Satchel can run on a data folder.', { cause: error })
  }
  if (isDamage(error)) return new MeterDamaged(error.message, { cause: error })
  return new Error(`meter.db cannot be opened or written (${code}).`, { cause: error })
}

/** Opens meter.db. One that is damaged makes room for a new one: nothing in it is irreplaceable, and callers wait for it. */

/**
 * @param mayReplace whether a damaged file may be set aside; then a line of the log names both files
 * @throws Error with one sentence: the file is in use, cannot be opened, or is of another secret
 */
export function openCounterStore(
  options: MeterOptions,
  mayReplace: boolean,
): { store: CounterStore; replaced: boolean } {
  const {
    path,
    fingerprint,
    now,
    log,
    connect = (file) => new Database(file, { create: true, strict: true }),
  } = options
  const open = (damaged?: () => void) => new CounterStore(() => connect(path), fingerprint, damaged)
  if (!mayReplace) return { store: open(), replaced: false }
  let aside = ''
  const before = statSync(path, { throwIfNoEntry: false })?.ino
  try {
    const store = open(() => {
      // Between our opening of the file and our lock on it, another start may have put a new one in its place.
      if (statSync(path, { throwIfNoEntry: false })?.ino !== before) throw new Error('Another process uses meter.db.')
      aside = setAside(path, now())
    })
    return { store, replaced: false }
  } catch (error) {
    if (!aside) throw error
    log.error({ damaged: path, set_aside: aside, err: error }, 'meter.db is damaged: it is set aside for a new one')
    return { store: open(), replaced: true }
  }
}

/** Moves the file, with what SQLite keeps beside it, to the name that is returned; `at` (ms since 1970) is part of it. */
function setAside(path: string, at: number): string {
  const aside = `${path}.damaged-${new Date(at).toISOString().replaceAll(/[-:]/g, '')}`
  if (existsSync(aside)) return setAside(path, at + 1)
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix)
  }
  return aside
}

/** What the meter is opened with. */

export interface MeterOptions {
  /** Path of meter.db. */
  path: string
  /** Fingerprint of the secret that the subjects are made with. */
  fingerprint: string
  /** ms since 1970. */
  now: () => number
  log: Log
  /** Counters held in memory, 100,000 by default. */
  cacheEntries?: number
  /** Between two tries of a failed commit. */
  retryMs?: number
  /** The longest that a refusal waits for a commit to ride with. */
  refusalDelayMs?: number
  connect?: (path: string) => Database
}
