import { Database } from 'bun:sqlite'
import { existsSync, writeFileSync } from 'node:fs'
import { migrate, openDatabase } from '../../src/db/open'

let migrated: Buffer | null = null

/**
 * openDatabase of src/db/open.ts. A file that is not there yet gets what the migrations make, which run once in a process:
 * they take longer than all else that a new world needs.
 */
export function openMigrated(...[path, now, check]: Parameters<typeof openDatabase>): ReturnType<typeof openDatabase> {
  if (!existsSync(path)) writeFileSync(path, readMigrated())
  return openDatabase(path, now, check)
}

function readMigrated(): Buffer {
  if (migrated) return migrated
  const db = new Database(':memory:')
  migrate(db, 0)
  migrated = db.serialize()
  db.close()
  return migrated
}
