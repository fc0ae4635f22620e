import type { Session } from '../../db/database'
import { elementsIn, valuesIn } from '../../db/dialect'
import type { NoteName } from './store'

/**
 * Stores the names that notes had before a running rename, by its id (`rename`). Links resolve by them until they are
 * rewritten.
 */

export interface FormerName extends NoteName {
  readonly note: number
}

/** Keeps the current names of a note as former names. It may have former names already. */
export async function keepFormerNames({ db, workspace }: Session, rename: string, key: number): Promise<void> {
  await db.run(
    `INSERT INTO note_former_names (workspace, name_key, step, folder_length, id, rename, key)
     SELECT workspace, name_key, step, folder_length, id, $3, key FROM note_names WHERE key = $2 AND workspace = $1
     ON CONFLICT DO NOTHING`,
    [workspace.id, key, rename],
  )
}

export function listFormerNames(
  { db, workspace }: Session,
  rename: string,
  keys: readonly number[],
): Promise<FormerName[]> {
  return db.all<FormerName>(
    `SELECT former.key AS note, step, name_key AS key FROM ${elementsIn('$3')} AS given
     CROSS JOIN note_former_names AS former ON former.workspace = $1 AND rename = $2 AND former.key = CAST(given.value AS bigint)`,
    [workspace.id, rename, JSON.stringify(keys)],
  )
}

/** Lists the keys of the notes that have former names of a rename, from the key `from` on. */
export async function listRenamedNotes(
  { db, workspace }: Session,
  rename: string,
  from: number,
  limit: number,
): Promise<number[]> {
  const rows = await db.all<{ key: number }>(
    `SELECT DISTINCT key FROM note_former_names WHERE workspace = $1 AND rename = $2 AND key >= $3 ORDER BY key LIMIT $4`,
    [workspace.id, rename, from, limit],
  )
  return rows.map(({ key }) => key)
}

export async function hasFormerName(
  { db, workspace }: Session,
  key: number,
  names: readonly string[],
): Promise<boolean> {
  const sql = `SELECT 1 FROM note_former_names
    WHERE key = $2 AND workspace = $1 AND name_key IN ${valuesIn('$3')} LIMIT 1`
  return (await db.get(sql, [workspace.id, key, JSON.stringify(names)])) !== null
}

export async function deleteFormerNames(
  { db, workspace }: Session,
  key: number,
  rename: string | null = null,
): Promise<string[]> {
  const rows = await db.all<{ name_key: string }>(
    `DELETE FROM note_former_names WHERE key = $2 AND workspace = $1 AND rename = coalesce($3, rename) RETURNING name_key`,
    [workspace.id, key, rename],
  )
  return rows.map(({ name_key }) => name_key)
}
