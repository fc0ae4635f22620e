import type { Queries, WorkspaceId } from '../../db/database'
import { elementsIn, valuesIn } from '../../db/dialect'
import type { NoteName } from './store'

/** The names that notes had before a rename that is under way (`rename`): links lead there by them until they are rewritten. */

export interface FormerName extends NoteName {
  /** Of the note. */
  readonly of: number
}

/** Keeps the names that a note has now; it may have former ones already. */
export async function keepFormerNames(db: Queries, workspace: WorkspaceId, rename: string, key: number): Promise<void> {
  await db.run(
    `INSERT INTO note_former_names (workspace, name_key, step, folder_length, id, rename, key)
     SELECT workspace, name_key, step, folder_length, id, $3, key FROM note_names WHERE key = $2 AND workspace = $1
     ON CONFLICT DO NOTHING`,
    [workspace, key, rename],
  )
}

/** The former names of some notes, as one rename keeps them. */
export function listFormerNames(
  db: Queries,
  workspace: WorkspaceId,
  rename: string,
  keys: readonly number[],
): Promise<FormerName[]> {
  return db.all<FormerName>(
    `SELECT former.key AS of, step, name_key AS key FROM ${elementsIn('$3')} AS given
     CROSS JOIN note_former_names AS former ON former.workspace = $1 AND rename = $2 AND former.key = given.value`,
    [workspace, rename, JSON.stringify(keys)],
  )
}

/** The keys of the notes that a rename keeps names of, from a key on. */
export async function listRenamedNotes(
  db: Queries,
  workspace: WorkspaceId,
  rename: string,
  from: number,
  limit: number,
): Promise<number[]> {
  const rows = await db.all<{ key: number }>(
    `SELECT DISTINCT key FROM note_former_names WHERE workspace = $1 AND rename = $2 AND key >= $3 ORDER BY key LIMIT $4`,
    [workspace, rename, from, limit],
  )
  return rows.map(({ key }) => key)
}

/** Whether the note had one of these names. */
export async function hasFormerName(
  db: Queries,
  workspace: WorkspaceId,
  key: number,
  names: readonly string[],
): Promise<boolean> {
  const sql = `SELECT 1 FROM note_former_names
    WHERE key = $2 AND workspace = $1 AND name_key IN ${valuesIn('$3')} LIMIT 1`
  return (await db.get(sql, [workspace, key, JSON.stringify(names)])) !== null
}

/** Deletes the former names of a note, those of one rename or all. Returns which. */
export async function deleteFormerNames(
  db: Queries,
  workspace: WorkspaceId,
  key: number,
  rename: string | null = null,
): Promise<string[]> {
  const rows = await db.all<{ name_key: string }>(
    `DELETE FROM note_former_names WHERE key = $2 AND workspace = $1 AND ($3 IS NULL OR rename = $3) RETURNING name_key`,
    [workspace, key, rename],
  )
  return rows.map(({ name_key }) => name_key)
}
