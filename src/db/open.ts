import type { Database as Sqlite } from 'bun:sqlite'
import { type Database, DatabaseUnavailable } from './database'
import { MIGRATIONS, migrate } from './migrate'
import { openSqlite, SqliteDatabase } from './sqlite'

/** Where the fingerprint of the secret stands in `facts`. */
const FINGERPRINT = 'secret_fingerprint'

/**
 * Opens satchel.db, brought up to date and checked.
 * @param now the present instant in milliseconds
 * @param checkFingerprint is told what the database keeps of the secret it was made with, or null if it is new; it
 *   throws if another secret is in use now, since that would orphan every workspace. Returns what to keep.
 * @throws an Error of one sentence, or DatabaseUnavailable
 */
export function openDatabase(
  path: string,
  now: number,
  checkFingerprint: (kept: string | null) => string,
): SqliteDatabase {
  const db = openSqlite(path)
  try {
    migrate(db, now)
    keepFingerprint(db, checkFingerprint)
  } finally {
    db.close()
  }
  return new SqliteDatabase(path)
}

function keepFingerprint(db: Sqlite, check: (kept: string | null) => string): void {
  const kept = keptFingerprint(db)
  const fingerprint = check(kept)
  if (kept === null) db.run('INSERT INTO facts (name, value) VALUES (?, ?)', [FINGERPRINT, fingerprint])
}

/** What the database keeps of the secret it was made with; null if it is new. */
export function keptFingerprint(db: Sqlite): string | null {
  return db.query<{ value: string }, [string]>('SELECT value FROM facts WHERE name = ?').get(FINGERPRINT)?.value ?? null
}

/**
 * Shows that the database is at the newest version and takes a write, down to the disk.
 * @param now milliseconds since 1970
 * @throws DatabaseUnavailable
 */
export async function checkReady(db: Database, now: number): Promise<void> {
  const row = await db.get<{ version: number | null }>('SELECT max(version) AS version FROM migrations')
  const newest = MIGRATIONS.at(-1)?.version ?? 0
  if (row?.version !== newest)
    throw new DatabaseUnavailable(`the database is at version ${row?.version}, not at ${newest}`)
  await db.run(
    `INSERT INTO facts (name, value) VALUES ('ready_checked_at', $1)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    [String(now)],
  )
}
