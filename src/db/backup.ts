/**
 * A backup is one file: a copy of the database as it was at one moment, which carries the secret in a table of its own.
 * It can be looked into with any tool for SQLite, and is as secret as the data folder itself.
 */
import { Database as Sqlite } from 'bun:sqlite'
import { chmodSync, closeSync, copyFileSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { translateErrors } from './connection'
import { MIGRATIONS, readFingerprint, readSchemaVersion } from './open'

export interface BackupContent {
  /** 32 bytes, as hexadecimal digits. */
  readonly secret: string
  /** Milliseconds since 1970. */
  readonly made_at: number
}

/**
 * Copies the database `from` to `to`, also while a server writes to it, which it does not hold up. `to` is there whole or
 * not at all; whether it was there before is the caller's to look.
 * @param checkFingerprint gets what the database keeps of its secret; it throws if that is not the one carried
 * @throws DatabaseUnavailable, or an Error of the system's
 */
export function writeBackup(
  from: string,
  to: string,
  { secret, made_at }: BackupContent,
  checkFingerprint: (kept: string | null) => void,
): void {
  const draft = draftOf(to)
  try {
    opened(from, 'readwrite', (db) => db.run('VACUUM INTO ?', [draft]))
    opened(draft, 'readwrite', (db) => {
      checkFingerprint(readFingerprint(db))
      db.run('CREATE TABLE backup (secret TEXT NOT NULL, made_at INTEGER NOT NULL) STRICT')
      db.run('INSERT INTO backup VALUES (?, ?)', [secret, made_at])
    })
    settle(draft, to)
  } finally {
    rmSync(draft, { force: true })
  }
}

/**
 * Reads what a backup carries. It changes nothing.
 * @throws Error of one sentence when the file is no backup, is damaged, or was written by a newer Satchel
 */
export function readBackup(file: string): BackupContent {
  return opened(file, 'readonly', (db) => {
    const isBackup = db.query("SELECT 1 FROM sqlite_schema WHERE name = 'backup'").get() !== null
    const carried = isBackup ? db.query<BackupContent, []>('SELECT secret, made_at FROM backup').get() : null
    if (!carried) throw new Error(`${file} is no backup of Satchel.`)
    const damage = db.query<{ integrity_check: string }, []>('PRAGMA integrity_check(1)').get()?.integrity_check
    if (damage !== 'ok') throw new Error(`${file} is damaged.`)
    const [version, newest] = [readSchemaVersion(db), MIGRATIONS.at(-1)?.version ?? 0]
    if (version > newest)
      throw new Error(`${file} is at version ${version}, and this Satchel knows versions up to ${newest}.`)
    return carried
  })
}

/** Makes the database `to` of a backup: the copy without what the backup carries. Whole, or not at all. */
export function unpackBackup(file: string, to: string): void {
  const draft = draftOf(to)
  try {
    copyFileSync(file, draft)
    // The copy has the mode of the backup, which others may be let read, or nobody write.
    chmodSync(draft, 0o600)
    opened(draft, 'readwrite', (db) => {
      // Nothing of the secret may stay in a page that is free, or in a journal.
      db.run('PRAGMA journal_mode = MEMORY')
      db.run('PRAGMA secure_delete = ON')
      db.run('DROP TABLE backup')
    })
    settle(draft, to)
  } finally {
    rmSync(draft, { force: true })
  }
}

/**
 * Works on a database that is there, as it is: none of the settings of a server's connections, which would stay in the file.
 * What only reads a database in use opens it for writing too, since the last reader could not clear up its log otherwise.
 */
function opened<T>(path: string, mode: 'readonly' | 'readwrite', work: (db: Sqlite) => T): T {
  const db = translateErrors(() => new Sqlite(path, { strict: true, [mode]: true }))
  try {
    db.run('PRAGMA busy_timeout = 5000')
    return translateErrors(() => work(db))
  } finally {
    db.close()
  }
}

const draftOf = (path: string) => `${path}.${process.pid}.part`

/** Puts a finished draft in its place, once it is on the disk. */
function settle(draft: string, path: string): void {
  sync(draft)
  renameSync(draft, path)
  sync(dirname(path))
}

function sync(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
