import type { Queries, WorkspaceId } from '../../db/database'
import { byteLength, valuesIn } from '../../db/dialect'

export interface NamedNote {
  readonly id: string
  readonly title: string
  readonly daily_date: string | null
  /** Milliseconds since 1970; null: it is not archived. */
  readonly archived_at: number | null
  /** Milliseconds since 1970; null: it is not in the trash. */
  readonly deleted_at: number | null
}

/** A text that is above all texts which begin in the same way. */
const LAST = '\u{10ffff}'

/** Returns the names of notes by their ids, living or in the trash, in no order. */
export function listNamedNotes(db: Queries, workspace: WorkspaceId, ids: readonly string[]): Promise<NamedNote[]> {
  return db.all<NamedNote>(
    `SELECT id, title, daily_date, archived_at, deleted_at FROM notes WHERE workspace = $1 AND id IN ${valuesIn('$2')}`,
    [workspace, JSON.stringify(ids)],
  )
}

/** Returns the bytes of the bodies of notes by their ids, in no order, without reading the bodies. */
export function listBodyBytes(
  db: Queries,
  workspace: WorkspaceId,
  ids: readonly string[],
): Promise<{ readonly id: string; readonly bytes: number }[]> {
  return db.all(
    `SELECT id, ${byteLength('body')} AS bytes FROM notes JOIN note_bodies ON note_bodies.key = notes.key
     WHERE notes.workspace = $1 AND id IN ${valuesIn('$2')}`,
    [workspace, JSON.stringify(ids)],
  )
}

/** Lists the titles of living notes whose title keys begin with `key`, in their order. Several notes may have one title. */
export async function listTitlesFrom(
  db: Queries,
  workspace: WorkspaceId,
  key: string,
  limit: number,
): Promise<string[]> {
  const rows = await db.all<{ title: string }>(
    `SELECT title FROM notes WHERE workspace = $1 AND deleted_at IS NULL AND title_key >= $2 AND title_key < $3
     ORDER BY title_key LIMIT $4`,
    [workspace, key, key + LAST, limit],
  )
  return rows.map(({ title }) => title)
}

/** Lists the titles of the `newest` living notes whose keys hold `key`, newest first; an empty key is in every title. */
export async function listNewestTitles(
  db: Queries,
  workspace: WorkspaceId,
  key: string,
  { newest, limit }: { readonly newest: number; readonly limit: number },
): Promise<string[]> {
  const rows = await db.all<{ title: string }>(
    `SELECT title FROM (SELECT title, title_key FROM notes WHERE workspace = $1 AND deleted_at IS NULL
       ORDER BY updated_at DESC, id DESC LIMIT $3) AS listed
     WHERE instr(title_key, $2) > 0 LIMIT $4`,
    [workspace, key, newest, limit],
  )
  return rows.map(({ title }) => title)
}

/** Lists the days of living daily notes that begin with `start`, newest first. */
export async function listDailyDates(
  db: Queries,
  workspace: WorkspaceId,
  start: string,
  limit: number,
): Promise<string[]> {
  const rows = await db.all<{ daily_date: string }>(
    `SELECT daily_date FROM notes WHERE workspace = $1 AND daily_date >= $2 AND daily_date < $3 AND deleted_at IS NULL
     ORDER BY daily_date DESC LIMIT $4`,
    [workspace, start, start + LAST, limit],
  )
  return rows.map((row) => row.daily_date)
}
