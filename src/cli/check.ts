import { MIGRATIONS, schemaVersion } from '../db/migrate'
import { openSqlite } from '../db/sqlite'
import { contradictionsIn } from './check-store'
import { expectDatabase, type FolderSettings, step } from './data-folder'

/**
 * What is wrong in the database of a data folder, one line each; none when it is sound. It may be in use.
 * @throws Error of one sentence when it cannot be looked at
 */
export function check({ DATA_DIR }: FolderSettings): string[] {
  const path = expectDatabase(DATA_DIR)
  return step(`${path} cannot be read`, () => {
    const db = openSqlite(path, 'readwrite')
    try {
      const [version, newest] = [schemaVersion(db), MIGRATIONS.at(-1)?.version ?? 0]
      if (version !== newest)
        throw new Error(
          `${path} is at version ${version}, and this Satchel checks version ${newest}: migrate it first.`,
        )
      return contradictionsIn(db)
    } finally {
      db.close()
    }
  })
}
