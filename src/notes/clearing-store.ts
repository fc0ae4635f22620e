import type { Wipe } from '../db/erasing'

/**
 * Erases notes with all that hangs on them. Old bodies come first: one note may have hundreds, and all at once would hold
 * up other writers.
 */
export const wipeNotes: Wipe = async (db, workspace, limit) => {
  const sql = 'SELECT key FROM notes WHERE workspace = $1 LIMIT $2'
  const found = await db.all<{ key: number }>(sql, [workspace, limit])
  if (found.length === 0) return false
  const keys = JSON.stringify(found.map(({ key }) => key))
  const bodies = `DELETE FROM note_revision_bodies WHERE rowid IN (
    SELECT rowid FROM note_revision_bodies WHERE key IN (SELECT value FROM json_each($1)) LIMIT $2)`
  if ((await db.run(bodies, [keys, limit])) === limit) return true
  await db.run('DELETE FROM notes WHERE +workspace = $1 AND key IN (SELECT value FROM json_each($2))', [
    workspace,
    keys,
  ])
  return found.length === limit
}
