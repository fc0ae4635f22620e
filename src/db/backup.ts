/** A copy of the database with the secret in a table more. Any tool for SQLite can open it; keep it as secret. */
import { Database as Sqlite } from 'bun:sqlite'
import { chmodSync, closeSync, copyFileSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { NEWEST_VERSION, readFingerprint, readSchemaVersion } from './open'
import { translateErrors } from './sqlite-file'

interface BackupContent {
  /** 32 bytes, as hexadecimal digits. */
  readonly secret: string
  /** Milliseconds since 1970. */
  readonly made_at: number
}

/**
 * Copies the database `from` to `to`, without delaying a server that writes to it. `to` is made atomically; the caller
 * checks that it does not exist.
 * @param checkFingerprint called with the fingerprint that the database stores; throws if the secret is another one
 * @throws DatabaseUnavailable, an Error of the system, or one of one sentence; see readSchemaVersion
 */
export function writeBackup(
  from: string,
  to: string,
  { secret, made_at }: BackupContent,
  checkFingerprint: (kept: string | null) => void,
): void {
  const draft = draftOf(to)
  try {
    useDatabase(from, 'readwrite', (db) => {
      readSchemaVersion(db)
      db.run('VACUUM INTO ?', [draft])
    })
    useDatabase(draft, 'readwrite', (db) => {
      checkFingerprint(readFingerprint(db))
      db.run('CREATE TABLE backup (secret TEXT NOT NULL, made_at INTEGER NOT NULL) STRICT')
      db.run('INSERT INTO backup VALUES (?, ?)', [secret, made_at])
    })
    putInPlace(draft, to)
  } finally {
    rmSync(draft, { force: true })
  }
}

/**
 * Reads the secret and the time of a backup, and checks it. Changes nothing.
 * @throws Error of one sentence if the file is not a backup, is damaged, or was written by a newer Satchel or
 *   before the first release
 */
export function readBackup(file: string): BackupContent {
  return useDatabase(file, 'readonly', (db) => {
    const isBackup = db.query("SELECT 1 FROM sqlite_schema WHERE name = 'backup'").get() !== null
    const content = isBackup ? db.query<BackupContent, []>('SELECT secret, made_at FROM backup').get() : null
    if (!content) throw new Error(`${file} is not a backup of Satchel.`)
    const damage = db.query<{ integrity_check: string }, []>('PRAGMA integrity_check(1)').get()?.integrity_check
    if (damage !== 'ok') throw new Error(`${file} is damaged.`)
    const version = readSchemaVersion(db)
    if (version > NEWEST_VERSION)
      throw new Error(`${file} is at version ${version}, and this Satchel knows versions up to ${NEWEST_VERSION}.`)
    return content
  })
}

/** More changes than a workspace gets between a backup and the moment at which it is restored. */
const RESTORED_AHEAD = 1_000_000_000

/** `to` is made atomically, without the additional table. Every cursor of the feed of before has expired. */
export function unpackBackup(file: string, to: string): void {
  const draft = draftOf(to)
  try {
    copyFileSync(file, draft)
    // The copy has the mode of the backup, which may let others read it, or not even its owner write.
    chmodSync(draft, 0o600)
    useDatabase(draft, 'readwrite', (db) => {
      // The secret must not remain in a free page or in a journal.
      db.run('PRAGMA journal_mode = MEMORY')
      db.run('PRAGMA secure_delete = ON')
      db.run('DROP TABLE backup')
      // Clients may have followed the feed beyond the backup, and what is written next gets other numbers than they have seen.
      db.run('UPDATE workspaces SET seq = seq + ?1, forgotten_seq = seq + ?1', [RESTORED_AHEAD])
    })
    putInPlace(draft, to)
  } finally {
    rmSync(draft, { force: true })
  }
}

/**
 * Works on an existing database without the settings of a server's connections, some of which would stay in the file. A
 * database in use is opened for writing even to read it, since otherwise the last reader could not remove its
 * write-ahead log.
 */
function useDatabase<T>(path: string, mode: 'readonly' | 'readwrite', work: (db: Sqlite) => T): T {
  const db = translateErrors(() => new Sqlite(path, { strict: true, [mode]: true }))
  try {
    db.run('PRAGMA busy_timeout = 5000')
    return translateErrors(() => work(db))
  } finally {
    db.close()
  }
}

const draftOf = (path: string) => `${path}.${process.pid}.part`

/** Gives a file its name, once it is whole on the disk. */
export function putInPlace(draft: string, path: string): void {
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
