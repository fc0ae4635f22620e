import type { Queries, WorkspaceId } from '../../db/database'

/** What an imported note was at its last import: digests of what the file said and of what was stored. */
export interface ImportDigests {
  readonly file_hash: string
  readonly note_hash: string
}

/** Null for a note that was never imported. */
export function getImportDigests(db: Queries, workspace: WorkspaceId, key: number): Promise<ImportDigests | null> {
  return db.get<ImportDigests>(
    `SELECT file_hash, note_hash FROM note_imports JOIN notes ON notes.key = note_imports.key
     WHERE workspace = $1 AND notes.key = $2`,
    [workspace, key],
  )
}

export async function putImportDigests(
  db: Queries,
  workspace: WorkspaceId,
  key: number,
  imported: ImportDigests,
): Promise<void> {
  await db.run(
    `INSERT INTO note_imports (key, file_hash, note_hash) SELECT key, $3, $4 FROM notes WHERE workspace = $1 AND key = $2
     ON CONFLICT (key) DO UPDATE SET file_hash = excluded.file_hash, note_hash = excluded.note_hash`,
    [workspace, key, imported.file_hash, imported.note_hash],
  )
}
