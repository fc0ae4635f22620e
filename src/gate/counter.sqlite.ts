/**
 * All SQL of meter.db, which holds the counts of requests. It is separate from satchel.db, since it trades durability
 * for speed: a power failure may lose the last counts.
 */
import { Database, SQLiteError } from 'bun:sqlite'
import { existsSync, renameSync, statSync } from 'node:fs'
import type { Context } from '../db/database'
import { checkFingerprint } from '../db/open'
import { type Charge, type CounterSubject, DETAIL_HOURS, KEY_IDLE_DAYS } from './tiers'

type Values = Record<string, string | number | Uint8Array>

export interface Count {
  readonly hour: number
  readonly used: number
  readonly refused: number
}

/** Rows that `forget` deletes from a table at once. */
const BATCH_ROWS = 2000

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS request_counts (
    hour INTEGER, tier TEXT, subject BLOB, used INTEGER, refused INTEGER, PRIMARY KEY (hour, tier, subject)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS api_keys (
    key_id BLOB PRIMARY KEY, last_seen_day INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS api_keys_by_day ON api_keys (last_seen_day);
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
  counts: `WITH RECURSIVE span (hour) AS (SELECT $first WHERE $first <= $last UNION ALL SELECT hour + 1 FROM span WHERE hour < $last)
    SELECT span.hour, used, refused FROM span CROSS JOIN request_counts AS c
    ON c.hour = span.hour AND c.tier = $policy AND c.subject = $subject`,
  add: `INSERT INTO request_counts VALUES ($hour, $policy, $subject, $used, $refused)
    ON CONFLICT DO UPDATE SET used = used + excluded.used, refused = refused + excluded.refused`,
  lastSeen: 'SELECT last_seen_day AS day FROM api_keys WHERE key_id = $key',
  markKeyUsed: `INSERT INTO api_keys VALUES ($key, $day)
    ON CONFLICT DO UPDATE SET last_seen_day = max(last_seen_day, excluded.last_seen_day)`,
  forgetCounts: `DELETE FROM request_counts WHERE (hour, tier, subject) IN
    (SELECT hour, tier, subject FROM request_counts WHERE hour <= $before ORDER BY hour, tier, subject LIMIT $batch)`,
  forgetKeys: `DELETE FROM api_keys WHERE key_id IN
    (SELECT key_id FROM api_keys WHERE last_seen_day < $before ORDER BY last_seen_day LIMIT $batch)`,
} as const

/** As SQLite reads them back: it reports no error for one that it did not accept. `synchronous` 1 is NORMAL. */
const PRAGMAS = { busy_timeout: 0, locking_mode: 'exclusive', journal_mode: 'wal', synchronous: 1, cache_size: -8192 }

/** meter.db, locked by this process for as long as the store is open. Every method may throw SQLiteError. */
export class CounterStore {
  readonly #db: Database
  /** Runs work in one transaction, which is rolled back if it throws. */
  readonly atomically: (work: () => void) => void

  /** @throws SQLiteError or MeterDamaged; Error of one sentence if the file belongs to another secret */
  constructor(db: Database, fingerprint: string) {
    this.#db = db
    this.atomically = db.transaction((work: () => void) => work()).immediate
    for (const [name, value] of Object.entries(PRAGMAS)) {
      db.run(`PRAGMA ${name} = ${value}`)
      if (Object.values(this.#get<object>(`PRAGMA ${name}`) ?? {})[0] !== value)
        throw new Error(`SQLite did not accept ${name} = ${value} for meter.db.`)
    }
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

  #run(sql: string, values: Values): number {
    return this.#db.query(sql).run(values).changes
  }

  #get<Row>(sql: string, values: Values = {}): Row | null {
    return this.#db.query<Row, Values>(sql).get(values)
  }

  /** Returns the last hour in which requests were counted, in hours since 1970, or null. */
  loadHour(): number | null {
    return this.#get<{ hour: number }>(SQL.loadHour)?.hour ?? null
  }

  saveHour(hour: number): void {
    this.#run(SQL.saveHour, { hour })
  }

  /** The counts of one counter from hour `first` to hour `last`, both included, without hours that have no row. */
  counts({ policy, subject }: Pick<Charge, 'policy' | 'subject'>, first: number, last: number): Count[] {
    return this.#db.query<Count, Values>(SQL.counts).all({ policy, subject: blob(subject), first, last })
  }

  /** Adds what a counter gained. @param counter see Charge */
  add(counter: string, count: Count): void {
    const colon = counter.indexOf(':')
    const { hour, used, refused } = count
    this.#run(SQL.add, {
      hour,
      policy: counter.slice(0, colon),
      subject: blob(counter.slice(colon + 1)),
      used,
      refused,
    })
  }

  lastSeen(key: CounterSubject): number | null {
    return this.#get<{ day: number }>(SQL.lastSeen, { key: blob(key) })?.day ?? null
  }

  markKeyUsed(key: CounterSubject, day: number): void {
    this.#run(SQL.markKeyUsed, { key: blob(key), day })
  }

  /**
   * Deletes a batch of the counts that are 48 hours older than `hour`, and of the keys that were unused for 90 days
   * before it. A deleted key whose workspace is not empty stays known, since the gate checks the workspace.
   * @returns whether there are no more
   */
  forget(hour: number): boolean {
    const batch = BATCH_ROWS
    const counts = this.#run(SQL.forgetCounts, { before: hour - DETAIL_HOURS, batch })
    const keys = this.#run(SQL.forgetKeys, { before: Math.floor(hour / 24) - KEY_IDLE_DAYS, batch })
    return Math.max(counts, keys) < batch
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

/** Turns an error of SQLite into MeterDamaged, or into an error with a sentence. */
function describe(error: unknown): unknown {
  if (!(error instanceof SQLiteError)) return error
  const { code = '', message } = error
  if (code.startsWith('SQLITE_BUSY'))
    return new Error('Another process uses meter.db: only one Satchel can run on a data folder.', { cause: error })
  // A statement that does not fit the schema counts as damage too: the schema must have been overwritten.
  if (/^SQLITE_(CORRUPT|NOTADB|ERROR)/.test(code)) return new MeterDamaged(message, { cause: error })
  return new Error(`meter.db cannot be opened or written (${code}).`, { cause: error })
}

export interface MeterOptions extends Pick<Context, 'now' | 'log'> {
  path: string
  /** The fingerprint of the secret that the subjects are made with. */
  fingerprint: string
  /** Counters held in memory. Default: 100,000. */
  cacheEntries?: number
  /** Delay before a failed commit is tried again. Default: 1000. */
  retryMs?: number
  /** The longest time that the count of a refusal waits for another commit. Default: 10,000. */
  refusalDelayMs?: number
  connect?: (path: string) => Database
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
  const { path, fingerprint, now, log, connect = openFile } = options
  const fileOf = () => statSync(path, { throwIfNoEntry: false })?.ino
  const before = fileOf()
  let db: Database | null = null
  try {
    db = connect(path)
    return { store: new CounterStore(db, fingerprint), replaced: false }
  } catch (error) {
    const fault = describe(error)
    try {
      if (!db || !mayReplace || !(fault instanceof MeterDamaged)) throw fault
      // Another process may have replaced the file between our opening and our locking it.
      if (fileOf() !== before) throw new Error('Another process uses meter.db.')
      const set_aside = setAside(path, now())
      log.error({ damaged: path, set_aside, err: fault }, 'meter.db is damaged: it is set aside for a new one')
    } finally {
      db?.close()
    }
    return { ...openCounterStore(options, false), replaced: true }
  }
}

const openFile = (path: string) => new Database(path, { create: true, strict: true })

/** Renames the file with its journal files. Returns the new name, which contains `at` (milliseconds since 1970). */
function setAside(path: string, at: number): string {
  const aside = `${path}.damaged-${new Date(at).toISOString().replaceAll(/[-:]/g, '')}`
  if (existsSync(aside)) return setAside(path, at + 1)
  for (const suffix of ['', '-wal', '-shm']) if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix)
  return aside
}
