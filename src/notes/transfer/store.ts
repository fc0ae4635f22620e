import { Bindings } from '../../db/bindings'
import type { Queries, WorkspaceId } from '../../db/database'
import { conditions } from '../filter-store'
import type { NoteFilter } from '../filters'
import { type NoteRow, SUMMARY } from '../store'

/** What an imported note was at its last import: digests of what the file said and of what was stored. */
export interface Imported {
  readonly file_hash: string
  readonly note_hash: string
}

/** Null for a note that was never imported. */
export function getImported(db: Queries, workspace: WorkspaceId, key: number): Promise<Imported | null> {
  return db.get<Imported>(
    `SELECT file_hash, note_hash FROM note_imports JOIN notes ON notes.key = note_imports.key
     WHERE workspace = $1 AND notes.key = $2`,
    [workspace, key],
  )
}

export async function putImported(db: Queries, workspace: WorkspaceId, key: number, imported: Imported): Promise<void> {
  await db.run(
    `INSERT INTO note_imports (key, file_hash, note_hash) SELECT key, $3, $4 FROM notes WHERE workspace = $1 AND key = $2
     ON CONFLICT (key) DO UPDATE SET file_hash = excluded.file_hash, note_hash = excluded.note_hash`,
    [workspace, key, imported.file_hash, imported.note_hash],
  )
}

/**
 * Bytes of notes that are read at a time, one note aside: what is read in one turn of the event loop holds up everybody, and
 * waits in memory.
 */
export const READ_BYTES = 512 * 1024

/** Whole notes in the order of their ids, some from the one after `after` on; none: that is all. */
export function listWhole(
  db: Pick<Queries, 'all'>,
  workspace: WorkspaceId,
  filter: NoteFilter,
  after: string,
  limit: number,
): Promise<NoteRow[]> {
  const bind = new Bindings(workspace, after, limit, READ_BYTES)
  return db.all<NoteRow>(
    `SELECT ${SUMMARY}, properties, body
     FROM (
       SELECT note, sum(bytes) OVER (ORDER BY id) - bytes AS bytes_before
       FROM (SELECT key AS note, id, size_bytes AS bytes FROM notes
         WHERE workspace = $1 AND notes.id > $2 ${conditions(filter, bind)} ORDER BY id LIMIT $3)
     )
     JOIN notes ON notes.key = note JOIN note_bodies ON note_bodies.key = note
     WHERE bytes_before < $4 ORDER BY notes.id`,
    bind.values,
  )
}
