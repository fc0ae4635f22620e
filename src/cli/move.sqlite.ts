import { Database as Sqlite } from 'bun:sqlite'
import type { Context, Queries } from '../db/database'
import { checkFingerprint } from '../db/open'
import { databasePath, type FolderSettings, openFolder, requireDatabase, runLongStep } from './data-folder'

export const MOVE_OPTIONS = {
  '--to=ADDRESS': 'copies all that is in the data folder into the PostgreSQL there, and compares; no server may run',
}

interface Deps extends Pick<Context, 'now' | 'random' | 'log'> {
  readonly tell: (sentence: string) => void
}

/**
 * Copies all that a stopped server has in its data folder into a database of PostgreSQL, in one transaction, and
 * compares both. It can be run again, until a server has started on the copy.
 * @param to the address of the database, as DATABASE_URL has it
 * @throws Error of one sentence
 */
export async function moveToPostgres(settings: FolderSettings, to: string, deps: Deps): Promise<string> {
  const { now, tell } = deps
  requireDatabase(settings.DATA_DIR)
  const path = databasePath(settings.DATA_DIR)
  const { copyDatabase } = await import('../db/postgres/copy-database.sqlite')
  const { MOVED_AT, openPostgres } = await import('../db/postgres/open')
  // It holds meter.db, so no server runs meanwhile; and it runs pending migrations.
  const { secret, close } = openFolder(settings, deps)
  using from = new Sqlite(path, { readonly: true, strict: true })
  try {
    await runLongStep('The database cannot be copied', async () => {
      const target = await openPostgres(to, now(), (kept) => {
        checkFingerprint(kept, secret.fingerprint, 'The database in PostgreSQL')
        return secret.fingerprint
      })
      try {
        await target.transaction(async (tx) => {
          await requireUnused(tx, MOVED_AT)
          await copyDatabase(from, tx, tell)
          await tx.run('INSERT INTO facts (name, value) VALUES ($1, $2)', [MOVED_AT, String(now())])
        })
      } finally {
        await target.close()
      }
    })
  } finally {
    await close()
  }
  return [
    'All is in PostgreSQL, as it is here. Requests of this hour are counted from 0.',
    'Start the processes with DATABASE_URL, REDIS_URL and the secret of this folder in SATCHEL_SECRET.',
  ].join('\n')
}

/** @throws Error of one sentence if the database has data of its own, or a server has started since it was copied */
async function requireUnused(tx: Queries, movedAt: string): Promise<void> {
  const factOf = async (name: string) =>
    Number((await tx.get<{ value: string }>('SELECT value FROM facts WHERE name = $1', [name]))?.value ?? 0)
  const moved = await factOf(movedAt)
  const served = await factOf('ready_checked_at')
  const isEmpty = (await tx.get('SELECT 1 FROM workspaces LIMIT 1')) === null
  if (moved > served || (isEmpty && served === 0)) return
  throw new Error(
    'A server has used the database in PostgreSQL already, and what it has would be lost. To copy all the same: DROP SCHEMA satchel CASCADE.',
  )
}
