import { MIGRATIONS } from '../db/migrate'
import { expectDatabase, type FolderSettings, openFolder } from './data-folder'

/** Brings the database of a data folder up to date, as a start does, while no server runs. Throws an Error of one sentence. */
export async function migrate(settings: FolderSettings, deps: Parameters<typeof openFolder>[1]): Promise<string> {
  const path = expectDatabase(settings.DATA_DIR)
  const { meter, db } = openFolder(settings, deps)
  meter.close()
  await db.close()
  return `${path} is at version ${MIGRATIONS.at(-1)?.version}.`
}
