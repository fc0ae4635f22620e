/**
 * All SQL of meter.db, which holds the counts of requests. It is separate from satchel.db, since it trades durability
 * for speed: a power failure may lose the last counts.
 */
import { Database, SQLiteError } from 'bun:sqlite'
import { existsSync, renameSync, statSync } from 'node:fs'
import type { Log } from '../db/database'
import { checkFingerprint } from '../db/open'
import { type CounterSubject, DETAIL_HOURS, type PolicyName } from './tiers'

/** The counts that one counter gained since the last commit. */
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

/** Rows that one transaction of `forgetCounts` or `forgetKeys` handles. */
const BATCH_ROWS = 2000

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS request_counts (
    hour INTEGER, tier TEXT, subject BLOB, used INTEGER, refused INTEGER, PRIMARY KEY (hour, tier, subject)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS api_keys (
    key_id BLOB PRIMARY KEY, last_seen_day INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS held_hour (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1), hour INTEGER
  ) STRICT;
  CREATE TABLE IF NOT EXISTS secret_fingerprint (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1), fingerprint TEXT
  ) STRICT;`

const SQL = {
  quickCheck: 'PRAGMA quick_check(1)',
  loadHour: 'SELECT hour FROM held_hour',
  saveHour: 'INSERT INTO held_hour VALUES (1, $hour) ON CONFLICT DO UPDATE SET hour = excluded.hour',
  fingerprint: 'SELECT fingerprint FROM secret_fingerprint',
  setFingerprint: 'INSERT INTO secret_fingerprint VALUES (1, $fingerprint) ON CONFLICT DO NOTHING',
  counts: `WITH RECURSIVE span (hour) AS (SELECT $first UNION ALL SELECT hour + 1 FROM span WHERE hour < $last)
    SELECT span.hour, used, refused FROM span CROSS JOIN request_counts AS c
    ON c.hour = span.hour AND c.tier = $policy AND c.subject = $subject`,
  add: `INSERT INTO request_counts VALUES ($hour, $policy, $subject, $used, $refused)
    ON CONFLICT DO UPDATE SET used = used + excluded.used, refused = refused + excluded.refused`,
  lastSeen: 'SELECT last_seen_day AS day FROM api_keys WHERE key_id = $key',
  markKeyUsed: `INSERT INTO api_keys VALUES ($key, $day)
    ON CONFLICT DO UPDATE SET last_seen_day = max(last_seen_day, excluded.last_seen_day)`,
  forgetCounts: `DELETE FROM request_counts WHERE (hour, tier, subject) IN
    (SELECT hour, tier, subject FROM request_counts WHERE hour <= $before ORDER BY hour, tier, subject LIMIT $batch)`,
  nextKeys: `SELECT max(key_id) AS last FROM
    (SELECT key_id FROM api_keys WHERE key_id > $after ORDER BY key_id LIMIT $batch)`,
  forgetKeys: 'DELETE FROM api_keys WHERE key_id > $after AND key_id <= $last AND last_seen_day < $before',
} as const

/** meter.db, locked by this process for as long as the store is open. Every method may throw SQLiteError. */
export class CounterStore {
  readonly #db: Database

  /**
   * Opens the store.
   * @param onDamage called if any page of the file is damaged, while this process still has it locked
   * @throws MeterDamaged in this case; Error of one sentence if another process holds the file, it cannot be opened, or
   *   it belongs to another secret
   */
  constructor(connect: () => Database, fingerprint: string, onDamage: () => void = () => {}) {
    try {
      this.#db = connect()
    } catch (error) {
      throw describe(error)
    }
    try {
      this.#prepare(fingerprint)
    } catch (error) {
      try {
        if (isDamage(error)) onDamage()
      } finally {
        this.#db.close()
      }
      throw describe(error)
    }
  }

  #prepare(fingerprint: string): void {
    const db = this.#db
    this.#setPragma('busy_timeout', 0, 0)
    this.#setPragma('locking_mode', 'EXCLUSIVE', 'exclusive')
    this.#setPragma('journal_mode', 'WAL', 'wal')
    this.#setPragma('synchronous', 'NORMAL', 1)
    this.#setPragma('cache_size', -8192, -8192)
    const { quick_check: result = 'nothing' } = this.#get<{ quick_check: string }>(SQL.quickCheck) ?? {}
    if (result !== 'ok') throw new MeterDamaged(result)
    this.atomically(() => {
      db.run(SCHEMA)
      const row = this.#get<{ fingerprint: string }>(SQL.fingerprint)
      checkFingerprint(row?.fingerprint ?? null, fingerprint, 'meter.db')
      this.#run(SQL.setFingerprint, { fingerprint })
      // Compiles all statements, so that one that does not fit the schema fails here.
      for (const sql of Object.values(SQL)) db.query(sql)
    })
  }

  /** Sets a pragma and reads it back, since SQLite reports no error for one that it did not accept. */
  #setPragma(name: string, value: string | number, expected: string | number): void {
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

  /** Runs `work` in one transaction, which is rolled back if it throws. */
  atomically(work: () => void): void {
    this.#db.transaction(work).immediate()
  }

  /** Returns the last hour in which requests were counted, in hours since 1970, or null. */
  loadHour(): number | null {
    return this.#get<{ hour: number }>(SQL.loadHour)?.hour ?? null
  }

  saveHour(hour: number): void {
    this.#run(SQL.saveHour, { hour })
  }

  /** The counts of one counter from hour `first` to hour `last`, both included, without hours that have no row. */
  counts(policy: PolicyName, subject: CounterSubject, first: number, last: number): Count[] {
    return this.#db.query<Count, Values>(SQL.counts).all({ policy, subject: blob(subject), first, last })
  }

  add({ hour, counter, used, refused }: CounterDelta): void {
    const colon = counter.indexOf(':')
    const subject = blob(counter.slice(colon + 1))
    this.#run(SQL.add, { hour, policy: counter.slice(0, colon), subject, used, refused })
  }

  lastSeen(key: CounterSubject): number | null {
    return this.#get<{ day: number }>(SQL.lastSeen, { key: blob(key) })?.day ?? null
  }

  markKeyUsed(key: CounterSubject, day: number): void {
    this.#run(SQL.markKeyUsed, { key: blob(key), day })
  }

  /** Deletes a batch of the counts that are 48 hours older than `hour`. Returns whether there are no more. */
  forgetCounts(hour: number): boolean {
    return this.#run(SQL.forgetCounts, { before: hour - DETAIL_HOURS, batch: BATCH_ROWS }) < BATCH_ROWS
  }

  /** Deletes keys last used before `day` in the batch after `after`. Returns its last key, or null at the end. */
  forgetKeys(day: number, after: Uint8Array): Uint8Array | null {
    const last = this.#get<{ last: Uint8Array | null }>(SQL.nextKeys, { after, batch: BATCH_ROWS })?.last ?? null
    if (last) this.#run(SQL.forgetKeys, { after, last, before: day })
    return last
  }

  close(): void {
    this.#db.close()
  }
}

/** A buffer that all statements share: SQLite copies it, and many small buffers would burden the garbage collector. */
const SHARED_BLOB = Buffer.alloc(16)

/** Writes a subject as bytes. The result is valid until the next call. */
function blob(subject: CounterSubject): Uint8Array {
  SHARED_BLOB.write(subject, 'hex')
  return SHARED_BLOB
}

/** Thrown if meter.db is damaged. The message is that of SQLite. */
class MeterDamaged extends Error {
  override readonly name = 'MeterDamaged'
}

/** A statement that does not fit the schema counts too: the schema must have been overwritten. */
function isDamage(error: unknown): boolean {
  return (
    error instanceof MeterDamaged ||
    (error instanceof SQLiteError && /^SQLITE_(CORRUPT|NOTADB|ERROR)/.test(error.code ?? ''))
  )
}

/** Turns an error of SQLite into one with a sentence. */
function describe(error: unknown): unknown {
  if (!(error instanceof SQLiteError)) return error
  const { code = '' } = error
  if (code.startsWith('SQLITE_BUSY')) {
    return new Error('Another process uses meter.db: only one Satchel can run on a data folder.', { cause: error })
  }
  if (isDamage(error)) return new MeterDamaged(error.message, { cause: error })
  return new Error(`meter.db cannot be opened or written (${code}).`, { cause: error })
}

/**
 * Opens meter.db. A damaged file is renamed and replaced by an empty one, since nothing in it is irreplaceable and no
 * request can be served without it.
 * @param mayReplace whether a damaged file may be replaced; the log then names both files
 * @throws Error of one sentence if the file is in use, cannot be opened, or belongs to another secret
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
  const open = (onDamage?: () => void) => new CounterStore(() => connect(path), fingerprint, onDamage)
  if (!mayReplace) return { store: open(), replaced: false }
  let aside = ''
  const before = statSync(path, { throwIfNoEntry: false })?.ino
  try {
    const store = open(() => {
      // Another process may have replaced the file between our opening and our locking it.
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

/** Renames the file with its journal files. Returns the new name, which contains `at` (milliseconds since 1970). */
function setAside(path: string, at: number): string {
  const aside = `${path}.damaged-${new Date(at).toISOString().replaceAll(/[-:]/g, '')}`
  if (existsSync(aside)) return setAside(path, at + 1)
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix)
  }
  return aside
}

export interface MeterOptions {
  path: string
  /** The fingerprint of the secret that the subjects are made with. */
  fingerprint: string
  /** Milliseconds since 1970. */
  now: () => number
  log: Log
  /** Counters held in memory. Default: 100,000. */
  cacheEntries?: number
  /** Delay before a failed commit is tried again. Default: 1000. */
  retryMs?: number
  /** The longest time that the count of a refusal waits for another commit. Default: 10,000. */
  refusalDelayMs?: number
  connect?: (path: string) => Database
}
