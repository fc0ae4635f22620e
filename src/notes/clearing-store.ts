import type { Wipe } from '../db/clearing'

/** Erases notes with all that hangs on them. Their stems are in a table that nothing refers to. */
export const wipeNotes: Wipe = async (db, workspace, limit) => {
  const sql = 'SELECT key FROM notes WHERE workspace = $1 LIMIT $2'
  const keys = JSON.stringify((await db.all<{ key: number }>(sql, [workspace, limit])).map(({ key }) => key))
  await db.run('DELETE FROM notes_stems WHERE rowid IN (SELECT value FROM json_each($1))', [keys])
  const erased = await db.run('DELETE FROM notes WHERE +workspace = $1 AND key IN (SELECT value FROM json_each($2))', [
    workspace,
    keys,
  ])
  return erased === limit
}
