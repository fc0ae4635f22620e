import { type Database, DatabaseUnavailable } from './database'
import { MIGRATIONS } from './migrate'

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
